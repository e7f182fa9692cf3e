/** Compaction is killed with SIGKILL repeatedly: every click is in the log once, and the cursor is right. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { aClick, aQuery } from '../../src/core/clicks/click-log.contract.js'
import { openDuckdbClickLog } from '../../src/storage/duckdb/click-log.js'
import { rounds } from '../support/rounds.js'
import { chanceFrom, seed } from './random.js'

const now = Date.parse('2026-06-01T00:00:00Z')
const batch = 1_000
// JSON has no big integers.
const { visitorHash: _, ...clickWithoutVisitor } = aClick()
const options = { retentionDays: 30, runSize: { runRows: 3_000, sliceRows: 700 } }

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'shortlink-interrupted-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

it(`keeps every click exactly once when sorting and purging are killed (METRICS_SEED=${seed})`, {
  timeout: 120_000 * rounds,
}, async () => {
  const chance = chanceFrom(seed)
  const file = join(directory, 'clicks.duckdb')
  let rows = 0
  for (let round = 0; round < 2 * rounds; round++) {
    await compactUntilKilled(file, rows, 5 + chance.below(25))
    const log = await openDuckdbClickLog(file, options)
    const reached = await log.cursor('journal')
    expect(reached).toBeGreaterThan(rows)
    rows = reached
    // Each batch has the same number of clicks for each address, so that a half-moved slice would show.
    const counted = await log.count(aQuery({ scope: { groupGuid: 'Bgroup' }, by: ['address'] }))
    expect(counted.map(({ count }) => count)).toEqual(Array.from({ length: 20 }, () => (rows * batch) / 20))
    await log.close()
  }
})

/** A process that appends and compacts in a loop and reports each step; killed during the next step. */
async function compactUntilKilled(file: string, row: number, killAfter: number): Promise<void> {
  const built = new URL('../../dist-modules/storage/duckdb/click-log.js', import.meta.url).href
  const script = `
    import { openDuckdbClickLog } from ${JSON.stringify(built)}
    const log = await openDuckdbClickLog(${JSON.stringify(file)}, ${JSON.stringify(options)})
    const click = ${JSON.stringify(clickWithoutVisitor)}
    const clicks = Array.from({ length: ${batch} }, (_, index) => ({
      ...click, at: ${now} - index * 7_200_000, address: 'sho.rt/' + (index % 20), visitorHash: BigInt(index) }))
    const append = async () => {
      for (let row = ${row + 1}; ; row++) {
        await log.append(clicks, { journalId: 'journal', row })
        console.log('appended')
      }
    }
    const compact = async () => {
      for (;;) if (await log.compact(${now})) console.log('compacted'); else await new Promise((done) => setImmediate(done))
    }
    await Promise.all([append(), compact()])`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let compacted = 0
  for await (const line of createInterface(child.stdout)) {
    if (line === 'compacted') compacted++
    if (compacted >= killAfter) child.kill('SIGKILL')
  }
  const [, signal] = await ended
  expect(signal).toBe('SIGKILL')
}
