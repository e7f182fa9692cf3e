/**
 * Connections to a PostgreSQL server that may restart, fail over or hang. Connection errors never end the process,
 * every query has a timeout, and a broken connection is discarded. While the server does not answer, callers fail at
 * once with TEMPORARILY_UNAVAILABLE (circuit breaker).
 */

import { Socket } from 'node:net'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg'
import type { CircuitBreaker } from '../../lib/circuit-breaker.js'
import { messageOf } from '../../lib/message-of.js'
import { unavailable } from './database/unavailable.js'
import type { OnQuery } from './engine.js'

export interface ResilientPoolOptions extends PoolConfig {
  /** Shared by all pools of one server. */
  readonly breaker: CircuitBreaker
  /** Query timeout in milliseconds; undefined: none, and queries continue while the circuit is open. */
  readonly queryTimeout: number | undefined
  /** Milliseconds after which a query makes the breaker ask whether the server still answers. */
  readonly suspectAfter?: number
  readonly onQuery?: OnQuery | undefined
}

export function resilientPool(options: ResilientPoolOptions): PostgresPool {
  const { breaker, queryTimeout, suspectAfter = defaultSuspectAfter, onQuery, ...config } = options
  const sockets = new OpenSockets()
  const pool = new Pool({ ...config, stream: () => sockets.open() })
  const outageBefore = new WeakMap<object, number>()
  // The pool drops a broken idle connection, and a query on a broken one is rejected. These events only repeat that,
  // and would end the process without a listener.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    outageBefore.set(client, breaker.outages)
  })

  async function checkOut(): Promise<PoolClient> {
    const connecting = pool.connect()
    try {
      return await breaker.guard(connecting)
    } catch (error) {
      // Nobody waits for it any more.
      connecting.then((client) => client.release()).catch(() => {})
      if (isQueueTimeout(error)) breaker.suspect()
      else if (!isOverloaded(error)) breaker.failed(reasonOf(error))
      throw unavailable(error)
    }
  }

  return {
    async connect() {
      for (;;) {
        if (breaker.failure !== undefined) throw unavailable(breaker.failure)
        const client = await checkOut()
        if (outageBefore.get(client) === breaker.outages) {
          const limits = { queryTimeout, suspectAfter, onQuery }
          // Kysely's interface includes cursors, which are not used here.
          return new ResilientClient(client, breaker, limits) as unknown as PostgresPoolClient
        }
        // A firewall or a failed-over server may have forgotten it: queries on it would wait for their timeout.
        client.release(true)
      }
    },
    async end() {
      await pool.end()
      sockets.destroySoon()
    },
  }
}

const defaultSuspectAfter = 2000

interface QueryLimits {
  readonly queryTimeout: number | undefined
  readonly suspectAfter: number
  readonly onQuery: OnQuery | undefined
}

/** A connection from its checkout to its release. */
class ResilientClient {
  readonly #client: PoolClient
  readonly #breaker: CircuitBreaker
  readonly #limits: QueryLimits
  #broken: Error | undefined

  constructor(client: PoolClient, breaker: CircuitBreaker, limits: QueryLimits) {
    this.#client = client
    this.#breaker = breaker
    this.#limits = limits
  }

  async query(text: string, values: unknown[]): Promise<unknown> {
    // After a query timeout, a rollback would wait just as long.
    if (this.#broken) throw unavailable(this.#broken)
    try {
      const result = await this.#send(text, values)
      this.#breaker.succeeded()
      return result
    } catch (error) {
      if (!isOfConnection(error)) {
        this.#breaker.succeeded()
        throw error
      }
      this.#broken = error as Error
      // One slow query or broken connection says nothing about the server.
      this.#breaker.suspect()
      throw unavailable(error)
    }
  }

  release(): void {
    this.#client.release(this.#broken)
  }

  async #send(text: string, values: unknown[]): Promise<unknown> {
    const { queryTimeout, suspectAfter, onQuery } = this.#limits
    if (queryTimeout === undefined) return this.#client.query({ text, values })
    const begun = performance.now()
    const slow = setTimeout(() => this.#breaker.suspect(), suspectAfter)
    try {
      // @types/pg knows this option of a query for the whole client only.
      const query = { text, values, query_timeout: queryTimeout }
      return await this.#breaker.guard(this.#client.query(query))
    } finally {
      clearTimeout(slow)
      onQuery?.(performance.now() - begun)
    }
  }
}

/** The driver waits for the server to close a connection; a silent server would keep the process from ending. */
export class OpenSockets {
  readonly #sockets = new Set<Socket>()

  open(): Socket {
    const socket = new Socket()
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }

  destroySoon(): void {
    setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy()
    }, goodbyeTimeout).unref()
  }
}

const goodbyeTimeout = 1000

export function reasonOf(error: unknown): string {
  // A host name with several IPs fails with one error each and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  return messageOf(error)
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

/** The server has no connection left for this caller; those of the pool still work. */
function isOverloaded(error: unknown): boolean {
  return error instanceof DatabaseError && error.code?.startsWith('53') === true
}

/** An exhausted pool says nothing about the server. The driver has no error class; postgres-pool.test.ts detects a changed text. */
function isQueueTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}
