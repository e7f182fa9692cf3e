/**
 * Moves all clicks to another click log, in the parts of an archive: each is written as a file and read into the other log,
 * whose own file of the same clicks must have the same bytes. The positions of journals are copied too, so that clicks
 * which wait in a journal are counted once, by the other log.
 */
import { OperatorError } from '../../lib/operator-error.js'
import type { ClickBatch } from '../clicks/click-batch.js'
import type { ClickPosition, StoredClickLog } from '../clicks/click-log.js'
import { beginArrival, isArriving, moveJournal } from '../clicks/move-state.js'
import { randomBase62 } from '../values/random.js'
import { type ClickPart, clickParts } from './click-parts.js'

export interface MoveClicksDeps {
  readonly from: StoredClickLog
  readonly to: StoredClickLog
  /** The path of a file that is written again for each part. */
  readonly file: string
  readonly checksumOf: (file: string) => Promise<string>
  /** The clicks of a file after its first `skip` rows. */
  readonly readClicks: (file: string, skip: number) => AsyncIterable<ClickBatch>
}

export interface MoveClicksProgress {
  readonly what: 'copying' | 'comparing'
  readonly done: number
  readonly of: number
}

type Tell = (progress: MoveClicksProgress) => void

/**
 * Returns the number of clicks. The log may be used after `allowUse`; until then, a repeated move begins anew. A move that
 * was killed afterwards is found complete.
 */
export async function moveClicks(deps: MoveClicksDeps, tell: Tell): Promise<number> {
  const { from, to } = deps
  if (await isArriving(to)) await to.clear()
  const parts = clickParts(await from.partitions(always))
  const positions = await positionsOf(from)
  const isEmpty = (await to.partitions(always)).length === 0 && (await positionsOf(to)).length === 0
  const checksums = isEmpty ? await copy(deps, parts, positions, tell) : []
  const different = await firstDifference(deps, parts, checksums, tell)
  if (different === undefined && areEqual(positions, await positionsOf(to))) return clicksIn(parts)
  throw isEmpty
    ? new OperatorError(
        `The copy of the clicks differs from the original (${different ?? 'positions'}). Run the move again.`,
      )
    : new OperatorError(
        'There are other clicks already: clicks are moved into an empty click log. Choose another ClickHouse database, or move those ' +
          'clicks away first (clicks.duckdb can be renamed while the service is stopped).',
      )
}

const always = { before: Number.MAX_SAFE_INTEGER }

/** Returns the checksum of each part. */
async function copy(
  { from, to, file, checksumOf, readClicks }: MoveClicksDeps,
  parts: readonly ClickPart[],
  positions: readonly ClickPosition[],
  tell: Tell,
): Promise<readonly string[]> {
  await beginArrival(to)
  // Another one in each attempt: ClickHouse ignores a batch that it was sent before.
  const journalId = `${moveJournal}-${randomBase62(12)}`
  const of = clicksIn(parts)
  const checksums: string[] = []
  let row = 0
  let done = 0
  for (const part of parts) {
    tell({ what: 'copying', done, of })
    await from.writeClicks(rangeOf(part), { parquet: file })
    checksums.push(await checksumOf(file))
    for await (const batch of readClicks(file, 0)) {
      row += batch.at.length
      await to.appendBatch(batch, { journalId, row })
    }
    done += part.clicks
  }
  await to.keepPositions([...positions, { journalId, row, skippedRanges: [] }])
  return checksums
}

async function firstDifference(
  { from, to, file, checksumOf }: MoveClicksDeps,
  parts: readonly ClickPart[],
  known: readonly string[],
  tell: Tell,
): Promise<string | undefined> {
  const partsThere = clickParts(await to.partitions(always))
  const checksumIn = async (log: StoredClickLog, part: ClickPart) => {
    await log.writeClicks(rangeOf(part), { parquet: file })
    return checksumOf(file)
  }
  let done = 0
  for (const [index, part] of parts.entries()) {
    tell({ what: 'comparing', done, of: clicksIn(parts) })
    if (partsThere[index]?.clicks !== part.clicks) return part.name
    if ((await checksumIn(to, part)) !== (known[index] ?? (await checksumIn(from, part)))) return part.name
    done += part.clicks
  }
  return partsThere[parts.length]?.name
}

function rangeOf({ from, before }: ClickPart) {
  return { from, before }
}

function clicksIn(parts: readonly ClickPart[]): number {
  return parts.reduce((sum, part) => sum + part.clicks, 0)
}

/** Without those of moves. */
async function positionsOf(log: StoredClickLog): Promise<readonly ClickPosition[]> {
  const positions = await log.positions()
  return positions
    .filter(({ journalId }) => journalId !== moveJournal && !journalId.startsWith(`${moveJournal}-`))
    .toSorted((one, other) => (one.journalId < other.journalId ? -1 : 1))
}

function areEqual(one: readonly ClickPosition[], other: readonly ClickPosition[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
