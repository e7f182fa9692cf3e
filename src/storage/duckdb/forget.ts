/** Deletes clicks from the click log, and texts that no other click uses, in the caller's transaction. */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ForgottenClicks } from '../../core/clicks/click-eraser.js'
import { quoted } from './click-files.js'
import { clickTables, rollupTables } from './schema.js'

/** The number of clicks. */
export async function countForgotten(connection: DuckDBConnection, which: ForgottenClicks): Promise<number> {
  const where = conditionOf(which)
  const counts = [
    ...clickTables.map((table) => `SELECT count(*) AS n FROM ${table} WHERE ${where}`),
    ...totalTables(which).map((table) => `SELECT sum(n) AS n FROM ${table} WHERE ${where}`),
  ]
  const reader = await connection.runAndReadAll(`SELECT sum(n)::DOUBLE FROM (${counts.join(' UNION ALL ')})`)
  return Number(reader.getRows()[0]?.[0] ?? 0)
}

export async function deleteForgotten(connection: DuckDBConnection, which: ForgottenClicks): Promise<void> {
  const where = conditionOf(which)
  const tables = [...clickTables, ...totalTables(which)]
  const all = (columns: string, condition: string) =>
    tables.map((table) => `SELECT ${columns} FROM ${table} WHERE ${condition}`).join(' UNION ALL ')
  await connection.run(`CREATE OR REPLACE TEMP TABLE forgotten AS
    SELECT DISTINCT address, destination, referrer FROM (${all('address, destination, referrer', where)})`)
  for (const table of tables) await connection.run(`DELETE FROM ${table} WHERE ${where}`)
  for (const [dictionary, column] of dictionaries) {
    const used = [...clickTables, ...rollupTables].map((table) => `SELECT ${column} FROM ${table}`).join(' UNION ALL ')
    await connection.run(
      `DELETE FROM ${dictionary} WHERE id IN (SELECT ${column} FROM forgotten) AND id NOT IN (${used})`,
    )
  }
  await connection.run('DROP TABLE forgotten')
}

/** Texts that may tell something about a person. */
const dictionaries = [
  ['addresses', 'address'],
  ['destinations', 'destination'],
  ['referrers', 'referrer'],
] as const

/** Totals have no visitor. */
function totalTables(which: ForgottenClicks): readonly string[] {
  return 'visitor' in which ? [] : rollupTables
}

function conditionOf(which: ForgottenClicks): string {
  if ('visitor' in which) {
    const { visitor, from, before } = which
    return `clicked_at >= ${from} AND clicked_at < ${before} AND visitor = ${BigInt(visitor)}::UBIGINT`
  }
  if (which.addresses.length === 0) return 'false'
  return `address IN (SELECT id FROM addresses WHERE value IN (${which.addresses.map(quoted).join(', ')}))`
}
