import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ClickhouseServer } from '../../../test/support/clickhouse-server.js'
import type { Click } from '../../core/clicks/click.js'
import { aBatch } from '../../core/clicks/click-batch.builder.js'
import { aClick, aQuery, clickLogContract } from '../../core/clicks/click-log.contract.js'
import { openClickhouseClickLog } from './click-log.js'
import { httpSession } from './http-session.js'
import { literal } from './literal.js'
import type { ClickhouseSession } from './session.js'

const skip = ClickhouseServer.skip()
describe.skipIf(skip)(skip === undefined ? 'on ClickHouse' : `on ClickHouse (skipped: ${skip})`, () => {
  const server = new ClickhouseServer()
  afterAll(() => server.stop())
  let url: string
  beforeEach(async () => {
    url = await server.newDatabase()
  })
  afterEach(() => server.drop(url))

  clickLogContract(() => openClickhouseClickLog(httpSession(url), { sliceRows: 100 }))

  const journalId = 'journal'
  const open = (session: ClickhouseSession = httpSession(url), retentionDays?: number) =>
    openClickhouseClickLog(session, { sliceRows: 100, retentionDays })
  /** One click per journal row, with the row number as its city; rows may be in different months. */
  const rows = (from: number, to: number): readonly Click[] =>
    Array.from({ length: to - from + 1 }, (_, index) =>
      aClick({ city: String(from + index), at: Date.parse('2026-01-31T23:59:50Z') + (from + index) * 1_000 }),
    )

  /** Which rows are in the log, and how often. */
  async function rowsInLog(): Promise<readonly (readonly [number, number])[]> {
    const log = await open()
    const found = await log.count(aQuery({ by: ['city'] }))
    await log.close()
    return found.map(({ values, count }) => [Number(values[0]), count] as const).sort(([a], [b]) => a - b)
  }

  const once = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => [from + index, 1])

  describe('a batch', () => {
    it('is one part, even if it is large or spans months', async () => {
      const log = await open()
      const clicks = Array.from({ length: 20_000 }, (_, index) =>
        aClick({ at: Date.parse('2025-01-01') + index * 600_000, referrer: `${index}`.repeat(100) }),
      )
      await log.append(clicks, { journalId, row: 1 })
      expect(
        await ask(`SELECT count(), sum(rows) FROM system.parts WHERE active AND database = ${here()}
        AND table = 'clicks'`),
      ).toEqual([[1, 20_000]])
      await log.close()
    })

    it('is counted once if its response was lost and the retry has another size', async () => {
      const flaky = losingAnswers(httpSession(url))
      const log = await open(flaky)
      await log.append(rows(1, 5), { journalId, row: 5 })
      flaky.lose = true
      await expect(log.append(rows(6, 20), { journalId, row: 20 })).rejects.toThrow('answer was lost')
      flaky.lose = false
      expect(await log.cursor(journalId)).toBe(20)
      await log.append(rows(21, 23), { journalId, row: 23 })
      await log.close()
      expect(await rowsInLog()).toEqual(once(1, 23))
    })

    it('that arrives after its timeout is ignored, because its retry has arrived', async () => {
      const late = holding(httpSession(url))
      const first = await open(late)
      await first.append(rows(1, 5), { journalId, row: 5 })
      late.hold = true
      await expect(first.append(rows(6, 20), { journalId, row: 20 })).rejects.toThrow('given up')
      late.hold = false

      const second = await open()
      expect(await second.cursor(journalId)).toBe(5)
      await second.append(rows(6, 12), { journalId, row: 12 })
      await late.release()
      await second.append(rows(13, 30), { journalId, row: 30 })
      await Promise.all([first.close(), second.close()])
      expect(await rowsInLog()).toEqual(once(1, 30))
    })

    it('is rejected if a delayed one arrived first, and accepted after the cursor was read again', async () => {
      const late = holding(httpSession(url))
      const first = await open(late)
      await first.append(rows(1, 5), { journalId, row: 5 })
      late.hold = true
      await expect(first.append(rows(6, 9), { journalId, row: 9 })).rejects.toThrow('given up')
      late.hold = false

      const second = await open()
      expect(await second.cursor(journalId)).toBe(5)
      await late.release()
      await expect(second.append(rows(6, 12), { journalId, row: 12 })).rejects.toThrow('to row 9, not to 12')
      expect(await second.cursor(journalId)).toBe(9)
      await second.append(rows(10, 12), { journalId, row: 12 })
      await Promise.all([first.close(), second.close()])
      expect(await rowsInLog()).toEqual(once(1, 12))
    })

    it('that begins before the cursor is rejected', async () => {
      const log = await open()
      await log.append(rows(1, 5), { journalId, row: 5 })
      await expect(log.append(rows(3, 4), { journalId, row: 4 })).rejects.toThrow('up to row 5 already, not 4')
      await log.append(rows(6, 6), { journalId, row: 6 })
      await log.close()
      expect(await rowsInLog()).toEqual(once(1, 6))
    })
  })

  describe('retention', () => {
    const now = Date.parse('2026-06-01T00:00:00Z')
    const everything = aQuery({ by: ['address'] })
    const old = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        aClick({
          at: now - 40 * 86_400_000 - index * 300_000,
          address: 'sho.rt/a',
          visitorHash: BigInt(index),
          city: `${index % 3}`,
        }),
      )

    it('keeps cursors after all their clicks were purged', async () => {
      let log = await open(httpSession(url), 30)
      await log.append(old(250), { journalId: 'import', row: 17 })
      while (await log.compact(now));
      await log.close()
      expect(await ask(`SELECT count() FROM ${clicks()} WHERE visitor IS NOT NULL`)).toEqual([[0]])
      log = await open()
      expect(await log.cursor('import')).toBe(17)
      expect((await log.count(everything))[0]?.count).toBe(250)
      await log.close()
    })

    it('keeps the skipped lines of an import after its clicks were purged, and its totals', async () => {
      const log = await open(httpSession(url), 30)
      const at = Date.parse('2026-01-31T23:59:50Z')
      // The second one is a total already, and stays.
      const batch = aBatch([aClick({ at }), { ...aClick({ at }), total: 1000 }])
      await log.appendBatch({ ...batch, skippedRanges: [2, 3, 5, 5] }, { journalId: 'import', row: 7 })
      while (await log.compact(Date.parse('2026-11-15')));
      await log.close()
      expect(await ask(`SELECT count() FROM ${clicks()} WHERE passed_over != ''`)).toEqual([[0]])
      const again = await open()
      expect(await again.skippedRanges('import')).toEqual([2, 3, 5, 5])
      expect(await again.cursor('import')).toBe(7)
      expect((await again.count(aQuery()))[0]?.count).toBe(1001)
      await again.close()
    })

    it('counts every click once while two processes purge and clicks arrive', async () => {
      const [one, other] = await Promise.all([open(httpSession(url), 30), open(httpSession(url), 30)])
      await one.append(old(1_000), { journalId: 'one', row: 1 })
      const total = async () => (await other.count(everything))[0]?.count
      const purge = async (log: typeof one) => {
        while (await log.compact(now)) expect(await total()).toBeGreaterThanOrEqual(1_000)
      }
      const append = async () => {
        for (let row = 1; row <= 5; row++) await other.append(old(10), { journalId: 'other', row })
      }
      await Promise.all([purge(one), purge(other), append()])
      expect(await total()).toBe(1_050)
      await purge(one)
      await purge(other)
      expect(await total()).toBe(1_050)
      await Promise.all([one.close(), other.close()])
    })

    it('splits a quarter of an hour that has too many clicks for one step', async () => {
      const log = await open(httpSession(url), 30)
      const busy = Array.from({ length: 700 }, (_, index) =>
        aClick({ at: Date.parse('2026-01-05T10:00:00Z') + index * 1_000 }),
      )
      await log.append(busy, { journalId, row: 1 })
      while (await log.compact(now));
      expect((await log.count(everything))[0]?.count).toBe(700)
      expect(await ask(`SELECT count() > 1, sum(n) FROM ${clicks()}`)).toEqual([[1, 700]])
      await log.close()
    })

    it('ignores a step that arrives after it timed out and was retried', async () => {
      const late = holding(httpSession(url))
      const log = await open(late, 30)
      await log.append(old(90), { journalId, row: 1 })
      late.hold = true
      await expect(log.compact(now)).rejects.toThrow('given up')
      late.hold = false
      while (await log.compact(now));
      await log.append(old(30), { journalId, row: 2 })
      await tell(`INSERT INTO ${database()}.cursors VALUES ('${journalId}', 2)`)
      await late.release()
      expect(await ask(`SELECT sum(n), countIf(n < 0) FROM ${clicks()} WHERE journal_row = 2`)).toEqual([[30, 0]])
      expect((await log.count(everything))[0]?.count).toBe(120)
      await log.close()
    })

    it('does a step once when its answer was lost', async () => {
      const flaky = losingAnswers(httpSession(url))
      const log = await open(flaky, 30)
      await log.append(old(90), { journalId, row: 1 })
      flaky.lose = true
      await expect(log.compact(now)).rejects.toThrow('answer was lost')
      flaky.lose = false
      while (await log.compact(now));
      expect((await log.count(everything))[0]?.count).toBe(90)
      await log.close()
    })
  })

  it('refuses tables written by a newer version', async () => {
    await (await open()).close()
    await tell(`INSERT INTO ${database()}.schema_version VALUES (99)`)
    await expect(open()).rejects.toThrow('written by a newer version of shortlink (schema 99')
  })

  it('creates its tables once if several processes start together', async () => {
    const logs = await Promise.all([open(), open(), open()])
    await logs[0]?.append([aClick()], { journalId, row: 1 })
    expect(await Promise.all(logs.map((log) => log.cursor(journalId)))).toEqual([1, 1, 1])
    await Promise.all(logs.map((log) => log.close()))
  })

  it('reads back any text written as a literal', async () => {
    const texts = ["it's", '\\', "\\'; --", 'a\u0000b\n\r\t\u007f', '日本語 😀', '{a:String}', '$$x$$', '/* x */ -- y']
    for (const text of texts) expect(await ask(`SELECT ${literal(text)}`)).toEqual([[text]])
  })

  it('closes cleanly during queries and appends', async () => {
    const log = await open()
    const appending = log.append(rows(1, 500), { journalId, row: 500 })
    const queries = Array.from({ length: 20 }, () => log.count(aQuery()))
    const settled = Promise.allSettled([appending, ...queries])
    await log.close()
    await settled
    await expect(appending).resolves.toBeUndefined()
    await expect(log.count(aQuery())).rejects.toThrow('The click log is closed.')
    await expect(log.append([], { journalId, row: 501 })).rejects.toThrow('The click log is closed.')
    expect(await rowsInLog()).toHaveLength(500)
  })

  const database = () => httpSession(url).database
  const here = () => literal(database())
  const clicks = () => `${database()}.clicks`

  async function ask(sql: string) {
    const session = httpSession(url)
    const answer = await session.query(sql)
    await session.close()
    return answer
  }

  async function tell(sql: string) {
    const session = httpSession(url)
    await session.run(sql)
    await session.close()
  }
})

