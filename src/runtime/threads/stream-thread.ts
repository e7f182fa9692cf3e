/**
 * The main thread's handle on the stream thread: authorizes readers, forwards log messages, and provides ports to
 * publish, also after a restart. Meanwhile clicks wait in the journal, and readers reconnect by themselves.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Logger } from '../../lib/logger.js'
import { OperatorError } from '../../lib/operator-error.js'
import { startModule } from './start-module.js'
import type {
  StreamReaderAnswer,
  StreamThreadData,
  StreamThreadMethods,
  StreamThreadOwner,
  StreamView,
} from './stream-messages.js'
import { WorkerThread } from './worker-thread.js'

export interface StreamThreadDeps {
  /** Returns the owner of a secret and the topics they may read. */
  readonly authorize: (secret: string) => Promise<StreamReaderAnswer | undefined>
  readonly log: Logger
}

export async function startStreamThread(options: StreamThreadData, deps: StreamThreadDeps): Promise<StreamThread> {
  const thread = new StreamThread(options, deps)
  await thread.start()
  return thread
}

export class StreamThread {
  #options: StreamThreadData
  readonly #deps: StreamThreadDeps
  readonly #thread: WorkerThread<StreamThreadMethods>
  #onFeed: (port: MessagePort) => void = (port) => port.close()

  constructor(options: StreamThreadData, deps: StreamThreadDeps) {
    this.#options = options
    this.#deps = deps
    this.#thread = new WorkerThread({
      name: 'stream thread',
      begin: () => startModule('stream', this.#options),
      unavailable: 'The stream is not available at the moment',
      meanwhile: 'clicks wait in the journal',
      log: deps.log,
      owner: { authorize: (secret) => this.#authorize(secret) } satisfies Pick<StreamThreadOwner, 'authorize'>,
      startFailure: (error) => cannotStart(error, this.#options),
      onBack: () => this.#feedAgain(),
    })
  }

  /** Resolves when the thread listens. */
  async start(): Promise<void> {
    await this.#thread.start()
    // A restarted thread gets the same ports, so that readers can reconnect.
    const { port, localPort } = await this.#thread.methods.ports()
    const { outside } = this.#options
    this.#options = { ...this.#options, outside: outside && { ...outside, port }, localPort }
  }

  /** The port it listens on for readers outside; 0 without one. */
  get port(): number {
    return this.#options.outside?.port ?? 0
  }

  /** The port on 127.0.0.1. */
  get localPort(): number {
    return this.#options.localPort
  }

  /** Why it is not running; undefined while it runs. */
  get failure(): string | undefined {
    return this.#thread.failure
  }

  get restarts(): number {
    return this.#thread.restarts
  }

  /** A port to publish; undefined while the thread is not running. */
  connect(): MessagePort | undefined {
    if (!this.#thread.isRunning) return undefined
    const { port1, port2 } = new MessageChannel()
    this.#thread.tell('feed', [port1], [port1])
    return port2
  }

  /** Called with a new port to publish after every restart. */
  onFeed(take: (port: MessagePort) => void): void {
    this.#onFeed = take
  }

  look(): Promise<StreamView> {
    return this.#thread.methods.look()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #authorize(secret: string): Promise<StreamReaderAnswer | undefined> {
    try {
      return await this.#deps.authorize(secret)
    } catch (error) {
      this.#deps.log.error({ err: error }, 'cannot authorize a stream reader')
      throw new Error('cannot authorize the reader')
    }
  }

  #feedAgain(): void {
    const feed = this.connect()
    if (feed) this.#onFeed(feed)
  }
}

function cannotStart(error: Error & { readonly code?: string }, { outside }: StreamThreadData): Error {
  const { host, port } = outside ?? { host: '127.0.0.1', port: 0 }
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `The stream's port ${port} on ${host} is used by another program. Stop it, or choose another port with --nsqd-port.`,
    EACCES: `This user may not open the stream's port ${port}. Choose one above 1023 with --nsqd-port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another one with --nsqd-host.`,
    ENOTFOUND: `The host name ${host} does not exist. Choose another one with --nsqd-host.`,
  }
  const reason = reasons[error.code ?? '']
  return reason === undefined ? new Error(`Cannot start the stream: ${error.message}`) : new OperatorError(reason)
}
