/**
 * The main thread's handle on the stream thread: authorizes readers, forwards log messages, and provides ports to
 * publish, also after a restart. Meanwhile clicks wait in the journal, and readers reconnect by themselves.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Refusal } from '../core/values/refusal.js'
import type { Logger } from '../lib/logger.js'
import { OperatorError } from '../lib/operator-error.js'
import type {
  StreamPorts,
  StreamReaderAnswer,
  StreamThreadData,
  StreamThreadMethods,
  StreamThreadOwner,
  StreamView,
} from './stream-messages.js'
import { beginThread, WorkerSupervisor } from './worker-supervisor.js'

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

const closingTime = 5_000

export class StreamThread {
  #options: StreamThreadData
  readonly #deps: StreamThreadDeps
  readonly #supervisor: WorkerSupervisor<StreamThreadMethods, StreamPorts>
  #onFeed: (port: MessagePort) => void = (port) => port.close()

  constructor(options: StreamThreadData, deps: StreamThreadDeps) {
    this.#options = options
    this.#deps = deps
    this.#supervisor = new WorkerSupervisor({
      name: 'its thread',
      sentences: {
        ended: 'The stream thread ended unexpectedly.',
        died: 'stream thread died; clicks wait in the journal',
        cannotStart: 'cannot start the stream thread',
        back: 'stream thread is running again',
      },
      log: deps.log,
      away,
      begin: () => beginThread('stream-worker.js', this.#options),
      methods: { authorize: (secret) => this.#authorize(secret) } satisfies Pick<StreamThreadOwner, 'authorize'>,
      // Keep the ports after a restart, so that readers can reconnect.
      onReady: ({ port, localPort }) => {
        const { outside } = this.#options
        this.#options = { ...this.#options, outside: outside && { ...outside, port }, localPort }
      },
      startFailure: (error) => cannotStart(error, this.#options),
      onBack: () => this.#feedAgain(),
    })
  }

  /** Resolves when the thread listens. */
  start(): Promise<void> {
    return this.#supervisor.start()
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
    return this.#supervisor.failure
  }

  get restarts(): number {
    return this.#supervisor.restarts
  }

  /** A port to publish; undefined while the thread is not running. */
  connect(): MessagePort | undefined {
    if (!this.#supervisor.isRunning) return undefined
    const { port1, port2 } = new MessageChannel()
    this.#supervisor.tell('feed', [port1], [port1])
    return port2
  }

  /** Called with a new port to publish after every restart. */
  onFeed(take: (port: MessagePort) => void): void {
    this.#onFeed = take
  }

  look(): Promise<StreamView> {
    return this.#supervisor.call('look')
  }

  close(): Promise<void> {
    return this.#supervisor.close([], closingTime)
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

function away(reason: string): Refusal {
  return new Refusal(
    'TEMPORARILY_UNAVAILABLE',
    `The stream is not available at the moment (${reason}). Try again in a few seconds.`,
  )
}
