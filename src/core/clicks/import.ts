/**
 * Brings clicks from elsewhere into the click log. A file is a journal of its own: its id comes from its content and its
 * rows are its lines, so that the log's cursor, which is written with the clicks, says how far an import has come. Lines
 * that are rejected are written with them too, as passed over: the next run tries exactly these again, in a journal of
 * their own (`-2`, `-3`), and never what was counted. A batch without a click is not written, so that nothing is
 * remembered of a file of which nothing was counted. It knows neither files nor threads: whoever runs it hands in the lines.
 */
import type { Clock } from '../values/time.js'
import { addLine, among, type ClickBatch, clicksIn, type LineRanges, linesIn } from './click-batch.js'
import type { ClickLog } from './click-log.js'
import {
  type ImportPiece,
  type ImportSource,
  Preparation,
  type PrepareDeps,
  type RejectedLine,
} from './import-prepare.js'

export type ImportLog = Pick<ClickLog, 'cursor' | 'passedOver' | 'appendBatch'>

export interface ImportDeps extends PrepareDeps {
  readonly log: ImportLog
  readonly clock: Clock
}

export interface ImportCounts {
  /** Lines of the file that were looked at, or counted before. */
  readonly lines: number
  /** Those that earlier runs have counted. */
  readonly before: number
  /** Clicks that this run brought into the log. */
  readonly imported: number
  /** Lines that this run could not use. */
  readonly rejected: number
  /** How many links among them do not exist; beyond `mostUnknown` they are not told apart any more. */
  readonly unknownLinks: number
  /** The first of these. */
  readonly unknownExamples: readonly string[]
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
  deps: ImportDeps,
  source: ImportSource,
  { signal, onProgress = () => {} }: ImportOptions = {},
): Promise<ImportCounts & { readonly ended: boolean }> {
  const stretches = await stretchesOf(deps.log, source.journalId)
  const preparation = new Preparation(deps, deps.clock.now())
  const begun = stretches[0]?.after ?? 0
  const before = countedBefore(stretches)
  let counts: ImportCounts = {
    ...{ lines: begun, before, imported: 0, rejected: 0, bytes: 0, examples: [] },
    ...preparation.unknown,
  }
  // While the log writes one batch the next is prepared, in another thread.
  let writing: Promise<Written> = Promise.resolve({ imported: 0 })
  /** Rejected lines since the last batch that was written. */
  let passedOver: number[] = []

  async function finish({ journalId }: Stretch, { last, bytes }: Reached): Promise<void> {
    const { clicks, rejected } = preparation.take()
    counts = { ...counts, imported: await settled(writing) }
    onProgress(counts)
    if (rejected.length > 0) await source.reject(rejected)
    for (const { line } of rejected) addLine(passedOver, line)
    counts = {
      ...counts,
      ...preparation.unknown,
      lines: last,
      rejected: counts.rejected + rejected.length,
      bytes,
      examples: [...counts.examples, ...rejected].slice(0, fewExamples),
    }
    if (clicks.at.length === 0) return
    writing = write(deps.log, { ...clicks, passedOver }, { journalId, row: last }, counts.imported)
    passedOver = []
  }

  let finished: Reached = { last: begun, bytes: 0 }
  let reached = finished
  let stretch = stretches[0]
  let ended = true
  try {
    reading: for await (const whole of source.linesAfter(begun)) {
      if (reached.last === begun) await source.forgetRejects()
      for (const piece of cutAt(whole, stretches)) {
        const own = stretches.find(({ upTo }) => piece.first <= upTo)
        if (own !== stretch) {
          if (stretch) await finish(stretch, reached)
          // What was not written with a click is tried again by the next run, in the same journal.
          passedOver = []
          stretch = own
          finished = reached
        }
        if (!stretch) break reading
        await preparation.add(piece, stretch.wanted)
        reached = { last: piece.first + piece.ends.length - 1, bytes: piece.bytes }
        if (reached.last - finished.last < batchLines && reached.bytes - finished.bytes < batchBytes) continue
        await finish(stretch, reached)
        finished = reached
        ended = !signal?.aborted
        if (!ended) break reading
      }
    }
    if (ended && stretch && reached !== finished) await finish(stretch, reached)
  } finally {
    // Whatever went wrong, nothing of this import is under way any more when it is over.
    await writing
  }
  counts = { ...counts, imported: await settled(writing) }
  onProgress(counts)
  return { ...counts, ended }
}

/** Lines of the file that belong to one journal, in the order of the file: the one of the latest run first. */
interface Stretch {
  readonly journalId: string
  /** From behind this line up to that one. */
  readonly after: number
  readonly upTo: number
  /** Undefined: all of them. */
  readonly left: LineRanges | undefined
  readonly wanted: ((line: number) => boolean) | undefined
}

/**
 * The first journal has counted lines up to its cursor but for those it passed over; the second one had these to count,
 * up to its own cursor; and so on. No cursor is behind the one before, so that each line is one journal's to go on with.
 */
async function stretchesOf(log: ImportLog, fileId: string): Promise<readonly Stretch[]> {
  const stretches: Stretch[] = []
  let [upTo, left]: [number, LineRanges | undefined] = [Number.POSITIVE_INFINITY, undefined]
  for (let pass = 1; left === undefined || left.length > 0; pass++) {
    const journalId = pass === 1 ? fileId : `${fileId}-${pass}`
    const after = await log.cursor(journalId)
    stretches.unshift({ journalId, after, upTo, left, wanted: left && among(left) })
    upTo = after
    left = after === 0 ? [] : await log.passedOver(journalId)
  }
  return stretches
}

function countedBefore(stretches: readonly Stretch[]): number {
  const open = stretches.map(({ left, after }) => (left ? linesIn(left, after) : 0))
  return (stretches.at(-1)?.after ?? 0) - open.reduce((sum, lines) => sum + lines, 0)
}

/** Pieces that lie within one stretch each. */
function* cutAt(piece: ImportPiece, stretches: readonly Stretch[]): Generator<ImportPiece> {
  let { first, data, ends, bytes } = piece
  for (const { upTo } of stretches) {
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

/** How far it has come. */
interface Reached {
  readonly last: number
  readonly bytes: number
}

/** How many clicks are in the log then. */
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

async function settled(writing: Promise<Written>): Promise<number> {
  const written = await writing
  if ('error' in written) throw written.error
  return written.imported
}
