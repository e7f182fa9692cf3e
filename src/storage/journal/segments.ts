/**
 * The journal's files: a folder of text files ("segments"), each named after its first row. A line is a row (line.ts); one
 * without its end is none. The writer appends to the last file and begins a new one when that is large or old, when it
 * starts and when it stops; the reader deletes a file once all its rows are safe in the click log. So writer and reader
 * share no lock, freeing space is deleting a file, and what was delivered does not stay on disk for long. The last file
 * stays, empty or not: its name keeps the number of the next row.
 *
 * Files of former versions (`.journal`) have rows without number and checksum: there a row's number is that of the file
 * plus the lines before it. They are read to their end, and not written any more.
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
import { randomBase62 } from '../../lib/base62.js'
import { OperatorError } from '../../lib/operator-error.js'
import { decodeLine } from './row.js'

export interface Segment {
  readonly file: string
  readonly firstRow: number
  /** Whether its lines say which rows they are. */
  readonly numbered: boolean
}

export const newline = 0x0a

/** The folder's segments, oldest first. */
export function segmentsIn(directory: string): readonly Segment[] {
  return readdirSync(directory)
    .filter((name) => /^\d{16}\.(?:rows|journal)$/.test(name))
    .sort()
    .map((name) => ({
      file: join(directory, name),
      firstRow: Number.parseInt(name, 10),
      numbered: name.endsWith('.rows'),
    }))
}

export function segmentAt(directory: string, firstRow: number): Segment {
  return { file: join(directory, `${String(firstRow).padStart(16, '0')}.rows`), firstRow, numbered: true }
}

/** The last row that the file holds or held: no other row may have its number. */
export function lastRowIn({ file, firstRow, numbered }: Segment): number {
  let lastRow = firstRow - 1
  // A damaged line stands for a row at least.
  for (const line of linesOf(file)) lastRow = Math.max(lastRow + 1, (numbered && decodeLine(line)?.row) || 0)
  return lastRow
}

/** Complete lines, without their ends; each is good until the next is asked for. */
function* linesOf(file: string): Generator<Buffer> {
  const fd = openSync(file, 'r')
  try {
    let piece = Buffer.allocUnsafe(1024 * 1024)
    for (let offset = 0, begun = 0; ; ) {
      const read = readSync(fd, piece, begun, piece.length - begun, offset)
      if (read === 0) return
      offset += read
      const filled = piece.subarray(0, begun + read)
      let start = 0
      for (let end = filled.indexOf(newline, begun); end !== -1; end = filled.indexOf(newline, start)) {
        yield filled.subarray(start, end)
        start = end + 1
      }
      begun = filled.length - start
      // A line longer than the piece takes a larger one.
      const next = begun === piece.length ? Buffer.allocUnsafe(2 * piece.length) : piece
      filled.copy(next, 0, start)
      piece = next
    }
  } finally {
    closeSync(fd)
  }
}

/** A file survives the death of the machine only once its folder is on disk too. */
export function syncFolder(directory: string): void {
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Names the journal for ever: cursors are kept per journal, so that a folder that was deleted and begins again at row 1 is
 * not mistaken for one whose rows were all seen. Rows name it too, and they are right: were its file lost or replaced,
 * their clicks would count again under another name.
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

/** What keeps a journal from being opened is for the operator to clear. */
export function orCannotUse<T>(directory: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(
      `The journal ${directory} cannot be used (${reason}). It must be a folder that the service's user may write to.`,
    )
  }
}

/** What a row of the newest file says that can be read. */
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

/** Files that were set aside, now or before. */
export function filesSetAside(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(setAside))
    .map((name) => join(directory, name))
}

/** Rows of a former version that nobody can tell the journal of may have been counted: they are kept, and not read. */
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

function writeId(file: string, id: string): string {
  writeFileSync(`${file}.new`, id, { flush: true })
  renameSync(`${file}.new`, file)
  return id
}
