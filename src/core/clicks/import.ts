/**
 * Brings clicks from elsewhere into the click log. A file is a journal of its own: its id comes from its content and its
 * rows are its lines, so that the log's cursor, which is written with the clicks, says how far an import has come.
 * Whatever interrupts it, the next run goes on there, and a file that is in the log is not counted again. It knows
 * neither files nor threads: whoever runs it hands in the lines.
 */

import type { Clock } from '../clock.js'
import type { ClickLog } from './click-log.js'
import { Preparation, type Prepared, type PrepareParts } from './import-prepare.js'
import type { ImportSource, RejectedLine } from './import-source.js'

export interface ImportParts extends PrepareParts {
  readonly log: Pick<ClickLog, 'cursor' | 'appendBatch'>
  readonly clock: Clock
}

export interface ImportCounts {
  /** Lines that were dealt with, by this run and by earlier ones. */
  readonly lines: number
  /** Those of earlier runs. */
  readonly before: number
  /** Clicks that this run brought into the log. */
  readonly imported: number
  readonly rejected: number
  readonly bytes: number
  /** The first lines that this run rejected. */
  readonly examples: readonly RejectedLine[]
}

export interface ImportOptions {
  /** Ends the import after the batch under way. */
  readonly signal?: AbortSignal
  readonly onProgress?: (counts: ImportCounts) => void
}

/** Our choice: a transaction of the log costs little more for so many than for half of them, and is soon over. */
const batchLines = 25_000
/** Our choice: sooner where lines are long, so that memory holds no more of them than that. */
const batchBytes = 16 * 1024 * 1024
const fewExamples = 5

/** Answers `ended: false` when it was told to stop before the end. */
export async function importClicks(
  parts: ImportParts,
  source: ImportSource,
  { signal, onProgress = () => {} }: ImportOptions = {},
): Promise<ImportCounts & { readonly ended: boolean }> {
  const { journalId } = source
  const before = await parts.log.cursor(journalId)
  await source.keepRejectsUpTo(before)
  let counts: ImportCounts = { lines: before, before, imported: 0, rejected: 0, bytes: 0, examples: [] }
  const preparation = new Preparation(parts, parts.clock.now())
  // While the log writes one batch the next is prepared, in another thread.
  let writing: Promise<Written> = Promise.resolve({ counts })

  async function write({ clicks, rejected }: Prepared, { last, bytes }: Reached): Promise<void> {
    counts = await settled(writing)
    onProgress(counts)
    // Before the clicks: what is in the log needs no second look.
    if (rejected.length > 0) await source.reject(rejected)
    const after: ImportCounts = {
      lines: last,
      before,
      imported: counts.imported + clicks.at.length,
      rejected: counts.rejected + rejected.length,
      bytes,
      examples: [...counts.examples, ...rejected].slice(0, fewExamples),
    }
    writing = parts.log.appendBatch(clicks, { journalId, row: last }).then(
      () => ({ counts: after }),
      (error: unknown) => ({ error }),
    )
  }

  let written: Reached = { last: before, bytes: 0 }
  let reached = written
  let ended = true
  try {
    for await (const piece of source.linesAfter(before)) {
      await preparation.add(piece)
      reached = { last: piece.first + piece.ends.length - 1, bytes: piece.bytes }
      if (reached.last - written.last < batchLines && reached.bytes - written.bytes < batchBytes) continue
      await write(preparation.take(), reached)
      written = reached
      ended = !signal?.aborted
      if (!ended) break
    }
    if (ended && reached !== written) await write(preparation.take(), reached)
  } finally {
    // Whatever went wrong, nothing of this import is under way any more when it is over.
    await writing
  }
  counts = await settled(writing)
  onProgress(counts)
  return { ...counts, ended }
}

/** How far it has come. */
interface Reached {
  readonly last: number
  readonly bytes: number
}

type Written = { readonly counts: ImportCounts } | { readonly error: unknown }

async function settled(writing: Promise<Written>): Promise<ImportCounts> {
  const written = await writing
  if ('error' in written) throw written.error
  return written.counts
}
