/**
 * Reads one channel of a topic from all daemons of the stream, and reconnects when a connection ends. The service's own
 * readers use it: `stream tail`, and what moves events of former versions. Must not know what messages contain.
 */
import type { StreamDaemon } from '../../core/stream/stream.js'
import { NsqdConnection } from './nsqd-connection.js'

export interface TopicReaderOptions {
  readonly topic: string
  /** With the end `#ephemeral` it is deleted when its last reader leaves. */
  readonly channel: string
  /** Unfinished messages that a daemon may send. */
  readonly maxInFlight: number
}

export interface TopicReaderDeps {
  /** Asked before each connection, because addresses may change, and regularly for new daemons. */
  readonly daemons: () => Promise<readonly StreamDaemon[]>
  readonly onMessage: (message: StreamMessage) => void
  /** A connection ended or cannot be opened; it is tried again. */
  readonly onFailure: (daemon: string, error: Error) => void
}

/** Answer each message with `finish` or `requeue`. Answers after the connection ended do nothing. */
export interface StreamMessage {
  /** When it was published, in milliseconds since 1970. */
  readonly at: number
  /** Deliveries so far, this one included. */
  readonly attempts: number
  readonly body: Buffer
  finish(): void
  /** Delivers it again after a pause; the daemon may limit the pause (nsqd: to one hour). */
  requeue(pause: number): void
}

const firstRetry = 250
const maxRetryDelay = 15_000
/** How soon a daemon that was added, or that has a new address, is found. */
const lookAgain = 5_000

export class TopicReader {
  readonly #options: TopicReaderOptions
  readonly #deps: TopicReaderDeps
  readonly #connections = new Map<string, NsqdConnection>()
  readonly #retries = new Map<string, { at: number; delay: number }>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #closed = false

  constructor(options: TopicReaderOptions, deps: TopicReaderDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Resolves after the first attempt: the channel exists on every daemon that answered. */
  async start(): Promise<void> {
    await this.#look()
  }

  /** Unfinished messages are delivered again, to another reader or the next connection. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#looking
    for (const connection of this.#connections.values()) connection.close()
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer)
    this.#looking ??= this.#connectMissing().finally(() => {
      this.#looking = undefined
    })
    await this.#looking
    if (!this.#closed) this.#timer = setTimeout(() => void this.#look(), this.#untilNext()).unref()
  }

  async #connectMissing(): Promise<void> {
    let daemons: readonly StreamDaemon[]
    try {
      daemons = await this.#deps.daemons()
    } catch (error) {
      this.#failed(allDaemons, error)
      return
    }
    const names = new Set(daemons.map(nameOf))
    for (const name of this.#retries.keys()) if (!names.has(name)) this.#retries.delete(name)
    const now = performance.now()
    const missing = daemons.filter((daemon) => {
      const name = nameOf(daemon)
      return !this.#connections.has(name) && (this.#retries.get(name)?.at ?? 0) <= now
    })
    await Promise.all(
      missing.map((daemon) => this.#connect(daemon).catch((error) => this.#failed(nameOf(daemon), error))),
    )
  }

  async #connect(daemon: StreamDaemon): Promise<void> {
    const { topic, channel } = this.#options
    const name = nameOf(daemon)
    const connection = await NsqdConnection.open(daemon)
    connection.onMessage = (data) => this.#deps.onMessage(messageFrom(data, connection))
    try {
      const { authRequired } = await connection.identify({})
      if (authRequired && daemon.secret !== undefined) await connection.authenticate(daemon.secret)
      await connection.ask(Buffer.from(`SUB ${topic} ${channel}\n`))
    } catch (error) {
      connection.close()
      throw error
    }
    if (this.#closed) return connection.close()
    this.#connections.set(name, connection)
    this.#retries.delete(name)
    connection.onEnd = (error) => {
      this.#connections.delete(name)
      if (this.#closed) return
      this.#failed(name, error)
      void this.#look()
    }
    connection.send(`RDY ${this.#options.maxInFlight}\n`)
    // Whichever daemon failed: an embedded one that starts again has another port, and so another name.
  }

  #failed(name: string, error: unknown): void {
    const delay = Math.min(2 * (this.#retries.get(name)?.delay ?? firstRetry / 2), maxRetryDelay)
    this.#retries.set(name, { at: performance.now() + delay, delay })
    this.#deps.onFailure(name, error instanceof Error ? error : new Error(String(error)))
  }

  #untilNext(): number {
    const now = performance.now()
    const retries = [...this.#retries.values()].map(({ at }) => Math.max(at - now, 10))
    return Math.min(lookAgain, ...retries)
  }
}

/** Stands for all of them while their addresses are unknown. */
const allDaemons = 'stream'

function nameOf({ host, port }: StreamDaemon): string {
  return `${host}:${port}`
}

/** Time in nanoseconds (8 bytes), attempts (2), id (16), body. */
function messageFrom(data: Buffer, connection: NsqdConnection): StreamMessage {
  const id = data.toString('latin1', 10, 26)
  return {
    at: Number(data.readBigInt64BE(0) / 1_000_000n),
    attempts: data.readUInt16BE(8),
    body: data.subarray(26),
    finish: () => connection.send(`FIN ${id}\n`),
    requeue: (pause) => connection.send(`REQ ${id} ${Math.round(pause)}\n`),
  }
}
