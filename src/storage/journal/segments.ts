/**
 * The files of the journal: a folder of text files ("segments"), each named after its first row. A line is a row
 * (row.ts); an incomplete line is not. The writer appends to the last file, and starts a new one when it is large or
 * old, at the start and at the stop; the reader deletes a file once the click log has all its rows. So writer and
 * reader share no lock, freeing space means deleting files, and delivered rows do not stay on disk for long.
 * The last file stays even when empty: its name stores the next row number. Files of former versions (`.journal`) have
 * rows without number and checksum; their row numbers are counted from the file name. They are read but no longer
 * written.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SkippedRows } from '../../core/clicks/journal.js'
import { randomBase62 } from '../../core/values/random.js'
import { OperatorError } from '../../lib/operator-error.js'
import { decodeLine } from './row.js'

export interface Segment {
  readonly file: string
  readonly firstRow: number
  /** Whether its lines contain row numbers. */
  readonly numbered: boolean
}

export const newline = 0x0a

/**
 * How many numbers the writer skips where it does not know which ones were used: more than a busy service uses in ten
 * minutes, while a machine that crashes loses about the last row, and more than a segment holds.
 */
export const skippedAtOnce = 1_000_000

/** The numbers that the writer skipped before and between the segments. */
export function skippedIn(segments: readonly Segment[]): readonly SkippedRows[] {
  return segments.flatMap(({ firstRow }, index) => {
    const skips = Math.floor((firstRow - (segments[index - 1]?.firstRow ?? 1)) / skippedAtOnce)
    return skips === 0 ? [] : [{ after: firstRow - 1 - skips * skippedAtOnce, last: firstRow - 1 }]
  })
}

/** The segments of the folder, oldest first. */
export function segmentsIn(directory: string): readonly Segment[] {
  return namesIn(directory)
    .filter((name) => /^\d{16}\.(?:rows|journal)$/.test(name))
    .sort()
    .map((name) => ({
      file: join(directory, name),
      firstRow: Number.parseInt(name, 10),
      numbered: name.endsWith('.rows'),
    }))
}

/** Nothing if the folder was deleted: the writer creates it again. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return []
  }
}

export function segmentAt(directory: string, firstRow: number): Segment {
  return { file: join(directory, `${String(firstRow).padStart(16, '0')}.rows`), firstRow, numbered: true }
}

/** The last row number used in the file, so that it is never reused. */
export function lastRowIn({ file, firstRow, numbered }: Segment): number {
  let lastRow = firstRow - 1
  // A damaged line counts as at least one row.
  for (const line of linesOf(file)) lastRow = Math.max(lastRow + 1, (numbered && decodeLine(line)?.row) || 0)
  return lastRow
}

/** Complete lines without their ends; each is valid until the next is requested. */
function* linesOf(file: string): Generator<Buffer> {
  const fd = openSync(file, 'r')
  try {
    let chunk = Buffer.allocUnsafe(1024 * 1024)
    for (let offset = 0, begun = 0; ; ) {
      const read = readSync(fd, chunk, begun, chunk.length - begun, offset)
      if (read === 0) return
      offset += read
      const filled = chunk.subarray(0, begun + read)
      let start = 0
      for (let end = filled.indexOf(newline, begun); end !== -1; end = filled.indexOf(newline, start)) {
        yield filled.subarray(start, end)
        start = end + 1
      }
      begun = filled.length - start
      // A line longer than the chunk needs a larger chunk.
      const next = begun === chunk.length ? Buffer.allocUnsafe(2 * chunk.length) : chunk
      filled.copy(next, 0, start)
      chunk = next
    }
  } finally {
    closeSync(fd)
  }
}

/** fsync of the folder: a new file survives a crash of the machine only with it. */
export function syncFolder(directory: string): void {
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * The permanent id of the journal. Cursors are stored per journal, so a deleted folder that starts again at row 1 is
 * not mistaken for one whose rows were all read. Rows contain the id too and take precedence: if its file were lost or
 * replaced, their clicks would be counted again under another id.
 */
export function journalIdIn(directory: string): string {
  return orCannotUse(directory, () => {
    mkdirSync(directory, { recursive: true })
    const file = join(directory, 'id')
    const written = readId(file)
    const id = idInRows(directory) ?? written
    if (id === undefined) setAsideUnnamed(directory)
    return id !== undefined && id === written ? id : writeId(file, id ?? randomBase62(12))
  })
}

/** The same without writing anything; undefined: there is no journal, or its id is lost. */
export function knownJournalId(directory: string): string | undefined {
  return idInRows(directory) ?? readId(join(directory, 'id'))
}

/** Turns an error while opening the journal into an OperatorError. */
export function orCannotUse<T>(directory: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `Cannot use the journal ${directory} (${reason}). It must be a folder that the service's user can write to.`,
    )
  }
}

/** The id from a readable row of the newest file. */
function idInRows(directory: string): string | undefined {
  for (const { file } of segmentsIn(directory)
    .filter(({ numbered }) => numbered)
    .reverse()) {
    for (const line of linesOf(file)) {
      const row = decodeLine(line)
      if (row) return row.journalId
    }
  }
  return undefined
}

const setAside = '.unknown'

/** Files that were set aside, now or earlier. */
export function filesSetAside(directory: string): readonly string[] {
  return namesIn(directory)
    .filter((name) => name.endsWith(setAside))
    .map((name) => join(directory, name))
}

/** Rows of a former version without a known journal id may have been counted: keep the files, but do not read them. */
function setAsideUnnamed(directory: string): void {
  for (const { file, numbered } of segmentsIn(directory)) {
    if (!numbered && statSync(file).size > 0) renameSync(file, `${file}${setAside}`)
  }
}

function readId(file: string): string | undefined {
  try {
    const id = readFileSync(file, 'utf8').trim()
    return /^[0-9A-Za-z]+$/.test(id) ? id : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/** Creates the folder of a running journal again. */
export function createAgain(directory: string, id: string): void {
  mkdirSync(directory, { recursive: true })
  writeId(join(directory, 'id'), id)
}

function writeId(file: string, id: string): string {
  writeFileSync(`${file}.new`, id, { flush: true })
  renameSync(`${file}.new`, file)
  return id
}
