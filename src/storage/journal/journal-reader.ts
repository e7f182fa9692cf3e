/** Reads the journal for the pipeline: complete lines in order, behind the writer, in another thread. */
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import type { JournalReader, JournalRow } from '../../core/clicks/journal.js'
import { decodeLine, decodeRow } from './row.js'
import { filesSetAside, journalIdIn, newline, type Segment, segmentsIn, skippedAtOnce } from './segments.js'

/** Called for the first damaged line of a file, and for a file that cannot be read at all. */
export type OnDamage = (damage: { readonly file: string; readonly row?: number; readonly reason: string }) => void

/** `journalId`: of a journal in which nothing may be written. */
export function openJournalReader(
  directory: string,
  onDamage: OnDamage = () => {},
  journalId?: string,
): FileJournalReader {
  return new FileJournalReader(directory, onDamage, journalId)
}

export class FileJournalReader implements JournalReader {
  readonly journalId: string
  readonly #directory: string
  readonly #onDamage: OnDamage
  /** The file of the last read; the next read usually continues there. */
  #lines: SegmentLines | undefined
  #damagedRows = 0
  /** Losses up to this row are already counted, so that a repeated read does not count them again. */
  #countedUpTo = 0

  constructor(directory: string, onDamage: OnDamage, journalId = journalIdIn(directory)) {
    this.journalId = journalId
    this.#directory = directory
    this.#onDamage = onDamage
    const reason = 'the journal id is lost; its rows may have been counted already, so they are skipped'
    for (const file of filesSetAside(directory)) onDamage({ file, reason })
  }

  get damagedRows(): number {
    return this.#damagedRows
  }

  read(row: number, clicks: number): readonly JournalRow[] {
    const found: JournalRow[] = []
    if (!this.#lines || this.#lines.nextRow > row + 1) {
      this.#seek(row + 1)
      const begins = this.#lines?.segment.firstRow ?? 0
      // A click log without any row of this journal may be a new one, which does not miss rows that others have.
      if (row > 0 && this.#lines && this.#missing(this.#lines, row + 1, begins)) {
        found.push({ row: begins - 1, clicks: [] })
      }
    }
    for (let count = 0; count < clicks; ) {
      const lines = this.#lines
      if (!lines) break
      if (!lines.ready()) {
        if (lines.isTruncated()) {
          // What was written after the cut is read; rows that the caller has are skipped.
          this.#open(lines.segment)
          if (found.length > 0) break
          continue
        }
        const next = this.#successor(lines)
        if (!next) break
        // Once a later file exists this one does not grow, but it may have grown since the last look.
        if (lines.ready()) continue
        // The end of this file held the rows up to the next file.
        if (this.#missing(lines, Math.max(lines.nextRow, row + 1), next.firstRow)) {
          found.push({ row: next.firstRow - 1, clicks: [] })
        }
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

  /** Opens the file that contains the row, or would; earlier lines are skipped while reading. */
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

  /**
   * Counts the rows lost to damage between the last valid row and this one. Returns true when any of them is after
   * `row`.
   */
  #lost(lines: SegmentLines, before: number, row: number): boolean {
    const first = Math.max(lines.nextRow, row + 1)
    if (first >= before) return false
    this.#tell(lines)
    this.#count(first, before - 1)
    return true
  }

  /** The same between two files, where the writer may have skipped numbers. */
  #missing(lines: SegmentLines, first: number, before: number): boolean {
    const rows = Math.max(0, before - first) % skippedAtOnce
    if (rows === 0) return false
    this.#tell(lines, 'missing rows')
    this.#count(before - rows, before - 1)
    return true
  }

  #count(first: number, last: number): void {
    this.#damagedRows += Math.max(0, last - Math.max(first, this.#countedUpTo + 1) + 1)
    this.#countedUpTo = Math.max(this.#countedUpTo, last)
  }

  #reportedFile = ''
  #tell({ segment: { file }, nextRow: row }: SegmentLines, reason = 'damaged row'): void {
    if (this.#reportedFile !== file) this.#onDamage({ file, row, reason })
    this.#reportedFile = file
  }
}

const pieceBytes = 256 * 1024

/**
 * Reads the lines of one file in large chunks. Bytes after the last line end are dropped and read again: the writer may
 * be in the middle of a row, or may truncate an incomplete one.
 */
class SegmentLines {
  readonly segment: Segment
  /** The row after the last valid one. */
  nextRow: number
  /** Invalid lines since then. */
  damaged = 0
  readonly #fd: number
  #chunk = Buffer.allocUnsafe(pieceBytes)
  /** Unread complete lines are at `start` to `end` of the chunk; the file continues at `offset`. */
  #start = 0
  #end = 0
  #offset = 0

  constructor(segment: Segment) {
    this.segment = segment
    this.nextRow = segment.firstRow
    this.#fd = openSync(segment.file, 'r')
  }

  /** Whether a complete line is available. */
  ready(): boolean {
    return this.#start < this.#end || this.#fill()
  }

  /** The next line; undefined when it is not a row of this journal. */
  take(journalId: string): { readonly row: number; readonly text: string } | undefined {
    const start = this.#start
    this.#start = this.#chunk.indexOf(newline, start) + 1
    // Cut at line ends before decoding, so no character is split.
    const line = this.#chunk.subarray(start, this.#start - 1)
    if (!this.segment.numbered) return { row: this.nextRow, text: line.toString('utf8') }
    const row = decodeLine(line)
    if (row?.journalId === journalId && row.row >= this.nextRow) return row
    this.damaged++
    return undefined
  }

  /** Whether the file is shorter than what was read of it. */
  isTruncated(): boolean {
    return fstatSync(this.#fd).size < this.#offset
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
      const bytes = readSync(this.#fd, this.#chunk, 0, this.#chunk.length, this.#offset)
      const end = this.#chunk.subarray(0, bytes).lastIndexOf(newline) + 1
      if (end > 0) {
        this.#start = 0
        this.#end = end
        this.#offset += end
        return true
      }
      if (bytes < this.#chunk.length) return false
      // The line is longer than the chunk: enlarge the chunk.
      this.#chunk = Buffer.allocUnsafe(this.#chunk.length * 2)
    }
  }
}
