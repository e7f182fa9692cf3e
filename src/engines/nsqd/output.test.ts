import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Block, packed } from './block.js'
import { Output } from './output.js'

describe('output', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    // Long after the start of the process, as far as the first write is concerned.
    vi.advanceTimersByTime(10_000)
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** An output that notes how many messages went into each write. */
  function anOutput(timeout: number, size = 16_384) {
    const writes: number[] = []
    const block = new Block({ first: 1, count: 1, at: 0, deferredUntil: 0 }, packed([Buffer.from('x')]))
    const length = 4 + 4 + 8 + 2 + 16 + 1
    const output = new Output({ unsent: 0, write: (bytes) => writes.push(bytes.length / length) }, size, timeout)
    const send = (count: number) => {
      for (let index = 0; index < count; index++) output.message(block, 1, 1)
      output.rest()
    }
    return { writes, send }
  }

  it('does not make a quiet stream wait', () => {
    const { writes, send } = anOutput(250)
    for (let index = 0; index < 3; index++) {
      send(2)
      vi.advanceTimersByTime(30)
    }
    expect(writes).toEqual([2, 2, 2])
  })

  it('gathers what a busy one brings, for 25 ms and not for all of the time that was asked for', () => {
    const { writes, send } = anOutput(250)
    for (let index = 0; index < 10; index++) {
      send(1)
      vi.advanceTimersByTime(10)
    }
    expect(writes).toEqual([1, 2, 2, 3, 2])
  })

  it('writes at once when the time that was asked for is none, and when its size is reached', () => {
    const unbuffered = anOutput(0)
    for (let index = 0; index < 3; index++) unbuffered.send(1)
    expect(unbuffered.writes).toEqual([1, 1, 1])
    const small = anOutput(250, 70)
    small.send(4)
    expect(small.writes).toEqual([2, 2])
  })
})
