import { describe, expect, it } from 'vitest'
import type { Click } from './click.js'
import type { ClickSink } from './click-log.js'
import { Delivery, type DeliveryDeps } from './deliver.js'
import type { JournalReader, JournalRow } from './journal.js'
import { unknownLocation } from './locate.js'
import { createPipeline } from './pipeline.js'
import { aRawClick } from './raw-click.builder.js'

/** A journal in memory: rows are pushed at one end and released at the other. */
class RowList implements JournalReader {
  readonly damagedRows = 0
  readonly journalId = 'journal'
  rows: JournalRow[] = []
  #last = 0

  push(...clicks: JournalRow['clicks']): number {
    this.rows.push({ row: ++this.#last, clicks })
    return this.#last
  }

  read(row: number, clicks: number): readonly JournalRow[] {
    const found: JournalRow[] = []
    for (const candidate of this.rows.filter((each) => each.row > row)) {
      if (found.reduce((sum, each) => sum + each.clicks.length, 0) >= clicks) break
      found.push(candidate)
    }
    return found
  }

  release(row: number): void {
    this.rows = this.rows.filter((each) => each.row > row)
  }
}

/** A click log in memory that can be away. */
class ClickList implements ClickSink {
  clicks: Click[] = []
  row = 0
  awayFor = 0

  async cursor(): Promise<number> {
    return this.row
  }

  async append(clicks: readonly Click[], upTo: { row: number }): Promise<void> {
    if (this.awayFor-- > 0) throw new Error('the log is away')
    this.clicks.push(...clicks)
    this.row = upTo.row
  }
}

function aDelivery(input: Partial<DeliveryDeps> = {}) {
  const journal = new RowList()
  const log = new ClickList()
  const pauses: number[] = []
  const waits: number[] = []
  const failures: string[] = []
  let now = aRawClick().at + 40
  const delivery = new Delivery({
    journal,
    log,
    pipeline: createPipeline({
      geography: { location: () => unknownLocation },
      salts: { of: () => 'salt' },
      trustProxy: 0,
    }),
    clock: { now: () => now },
    async pause(milliseconds) {
      pauses.push(milliseconds)
      now += milliseconds
    },
    async waitForRows(milliseconds) {
      waits.push(milliseconds)
      pauses.push(milliseconds)
      now += milliseconds
    },
    waitBriefly: (work) => work,
    onDelivered: () => {},
    onFailure: (error) => failures.push(String(error)),
    ...input,
  })
  /** Runs until the journal is empty. */
  const drain = () => delivery.run(() => ({ until: Number.POSITIVE_INFINITY }))
  return { journal, log, delivery, pauses, waits, failures, drain, now: () => now }
}

describe('Delivery', () => {
  it('delivers rows in order, moves the cursor and releases them', async () => {
    const { journal, log, delivery, drain } = aDelivery()
    for (let index = 0; index < 30; index++) journal.push(aRawClick({ address: `sho.rt/${index}` }))
    await drain()
    expect(log.clicks.map((click) => click.address)).toEqual(
      Array.from({ length: 30 }, (_, index) => `sho.rt/${index}`),
    )
    expect(log.row).toBe(30)
    expect(journal.rows).toEqual([])
    expect(delivery.status()).toMatchObject({ row: 30, failures: 0, lastFailure: undefined, lagMs: 0 })
  })

  it('is as late as the oldest click that is not delivered, at any moment, and not at all when all are', async () => {
    const { journal, log, delivery, pauses, now } = aDelivery()
    const began = now()
    for (let index = 0; index < 3; index++) journal.push(aRawClick({ at: began - 1_000 + index }))
    log.append = async () => {
      throw new Error('the click log is away')
    }
    await delivery.run(() => (pauses.length >= 4 ? { until: 0 } : undefined))
    expect(now()).toBeGreaterThan(began)
    expect(delivery.status().lagMs).toBe(now() - began + 1_000)
  })

  it('releases again now and then, and at the end: files may have been closed since', async () => {
    const { journal, delivery, now } = aDelivery()
    const released: number[] = []
    journal.release = (row) => released.push(row)
    journal.push(aRawClick())
    const begun = now()
    await delivery.run(() => (now() < begun + 12_000 ? undefined : { until: Number.POSITIVE_INFINITY }))
    expect(released).toEqual([1, 1, 1, 1])
  })

  it('starts after what the log already has', async () => {
    const { journal, log, drain } = aDelivery()
    journal.push(aRawClick({ address: 'sho.rt/old' }))
    journal.push(aRawClick({ address: 'sho.rt/new' }))
    log.row = 1
    await drain()
    expect(log.clicks.map((click) => click.address)).toEqual(['sho.rt/new'])
  })

  it('counts by traffic class, and dropped clicks by reason', async () => {
    const { journal, delivery, drain } = aDelivery()
    journal.push(aRawClick(), aRawClick({ method: 'HEAD' }), aRawClick({ userAgent: 'Twitterbot/1.0' }))
    journal.push(aRawClick({ at: Number.NaN }), aRawClick({ purpose: 'prefetch' }))
    await drain()
    expect(delivery.status().delivered).toEqual({ human: 1, bot: 0, preview: 1, prefetch: 1, head: 1 })
    expect(delivery.status().dropped).toEqual({ malformed: 1 })
  })

  it('tries again, later each time, while the log is away, and loses and repeats nothing', async () => {
    const { journal, log, delivery, drain, pauses, failures } = aDelivery()
    log.awayFor = 4
    for (let index = 0; index < 10; index++) journal.push(aRawClick({ address: `sho.rt/${index}` }))
    await drain()
    expect(log.clicks).toHaveLength(10)
    expect(failures).toHaveLength(4)
    expect(pauses.slice(0, 4)).toEqual([250, 500, 1_000, 2_000])
    expect(delivery.status()).toMatchObject({ failures: 4, lastFailure: undefined })
  })

  it('waits for new rows when the log has all, but for the time of its retry while it is away', async () => {
    const { journal, log, delivery, pauses, waits } = aDelivery()
    journal.push(aRawClick())
    log.awayFor = 3
    const until = (enough: () => boolean) => () => (enough() ? { until: 0 } : undefined)
    await delivery.run(until(() => log.row === 1 || waits.length > 0))
    expect([pauses.slice(0, 3), waits]).toEqual([[250, 500, 1_000], []])
    await delivery.run(until(() => waits.length === 3))
    expect(waits).toEqual([1_000, 1_000, 1_000])
  })

  it('never waits longer than half a minute between attempts', async () => {
    const { journal, log, drain, pauses } = aDelivery()
    log.awayFor = 20
    journal.push(aRawClick())
    await drain()
    expect(Math.max(...pauses)).toBe(5_000)
  })

  it('gives up at its time limit and leaves the rest in the journal', async () => {
    const { journal, log, delivery, now } = aDelivery()
    log.awayFor = Number.POSITIVE_INFINITY
    journal.push(aRawClick())
    const until = now() + 1_000
    await delivery.run(() => ({ until }))
    expect(now()).toBe(until)
    expect(journal.rows).toHaveLength(1)
    expect(delivery.status().lastFailure).toBe('the log is away')
  })

  it('takes larger batches while there is a backlog, up to about 5,000 clicks', async () => {
    const sizes: number[] = []
    const { journal, log, drain } = aDelivery()
    const append = log.append.bind(log)
    log.append = async (clicks, upTo) => {
      sizes.push(clicks.length)
      await append(clicks, upTo)
    }
    for (let row = 0; row < 400; row++) journal.push(...Array.from({ length: 100 }, () => aRawClick()))
    await drain()
    expect(sizes[0]).toBe(1_000)
    expect(Math.max(...sizes)).toBe(5_000)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(40_000)
  })

  it('waits for rows when there was nothing, and collects a little after a small batch', async () => {
    const { journal, delivery, pauses } = aDelivery()
    journal.push(aRawClick())
    await delivery.run(() => (pauses.length >= 3 ? { until: 0 } : undefined))
    expect(pauses).toEqual([50, 1_000, 1_000])
  })

  describe('to the click log and a stream', () => {
    function aPair(input: Partial<DeliveryDeps> = {}) {
      const stream = new ClickList()
      return { stream, ...aDelivery({ others: { stream }, ...input }) }
    }

    it('gives both every click, and both are where the journal ends', async () => {
      const { journal, log, stream, delivery, drain } = aPair()
      for (let index = 0; index < 30; index++) journal.push(aRawClick({ address: `sho.rt/${index}` }))
      await drain()
      expect(stream.clicks).toEqual(log.clicks)
      expect(log.clicks).toHaveLength(30)
      expect(delivery.status().others).toEqual({ stream: { row: 30, failures: 0, lastFailure: undefined, lagMs: 0 } })
      expect(journal.rows).toEqual([])
    })

    it('gives each only what it has not got', async () => {
      const { journal, log, stream, drain } = aPair()
      for (let index = 0; index < 10; index++) journal.push(aRawClick({ address: `sho.rt/${index}` }))
      log.row = 7
      stream.row = 3
      await drain()
      expect(log.clicks.map((click) => click.address)).toEqual(['sho.rt/7', 'sho.rt/8', 'sho.rt/9'])
      expect(stream.clicks.map((click) => click.address)[0]).toBe('sho.rt/3')
      expect(stream.clicks).toHaveLength(7)
    })

    it('goes on counting while the stream cannot be written, and keeps its rows', async () => {
      const { journal, log, stream, delivery, pauses, failures } = aPair()
      stream.awayFor = Number.POSITIVE_INFINITY
      for (let index = 0; index < 5; index++) journal.push(aRawClick())
      await delivery.run(() => (pauses.length >= 40 ? { until: 0 } : undefined))
      journal.push(aRawClick())
      await delivery.run(() => (pauses.length >= 80 ? { until: 0 } : undefined))
      expect(log.clicks).toHaveLength(6)
      expect(stream.clicks).toHaveLength(0)
      expect(journal.rows).toHaveLength(6)
      expect(delivery.status()).toMatchObject({ row: 6, failures: 0, lastFailure: undefined })
      expect(delivery.status().others.stream).toMatchObject({ row: 0, lastFailure: 'the log is away' })
      expect(failures.length).toBeGreaterThan(2)
      stream.awayFor = 0
      await delivery.run(() => (journal.rows.length === 0 ? { until: 0 } : undefined))
      expect(stream.clicks).toHaveLength(6)
    })

    it('passes clicks on while they cannot be counted, and keeps their rows', async () => {
      const { journal, log, stream, drain, failures } = aPair()
      log.awayFor = 3
      for (let index = 0; index < 5; index++) journal.push(aRawClick())
      await drain()
      expect(failures).toHaveLength(3)
      expect(log.clicks).toHaveLength(5)
      expect(stream.clicks).toHaveLength(5)
    })

    it('waits only so long for one that does not answer', async () => {
      const late = new ClickList()
      let answer: () => void = () => {}
      const answered = new Promise<void>((resolve) => {
        answer = resolve
      })
      const slow: ClickSink = {
        cursor: () => late.cursor(),
        append: (clicks, upTo) => answered.then(() => late.append(clicks, upTo)),
      }
      const { journal, log, delivery, pauses } = aDelivery({
        others: { slow },
        waitBriefly: (work) => Promise.race([work, new Promise((resolve) => setImmediate(resolve))]),
      })
      for (let index = 0; index < 5; index++) {
        journal.push(aRawClick())
        const until = pauses.length + 3
        await delivery.run(() => (pauses.length >= until ? { until: 0 } : undefined))
      }
      expect(log.clicks).toHaveLength(5)
      expect(late.clicks).toHaveLength(0)
      expect(journal.rows).toHaveLength(5)
      answer()
      await delivery.run(() => (journal.rows.length === 0 ? { until: 0 } : undefined))
      expect(late.clicks).toEqual(log.clicks)
    })

    it('ends without a stream that fails, and leaves its rows in the journal', async () => {
      const { journal, log, stream, drain } = aPair()
      stream.awayFor = Number.POSITIVE_INFINITY
      journal.push(aRawClick())
      await drain()
      expect(log.clicks).toHaveLength(1)
      expect(journal.rows).toHaveLength(1)
    })
  })
})
