/**
 * PostgreSQL, or a distributed engine with its protocol, through a pool. Several processes may share one database.
 * Knows no tables.
 */

import { setTimeout } from 'node:timers/promises'
import {
  type CompiledQuery,
  type Driver,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  type QueryResult,
  sql,
} from 'kysely'
import { Client, type ClientConfig, DatabaseError, TypeOverrides } from 'pg'
import { CircuitBreaker } from '../../lib/circuit-breaker.js'
import { OperatorError, UnavailableError } from '../../lib/operator-error.js'
import { hostsOf } from '../../lib/url-per-host.js'
import type { Lookup } from './database/lookup.js'
import { cursorPages } from './database/table-pages.js'
import { RequestTransactions } from './database/transact.js'
import { unavailable } from './database/unavailable.js'
import type { Engine, EngineOptions, NoticeListener } from './engine.js'
import { announceByNotice, announceNothing, PostgresExternalChanges, sendNotice } from './postgres-external-changes.js'
import { reasonOf, resilientPool } from './postgres-pool.js'
import { PostgresPrimary, primaryUrl } from './postgres-primary.js'
import type { Schema } from './tables/schema.js'

export async function openPostgresEngine(url: string, options: EngineOptions): Promise<Engine> {
  const types = new TypeOverrides()
  // Times and counts stay far below 2^53. Set for this pool only, because other users of the driver may want bigints.
  types.setTypeParser(int8, Number)
  // A failed start is reported by an error instead.
  let opened = false
  const onChange = (failure: string | undefined) => {
    if (!opened) return
    if (failure === undefined) externalChanges.connectAgain()
    options.onAvailability?.(failure)
  }
  const primary = new PostgresPrimary(url)
  const breaker: CircuitBreaker = new CircuitBreaker({ probe: () => find(), onChange })
  const find = async () => {
    // Connections to the former primary may be silent for ever, so its queries end and nobody uses them again.
    if (await primary.find()) breaker.failed(`the primary is ${hostsOf(primary.url)} now`)
  }
  const requests = new RequestTransactions()
  const database = (
    max: number,
    queryTimeout: number | undefined,
    connectionTimeoutMillis = connectTimeout,
    name = applicationName,
  ) => {
    const shared = {
      Client: clientOf(primary),
      application_name: name,
      connectionTimeoutMillis,
      // For the connections whose queries have no timeout.
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
      types,
    }
    const pool = resilientPool({ ...shared, max, queryTimeout, breaker, onQuery: options.onQuery })
    return new Kysely<Schema>({ dialect: new RequestDialect({ pool }, requests) })
  }
  const db = database(connections, queryTimeout)
  // Redirects have their own connections, so they never queue behind the API.
  const lookups = database(lookupConnections, lookupTimeout, lookupTimeout)
  // No timeout: building an index over millions of rows takes long, and so does reading whole tables for an export.
  const migrations = database(1, undefined, connectTimeout, tablesName)
  const externalChanges = new PostgresExternalChanges(() => primary.url, { onUnresponsive: options.onUnresponsive })
  try {
    await primary.locate()
    await sql`select 1`.execute(db)
  } catch (error) {
    breaker.close()
    await db.destroy()
    throw cannotUse(error instanceof Error ? (error.cause ?? error) : error)
  }
  opened = true
  const hasNotifications = await hasNotices(db)
  const notices = {
    send: (text: string) => sendNotice(db, text),
    listen: (listener: NoticeListener) => externalChanges.onNotice(listener),
  }
  return {
    db,
    requests,
    migrations,
    lookup: lookupOn(lookups),
    isTransient,
    parallelInserts: connections / 2,
    readsJson: true,
    announce: hasNotifications ? announceByNotice : announceNothing,
    notices: hasNotifications ? notices : undefined,
    position: 'strpos',
    tablePages: cursorPages,
    openFor: () => openFor(db),
    externalChanges,
    server: breaker,
    close: async () => {
      breaker.close()
      await externalChanges.close()
      await Promise.all([db.destroy(), lookups.destroy(), migrations.destroy()])
    },
  }
}

