/**
 * The main thread's handle on the stream thread: tells it who may read, passes on its log lines, and hands out ways to
 * publish, new ones when it died. Clicks wait in the journal meanwhile, and readers connect again by themselves.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Refusal } from '../core/values/refusal.js'
import type { Logger } from '../lib/logger.js'
import { OperatorError } from '../lib/operator-error.js'
import type {
  StreamReaderAnswer,
  StreamThreadData,
  StreamThreadMethods,
  StreamThreadOwner,
  StreamView,
} from './stream-messages.js'
import { beginThread, WorkerSupervisor } from './worker-supervisor.js'

export interface StreamThreadDeps {
  /** Who a secret belongs to and what they may read. */
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
  readonly #supervisor: WorkerSupervisor<StreamThreadMethods, { readonly port: number }>
  #onFeed: (port: MessagePort) => void = (port) => port.close()

  constructor(options: StreamThreadData, deps: StreamThreadDeps) {
    this.#options = options
    this.#deps = deps
    this.#supervisor = new WorkerSupervisor({
      name: 'its thread',
      sentences: {
        ended: 'The thread of the stream ended unexpectedly.',
        died: 'the thread of the stream died: clicks for it wait in the journal',
        cannotStart: 'the thread of the stream cannot start',
        back: 'the thread of the stream is back',
      },
      log: deps.log,
      away,
      begin: () => beginThread('stream-worker.js', this.#options),
      methods: { authorize: (secret) => this.#authorize(secret) } satisfies Pick<StreamThreadOwner, 'authorize'>,
      // A free port, once found, stays: readers come back to where they were.
      onReady: ({ port }) => {
        this.#options = { ...this.#options, port }
      },
      startFailure: (error) => cannotStart(error, this.#options),
      onBack: () => this.#feedAgain(),
    })
  }

  /** Resolves when the thread listens. */
  start(): Promise<void> {
    return this.#supervisor.start()
  }

  /** Where it listens. */
  get port(): number {
    return this.#options.port
  }

  /** Why it is not running; undefined while it is. */
  get failure(): string | undefined {
    return this.#supervisor.failure
  }

  get restarts(): number {
    return this.#supervisor.restarts
  }

  /** A way to publish; undefined while the thread is not running. */
  connect(): MessagePort | undefined {
    if (!this.#supervisor.isRunning) return undefined
    const { port1, port2 } = new MessageChannel()
    this.#supervisor.tell('feed', [port1], [port1])
    return port2
  }

  /** Called with a new way to publish whenever the thread was started again. */
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
      this.#deps.log.error({ err: error }, 'readers of the stream cannot be told who they are')
      throw new Error('nobody could say who this is')
    }
  }

  #feedAgain(): void {
    const feed = this.connect()
    if (feed) this.#onFeed(feed)
  }
}

function cannotStart(error: Error & { readonly code?: string }, { host, port }: StreamThreadData): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host}, for the stream, is in use by another program. Stop it, or choose another with --nsqd-port.`,
    EACCES: `Port ${port}, for the stream, needs more rights than this user has. Choose one above 1023 with --nsqd-port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --nsqd-host.`,
    ENOTFOUND: `The host name ${host} is not known. Choose another with --nsqd-host.`,
  }
  const reason = reasons[error.code ?? '']
  return reason === undefined ? new Error(`The stream cannot start: ${error.message}`) : new OperatorError(reason)
}

function away(reason: string): Refusal {
  return new Refusal(
    'TEMPORARILY_UNAVAILABLE',
    `The stream is not available at the moment (${reason}). Try again in a few seconds.`,
  )
}
