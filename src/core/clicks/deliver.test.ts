import { describe, expect, it } from 'vitest'
import type { Click } from './click.js'
import type { ClickLog } from './click-log.js'
import { Delivery, type DeliveryParts } from './deliver.js'
import type { JournalReader, JournalRow } from './journal.js'
import { unknownPlace } from './locate.js'
import { createPipeline } from './pipeline.js'
import { aRawClick } from './raw-click.builder.js'

/** A journal in memory: rows are pushed at one end and released at the other. */
class RowList implements JournalReader {
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
class ClickList implements Pick<ClickLog, 'cursor' | 'append'> {
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

function aDelivery(wish: Partial<DeliveryParts> = {}) {
  const journal = new RowList()
  const log = new ClickList()
  const pauses: number[] = []
  const failures: string[] = []
  let now = aRawClick().at + 40
  const delivery = new Delivery({
    journal,
    log,
    pipeline: createPipeline({ geography: { place: () => unknownPlace }, salts: { of: () => 'salt' }, trustProxy: 0 }),
    clock: { now: () => now },
    async pause(milliseconds) {
      pauses.push(milliseconds)
      now += milliseconds
    },
    onDelivered: () => {},
    onFailure: (error) => failures.push(String(error)),
    ...wish,
  })
  /** Runs until the journal is empty. */
  const drain = () => delivery.run(() => ({ until: Number.POSITIVE_INFINITY }))
  return { journal, log, delivery, pauses, failures, drain, now: () => now }
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
    expect(delivery.status()).toMatchObject({ row: 30, failures: 0, lastFailure: undefined, lagMs: 40 })
  })

  it('starts after what the log already has', async () => {
    const { journal, log, drain } = aDelivery()
    journal.push(aRawClick({ address: 'sho.rt/old' }))
    journal.push(aRawClick({ address: 'sho.rt/new' }))
    log.row = 1
    await drain()
    expect(log.clicks.map((click) => click.address)).toEqual(['sho.rt/new'])
  })

  it('counts by nature, and dropped clicks by reason', async () => {
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

  it('never waits longer than half a minute between attempts', async () => {
    const { journal, log, drain, pauses } = aDelivery()
    log.awayFor = 20
    journal.push(aRawClick())
    await drain()
    expect(Math.max(...pauses)).toBe(30_000)
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

  it('looks again after a short pause when there was nothing, and collects a little after a small batch', async () => {
    const { journal, delivery, pauses } = aDelivery()
    journal.push(aRawClick())
    await delivery.run(() => (pauses.length >= 3 ? { until: 0 } : undefined))
    expect(pauses).toEqual([50, 100, 100])
  })
})
