/**
 * The journal's files: a folder of SQLite files, each named after its first row. The writer appends to the last one
 * and starts a new one when it is large; the reader deletes a file once all its rows are safe in the click log. So
 * writer and reader never wait for each other's locks, and freeing space is deleting a file.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { randomBase62 } from '../../lib/base62.js'

export interface Segment {
  readonly file: string
  readonly firstRow: number
}

/** The folder's segments, oldest first. */
export function segmentsIn(directory: string): readonly Segment[] {
  return readdirSync(directory)
    .filter((name) => /^\d{16}\.sqlite$/.test(name))
    .sort()
    .map((name) => ({ file: join(directory, name), firstRow: Number.parseInt(name, 10) }))
}

/** Made under another name first: the reader, which lists the folder at any moment, must never meet half a segment. */
export function createSegment(directory: string, firstRow: number): string {
  const file = join(directory, `${String(firstRow).padStart(16, '0')}.sqlite`)
  const unfinished = `${file}.new`
  deleteSegment(unfinished)
  const database = new Database(unfinished)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('CREATE TABLE turns (row INTEGER PRIMARY KEY, clicks TEXT NOT NULL)')
  database.close()
  renameSync(unfinished, file)
  return file
}

export function openSegment(file: string, durability: 'normal' | 'full'): Database.Database {
  const database = new Database(file)
  database.exec('PRAGMA busy_timeout = 5000')
  database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  // Never on a redirect's time: the segment stays in its write-ahead log until the reader folds and deletes it.
  database.exec('PRAGMA wal_autocheckpoint = 0')
  return database
}

export function deleteSegment(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}

/**
 * Names the journal for ever: cursors are kept per journal, so that a folder that was deleted and begins again at
 * row 1 is not mistaken for one whose rows were all seen.
 */
export function journalIdIn(directory: string): string {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'id')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const id = randomBase62(12)
  writeFileSync(`${file}.new`, id)
  renameSync(`${file}.new`, file)
  return id
}
