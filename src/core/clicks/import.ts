/**
 * Imports clicks of another service into the click log, each line exactly once. A file is a journal: its id is derived
 * from its content and its rows are its lines, so the log's cursor, which is written in the same transaction as the
 * clicks, says how far an import has come. Rejected lines are stored in that transaction too (`skippedRanges`): the next
 * run tries only these again, in another journal (`-2`, `-3`). Batches without a click are not written. Knows neither
 * files nor threads: the caller passes the lines.
 */
import type { Clock } from '../values/time.js'
import { addLine, type ClickBatch, clicksIn, type LineRanges, lineFilter, linesIn } from './click-batch.js'
import type { ClickLog } from './click-log.js'
import {
  type ImportPiece,
  type ImportSource,
  Preparation,
  type PrepareDeps,
  type RejectedLine,
} from './import-prepare.js'

export type ImportLog = Pick<ClickLog, 'cursor' | 'skippedRanges' | 'appendBatch'>

export interface ImportDeps extends PrepareDeps {
  readonly log: ImportLog
  readonly clock: Clock
}

export interface ImportCounts {
  /** Lines read by this run, and lines counted by earlier runs. */
  readonly lines: number
  /** Lines counted by earlier runs. */
  readonly before: number
  /** Clicks written by this run. */
  readonly imported: number
  /** Lines rejected by this run. */
  readonly rejected: number
  /** Distinct links that do not exist, counted up to `maxUnknown`. */
  readonly unknownLinks: number
  /** The first of them. */
  readonly unknownExamples: readonly string[]
  readonly bytes: number
  /** The first lines that this run rejected. */
  readonly examples: readonly RejectedLine[]
}

export interface ImportOptions {
  /** Stops the import after the current batch. */
  readonly signal?: AbortSignal
  readonly onProgress?: (counts: ImportCounts) => void
}

/** Large enough to make the cost of a transaction small, small enough to keep transactions short. */
const batchLines = 25_000
/** Bounds memory when lines are long. */
const batchBytes = 16 * 1024 * 1024
const fewExamples = 5

/** `ended` is false when `signal` stopped the import before the end of the file. */
export async function importClicks(
  deps: ImportDeps,
  source: ImportSource,
  { signal, onProgress = () => {} }: ImportOptions = {},
): Promise<ImportCounts & { readonly ended: boolean }> {
  const segments = await segmentsOf(deps.log, source.journalId)
  const preparation = new Preparation(deps, deps.clock.now())
  const begun = segments[0]?.after ?? 0
  const before = countedBefore(segments)
  let counts: ImportCounts = {
    lines: begun,
    before,
    imported: 0,
    rejected: 0,
    bytes: 0,
    examples: [],
    ...preparation.unknown,
  }
  // Prepares the next batch while the log writes the current one in another thread.
  let writing: Promise<Written> = Promise.resolve({ imported: 0 })
  /** Rejected lines since the last batch that was written. */
  let skippedRanges: number[] = []

  async function finish({ journalId }: Segment, { last, bytes }: Reached): Promise<void> {
    const { clicks, rejected } = preparation.take()
    counts = { ...counts, imported: await importedAfter(writing) }
    onProgress(counts)
    if (rejected.length > 0) await source.reject(rejected)
    for (const { line } of rejected) addLine(skippedRanges, line)
    counts = {
      ...counts,
      ...preparation.unknown,
      lines: last,
      rejected: counts.rejected + rejected.length,
      bytes,
      examples: [...counts.examples, ...rejected].slice(0, fewExamples),
    }
    if (clicks.at.length === 0) return
    writing = write(deps.log, { ...clicks, skippedRanges }, { journalId, row: last }, counts.imported)
    skippedRanges = []
  }

  let finished: Reached = { last: begun, bytes: 0 }
  let reached = finished
  let segment = segments[0]
  let ended = true
  try {
    reading: for await (const whole of source.linesAfter(begun)) {
      if (reached.last === begun) await source.forgetRejects()
      for (const piece of splitBySegment(whole, segments)) {
        const own = segments.find(({ upTo }) => piece.first <= upTo)
        if (own !== segment) {
          if (segment) await finish(segment, reached)
          // Rejected lines after the last written batch stay open: the next run tries them again in the same journal.
          skippedRanges = []
          segment = own
          finished = reached
        }
        if (!segment) break reading
        await preparation.add(piece, segment.wanted)
        reached = { last: piece.first + piece.ends.length - 1, bytes: piece.bytes }
        if (reached.last - finished.last < batchLines && reached.bytes - finished.bytes < batchBytes) continue
        await finish(segment, reached)
        finished = reached
        ended = !signal?.aborted
        if (!ended) break reading
      }
    }
    if (ended && segment && reached !== finished) await finish(segment, reached)
  } finally {
    // Also after an error: no write may be running when the import returns.
    await writing
  }
  counts = { ...counts, imported: await importedAfter(writing) }
  onProgress(counts)
  return { ...counts, ended }
}

