/** The pipeline's side of the journal: reads rows in order through its own connections, in its own thread. */
import type Database from 'libsql'
import type { JournalReader, JournalRow } from '../../core/clicks/journal.js'
import { decodeRow } from './row.js'
import { deleteSegment, journalIdIn, openSegment, type Segment, segmentsIn } from './segments.js'

const rowsAtOnce = 64

export function openJournalReader(directory: string): SqliteJournalReader {
  return new SqliteJournalReader(directory)
}

export class SqliteJournalReader implements JournalReader {
  readonly journalId: string
  readonly #directory: string
  #reading: { segment: Segment; database: Database.Database; select: Database.Statement } | undefined

  constructor(directory: string) {
    this.journalId = journalIdIn(directory)
    this.#directory = directory
  }

  read(row: number, clicks: number): readonly JournalRow[] {
    const found: JournalRow[] = []
    let count = 0
    let last = row
    while (count < clicks) {
      const rows = this.#after(last)
      for (const { row, clicks } of rows) {
        const decoded = decodeRow(clicks)
        found.push({ row, clicks: decoded })
        count += decoded.length
        last = row
      }
      if (rows.length === 0) break
    }
    return found
  }

  /** Rows of the segment that follows `row`. The list of files is read first: once a later one exists, this one is complete. */
  #after(row: number): readonly { row: number; clicks: string }[] {
    const segments = segmentsIn(this.#directory)
    let at = Math.max(
      segments.findLastIndex((segment) => segment.firstRow <= row + 1),
      0,
    )
    for (; at < segments.length; at++) {
      const segment = segments[at]
      const rows = segment ? this.#select(segment).all(row, rowsAtOnce) : []
      if (rows.length > 0) return rows as { row: number; clicks: string }[]
    }
    return []
  }

  release(row: number): void {
    const segments = segmentsIn(this.#directory)
    for (const [index, segment] of segments.entries()) {
      const next = segments[index + 1]
      if (!next || next.firstRow > row + 1) return
      this.#discard(segment)
    }
  }

  /** Empties the write-ahead log before deleting, so that the writer's own close finds nothing to copy. */
  #discard(segment: Segment): void {
    this.#select(segment)
    this.#reading?.database.exec('PRAGMA synchronous = OFF')
    this.#reading?.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
    this.close()
    deleteSegment(segment.file)
  }

  #select(segment: Segment): Database.Statement {
    if (this.#reading?.segment.file !== segment.file) {
      this.close()
      const database = openSegment(segment.file, 'normal')
      const select = database.prepare('SELECT row, clicks FROM turns WHERE row > ? ORDER BY row LIMIT ?')
      this.#reading = { segment, database, select }
    }
    return this.#reading.select
  }

  close(): void {
    this.#reading?.database.close()
    this.#reading = undefined
  }
}
