import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Pauses, WorkerThread } from './worker-thread.js'

/** A thread that follows commands; the first number in shared memory is how many starts still fail. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  const failures = new Int32Array(workerData)
  const call = (name, ...args) => parentPort.postMessage({ type: 'call', name, args })
  if (Atomics.sub(failures, 0, 1) > 0) {
    call('broken', { kind: 'other', message: 'no room' })
  } else {
    let stays = false
    parentPort.on('message', ({ id, name }) => {
      if (name === 'stay') stays = true
      if (name === 'echo') parentPort.postMessage({ type: 'answer', id, value: 'echo' })
      if (name === 'fail') parentPort.postMessage({ type: 'failed', id, failure: { kind: 'other', message: 'it will not' } })
      if (name === 'die') throw new Error('stumbled')
      if (name === 'leave' || (name === 'close' && !stays)) parentPort.close()
    })
    call('ready')
  }`

interface Methods {
  echo(): string
  fail(): void
  ignore(): void
  die(): void
  leave(): void
  stay(): void
  close(): void
}

let thread: WorkerThread<Methods>
let events: string[]
let lines: Record<string, unknown>[]
let failures: Int32Array
afterEach(() => thread.close(1_000))

function keep(pauses: Partial<Pauses> = {}): WorkerThread<Methods> {
  events = []
  lines = []
  failures = new Int32Array(new SharedArrayBuffer(4))
  const options = {
    name: 'thread',
    unavailable: 'It is away',
    meanwhile: 'it rests',
    log: pino({ base: null }, { write: (line) => void lines.push({ ...JSON.parse(line), failure: thread.failure }) }),
    begin: () => new Worker(program, { eval: true, workerData: failures.buffer }),
    onDeath: () => void events.push('death'),
    onBack: () => void events.push('back'),
  } as const
  thread = new WorkerThread<Methods>(options, { first: 10, max: 40, healthyAfter: 60_000, ...pauses })
  return thread
}

const ask = (name: keyof Methods) => thread.methods[name]()
const tell = (name: keyof Methods) => thread.tell(name, [])
const said = (message: string) => lines.filter(({ msg }) => msg === message)
const restarted = (times: number) =>
  vi.waitFor(() => expect(said('thread is running again')).toHaveLength(times), 60_000)

describe('a supervised thread', () => {
  it('answers or rejects each call by its id', async () => {
    await keep().start()
    const [one, two, three] = await Promise.allSettled([ask('echo'), ask('fail'), ask('echo')])
    expect(one).toEqual({ status: 'fulfilled', value: 'echo' })
    expect(two).toMatchObject({ status: 'rejected', reason: { message: 'it will not' } })
    expect(three).toEqual(one)
  })

  it('reports why it cannot start, and is not restarted before the next call', async () => {
    keep()
    failures[0] = 2
    await expect(thread.start()).rejects.toThrow('no room')
    await expect(ask('echo')).rejects.toThrow('It is away (no room). Try again in a few seconds.')
    expect(await ask('echo')).toBe('echo')
    expect([thread.restarts, lines]).toEqual([0, []])
  })

  it('rejects pending calls when it dies, reports why until it is back, and answers again', async () => {
    await keep().start()
    const waiting = expect(ask('ignore')).rejects.toThrow('It is away (stumbled)')
    tell('die')
    await waiting
    expect(thread.failure).toBe('the thread died: stumbled')
    await expect(ask('echo')).rejects.toThrow('It is away (the thread died: stumbled)')
    await restarted(1)
    expect(await ask('echo')).toBe('echo')
    expect([thread.failure, thread.restarts, events]).toEqual([undefined, 1, ['death', 'back']])
    expect(said('thread died; it rests')).toMatchObject([{ level: 50, err: { message: 'stumbled' } }])
    expect(said('thread is running again')).toMatchObject([{ level: 30, restarts: 1 }])
  })

  it('is restarted also if it exited without an error', async () => {
    await keep().start()
    tell('leave')
    await restarted(1)
    expect(said('thread died; it rests')).toMatchObject([{ err: { message: 'The thread ended unexpectedly.' } }])
  })

  it('is restarted until it starts, with exponential backoff up to the maximum', async () => {
    await keep().start()
    failures[0] = 4
    tell('die')
    await restarted(1)
    const failure = 'the thread cannot start: no room'
    expect(said('cannot start the thread')).toMatchObject(
      [20, 40, 40, 40].map((retryIn) => ({ level: 50, retryIn, failure })),
    )
    expect([thread.restarts, events]).toEqual([5, ['death', 'back']])
  })

  it.each([
    ['keeps its long pauses if it died soon after', 60_000, 40],
    ['starts with a short pause again after it was healthy for a while', 0, 20],
  ])('%s', async (_, healthyAfter, retryIn) => {
    await keep({ healthyAfter }).start()
    for (const time of [1, 2]) {
      failures[0] = time === 2 ? 1 : 0
      tell('die')
      await restarted(time)
    }
    expect(said('cannot start the thread').map((line) => line.retryIn)).toEqual([retryIn])
  })

  it('ends on close, is not restarted, and rejects later calls', async () => {
    await keep().start()
    const waiting = expect(ask('ignore')).rejects.toThrow('It is away (The thread ended unexpectedly.)')
    const closed = thread.close(5_000)
    await expect(ask('echo')).rejects.toThrow('It is away (the service is stopping)')
    await closed
    await waiting
    expect([thread.isRunning, thread.isClosing, lines]).toEqual([false, true, []])
  })

  it('is terminated if it does not end in time', async () => {
    await keep().start()
    tell('stay')
    await thread.close(20)
    expect([thread.isRunning, said('thread did not close in time').length]).toEqual([false, 1])
  })

  it('can be closed during a restart pause, without waiting for it', async () => {
    await keep({ first: 600_000 }).start()
    tell('die')
    await vi.waitFor(() => expect(said('thread died; it rests')).toHaveLength(1), 60_000)
    await thread.close(5_000)
    expect(thread.restarts).toBe(0)
  })
})
