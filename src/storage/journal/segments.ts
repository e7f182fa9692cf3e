/**
 * The journal's files: a folder of text files ("segments"), each named after its first row. A line is a row, so a row's
 * number is that of the file plus the lines before it; a line without its end is none. The writer appends to the last
 * file and starts a new one when it is large; the reader deletes a file once all its rows are safe in the click log. So
 * writer and reader share no lock, and freeing space is deleting a file. What a line says is for row.ts to know.
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
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { randomBase62 } from '../../lib/base62.js'
import { OperatorError } from '../../lib/operator-error.js'

export interface Segment {
  readonly file: string
  readonly firstRow: number
}

export const newline = 0x0a

/** The folder's segments, oldest first. */
export function segmentsIn(directory: string): readonly Segment[] {
  return readdirSync(directory)
    .filter((name) => /^\d{16}\.journal$/.test(name))
    .sort()
    .map((name) => ({ file: join(directory, name), firstRow: Number.parseInt(name, 10) }))
}

export function segmentAt(directory: string, firstRow: number): Segment {
  return { file: join(directory, `${String(firstRow).padStart(16, '0')}.journal`), firstRow }
}

/** How many complete lines the file has, and where the last one ends. */
export function measureLines(fd: number): { readonly lines: number; readonly end: number } {
  const piece = Buffer.allocUnsafe(1024 * 1024)
  let lines = 0
  let end = 0
  for (let offset = 0; ; ) {
    const bytes = piece.subarray(0, readSync(fd, piece, 0, piece.length, offset))
    if (bytes.length === 0) return { lines, end }
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) {
      lines++
      end = offset + at + 1
    }
    offset += bytes.length
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
 * Names the journal for ever: cursors are kept per journal, so that a folder that was deleted and begins again at
 * row 1 is not mistaken for one whose rows were all seen.
 */
export function journalIdIn(directory: string): string {
  return orCannotUse(directory, () => {
    mkdirSync(directory, { recursive: true })
    const file = join(directory, 'id')
    return readId(file) ?? makeId(file)
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

function readId(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

function makeId(file: string): string {
  const id = randomBase62(12)
  writeFileSync(`${file}.new`, id, { flush: true })
  renameSync(`${file}.new`, file)
  return id
}
