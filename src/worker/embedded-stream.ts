/** The embedded stream as the rest of the service sees it: one nsqd in its own thread. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/config.js'
import { operator } from '../core/accounts/actor.js'
import { type AuthorizeReaderDeps, authorizationTtl, authorizeReader } from '../core/stream/access.js'
import type { NsqStats, Producer, Stream, StreamAddress, StreamFigures, WatchedTopic } from '../core/stream/stream.js'
import type { Clock } from '../core/values/time.js'
import { version } from '../engines/nsqd/options.js'
import type { Closing } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'
import { OperatorError } from '../lib/operator-error.js'
import { streamCertificate } from '../storage/certificates/stream-certificate.js'
import type { StreamReaderAnswer } from './stream-messages.js'
import { type StreamThread, startStreamThread } from './stream-thread.js'

/** Tokens are sent over the stream's connections, so without TLS it may only listen on this machine. */
export function requireTlsOrLoopback({ nsqdTls, nsqdHost }: Pick<Config, 'nsqdTls' | 'nsqdHost'>): void {
  if (nsqdTls !== 'optional' || /^(127\.|::1$|localhost$)/.test(nsqdHost)) return
  throw new OperatorError(
    `nsqdTls (--nsqd-tls) is "optional", which is for this machine only, and nsqdHost is ${nsqdHost}. Change one of them.`,
  )
}

export async function openEmbeddedStream(
  config: Config,
  log: Logger,
  deps: AuthorizeReaderDeps & { readonly clock: Clock },
  refresh: (watched: readonly string[]) => Promise<void>,
  closing: Closing,
): Promise<{ stream: EmbeddedStream; thread: StreamThread }> {
  const { nsqdHost: listensOn, nsqdPort = 0, nsqdAddress, durability } = config
  requireTlsOrLoopback(config)
  const [host = '', port] = nsqdAddress?.split(':') ?? [new URL(config.baseUrl).hostname.replace(/^\[|\]$/g, '')]
  const { certificate, key, fingerprint, authorityFile } = await streamCertificate({
    dataDir: config.dataDir,
    host,
    certificateFile: config.nsqdCertificate,
    keyFile: config.nsqdKey,
    now: deps.clock.now(),
  })
  const stream = closing.add(
    new EmbeddedStream(
      {
        host,
        port: port === undefined ? undefined : Number(port),
        listensOn,
        certificate,
        fingerprint,
        authorityFile,
      },
      { clock: deps.clock, authorize: (secret) => authorizeReader(deps, secret), refresh },
    ),
  )
  const file = join(config.dataDir, 'stream.sqlite')
  const tls = { tls: { cert: certificate, key }, tlsRequired: config.nsqdTls === 'required' }
  const thread = closing.add(
    await startStreamThread(
      { file, durability, host: listensOn, port: nsqdPort, ...tls },
      { authorize: (secret) => stream.authorize(secret), log },
    ),
  )
  stream.attach(thread)
  log.info(stream.place, 'stream is listening')
  return { stream, thread }
}

interface EmbeddedStreamOptions {
  /** Host name for readers. */
  readonly host: string
  /** Port for readers; undefined: the port it listens on. */
  readonly port: number | undefined
  /** Address it listens on, for operators on this machine. */
  readonly listensOn: string
  readonly certificate: string
  readonly fingerprint: string
  readonly authorityFile: string | undefined
}

interface EmbeddedStreamDeps {
  readonly clock: Clock
  readonly authorize: (secret: string) => Promise<StreamReaderAnswer | undefined>
  /** Called with the topics that operators watch, and when read access may have changed. Never rejects. */
  readonly refresh: (watched: readonly string[]) => Promise<void>
}

class EmbeddedStream implements Stream {
  readonly #options: EmbeddedStreamOptions
  readonly #deps: EmbeddedStreamDeps
  readonly #watches = new Map<string, { readonly topic: string; until: number }>()
  readonly #timer: NodeJS.Timeout
  #thread: StreamThread | undefined

  constructor(options: EmbeddedStreamOptions, deps: EmbeddedStreamDeps) {
    this.#options = options
    this.#deps = deps
    this.#timer = setInterval(() => this.#forgetWatches(), watchFor).unref()
  }

  attach(thread: StreamThread): void {
    this.#thread = thread
  }

  get place(): StreamAddress {
    const { host, port = this.#running().port, fingerprint, authorityFile } = this.#options
    return { address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`, fingerprint, authorityFile }
  }

  async lookup(): Promise<readonly Producer[]> {
    if (this.#running().failure !== undefined) return []
    const { host, port = this.#running().port } = this.#options
    const tcp = { remote_address: this.place.address, broadcast_address: host, tcp_port: port }
    return [{ ...tcp, hostname: hostname(), http_port: 0, version }]
  }

  async stats(): Promise<NsqStats> {
    const { stats } = await this.#running().look()
    return { daemons: [{ address: this.place.address, health: stats.health, topics: stats.topics }] }
  }

  async figures(): Promise<StreamFigures> {
    const { counters } = await this.#running().look()
    return { ...counters, restarts: this.#running().restarts }
  }

  accessChanged(): Promise<void> {
    return this.#deps.refresh(this.#watched())
  }

  /** Authorizes readers of the stream, and operators who watch a topic. */
  async authorize(secret: string): Promise<StreamReaderAnswer | undefined> {
    const watch = this.#watches.get(secret)
    if (!watch) return this.#deps.authorize(secret)
    watch.until = this.#deps.clock.now() + watchFor
    return { login: operator.login, topics: [watch.topic], ttl: authorizationTtl }
  }

  async watch(topic: string): Promise<WatchedTopic> {
    const secret = randomBytes(24).toString('base64url')
    const { listensOn, certificate } = this.#options
    const { port } = this.#running()
    this.#watches.set(secret, { topic, until: this.#deps.clock.now() + watchFor })
    await this.#deps.refresh(this.#watched())
    return { topic, secret, host: listensOn, port, certificate }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #watched(): readonly string[] {
    return [...new Set([...this.#watches.values()].map(({ topic }) => topic))]
  }

  /** Connected watchers are authorized again and again, so a watch that was not is gone. */
  #forgetWatches(): void {
    if (this.#watches.size === 0) return
    for (const [secret, { until }] of this.#watches) {
      if (until < this.#deps.clock.now()) this.#watches.delete(secret)
    }
    // Also for watches that stay: a restarted click thread does not know them.
    void this.#deps.refresh(this.#watched())
  }

  #running(): StreamThread {
    if (!this.#thread) throw new Error('the stream has not started')
    return this.#thread
  }
}

const watchFor = 3 * authorizationTtl * 1000
