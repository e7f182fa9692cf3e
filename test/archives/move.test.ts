/**
 * All records and clicks from one pair of engines to the other. The data is random; SEED=<number> repeats a run.
 * test/archives/move-command.test.ts moves a whole service, as an operator does.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aBatch } from '../../src/core/clicks/click-batch.builder.js'
import type { StoredClickLog } from '../../src/core/clicks/click-log.js'
import { allowUse, leave, requireUsable } from '../../src/core/clicks/move-state.js'
import { moveClicks } from '../../src/core/copies/move-clicks.js'
import { moveRecords } from '../../src/core/copies/move-records.js'
import type { TableReader } from '../../src/core/copies/record-tables.js'
import type { StoredRow } from '../../src/core/copies/values.js'
import { readClicks } from '../../src/storage/duckdb/read-clicks.js'
import { openPostgres } from '../../src/storage/records/postgres.js'
import type { Records } from '../../src/storage/records/records.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { postgresEngine } from '../support/sql-engines.js'
import { temporaryRecords } from '../support/temporary-records.js'
import { enginePairs, type Installation } from './installations.js'
import { Random } from './random.js'
import { randomClicks } from './random-clicks.js'
import { randomRecords, rowsOf } from './random-records.js'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`move: SEED=${seed}`)

const folder = mkdtempSync(join(tmpdir(), 'shortlink-move-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let folders = 0
const pairs = enginePairs(() => join(folder, `images${++folders}`))
const random = new Random(seed)
const data = randomRecords(random, 1_300)
const clicks = randomClicks(random, data)
let columns: Readonly<Record<string, readonly StoredRow[]>>
beforeAll(async () => {
  columns = await columnsOfAllTables()
})

describe.each(pairs.map((pair) => [pair.name, pair] as const))('moving from %s', { timeout: 120_000 }, (_, from) => {
  const other = pairs.find((pair) => pair !== from) ?? from
  let origin: Installation
  beforeAll(async () => {
    origin = await from.open()
    await fillRecords(origin.records)
    await fillClicks(origin.clickLog)
  })
  afterAll(() => origin.close())

  it('copies every row of every table, and nothing when it is repeated', async () => {
    const target = await other.open()
    try {
      const moved = await moveRecords(origin.records.tables, target.records.tables, () => {})
      expect(Object.values(moved).every(({ rows }) => rows > 0)).toBe(true)
      expect(await rowsIn(target.records)).toEqual(await rowsIn(origin.records))
      expect(await moveRecords(origin.records.tables, target.records.tables, () => {})).toEqual(moved)
    } finally {
      await target.close()
    }
  })

  it('writes no record when it is interrupted, and refuses a database with other records', async () => {
    const target = await other.open()
    try {
      const interrupted = moveRecords(origin.records.tables, target.records.tables, (rows) => {
        if (rows > 2_000) throw new Error('the power is gone')
      })
      await expect(interrupted).rejects.toThrow('the power is gone')
      expect(await target.records.tables.rowCounts()).toEqual({})
      await target.records.tables.fill('move', (writer) => writer.write('organizations', data.tables.organizations))
      await expect(moveRecords(origin.records.tables, target.records.tables, () => {})).rejects.toThrow(
        'There are other records already (3 organizations)',
      )
    } finally {
      await target.close()
    }
  })

  it('copies every click and position, also after two interruptions, and nothing when it is repeated', async () => {
    const target = await other.open()
    try {
      for (const after of [1, 2]) {
        let batches = 0
        const interrupted = clicksTo(target.clickLog, () => {
          if (++batches > after) throw new Error('the power is gone')
        })
        await expect(interrupted).rejects.toThrow('the power is gone')
        await expect(requireUsable(target.clickLog)).rejects.toThrow('did not finish')
      }
      const count = clicks.reduce((sum, { total }) => sum + Math.max(1, total), 0)
      expect(await clicksTo(target.clickLog)).toBe(count)
      await expect(requireUsable(target.clickLog)).rejects.toThrow('did not finish')
      await allowUse(target.clickLog)
      await requireUsable(target.clickLog)
      expect(await clicksTo(target.clickLog)).toBe(count)

      for (const [journalId, row] of Object.entries({ journal: 2, 'import-1': 7, quiet: 12, new: 0 })) {
        expect(await target.clickLog.cursor(journalId), journalId).toBe(row)
      }
      expect(await target.clickLog.skippedRanges('import-1')).toEqual([2, 3, 6, 6])
      while (await target.clickLog.compact(Date.now()));
      expect(await fileOf(target.clickLog)).toEqual(await fileOf(origin.clickLog))

      await target.clickLog.append([], { journalId: 'journal', row: 3 })
      await expect(clicksTo(target.clickLog)).rejects.toThrow('There are other clicks already')
    } finally {
      await target.close()
    }
  })

  it('marks a click log that was left, until its use is allowed again', async () => {
    const { clickLog, close } = await from.open()
    try {
      for (const _ of [1, 2]) {
        await leave(clickLog)
        await leave(clickLog)
        await expect(requireUsable(clickLog)).rejects.toThrow('were moved to another one')
        await allowUse(clickLog)
        await requireUsable(clickLog)
      }
    } finally {
      await close()
    }
  })

  async function clicksTo(to: StoredClickLog, onBatch = () => {}): Promise<number> {
    const checksumOf = async (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
    const watched = async function* (file: string, skip: number) {
      for await (const batch of readClicks(file, skip)) {
        onBatch()
        yield batch
      }
    }
    const file = join(folder, 'move.parquet')
    return moveClicks({ from: origin.clickLog, to, file, checksumOf, readClicks: watched }, () => {})
  }
})

describe.skipIf(postgresEngine().skip)('secrets', () => {
  it('are encrypted with the key of the other side', { timeout: 120_000 }, async () => {
    const file = join(folder, 'encrypted.sqlite')
    const sqlite = await openSqlite(file, { secretsKey: 'a'.repeat(32) })
    await sqlite.migrate()
    await fillRecords(sqlite)
    const database = await postgresEngine().create()
    const postgres = await openPostgres(database.location, { secretsKey: 'b'.repeat(32) })
    await postgres.migrate()
    await moveRecords(sqlite.tables, postgres.tables, () => {})
    await postgres.close()

    const webhooks = (records: Records) => rowsIn(records).then((rows) => rows.webhooks)
    const expected = await webhooks(sqlite)
    await sqlite.close()
    const stored = new Database(file).prepare('select secret from webhooks').all() as { secret: string }[]
    expect(stored.every(({ secret }) => secret.startsWith('sealed:'))).toBe(true)
    const right = await openPostgres(database.location, { secretsKey: 'b'.repeat(32) })
    expect(await webhooks(right)).toEqual(expected)
    await right.close()
    const wrong = await openPostgres(database.location, { secretsKey: 'a'.repeat(32) })
    await expect(webhooks(wrong)).rejects.toThrow('another key')
    await wrong.close()
    await database.remove()
  })
})

async function fillRecords(records: Records): Promise<void> {
  await records.tables.fill('move', async (writer) => {
    for (const { name } of records.tables.tables('move')) await writer.write(name, rowsFor(name))
  })
}

/** Random rows of tables that are in archives, and one row of each other table. */
function rowsFor(name: string): readonly StoredRow[] {
  if (name === 'image_blobs') return [...data.images.keys()].map((sha256) => ({ sha256, blob_key: `${sha256}-0` }))
  if (name in data.tables) return rowsOf(data, name)
  const login = data.tables.users[0]?.login ?? null
  const entries = (columns[name] ?? []).map(({ name: column, type }) => {
    if (column === 'login') return ['login', login] as const
    return [String(column), /text/i.test(String(type)) ? `${column} ñ` : 7] as const
  })
  return [Object.fromEntries(entries)]
}

