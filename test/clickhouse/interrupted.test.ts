/**
 * A process that appends and purges is killed with SIGKILL, again and again, and the next one cuts its batches where it
 * likes: every click is in the log once, and the cursor tells how many.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { aClick, aQuery } from '../../src/core/clicks/click-log.contract.js'
import type { ClickLog } from '../../src/core/clicks/click-log.js'
import { openClickhouseClickLog } from '../../src/storage/clickhouse/click-log.js'
import { httpSession } from '../../src/storage/clickhouse/http-session.js'
import { chanceFrom, seed } from '../metrics/random.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'

const now = Date.parse('2026-06-01T00:00:00Z')
const addresses = 20
const options = { retentionDays: 30, sliceRows: 300 }
// JSON has no big integers.
const { visitorHash: _, ...clickWithoutVisitor } = aClick()

const skip = ClickhouseServer.skip()
describe.skipIf(skip)(skip === undefined ? 'ClickHouse' : `ClickHouse (skipped: ${skip})`, () => {
  const server = new ClickhouseServer()
  afterAll(() => server.stop())

  it(`keeps every click exactly once when appending and purging are killed (METRICS_SEED=${seed})`, {
    timeout: 120_000,
  }, async () => {
    const chance = chanceFrom(seed)
    const url = await server.newDatabase()
    let rows = 0
    for (let round = 0; round < 5; round++) {
      await workUntilKilled(url, 4 + chance.below(15))
      const log = await openClickhouseClickLog(httpSession(url), options)
      const [reached, counts] = await look(log)
      expect(reached).toBeGreaterThan(rows)
      rows = reached
      // Each row has one click for each address, so that half a batch could not hide.
      expect(counts).toEqual(Array.from({ length: addresses }, () => rows))
      await log.close()
    }
  })
})

/**
 * The cursor, and the counts that belong to it: what the killed process sent last may come in between, because the server
 * does not know that nobody waits for it any more.
 */
async function look(log: ClickLog): Promise<readonly [number, readonly number[]]> {
  for (;;) {
    const before = await log.cursor('journal')
    const counted = await log.count(aQuery({ scope: { groupGuid: 'Bgroup' }, by: ['address'] }))
    if ((await log.cursor('journal')) === before) return [before, counted.map(({ count }) => count)]
  }
}

/** Appends and purges without end, and says so after each; killed while it does the next thing. */
async function workUntilKilled(url: string, killAfter: number): Promise<void> {
  const built = (file: string) =>
    JSON.stringify(new URL(`../../dist-modules/storage/clickhouse/${file}`, import.meta.url).href)
  const script = `
    import { openClickhouseClickLog } from ${built('click-log.js')}
    import { httpSession } from ${built('http-session.js')}
    const log = await openClickhouseClickLog(httpSession(${JSON.stringify(url)}), ${JSON.stringify(options)})
    const click = ${JSON.stringify(clickWithoutVisitor)}
    const clicksOf = (row) => Array.from({ length: ${addresses} }, (_, index) => ({
      ...click, at: ${now} - ((row * 7 + index) % 90) * 86_400_000, address: 'sho.rt/' + index, visitorHash: BigInt(row) }))
    const append = async () => {
      let row = await log.cursor('journal')
      for (;;) {
        const rows = Array.from({ length: 1 + Math.floor(Math.random() * 8) }, () => ++row)
        try {
          await log.append(rows.flatMap(clicksOf), { journalId: 'journal', row })
          console.log('appended')
        } catch {
          row = await log.cursor('journal')
        }
      }
    }
    const compact = async () => {
      for (;;) if (await log.compact(${now})) console.log('compacted'); else await new Promise((done) => setImmediate(done))
    }
    await Promise.all([append(), compact()])`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const done = { appended: 0, compacted: 0 }
  for await (const line of createInterface(child.stdout)) {
    if (line === 'appended' || line === 'compacted') done[line]++
    if (done.appended >= 2 && done.appended + done.compacted >= killAfter) child.kill('SIGKILL')
  }
  const [, signal] = await ended
  expect(signal).toBe('SIGKILL')
}
