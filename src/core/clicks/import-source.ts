/** What an import is made from: lines of a file, and where the addresses in them lead. */
import type { BatchTarget } from './click-batch.js'

/** Link and group are empty for a global hash, which nobody owns. */
export type ImportTarget = BatchTarget

/** Numbered lines, and a place for those that cannot be used. */
export interface ImportSource {
  /** The same for the same content, and for no other. */
  readonly journalId: string
  /** The lines after this one, in order and in handy pieces. */
  linesAfter(line: number): AsyncIterable<ImportPiece>
  /** Forgets what former runs have rejected: each tries all of it again. */
  forgetRejects(): Promise<void>
  reject(lines: readonly RejectedLine[]): Promise<void>
}

/** Some lines of a file. */
export interface ImportPiece {
  /** Number of the first line; the first of a file is 1. */
  readonly first: number
  /** The lines, each with a line feed behind it. Valid until the next piece is asked for. */
  readonly data: Buffer
  /** Where the line feeds are. A line longer than `longestLine` may have been cut anywhere behind that. */
  readonly ends: readonly number[]
  /** Bytes of the file up to the end of the piece. */
  readonly bytes: number
}

export interface RejectedLine {
  readonly line: number
  readonly reason: string
  readonly text: string
}
