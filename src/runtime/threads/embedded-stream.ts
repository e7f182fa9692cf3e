/**
 * The embedded stream as the rest of the service sees it: one nsqd in its own thread. With a port it runs from the start;
 * without one it starts when an operator watches a topic, and nobody else can connect.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config/config.js'
import { operator } from '../../core/accounts/actor.js'
import { type AuthorizeReaderDeps, authorizationTtl, authorizeReader } from '../../core/stream/access.js'
import type {
  NsqStats,
  Producer,
  Stream,
  StreamAddress,
  StreamFigures,
  WatchedTopic,
} from '../../core/stream/stream.js'
import type { Clock } from '../../core/values/time.js'
import { version } from '../../engines/nsqd/options.js'
import type { Closable } from '../../lib/closing.js'
import type { Logger } from '../../lib/logger.js'
import { OperatorError } from '../../lib/operator-error.js'
import { streamCertificate } from '../../storage/certificates/stream-certificate.js'
import type { StreamListener, StreamReaderAnswer } from './stream-messages.js'
import { type StreamThread, startStreamThread } from './stream-thread.js'

/** Tokens are sent over the stream's connections, so without TLS it may only listen on this machine. */
export function requireTlsOrLoopback({ nsqdTls, nsqdHost }: Pick<Config, 'nsqdTls' | 'nsqdHost'>): void {
  if (nsqdTls !== 'optional' || /^(127\.|::1$|localhost$)/.test(nsqdHost)) return
  throw new OperatorError(
    `nsqdTls (--nsqd-tls) is "optional", which is for this machine only, and nsqdHost is ${nsqdHost}. Change one of them.`,
  )
}

export interface EmbeddedStreamDeps extends AuthorizeReaderDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Publishes these topics although nobody may read them, and those with readers. Never rejects. */
  readonly refresh: (watched: readonly string[]) => Promise<void>
}

/** Not running yet: call `start`, or let the first reader do it. */
export async function openEmbeddedStream(config: Config, deps: EmbeddedStreamDeps): Promise<EmbeddedStream> {
  const outside =
    config.nsqdPort === undefined ? undefined : await openOutside(config, config.nsqdPort, deps.clock.now())
  return new EmbeddedStream(
    { file: join(config.dataDir, 'stream.sqlite'), durability: config.durability, outside },
    deps,
  )
}

async function openOutside(config: Config, nsqdPort: number, now: number): Promise<Outside> {
  requireTlsOrLoopback(config)
  const { nsqdHost, nsqdAddress, nsqdTls, dataDir } = config
  const [host = '', port] = nsqdAddress?.split(':') ?? [new URL(config.baseUrl).hostname.replace(/^\[|\]$/g, '')]
  const files = { certificateFile: config.nsqdCertificate, keyFile: config.nsqdKey }
  const { certificate, key, fingerprint, authorityFile } = streamCertificate({ dataDir, host, ...files, now })
  const tls = { tls: { cert: certificate, key }, tlsRequired: nsqdTls === 'required' }
  const listener = { host: nsqdHost, port: nsqdPort, ...tls }
  return { host, port: port === undefined ? undefined : Number(port), fingerprint, authorityFile, listener }
}

/** For readers outside this process. */
interface Outside {
  /** Host name for readers. */
  readonly host: string
  /** Port for readers; undefined: the port it listens on. */
  readonly port: number | undefined
  readonly fingerprint: string
  readonly authorityFile: string | undefined
  readonly listener: StreamListener
}

interface EmbeddedStreamOptions {
  readonly file: string
  readonly durability: 'normal' | 'full'
  readonly outside: Outside | undefined
}

export class EmbeddedStream implements Stream, Closable {
  readonly #options: EmbeddedStreamOptions
  readonly #deps: EmbeddedStreamDeps
  readonly #watches = new Map<string, Watch>()
  readonly #timer: NodeJS.Timeout
  #starting: Promise<StreamThread> | undefined
  #thread: StreamThread | undefined
  #onLateStart: (thread: StreamThread) => Promise<void> = async () => {}