/** A range of lines that belongs to one journal. Segments are in file order, so the latest journal comes first. */
interface Segment {
  readonly journalId: string
  /** Exclusive. */
  readonly after: number
  /** Inclusive. */
  readonly upTo: number
  /** The lines still to import; undefined means all. */
  readonly left: LineRanges | undefined
  readonly wanted: ((line: number) => boolean) | undefined
}

/**
 * The first journal has counted all lines up to its cursor except its rejected ones; the second journal has counted those
 * up to its own cursor, and so on. A journal's cursor is never past the one before it, so each line belongs to exactly
 * one journal.
 */
async function segmentsOf(log: ImportLog, fileId: string): Promise<readonly Segment[]> {
  const segments: Segment[] = []
  let [upTo, left]: [number, LineRanges | undefined] = [Number.POSITIVE_INFINITY, undefined]
  for (let pass = 1; left === undefined || left.length > 0; pass++) {
    const journalId = pass === 1 ? fileId : `${fileId}-${pass}`
    const after = await log.cursor(journalId)
    segments.unshift({ journalId, after, upTo, left, wanted: left && lineFilter(left) })
    upTo = after
    left = after === 0 ? [] : await log.skippedRanges(journalId)
  }
  return segments
}

function countedBefore(segments: readonly Segment[]): number {
  const open = segments.map(({ left, after }) => (left ? linesIn(left, after) : 0))
  return (segments.at(-1)?.after ?? 0) - open.reduce((sum, lines) => sum + lines, 0)
}

/** Splits a piece so that each part lies within one segment. */
function* splitBySegment(piece: ImportPiece, segments: readonly Segment[]): Generator<ImportPiece> {
  let { first, data, ends, bytes } = piece
  for (const { upTo } of segments) {
    const own = upTo - first + 1
    if (own <= 0) continue
    if (own >= ends.length) break
    const cut = (ends[own - 1] ?? 0) + 1
    yield { first, data: data.subarray(0, cut), ends: ends.slice(0, own), bytes: bytes - (data.length - cut) }
    first = upTo + 1
    data = data.subarray(cut)
    ends = ends.slice(own).map((end) => end - cut)
  }
  yield { first, data, ends, bytes }
}

/** A position in the file. */
interface Reached {
  readonly last: number
  readonly bytes: number
}

/** The number of clicks written so far. */
type Written = { readonly imported: number } | { readonly error: unknown }

function write(
  log: ImportLog,
  batch: ClickBatch,
  upTo: { readonly journalId: string; readonly row: number },
  imported: number,
): Promise<Written> {
  const clicks = clicksIn(batch)
  return log.appendBatch(batch, upTo).then(
    () => ({ imported: imported + clicks }),
    (error: unknown) => ({ error }),
  )
}

async function importedAfter(writing: Promise<Written>): Promise<number> {
  const written = await writing
  if ('error' in written) throw written.error
  return written.imported
}
