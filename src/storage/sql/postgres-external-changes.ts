/**
 * Notifies other processes with PostgreSQL's NOTIFY, which is sent at the commit and contains the changed addresses.
 * It is best effort: without the listening connection the service continues, and cached links expire by age. A pooler
 * in transaction mode accepts LISTEN but delivers nothing, so a notification to ourselves must come back.
 */
import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { Client } from 'pg'
import type { ExternalChanges } from '../../core/links/redirect-cache.js'
import { chunks } from '../../lib/chunks.js'
import type { Closable } from '../../lib/closing.js'
import type { Announce } from './database/announce.js'
import type { NoticeListener } from './engine.js'
import { OpenSockets } from './postgres-pool.js'
import type { Schema } from './tables/schema.js'

const channel = 'shortlink_addresses'
const noticeChannel = 'shortlink_notices'

// PostgreSQL limits a notification to 8000 bytes.
const maxNoticeBytes = 7900
const everything = '*'

/** Most addresses have fewer than forty bytes. */
const addressesPerNotice = 150

export const announceByNotice: Announce = async (tx, addresses) => {
  for (const some of chunks(addresses, addressesPerNotice)) {
    const notice = some.join('\n')
    const payload = Buffer.byteLength(notice) > maxNoticeBytes ? everything : notice
    await sql`select pg_notify(${channel}, ${payload})`.execute(tx)
  }
}

/** To `onNotice` of all processes. */
export async function sendNotice(db: Kysely<Schema>, text: string): Promise<void> {
  await sql`select pg_notify(${noticeChannel}, ${text})`.execute(db)
}

/** For engines with PostgreSQL's protocol but without notifications. */
export const announceNothing: Announce = async () => {}

// Reconnect quickly after a short failure, and rarely while a server is down for hours.
const firstPauseMs = 100
/** A notification comes back within milliseconds, from a busy server within a second. */
const echoWithinMs = 5000
const longestPauseMs = 10_000
/** A firewall may drop an idle connection without closing it, so it is used now and then. */
const heartbeatEveryMs = 30_000
const answerWithinMs = 5000

export interface ExternalChangesOptions {
  /** Called if the connection works but notifications do not arrive. */
  readonly onUnresponsive?: (() => void) | undefined
  /** Milliseconds between two checks of the connection. */
  readonly heartbeat?: number
  /** Milliseconds for each connect and query. */
  readonly timeout?: number
}

/** Connects on first use, and again whenever the connection is lost. */
export class PostgresExternalChanges implements ExternalChanges, Closable {
  /** Cached links expire after this time, because notifications are lost while disconnected. */
  readonly maxAge = 60_000
  readonly #url: () => string
  readonly #options: ExternalChangesOptions
  readonly #listeners: ((addresses: readonly string[]) => void)[] = []
  #noticeListener: NoticeListener | undefined
  #version = 0
  #client: Client | undefined
  readonly #sockets = new OpenSockets()
  #retry: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #pause = firstPauseMs
  #isListening = false
  #closed = false

  /** `url`: of the server at that moment. */
  constructor(url: () => string, options: ExternalChangesOptions = {}) {
    this.#url = url
    this.#options = options
  }

  version(): number {
    return this.#version
  }

  onChange(listener: (addresses: readonly string[]) => void): void {
    this.#listeners.push(listener)
    this.#listenOnce()
  }

  onNotice(listener: NoticeListener): void {
    this.#noticeListener = listener
    this.#listenOnce()
  }

  /** At once: the server was away, and its connection may be dead without having been closed. */
  connectAgain(): void {
    if (!this.#isListening || this.#closed) return
    this.#pause = firstPauseMs
    clearTimeout(this.#retry)
    clearTimeout(this.#heartbeat)
    this.#client?.end().catch(() => {})
    void this.#listen()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#heartbeat)
    this.#sockets.destroySoon()
    await this.#client?.end().catch(() => {})
  }

  #listenOnce(): void {
    if (this.#isListening) return
    this.#isListening = true
    void this.#listen()
  }

  /** Never rejects: a failed connection is retried later. */
  async #listen(): Promise<void> {
    const { timeout = answerWithinMs, heartbeat = heartbeatEveryMs, onUnresponsive } = this.#options
    const client = new Client({
      connectionString: this.#url(),
      application_name: 'shortlink notifications',
      connectionTimeoutMillis: timeout,
      query_timeout: timeout,
      stream: () => this.#sockets.open(),
    })
    this.#client = client
    const echo = randomUUID()
    let unresponsive: NodeJS.Timeout | undefined
    client.on('notification', ({ channel: from, payload = '' }) => {
      if (from === noticeChannel) this.#noticeListener?.onNotice(payload)
      else if (payload === echo) clearTimeout(unresponsive)
      else this.#hear(payload)
    })
    // Lost and failed connections both end here, once per client.
    const lost = () => this.#lost(client)
    client.on('error', lost)
    client.on('end', lost)
    try {
      await client.connect()
      await client.query(`listen ${channel}; listen ${noticeChannel}`)
      unresponsive = setTimeout(() => onUnresponsive?.(), echoWithinMs).unref()
      client.once('end', () => clearTimeout(unresponsive))
      await client.query('select pg_notify($1, $2)', [channel, echo])
    } catch {
      client.end().catch(() => {})
      return lost()
    }
    if (this.#client !== client) return
    this.#pause = firstPauseMs
    this.#beatLater(client, heartbeat)
    // Notifications before LISTEN were missed.
    this.#version += 1
    this.#noticeListener?.onConnected()
  }

  /** Uses the connection now and then; if it does not answer, it is replaced. */
  #beatLater(client: Client, pause: number): void {
    this.#heartbeat = setTimeout(() => {
      client.query('select 1').then(
        () => this.#client === client && !this.#closed && this.#beatLater(client, pause),
        () => {
          client.end().catch(() => {})
          this.#lost(client)
        },
      )
    }, pause).unref()
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
    clearTimeout(this.#heartbeat)
    this.#retry = setTimeout(() => void this.#listen(), this.#pause).unref()
    this.#pause = Math.min(longestPauseMs, this.#pause * 2)
  }
}
