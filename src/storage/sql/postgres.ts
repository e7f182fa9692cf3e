/**
 * The scaled engine: PostgreSQL, or a distributed engine that speaks its protocol, through a pool. Knows nothing of the
 * tables. Several processes of the service may share one database.
 */

import { setTimeout } from 'node:timers/promises'
import { type CompiledQuery, Kysely, PostgresDialect, type QueryResult, sql } from 'kysely'
import { Client, DatabaseError, TypeOverrides } from 'pg'
import { CircuitBreaker } from '../../lib/circuit-breaker.js'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import type { Lookup } from './database/lookup.js'
import type { Schema } from './database/schema.js'
import { unavailable } from './database/unavailable.js'
import { announceByNotice, announceNothing, PostgresExternalChanges } from './postgres-external-changes.js'
import { reasonOf, resilientPool } from './postgres-pool.js'
import { type Records, type RecordsOptions, recordsOn } from './records.js'

export async function openPostgres(url: string, options: RecordsOptions = {}): Promise<Records> {
  const types = new TypeOverrides()
  // Times and counts stay far below 2^53; for this pool only, as other users of the driver may want bigints.
  types.setTypeParser(int8, Number)
  // That it cannot be opened at all is told by an error.
  let opened = false
  const onChange = (failure: string | undefined) => opened && options.onAvailability?.(failure)
  const breaker = new CircuitBreaker({ pause: probeEvery, onChange })
  const database = (max: number, queryTimeout: number | undefined) => {
    const shared = {
      connectionString: url,
      application_name: 'shortlink',
      connectionTimeoutMillis: connectTimeout,
      types,
    }
    const pool = resilientPool({ ...shared, max, queryTimeout, breaker })
    return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  }
  const db = database(connections, queryTimeout)
  // Visitors have connections of their own: they never queue behind the API.
  const lookups = database(lookupConnections, lookupTimeout)
  // An index over millions of rows takes its time.
  const migrations = database(1, undefined)
  const externalChanges = new PostgresExternalChanges(url, options.onDeaf ?? (() => {}))
  try {
    await sql`select 1`.execute(db)
  } catch (error) {
    await db.destroy()
    throw cannotUse(error instanceof Error ? (error.cause ?? error) : error)
  }
  opened = true
  const announce = (await hasNotices(db)) ? announceByNotice : announceNothing
  return recordsOn(
    {
      db,
      migrations,
      lookup: lookupOn(lookups),
      isTransient,
      parallelInserts: connections / 2,
      announce,
      position: 'strpos' as const,
      openFor: () => openFor(db),
      externalChanges,
      close: async () => {
        await Promise.all([db.destroy(), lookups.destroy(), migrations.destroy()])
      },
    },
    options,
  )
}

/** A server that is away may come back; one that refuses us, or has no such database, needs its operator. */
function cannotUse(error: unknown): OperatorError {
  const message = `Cannot use the PostgreSQL database: ${reasonOf(error)}. Check SHORTLINK_DATABASE_URL, and that the server runs.`
  const refused = error instanceof DatabaseError && /^(28|3D|42)/.test(error.code ?? '')
  return refused ? new OperatorError(message) : new UnavailableError(message)
}

/** Whether the server takes connections and answers. */
export async function postgresAnswers(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: lookupTimeout,
    query_timeout: lookupTimeout,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** One statement for a visitor: answered or refused within the limit, whatever the pool and the server do. */
function lookupOn(db: Kysely<Schema>): Lookup {
  return async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
    const abandoned = new AbortController()
    const late = setTimeout(lookupTimeout, undefined, { signal: abandoned.signal }).then(() => {
      throw unavailable(new Error('the look-up took too long'))
    })
    try {
      return await Promise.race([db.executeQuery(query), late])
    } finally {
      late.catch(() => {})
      abandoned.abort()
    }
  }
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
const lookupConnections = 4

// In milliseconds. A visitor waits two seconds at the most, an API request five for a connection and ten for a query.
const connectTimeout = 5000
const queryTimeout = 10_000
const lookupTimeout = 2000
const probeEvery = 1000

/** Serialization failure and deadlock: the transaction was undone because of another one. */
function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}
