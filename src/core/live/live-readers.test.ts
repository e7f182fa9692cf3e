import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Refusal } from '../values/refusal.js'
import { type LiveReader, LiveReaders, type LiveSource } from './live-readers.js'
import { type FeedUpdate, keyOf, type LiveSubject } from './live-subject.js'

const subject: LiveSubject = { organizationGuid: 'O1', kind: 'group', id: 'B1' }

describe('LiveReaders', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('pass events on to the readers of their subject', async () => {
    const { live, source } = started()
    const [one, other] = [aReader(), aReader({ ...subject, id: 'B2' })]
    expect(await live.join(one, 'last')).toBe('first after last')
    await live.join(other, undefined)
    source.send([[keyOf(subject), 'event']])
    expect([one.written, other.written]).toEqual([['event'], []])
    live.leave(one)
    live.leave(one)
    source.send([[keyOf(subject), 'late']])
    expect([one.written, source.left, live.counts]).toEqual([['event'], [subject], { open: 1, opened: 2, dropped: 0 }])
  })

  it('are limited, half of them for one organization', async () => {
    const { live } = started(4)
    const ofOther = { ...subject, organizationGuid: 'O2' }
    const first = aReader()
    await live.join(first, undefined)
    await live.join(aReader(), undefined)
    const ofOrganization = await live.join(aReader(), undefined).catch((error: unknown) => error)
    expect(ofOrganization).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', details: { rate: { limit: 2 } } })
    await live.join(aReader(ofOther), undefined)
    await live.join(aReader(ofOther), undefined)
    const ofProcess = await live
      .join(aReader({ ...subject, organizationGuid: 'O3' }), undefined)
      .catch((error) => error)
    expect(ofProcess).toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' })
    live.leave(first)
    await live.join(aReader(), undefined)
    expect(live.counts.open).toBe(4)
  })

  it('that could not join count no more', async () => {
    const { live, source } = started(2)
    source.failure = new Refusal('TEMPORARILY_UNAVAILABLE', 'away')
    await expect(live.join(aReader(), undefined)).rejects.toThrow('away')
    source.failure = undefined
    await live.join(aReader(), undefined)
    expect(live.counts).toEqual({ open: 1, opened: 1, dropped: 0 })
  })

  it('that are too slow are dropped, and the others go on', async () => {
    const { live, source } = started()
    const [slow, quick] = [aReader(), aReader()]
    await live.join(slow, undefined)
    await live.join(quick, undefined)
    slow.isSlow = true
    source.send([[keyOf(subject), 'event']])
    source.send([[keyOf(subject), 'next']])
    expect([slow.written, slow.ended, quick.written, quick.ended]).toEqual([['event'], 1, ['event', 'next'], 0])
    expect(live.counts).toEqual({ open: 1, opened: 2, dropped: 1 })
  })

  it('get a heartbeat every fifteen seconds', async () => {
    const { live } = started()
    const early = aReader()
    await live.join(early, undefined)
    await vi.advanceTimersByTimeAsync(7_000)
    const late = aReader()
    await live.join(late, undefined)
    await vi.advanceTimersByTimeAsync(8_000)
    expect([early.written.length, late.written.length]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(30_000)
    expect([early.written.length, late.written.length]).toEqual([3, 2])
    expect(early.written[0]).toMatch(/^:.*\n\n$/)
  })

  it('that lose their access are ended with the next heartbeat; a failed check ends nobody', async () => {
    const { live } = started()
    const [revoked, unknown, away] = [aReader(), aReader(), aReader()]
    for (const reader of [revoked, unknown, away]) await live.join(reader, undefined)
    revoked.refusal = new Refusal('FORBIDDEN', 'revoked')
    unknown.refusal = new Error('the database is away')
    away.refusal = new Refusal('TEMPORARILY_UNAVAILABLE', 'the database is away')
    await vi.advanceTimersByTimeAsync(15_000)
    expect([revoked.ended, unknown.ended, away.ended, live.counts.open]).toEqual([1, 0, 0, 2])
  })

  it('are all ended when their source stops, or the service', async () => {
    const { live, source } = started()
    const readers = [aReader(), aReader({ ...subject, kind: 'link', id: 'sho.rt/a' })]
    for (const reader of readers) await live.join(reader, undefined)
    source.stop()
    expect([readers.map(({ ended }) => ended), live.counts.open]).toEqual([[1, 1], 0])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(readers.map(({ written }) => written)).toEqual([[], []])
  })
})

function started(max = 10) {
  const source = new TestSource()
  return { source, live: new LiveReaders(source, { max }) }
}

class TestSource implements LiveSource {
  readonly left: LiveSubject[] = []
  failure: Error | undefined
  send: (updates: readonly FeedUpdate[]) => void = () => {}
  stop: () => void = () => {}

  async join(_: LiveSubject, lastEventId: string | undefined): Promise<string> {
    if (this.failure) throw this.failure
    return `first after ${lastEventId}`
  }

  leave(left: LiveSubject): void {
    this.left.push(left)
  }

  connect(readers: Parameters<LiveSource['connect']>[0]): void {
    this.send = (updates) => readers.receive(updates)
    this.stop = () => readers.endAll()
  }
}

interface TestReader extends LiveReader {
  readonly written: string[]
  ended: number
  isSlow: boolean
  refusal: Error | undefined
}

function aReader(of = subject): TestReader {
  const reader: TestReader = {
    subject: of,
    written: [],
    ended: 0,
    isSlow: false,
    refusal: undefined,
    write(text) {
      reader.written.push(Buffer.from(text).toString())
      return !reader.isSlow
    },
    end() {
      reader.ended += 1
    },
    async authorize() {
      if (reader.refusal) throw reader.refusal
    },
  }
  return reader
}