/** Its pool connects to the server that is the primary at that moment. */
function clientOf(primary: PostgresPrimary) {
  return class extends Client {
    constructor(config?: ClientConfig) {
      super({ ...config, connectionString: primary.url })
    }
  }
}

class RequestDialect extends PostgresDialect {
  readonly #requests: RequestTransactions

  constructor(config: PostgresDialectConfig, requests: RequestTransactions) {
    super(config)
    this.#requests = requests
  }

  override createDriver(): Driver {
    return this.#requests.sharing(super.createDriver())
  }
}

/** An unreachable server may come back; wrong credentials or a missing database need the operator. */
function cannotUse(error: unknown): OperatorError {
  const message = `Cannot use the PostgreSQL database: ${reasonOf(error)}. Check SHORTLINK_DATABASE_URL and that the server is running.`
  const refused = error instanceof DatabaseError && /^(28|3D|42)/.test(error.code ?? '')
  return refused ? new OperatorError(message) : new UnavailableError(message)
}

/** Why the server does not accept connections or does not answer; undefined if it does. */
export function postgresFailure(url: string): Promise<string | undefined> {
  return new PostgresPrimary(url).find().then(
    () => undefined,
    (error) => cannotUse(error).message,
  )
}

/** The number of connections of all processes of the service; 0 where the server cannot tell. */
export async function postgresSessions(url: string): Promise<number> {
  const connectionString = await primaryUrl(url)
  const client = new Client({ connectionString, connectionTimeoutMillis: connectTimeout })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ sessions: string }>(
      `select count(*) as sessions from pg_stat_activity
      where datname = current_database() and application_name in ($1, $2)`,
      [applicationName, tablesName],
    )
    return Number(rows[0]?.sessions ?? 0)
  } catch (error) {
    // Distributed engines may not support this.
    if (error instanceof DatabaseError && error.code?.startsWith('42')) return 0
    throw cannotUse(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** One statement for a redirect, answered or rejected within the time limit. */
function lookupOn(db: Kysely<Schema>): Lookup {
  return async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
    const abandoned = new AbortController()
    const late = setTimeout(lookupTimeout, undefined, { signal: abandoned.signal }).then(() => {
      throw unavailable(new Error('the lookup took too long'))
    })
    try {
      return await Promise.race([db.executeQuery(query), late])
    } finally {
      late.catch(() => {})
      abandoned.abort()
    }
  }
}

/** Of all processes of the service: they share an application name, and other programs create no links. */
async function openFor(db: Kysely<Schema>): Promise<number> {
  try {
    const { rows } = await sql<{ ms: number | string | null }>`
      select extract(epoch from clock_timestamp() - min(xact_start)) * 1000 as ms
      from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and application_name = current_setting('application_name')`.execute(db)
    return Math.max(0, Number(rows[0]?.ms ?? 0))
  } catch (error) {
    // Distributed engines may not support this. Then late links are not waited for.
    if (error instanceof DatabaseError && error.code?.startsWith('42')) return 0
    throw error
  }
}

/** Distributed engines may lack NOTIFY, and a failing statement would roll back the whole change. */
async function hasNotices(db: Kysely<Schema>): Promise<boolean> {
  try {
    await sql`select pg_notify('shortlink_probe', '')`.execute(db)
    return true
  } catch (error) {
    if (error instanceof DatabaseError) return false
    throw error
  }
}

const applicationName = 'shortlink'
/** Another name, so that the stream of links does not wait for an export. */
const tablesName = 'shortlink tables'
const int8 = 20
const connections = 10
const lookupConnections = 4

// In milliseconds. A redirect waits at most two seconds; an API request five for a connection and ten for a query. If
// the server is silent, the circuit breaker ends both after about four.
const connectTimeout = 5000
const queryTimeout = 10_000
const lookupTimeout = 2000

/** Serialization failure and deadlock: the transaction was rolled back because of another one. */
function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}
