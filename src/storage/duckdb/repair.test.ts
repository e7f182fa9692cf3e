import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aClick, aQuery } from '../../core/clicks/click-log.contract.js'
import { openDuckdbClickLog, tryDuckdbClickLog } from './click-log.js'
import { repairDuckdbClickLog } from './repair.js'

describe('a damaged click log', () => {
  let folder: string
  let file: string
  /** Ten batches of five, the first half in the file and the rest in its write-ahead log, as after a crash. */
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-repair-'))
    file = join(folder, 'clicks.duckdb')
    const living = join(folder, 'living.duckdb')
    const append = async (from: number, to: number) => {
      const log = await openDuckdbClickLog(living)
      for (let row = from; row <= to; row++) {
        await log.append(
          Array.from({ length: 5 }, (_, index) => aClick({ eventId: `j-${row}-${index}` })),
          { journalId: 'j', row },
        )
      }
      return log
    }
    await (await append(1, 5)).close()
    const log = await append(6, 10)
    copyFileSync(living, file)
    copyFileSync(`${living}.wal`, `${file}.wal`)
    await log.close()
    rmSync(living)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const now = new Date('2026-11-15T12:00:00Z')
  const damage = (path: string, change: (bytes: Buffer) => Buffer) => writeFileSync(path, change(readFileSync(path)))
  const found = async () => {
    const log = await openDuckdbClickLog(file)
    const [total] = await log.count(aQuery())
    const cursor = await log.cursor('j')
    await log.close()
    return { clicks: total?.count ?? 0, cursor }
  }

  it('is told from one that can be opened, without changing either', async () => {
    const files = readdirSync(folder)
    const before = readFileSync(file)
    await tryDuckdbClickLog(file)
    expect(readFileSync(file).equals(before)).toBe(true)
    damage(file, (bytes) => Buffer.alloc(bytes.length, 'garbage'))
    await expect(tryDuckdbClickLog(file)).rejects.toThrow('it is damaged or not a DuckDB file')
    expect(readdirSync(folder)).toEqual(files)
  })

  it('is left unchanged if it is not damaged', async () => {
    expect(await repairDuckdbClickLog(file, now)).toEqual({ outcome: 'intact' })
    expect(await found()).toEqual({ clicks: 50, cursor: 10 })
    expect(readdirSync(folder)).toEqual(['clicks.duckdb'])
    expect(await repairDuckdbClickLog(join(folder, 'none.duckdb'), now)).toEqual({ outcome: 'intact' })
  })

  // DuckDB itself ignores an entry that ends early; what it refuses is cut off where it says that the damage begins.
  it.each([
    ['a tail of zeros', 'repaired', 9, (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -300), Buffer.alloc(300)])],
    ['zeros behind it', 'repaired', 10, (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4096)])],
    [
      'garbage in the middle',
      'repaired',
      7,
      (bytes: Buffer) => Buffer.from(bytes).fill('?', bytes.length >> 1, (bytes.length >> 1) + 50),
    ],
    ['its second half missing', 'intact', 7, (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['nothing but garbage', 'intact', 5, (bytes: Buffer) => Buffer.alloc(bytes.length, 'garbage')],
  ])('keeps all complete batches before the damage: a write-ahead log with %s', async (_, outcome, batches, change) => {
    damage(`${file}.wal`, change)
    expect(await repairDuckdbClickLog(file, now)).toMatchObject({ outcome })
    expect(await found()).toEqual({ clicks: batches * 5, cursor: batches })
  })

  it('is not damaged if this user may not open it', async () => {
    const nobody = 65_534
    const isRoot = process.geteuid?.() === 0
    chmodSync(file, 0)
    if (isRoot) chownSync(folder, nobody, nobody)
    const before = readdirSync(folder)
    // Root may open every file.
    if (isRoot) process.seteuid?.(nobody)
    try {
      await expect(repairDuckdbClickLog(file, now)).rejects.toThrow(/this user may not read and write it .*"chown"\.$/)
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
    expect(readdirSync(folder)).toEqual(before)
  })

  it.each([
    ['is garbage', (bytes: Buffer) => Buffer.alloc(bytes.length, 'garbage')],
    ['was cut short', (bytes: Buffer) => bytes.subarray(0, 20_000)],
  ])('is replaced, and the damaged file kept, if its file %s', async (_, change) => {
    damage(file, change)
    const before = readFileSync(file)
    const kept = `${file}.damaged-2026-11-15T12-00-00-000Z`
    expect(await repairDuckdbClickLog(file, now)).toMatchObject({ outcome: 'replaced', kept })
    expect(readFileSync(join(kept, 'clicks.duckdb')).equals(before)).toBe(true)
    expect(readdirSync(kept).sort()).toEqual(['clicks.duckdb', 'clicks.duckdb.wal'])
    expect(await found()).toEqual({ clicks: 0, cursor: 0 })
  })
})
