/** The pipeline's side of the journal: reads complete lines in order, behind the writer, in its own thread. */
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import type { JournalReader, JournalRow } from '../../core/clicks/journal.js'
import { decodeLine, decodeRow } from './row.js'
import { filesSetAside, journalIdIn, newline, type Segment, segmentsIn } from './segments.js'

/** Called for the first line of a file that cannot be read, and for a file that cannot be read at all. */
export type OnDamage = (damage: { readonly file: string; readonly row?: number; readonly reason: string }) => void

export function openJournalReader(directory: string, onDamage: OnDamage = () => {}): FileJournalReader {
  return new FileJournalReader(directory, onDamage)
}

export class FileJournalReader implements JournalReader {
  readonly journalId: string
  readonly #directory: string
  readonly #onDamage: OnDamage
  /** Where the last read ended: the next one usually goes on from there. */
  #lines: SegmentLines | undefined
  #damagedRows = 0
  /** What was lost up to this row is counted: a read that is made again must not count it again. */
  #countedUpTo = 0

  constructor(directory: string, onDamage: OnDamage) {
    this.journalId = journalIdIn(directory)
    this.#directory = directory
    this.#onDamage = onDamage
    const reason = 'the id of the journal was lost: its rows may have been counted before, and are left alone'
    for (const file of filesSetAside(directory)) onDamage({ file, reason })
  }

  get damagedRows(): number {
    return this.#damagedRows
  }

  read(row: number, clicks: number): readonly JournalRow[] {
    const found: JournalRow[] = []
    if (!this.#lines || this.#lines.nextRow > row + 1) this.#seek(row + 1)
    for (let count = 0; count < clicks; ) {
      const lines = this.#lines
      if (!lines) break
      if (!lines.ready()) {
        const next = this.#successor(lines)
        if (!next) break
        // Once a later file exists nothing is added to this one, but something may have been since we looked.
        if (lines.ready()) continue
        // What was damaged at its end held the rows up to the next file.
        if (lines.damaged && this.#lost(lines, next.firstRow, row)) found.push({ row: next.firstRow - 1, clicks: [] })
        this.#open(next)
        continue
      }
      const line = lines.take(this.journalId)
      if (!line) {
        this.#tell(lines)
        continue
      }
      this.#lost(lines, line.row, row)
      lines.passed(line.row)
      if (line.row <= row) continue
      const decoded = decodeRow(line.text)
      if (!decoded) {
        this.#tell(lines)
        this.#count(line.row, line.row)
      }
      found.push({ row: line.row, clicks: decoded ?? [] })
      count += decoded?.length ?? 0
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

  #successor({ segment }: SegmentLines): Segment | undefined {
    return segmentsIn(this.#directory).find(({ file }) => file > segment.file)
  }

  /** Counts the rows that damage took between the last whole one and this one. True when there were any after `row`. */
  #lost(lines: SegmentLines, before: number, row: number): boolean {
    const first = Math.max(lines.nextRow, row + 1)
    if (first >= before) return false
    this.#tell(lines)
    this.#count(first, before - 1)
    return true
  }

  #count(first: number, last: number): void {
    this.#damagedRows += Math.max(0, last - Math.max(first, this.#countedUpTo + 1) + 1)
    this.#countedUpTo = Math.max(this.#countedUpTo, last)
  }

  #told = ''
  #tell({ segment: { file }, nextRow: row }: SegmentLines): void {
    if (this.#told !== file) this.#onDamage({ file, row, reason: 'a row is damaged' })
    this.#told = file
  }
}

const pieceBytes = 256 * 1024

/**
 * The lines of one file, read in large pieces. Bytes behind the last line's end are forgotten and read again: the writer
 * may be in the middle of a row, or cut off what it could not finish.
 */
class SegmentLines {
  readonly segment: Segment
  /** The row behind the last whole one. */
  nextRow: number
  /** Lines since then that are no rows. */
  damaged = 0
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

  /** The row of the next line; undefined when it is no row of this journal. */
  take(journalId: string): { readonly row: number; readonly text: string } | undefined {
    const start = this.#start
    this.#start = this.#piece.indexOf(newline, start) + 1
    // Cut at line ends before decoding, so no character is ever halved.
    const line = this.#piece.subarray(start, this.#start - 1)
    if (!this.segment.numbered) return { row: this.nextRow, text: line.toString('utf8') }
    const row = decodeLine(line)
    if (row?.journalId === journalId && row.row >= this.nextRow) return row
    this.damaged++
    return undefined
  }

  passed(row: number): void {
    this.nextRow = row + 1
    this.damaged = 0
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