  constructor(options: EmbeddedStreamOptions, deps: EmbeddedStreamDeps) {
    this.#options = options
    this.#deps = deps
    this.#timer = setInterval(() => this.#forgetWatches(), watchFor).unref()
  }

  async start(): Promise<StreamThread> {
    const { outside, ...options } = this.#options
    this.#thread = await startStreamThread(
      { ...options, outside: outside?.listener, localPort: 0 },
      { authorize: (secret) => this.#authorize(secret), log: this.#deps.log },
    )
    if (this.place) this.#deps.log.info(this.place, 'stream is listening')
    return this.#thread
  }

  /** What to do when a reader starts it later; the reader waits for it. */
  onLateStart(run: (thread: StreamThread) => Promise<void>): void {
    this.#onLateStart = run
  }

  get place(): StreamAddress | undefined {
    const { outside } = this.#options
    if (!outside || !this.#thread) return undefined
    const { host, port = this.#thread.port, fingerprint, authorityFile } = outside
    return { address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`, fingerprint, authorityFile }
  }

  async lookup(): Promise<readonly Producer[]> {
    const { outside } = this.#options
    if (!outside || !this.#thread || this.#thread.failure !== undefined) return []
    const { host, port = this.#thread.port } = outside
    const tcp = { remote_address: this.place?.address ?? '', broadcast_address: host, tcp_port: port }
    return [{ ...tcp, hostname: hostname(), http_port: 0, version }]
  }

  async stats(): Promise<NsqStats> {
    if (!this.#thread) return { daemons: [] }
    const { stats } = await this.#thread.look()
    const address = this.place?.address ?? `127.0.0.1:${this.#thread.localPort}`
    return { daemons: [{ address, health: stats.health, topics: stats.topics }] }
  }

  async figures(): Promise<StreamFigures | undefined> {
    if (!this.#thread) return undefined
    const { counters } = await this.#thread.look()
    return { ...counters, restarts: this.#thread.restarts }
  }

  accessChanged(): Promise<void> {
    return this.#deps.refresh([...this.#watches.values()].map(({ topic }) => topic))
  }

  async watch(topic: string): Promise<WatchedTopic> {
    const secret = randomBytes(24).toString('base64url')
    const { localPort: port } = await this.#running()
    this.#watches.set(secret, { topic, until: this.#until() })
    await this.accessChanged()
    return { topic, daemon: { host: '127.0.0.1', port, secret } }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#starting?.catch(() => {})
    await this.#thread?.close()
  }

  async #running(): Promise<StreamThread> {
    if (this.#thread) return this.#thread
    this.#starting ??= this.#startLate().catch((error: unknown) => {
      this.#starting = undefined
      throw error
    })
    return this.#starting
  }

  async #startLate(): Promise<StreamThread> {
    const thread = await this.start()
    await this.#onLateStart(thread)
    return thread
  }

  /** Authorizes readers of the stream, and operators who watch a topic. */
  async #authorize(secret: string): Promise<StreamReaderAnswer | undefined> {
    const watch = this.#watches.get(secret)
    if (!watch) return authorizeReader(this.#deps, secret)
    watch.until = this.#until()
    return { login: operator.login, topics: [watch.topic], ttl: authorizationTtl }
  }

  #until(): number {
    return this.#deps.clock.now() + watchFor
  }

  /**
   * Connected watchers are authorized again and again, so a watch that was not is gone. The others are told again: a
   * restarted click thread does not know them.
   */
  #forgetWatches(): void {
    if (this.#watches.size === 0) return
    for (const [secret, { until }] of this.#watches) if (until < this.#deps.clock.now()) this.#watches.delete(secret)
    void this.accessChanged()
  }
}

interface Watch {
  readonly topic: string
  until: number
}

const watchFor = 3 * authorizationTtl * 1000