/** Runs every statement, but can lose the response. */
function losingAnswers(session: ClickhouseSession): ClickhouseSession & { lose: boolean } {
  const flaky = {
    ...passingOn(session),
    lose: false,
    async insert(...args: Parameters<ClickhouseSession['insert']>) {
      await session.insert(...args)
      if (flaky.lose && args[2] !== undefined) throw new Error('the answer was lost')
    },
    async run(...args: Parameters<ClickhouseSession['run']>) {
      await session.run(...args)
      if (flaky.lose && args[0].includes('deduplication_token')) throw new Error('the answer was lost')
    },
  }
  return flaky
}

/** Fails at once and sends later, like a slow network: batches, and steps of a purge. */
function holding(session: ClickhouseSession) {
  const held: (() => Promise<void>)[] = []
  const sendOrHold = async (isHeld: boolean, send: () => Promise<void>) => {
    if (!isHeld) return send()
    held.push(send)
    throw new Error('given up')
  }
  const late = {
    ...passingOn(session),
    hold: false,
    insert: (...args: Parameters<ClickhouseSession['insert']>) =>
      sendOrHold(late.hold && args[2] !== undefined, () => session.insert(...args)),
    run: (...args: Parameters<ClickhouseSession['run']>) =>
      sendOrHold(late.hold && args[0].includes('deduplication_token'), () => session.run(...args)),
    async release() {
      for (const send of held.splice(0)) await send()
    },
  }
  return late
}

function passingOn(session: ClickhouseSession): ClickhouseSession {
  return {
    database: session.database,
    place: session.place,
    trouble: session.trouble,
    run: (...args) => session.run(...args),
    query: (sql) => session.query(sql),
    save: (...args) => session.save(...args),
    load: (...args) => session.load(...args),
    insert: (...args) => session.insert(...args),
    close: () => session.close(),
  }
}
