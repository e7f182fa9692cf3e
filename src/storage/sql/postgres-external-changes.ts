/**
 * Notifies other processes with PostgreSQL's NOTIFY, which is sent at the commit and contains the changed addresses.
 * It is best effort: without the listening connection the service continues, and cached links expire by age. A pooler
 * in transaction mode accepts LISTEN but delivers nothing, so a notification to ourselves must come back.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Client } from 'pg'
import type { ExternalChanges } from '../../core/links/redirect-cache.js'
import type { Closable } from '../../lib/closing.js'
import type { Announce } from './database/announce.js'

const channel = 'shortlink_addresses'

// PostgreSQL limits a notification to 8000 bytes.
const maxNoticeBytes = 7900
const everything = '*'

export const announceByNotice: Announce = async (tx, addresses) => {
  const notice = addresses.join('\n')
  const payload = Buffer.byteLength(notice) > maxNoticeBytes ? everything : notice
  await sql`select pg_notify(${channel}, ${payload})`.execute(tx)
}

/** For engines with PostgreSQL's protocol but without notifications. */
export const announceNothing: Announce = async () => {}

// Reconnect quickly after a short failure, and rarely while a server is down for hours.
const firstPauseMs = 100
/** A notification comes back within milliseconds, from a busy server within a second. */
const echoWithinMs = 5000
const longestPauseMs = 10_000

/** Connects on first use, and again whenever the connection is lost. */
export class PostgresExternalChanges implements ExternalChanges, Closable {
  /** Cached links expire after this time, because notifications are lost while disconnected. */
  readonly maxAge = 60_000
  readonly #url: string
  readonly #onDeaf: () => void
  readonly #listeners: ((addresses: readonly string[]) => void)[] = []
  #version = 0
  #client: Client | undefined
  #retry: NodeJS.Timeout | undefined
  #pause = firstPauseMs
  #closed = false

  /** `onDeaf` is called if the connection works but notifications do not arrive. */
  constructor(url: string, onDeaf: () => void) {
    this.#url = url
    this.#onDeaf = onDeaf
  }

  version(): number {
    return this.#version
  }

  onChange(listener: (addresses: readonly string[]) => void): void {
    this.#listeners.push(listener)
    if (this.#listeners.length === 1) void this.#listen()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#client?.end().catch(() => {})
  }

  /** Never rejects: a failed connection is retried later. */
  async #listen(): Promise<void> {
    const client = new Client({
      connectionString: this.#url,
      application_name: 'shortlink notifications',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    this.#client = client
    const echo = randomUUID()
    let deaf: NodeJS.Timeout | undefined
    client.on('notification', ({ payload = '' }) => {
      if (payload === echo) clearTimeout(deaf)
      else this.#hear(payload)
    })
    // Lost and failed connections both end here, once per client.
    const lost = () => this.#lost(client)
    client.on('error', lost)
    client.on('end', lost)
    try {
      await client.connect()
      await client.query(`listen ${channel}`)
      deaf = setTimeout(this.#onDeaf, echoWithinMs).unref()
      client.once('end', () => clearTimeout(deaf))
      await client.query('select pg_notify($1, $2)', [channel, echo])
    } catch {
      client.end().catch(() => {})
      return lost()
    }
    this.#pause = firstPauseMs
    // Notifications before LISTEN were missed.
    this.#version += 1
  }

  #hear(payload: string): void {
    if (payload === everything) {
      this.#version += 1
      return
    }
    const addresses = payload.split('\n')
    for (const listener of this.#listeners) listener(addresses)
  }

  #lost(client: Client): void {
    if (this.#closed || this.#client !== client) return
    this.#client = undefined
    this.#retry = setTimeout(() => void this.#listen(), this.#pause).unref()
    this.#pause = Math.min(longestPauseMs, this.#pause * 2)
  }
}
