/** The pipeline's side of the journal: reads complete lines in order, behind the writer, in its own thread. */
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import type { RawClick } from '../../core/clicks/click.js'
import type { JournalReader, JournalRow } from '../../core/clicks/journal.js'
import { decodeRow } from './row.js'
import { journalIdIn, newline, type Segment, segmentsIn } from './segments.js'

/** Called for the first line of a file that is no row. */
export type OnDamage = (damage: { readonly file: string; readonly row: number }) => void

export function openJournalReader(directory: string, onDamage: OnDamage = () => {}): FileJournalReader {
  return new FileJournalReader(directory, onDamage)
}

export class FileJournalReader implements JournalReader {
  readonly journalId: string
  readonly #directory: string
  readonly #onDamage: OnDamage
  /** Where the last read ended: the next one usually goes on from there. */
  #lines: SegmentLines | undefined
  #damagedFile: string | undefined

  constructor(directory: string, onDamage: OnDamage) {
    this.journalId = journalIdIn(directory)
    this.#directory = directory
    this.#onDamage = onDamage
  }

  read(row: number, clicks: number): readonly JournalRow[] {
    const found: JournalRow[] = []
    if (!this.#lines || this.#lines.nextRow > row + 1) this.#seek(row + 1)
    for (let count = 0; count < clicks; ) {
      const lines = this.#ready()
      if (!lines) break
      const at = lines.nextRow
      if (at <= row) {
        lines.skip()
        continue
      }
      const decoded = decodeRow(lines.take()) ?? this.#damaged(lines.segment.file, at)
      found.push({ row: at, clicks: decoded })
      count += decoded.length
    }
    return found
  }

  release(row: number): void {
    const segments = segmentsIn(this.#directory)
    for (const [index, segment] of segments.entries()) {
      const next = segments[index + 1]
      if (!next || next.firstRow > row + 1) return
      if (this.#lines?.segment.file === segment.file) this.close()
      rmSync(segment.file, { force: true })
    }
  }

  close(): void {
    this.#lines?.close()
    this.#lines = undefined
  }

  /** To the start of the file that holds the row, or would; the lines before it are skipped while reading. */
  #seek(row: number): void {
    const segments = segmentsIn(this.#directory)
    const segment = segments.findLast(({ firstRow }) => firstRow <= row) ?? segments[0]
    if (segment) this.#open(segment)
  }

  #open(segment: Segment): void {
    this.close()
    this.#lines = new SegmentLines(segment)
  }

  /** The file in which the next line is waiting; undefined when none is complete yet. */
  #ready(): SegmentLines | undefined {
    for (;;) {
      const lines = this.#lines
      if (!lines || lines.ready()) return lines
      const next = segmentsIn(this.#directory).find(({ firstRow }) => firstRow > lines.segment.firstRow)
      if (!next) return undefined
      // Once a later file exists nothing is added to this one, but something may have been since we looked.
      if (lines.ready()) return lines
      this.#open(next)
    }
  }

  #damaged(file: string, row: number): readonly RawClick[] {
    if (file !== this.#damagedFile) this.#onDamage({ file, row })
    this.#damagedFile = file
    return unreadable
  }
}

/**
 * Stands for a damaged row: the pipeline drops and counts it as malformed, and the rows behind it go on. How many clicks
 * it held nobody can say. Its time is none, and not old either: it must not look like a backlog.
 */
const unreadable: readonly RawClick[] = [
  {
    at: Number.POSITIVE_INFINITY,
    method: 'GET',
    address: '',
    linkId: '',
    groupGuid: '',
    destination: '',
    scan: false,
    visitor: '',
    userAgent: '',
    referrer: '',
    language: '',
    purpose: '',
  },
]

const pieceBytes = 256 * 1024

/**
 * The lines of one file, read in large pieces. Bytes behind the last line's end are forgotten and read again: the writer
 * may be in the middle of a row, or cut off what it could not finish.
 */
class SegmentLines {
  readonly segment: Segment
  /** The number of the row that `take` answers next. */
  nextRow: number
  readonly #fd: number
  #piece = Buffer.allocUnsafe(pieceBytes)
  /** Complete lines not taken yet stand from `start` to `end` in the piece; the file goes on from `offset`. */
  #start = 0
  #end = 0
  #offset = 0

  constructor(segment: Segment) {
    this.segment = segment
    this.nextRow = segment.firstRow
    this.#fd = openSync(segment.file, 'r')
  }

  /** Whether there is a complete line to take. */
  ready(): boolean {
    return this.#start < this.#end || this.#fill()
  }

  take(): string {
    const start = this.#start
    this.skip()
    // Cut at line ends before decoding, so no character is ever halved.
    return this.#piece.toString('utf8', start, this.#start - 1)
  }

  skip(): void {
    this.#start = this.#piece.indexOf(newline, this.#start) + 1
    this.nextRow++
  }

  close(): void {
    closeSync(this.#fd)
  }

  #fill(): boolean {
    for (;;) {
      const bytes = readSync(this.#fd, this.#piece, 0, this.#piece.length, this.#offset)
      const end = this.#piece.subarray(0, bytes).lastIndexOf(newline) + 1
      if (end > 0) {
        this.#start = 0
        this.#end = end
        this.#offset += end
        return true
      }
      if (bytes < this.#piece.length) return false
      // A line longer than the piece: it takes a larger one to see its end.
      this.#piece = Buffer.allocUnsafe(this.#piece.length * 2)
    }
  }
}
