/**
 * Connections to a PostgreSQL server that may restart, fail over or hang. Connection errors never end the process,
 * every query has a timeout, and a broken connection is discarded. While the server does not answer, callers fail at
 * once with TEMPORARILY_UNAVAILABLE (circuit breaker).
 */
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg'
import type { CircuitBreaker } from '../../lib/circuit-breaker.js'
import { unavailable } from './database/unavailable.js'

export interface ResilientPoolOptions extends PoolConfig {
  /** Shared by all pools of one server. */
  readonly breaker: CircuitBreaker
  /** Query timeout in milliseconds; undefined: none. */
  readonly queryTimeout: number | undefined
}

export function resilientPool({ breaker, queryTimeout, ...config }: ResilientPoolOptions): PostgresPool {
  const pool = new Pool(config)
  // The pool drops a broken idle connection, and a query on a broken one is rejected. These events only repeat that,
  // and would end the process without a listener.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    async connect() {
      if (!breaker.mayTry()) throw unavailable(breaker.failure)
      try {
        // Kysely's interface includes cursors, which are not used here.
        return new ResilientClient(await pool.connect(), breaker, queryTimeout) as unknown as PostgresPoolClient
      } catch (error) {
        // An exhausted pool says nothing about the server.
        if (isQueueTimeout(error)) breaker.gaveUp()
        else breaker.failed(reasonOf(error))
        throw unavailable(error)
      }
    },
    end: () => pool.end(),
  }
}

/** A connection from its checkout to its release. */
class ResilientClient {
  readonly #client: PoolClient
  readonly #breaker: CircuitBreaker
  readonly #queryTimeout: number | undefined
  #broken: Error | undefined

  constructor(client: PoolClient, breaker: CircuitBreaker, queryTimeout: number | undefined) {
    this.#client = client
    this.#breaker = breaker
    this.#queryTimeout = queryTimeout
  }

  async query(text: string, values: unknown[]): Promise<unknown> {
    // After a query timeout, a rollback would wait just as long.
    if (this.#broken) throw unavailable(this.#broken)
    const limit = this.#queryTimeout === undefined ? {} : { query_timeout: this.#queryTimeout }
    try {
      const result = await this.#client.query({ text, values, ...limit })
      this.#breaker.succeeded()
      return result
    } catch (error) {
      if (!isOfConnection(error)) {
        this.#breaker.succeeded()
        throw error
      }
      this.#broken = error as Error
      // One broken connection says nothing about the server: the next caller finds out.
      if (isTimeout(error)) this.#breaker.failed('it does not answer in time')
      else this.#breaker.gaveUp()
      throw unavailable(error)
    }
  }

  release(): void {
    this.#breaker.gaveUp()
    this.#client.release(this.#broken)
  }
}

export function reasonOf(error: unknown): string {
  // A host name with several IPs fails with one error each and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/**
 * Whether the connection failed, not the query. Server errors have an SQLSTATE: class 08 is about connections, 57
 * about shutdown and startup, 53 about resources; 25006 is a standby.
 */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  const { code = '' } = error
  return code.startsWith('08') || code.startsWith('57') || code.startsWith('53') || code === '25006'
}

// The driver has no error classes for these; postgres-pool.test.ts detects changed texts.

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
