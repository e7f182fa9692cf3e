/**
 * Deletes clicks from the click log. The rows contain the positions of their journals, so these are saved first, as in
 * compaction.ts: otherwise clicks before them would be counted again.
 */
import type { ForgottenClicks } from '../../core/clicks/click-eraser.js'
import { identifier, literal } from './literal.js'
import type { Tables } from './schema.js'
import type { ClickhouseSession } from './session.js'

export async function countForgotten(
  session: ClickhouseSession,
  { clicks }: Tables,
  which: ForgottenClicks,
): Promise<number> {
  const [row] = await session.query(`SELECT sum(n) FROM ${clicks} WHERE ${conditionOf(which)}`)
  return Number(row?.[0] ?? 0)
}

export async function deleteForgotten(
  session: ClickhouseSession,
  tables: Tables,
  which: ForgottenClicks,
  cluster: string | undefined,
): Promise<void> {
  const where = conditionOf(which)
  await session.run(
    `INSERT INTO ${tables.cursors} (journal, last_row)
    SELECT journal, max(journal_row) FROM ${tables.clicks} WHERE ${where} GROUP BY journal`,
  )
  await session.run(
    `INSERT INTO ${tables.skippedRanges} (journal, journal_row, passed_over)
    SELECT journal, journal_row, passed_over FROM ${tables.clicks} WHERE ${where} AND passed_over != ''`,
  )
  await deleteFrom(session, tables.clicksHere, where, cluster)
}

/** Clicks and positions. */
export async function deleteAll(
  session: ClickhouseSession,
  { clicksHere, cursorsHere, skippedRangesHere }: Tables,
  cluster: string | undefined,
): Promise<void> {
  // The positions last: they say that the log is being filled, so that this can be repeated.
  for (const table of [clicksHere, skippedRangesHere, cursorsHere]) await deleteFrom(session, table, '1', cluster)
}

/** Not TRUNCATE, which needs another grant. */
async function deleteFrom(
  session: ClickhouseSession,
  table: string,
  where: string,
  cluster: string | undefined,
): Promise<void> {
  const everywhere = cluster === undefined ? '' : ` ON CLUSTER ${identifier(cluster)}`
  await session.run(`ALTER TABLE ${table}${everywhere} DELETE WHERE ${where} SETTINGS mutations_sync = 2`, {
    timeLimit: rewriteTimeLimit,
  })
}

/** The server rewrites every part that has such a click. */
const rewriteTimeLimit = 3_600_000

function conditionOf(which: ForgottenClicks): string {
  if ('visitor' in which) {
    const { visitor, from, before } = which
    return `clicked_at >= ${from} AND clicked_at < ${before} AND visitor = ${BigInt(visitor)}`
  }
  return which.addresses.length === 0 ? '0' : `address IN (${which.addresses.map(literal).join(', ')})`
}
