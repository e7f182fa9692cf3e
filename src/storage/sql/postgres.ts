/**
 * The scaled engine: PostgreSQL, or a distributed engine that speaks its protocol, through a pool. Knows nothing of the
 * tables. Several processes of the service may share one database.
 */

import { Kysely, PostgresDialect, sql } from 'kysely'
import { DatabaseError, Pool, TypeOverrides } from 'pg'
import { OperatorError } from '../../lib/operator-error.js'
import { announceByNotice, announceNothing, PostgresElsewhere } from './postgres-elsewhere.js'
import { type Records, type RecordsOptions, recordsOn } from './records.js'
import type { Schema } from './schema.js'

export async function openPostgres(url: string, options: RecordsOptions = {}): Promise<Records> {
  const types = new TypeOverrides()
  // Times and counts stay far below 2^53; for this pool only, as other users of the driver may want bigints.
  types.setTypeParser(int8, Number)
  const pool = new Pool({
    connectionString: url,
    application_name: 'shortlink',
    max: connections,
    // Our choice: a request fails after five seconds rather than wait for a server that is away.
    connectionTimeoutMillis: 5_000,
    types,
  })
  // An idle connection that breaks is dropped by the pool, and the next query opens another or reports why it cannot.
  // Without a listener the event would end the process.
  pool.on('error', () => {})

  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const elsewhere = new PostgresElsewhere(url)
  try {
    await sql`select 1`.execute(db)
  } catch (error) {
    await db.destroy()
    throw new OperatorError(
      `Cannot use the PostgreSQL database: ${reasonOf(error)}. Check SHORTLINK_DATABASE_URL, and that the server runs.`,
    )
  }
  const announce = (await hasNotices(db)) ? announceByNotice : announceNothing
  const engine = { db, isTransient, parallelInserts: connections / 2, announce, openFor: () => openFor(db), elsewhere }
  return recordsOn(engine, options)
}

/** Of all processes of the service: they have one name, and other programs make no links. */
async function openFor(db: Kysely<Schema>): Promise<number> {
  try {
    const { rows } = await sql<{ ms: number | string | null }>`
      select extract(epoch from clock_timestamp() - min(xact_start)) * 1000 as ms
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name = current_setting('application_name')`.execute(db)
    return Math.max(0, Number(rows[0]?.ms ?? 0))
  } catch (error) {
    // Distributed engines with the same protocol may not tell. A link that is late is then waited for no longer than others.
    if (error instanceof DatabaseError && error.code?.startsWith('42')) return 0
    throw error
  }
}

/** Distributed engines with the same protocol may lack them, and a failing statement would undo the whole change. */
async function hasNotices(db: Kysely<Schema>): Promise<boolean> {
  try {
    await sql`select pg_notify('shortlink_probe', '')`.execute(db)
    return true
  } catch (error) {
    if (error instanceof DatabaseError) return false
    throw error
  }
}

const int8 = 20
const connections = 10

/** Serialization failure and deadlock: the transaction was undone because of another one. */
function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}

function reasonOf(error: unknown): string {
  // A name with several addresses fails with one error for each and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
