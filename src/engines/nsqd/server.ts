/**
 * An embedded nsqd: the server side of the NSQ protocol over a message log in SQLite. Existing nsqd consumers and
 * producers connect to it unchanged. It knows nothing about links; README.md is its contract.
 */
import { createServer, type Server, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { type Authorize, isGranted } from './authorization.js'
import type { Channel } from './channel.js'
import { Client, type Host, type Listener } from './client.js'
import { execute } from './commands.js'
import { defaultLimits, defaultRetention, type Limits, type NsqdOptions, noTotals, type Totals } from './options.js'
import { ProtocolError } from './protocol-error.js'
import { collectStats, type NsqdStats, type StatsFilter } from './stats.js'
import { Topics } from './topics.js'

export async function startNsqd(options: NsqdOptions): Promise<Nsqd> {
  const nsqd = new Nsqd(options)
  try {
    await nsqd.listen(options.host ?? '127.0.0.1', options.port ?? 4150, options.localPort)
  } catch (error) {
    await nsqd.close()
    throw error
  }
  return nsqd
}

/** A connection as `revoke` sees it. */
export interface Session {
  readonly identity: string
  readonly secret: string
  readonly topic: string | undefined
  readonly channel: string | undefined
}

export interface Counters extends Totals {
  readonly openConnections: number
  readonly logBytes: number
}

export class Nsqd implements Host {
  readonly execute = execute
  readonly limits: Limits
  readonly authorize: Authorize | undefined
  readonly log: NsqdOptions['log']
  readonly #totals = noTotals()
  readonly #topics: Topics
  readonly #server: Server
  readonly #localServer: Server
  readonly #clients = new Set<Client>()
  /** Oldest first. */
  readonly #unauthenticated = new Set<Client>()
  readonly #startedAt = Date.now()
  readonly #rechecks: NodeJS.Timeout
  #lastClient = 0
  #unread = 0
  #closing: Promise<void> | undefined

  constructor(options: NsqdOptions) {
    this.limits = { ...defaultLimits, ...options.limits }
    const secureContext = options.tls && createSecureContext({ ...options.tls, minVersion: 'TLSv1.2' })
    const tlsRequired = options.tlsRequired ?? false
    if (tlsRequired && !secureContext) throw new Error('tlsRequired needs a certificate: set tls')
    this.authorize = options.authorize
    this.log = options.log
    this.#topics = new Topics(options, this.limits, { ...defaultRetention, ...options.retention }, this.#totals)
    this.#server = this.#serverFor({ secureContext, tlsRequired })
    this.#localServer = this.#serverFor({ secureContext: undefined, tlsRequired: false })
    this.#rechecks = setInterval(() => this.#recheck(), 1000)
  }

  get port(): number {
    return portOf(this.#server)
  }

  /** The port for this machine; 0 without one. */
  get localPort(): number {
    return portOf(this.#localServer)
  }

  async listen(host: string, port: number, localPort?: number): Promise<void> {
    await this.#open(this.#server, host, port)
    if (localPort !== undefined) await this.#open(this.#localServer, '127.0.0.1', localPort)
  }

  /** One transaction: when it returns, every message is in the log and visible to every channel of the topic. */
  publish(topic: string, messages: readonly Buffer[], delay = 0): void {
    this.#topics.publish(topic, messages, delay)
  }

  /**
   * Publishes what a source has read up to `position`, exactly once: messages and position are one transaction. Returns
   * false, and changes nothing, when `position` is not beyond the last one.
   */
  publishOnce(source: string, position: number, batches: readonly (readonly [string, readonly Buffer[]])[]): boolean {
    return this.#topics.publishOnce(source, position, batches)
  }

  sourcePosition(source: string): number {
    return this.#topics.sourcePosition(source)
  }

  /** A paused channel delivers nothing and keeps filling. Returns false when the channel does not exist. */
  pauseChannel(topic: string, channel: string, paused: boolean): boolean {
    const found = this.#topics.find(topic)?.channels.get(channel)
    found?.pause(paused)
    return found !== undefined
  }

  /** Closes the matching connections at once. Returns how many. */
  revoke(matches: (session: Session) => boolean): number {
    const ended = [...this.#clients].filter((client) => {
      const { credentials, topic, channel } = client
      const { answer, secret } = credentials
      return answer && matches({ identity: answer.identity, secret, topic, channel: channel?.name })
    })
    for (const client of ended) client.revoke()
    return ended.length
  }

  stats(filter: StatsFilter = {}): NsqdStats {
    const health = this.#topics.failure === undefined ? 'OK' : `NOK - ${this.#topics.failure}`
    return collectStats(this.#topics.all, this.#clients, filter, { health, startedAt: this.#startedAt })
  }

  counters(): Counters {
    return { ...this.#totals, openConnections: this.#clients.size, logBytes: this.#topics.logBytes }
  }

  /** Drops finished and expired messages now; a timer also does it every second. */
  compact(): void {
    this.#topics.compact()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  subscribe(client: Client, topicName: string, channelName: string): Channel {
    const { maxChannels, maxChannelConsumers } = this.limits
    const topic = this.#topics.topic(topicName)
    const known = topic.channels.get(channelName)
    if (!known && topic.channels.size >= maxChannels)
      throw new ProtocolError('E_SUB_FAILED', `SUB failed channels of ${topicName} exceed limit of ${maxChannels}`)
    if (maxChannelConsumers > 0 && known && known.consumers.length >= maxChannelConsumers)
      throw new ProtocolError(
        'E_SUB_FAILED',
        `SUB failed consumers for ${topicName}:${channelName} exceeds limit of ${maxChannelConsumers}`,
      )
    const channel = topic.channel(channelName)
    channel.add(client)
    return channel
  }

  admit(client: Client): void {
    this.#unauthenticated.delete(client)
  }

  hold(bytes: number): boolean {
    this.#unread += bytes
    return this.#unread <= this.limits.maxUnread
  }

  leave(client: Client): void {
    this.#clients.delete(client)
    this.#unauthenticated.delete(client)
    const { topic, channel } = client
    const owner = topic === undefined ? undefined : this.#topics.find(topic)
    if (!owner || !channel) return
    channel.remove(client)
    this.#topics.left(owner, channel)
  }

  failed({ code }: ProtocolError): void {
    this.#totals.errors[code] = (this.#totals.errors[code] ?? 0) + 1
  }

  #serverFor(listener: Listener): Server {
    const server = createServer((socket) => this.#accept(socket, listener))
    // Leaves room for connections that are closing and still have a socket.
    server.maxConnections = this.limits.maxConnections + this.limits.maxUnauthenticated
    return server.on('drop', () => this.#totals.connectionsRefused++)
  }

  #open(server: Server, host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        server.on('error', (error) => this.log?.error({ err: error }, 'cannot accept stream connections'))
        resolve()
      })
    })
  }

  #accept(socket: Socket, listener: Listener): void {
    if (this.#clients.size >= this.limits.maxConnections || this.#closing) {
      this.#totals.connectionsRefused++
      socket.destroy()
      return
    }
    this.#totals.connections++
    const client = new Client(++this.#lastClient, socket, this, listener)
    this.#clients.add(client)
    this.#unauthenticated.add(client)
    if (this.#unauthenticated.size <= this.limits.maxUnauthenticated) return
    // Evict the oldest unauthenticated connection.
    const [oldest] = this.#unauthenticated
    this.#totals.connectionsRefused++
    oldest?.destroy()
  }

  #recheck(): void {
    if (!this.authorize) return
    for (const client of this.#clients) {
      const { topic, channel, credentials } = client
      if (topic === undefined || !channel || credentials.fresh) continue
      void client.recheck(({ grants }) => isGranted(grants, 'subscribe', topic, channel.name))
    }
  }

  async #close(): Promise<void> {
    clearInterval(this.#rechecks)
    const closed = Promise.all([this.#server, this.#localServer].map(closedServer))
    const clients = [...this.#clients]
    // Save first: the channels hold the in-flight messages.
    this.#topics.close()
    for (const client of clients) client.destroy()
    await closed
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** Resolves also for a server that does not listen. */
function closedServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