async function fillClicks(log: StoredClickLog): Promise<void> {
  const half = clicks.length >> 1
  const skippedRanges = { ...aBatch(clicks.slice(0, half)), skippedRanges: [2, 3, 6, 6] }
  await log.appendBatch(skippedRanges, { journalId: 'import-1', row: 7 })
  await log.appendBatch(aBatch(clicks.slice(half)), { journalId: 'journal', row: 2 })
  await log.append([], { journalId: 'quiet', row: 12 })
  while (await log.compact(Date.now()));
}

async function fileOf(log: StoredClickLog): Promise<string> {
  const parquet = join(folder, 'all.parquet')
  await log.writeClicks({ from: 0, before: Number.MAX_SAFE_INTEGER }, { parquet })
  return createHash('sha256').update(readFileSync(parquet)).digest('hex')
}

async function rowsIn({ tables }: Records): Promise<Readonly<Record<string, readonly string[]>>> {
  return tables.read(async (reader: TableReader) => {
    const all: Record<string, readonly string[]> = {}
    for (const each of tables.tables('move')) {
      const lines: string[] = []
      for await (const rows of reader.rows(each)) lines.push(...rows.map((row) => JSON.stringify(sorted(row))))
      all[each.name] = lines.toSorted()
    }
    return all
  })
}

function sorted(row: StoredRow): StoredRow {
  return Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)))
}

async function columnsOfAllTables(): Promise<Readonly<Record<string, readonly StoredRow[]>>> {
  const records = await temporaryRecords()
  const database = new Database(join(records.folder, 'records.sqlite'))
  const tables = database
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'",
    )
    .all() as { name: string }[]
  const found = tables.map(
    ({ name }) => [name, database.prepare(`select * from pragma_table_info('${name}')`).all() as StoredRow[]] as const,
  )
  database.close()
  await records.close()
  return Object.fromEntries(found)
}
