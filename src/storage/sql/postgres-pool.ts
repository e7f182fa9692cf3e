/**
 * Connections to a PostgreSQL server that may restart, fail over or fall silent. No error of a connection ends the
 * process, every query has a time limit, and a connection that broke or ran into its limit is discarded. While the
 * server does not answer, callers are refused at once (circuit breaker) with TEMPORARILY_UNAVAILABLE.
 */
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg'
import type { CircuitBreaker } from '../../lib/circuit-breaker.js'
import { unavailable } from './database/unavailable.js'

export interface ResilientPoolOptions extends PoolConfig {
  /** Shared by all pools of one server. */
  readonly breaker: CircuitBreaker
  /** Milliseconds a query may take; undefined: as long as it likes. */
  readonly queryTimeout: number | undefined
}

export function resilientPool({ breaker, queryTimeout, ...config }: ResilientPoolOptions): PostgresPool {
  const pool = new Pool(config)
  // An idle connection that breaks is dropped by the pool, and a query on one in use is rejected. The events only repeat
  // that, and without listeners they would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    async connect() {
      if (!breaker.mayTry()) throw unavailable(breaker.failure)
      try {
        // Kysely asks for cursors too, which nothing here uses.
        return new ResilientClient(await pool.connect(), breaker, queryTimeout) as unknown as PostgresPoolClient
      } catch (error) {
        // Waiting for one of our own connections says nothing about the server.
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
    // Behind a query that timed out, a rollback would wait just as long.
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
      // A single connection that was cut says nothing about the server: the next caller finds out.
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
  // A name with several addresses fails with one error for each and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}

/**
 * Whether the connection is the reason, not the query. Errors of the server carry an SQLSTATE: class 08 is about
 * connections, 57 about the server being shut down or starting, 53 about a lack of resources, 25006 is a standby.
 */
function isOfConnection(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true
  const { code = '' } = error
  return code.startsWith('08') || code.startsWith('57') || code.startsWith('53') || code === '25006'
}

// The driver has no classes for these; postgres-pool.test.ts notices when their texts change.

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
