/**
 * The main thread's handle on the stream thread: tells it who may read, passes on its log lines, and starts it again when
 * it dies. Clicks wait in the journal meanwhile, and readers connect again by themselves.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { Refusal } from '../core/refusal.js'
import type { Logger } from '../lib/logger.js'
import { OperatorError } from '../lib/operator-error.js'
import type { FromStream, StreamReaderAnswer, StreamThreadData, StreamView, ToStream } from './stream-messages.js'

export interface StreamThreadParts {
  /** Who a secret belongs to and what they may read. */
  readonly authorize: (secret: string) => Promise<StreamReaderAnswer | undefined>
  readonly log: Logger
}

export async function startStreamThread(options: StreamThreadData, parts: StreamThreadParts): Promise<StreamThread> {
  const thread = new StreamThread(options, parts)
  await thread.start()
  return thread
}

const firstRestart = 200
const slowestRestart = 30_000
/** A thread that lived this long was well: the next restart is a quick one again. */
const wellAfter = 60_000
const closingTime = 5_000

export class StreamThread {
  #options: StreamThreadData
  readonly #parts: StreamThreadParts
  readonly #waiting = new Map<number, { resolve: (view: StreamView) => void; reject: (error: Error) => void }>()
  readonly #restartWait = new AbortController()
  #worker: Worker | undefined
  #lastId = 0
  #restartIn = firstRestart
  #restarting: Promise<void> = Promise.resolve()
  #died: string | undefined
  #closing: Promise<void> | undefined
  #onFeed: (port: MessagePort) => void = (port) => port.close()
  restarts = 0

  constructor(options: StreamThreadData, parts: StreamThreadParts) {
    this.#options = options
    this.#parts = parts
  }

  /** Where it listens. */
  get port(): number {
    return this.#options.port
  }

  /** Why it is not running; undefined while it is. */
  get failure(): string | undefined {
    return this.#died
  }

  /** A way to publish; undefined while the thread is not running. */
  connect(): MessagePort | undefined {
    const worker = this.#worker
    if (!worker) return undefined
    const { port1, port2 } = new MessageChannel()
    worker.postMessage({ type: 'feed', port: port1 } satisfies ToStream, [port1])
    return port2
  }

  /** Called with a new way to publish whenever the thread was started again. */
  onFeed(take: (port: MessagePort) => void): void {
    this.#onFeed = take
  }

  look(): Promise<StreamView> {
    const worker = this.#worker
    if (!worker || this.#closing) return Promise.reject(away(this.#died ?? 'the service is stopping'))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage({ type: 'look', id } satisfies ToStream)
    })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Resolves when the thread listens. */
  start(): Promise<void> {
    const worker = new Worker(threadFile(), {
      workerData: this.#options,
      resourceLimits: { maxOldGenerationSizeMb: 384 },
    })
    return new Promise((resolve, reject) => {
      let ready = false
      let reason: Error | undefined
      const began = performance.now()
      worker.on('message', (report: FromStream) => {
        if (report.type === 'broken') reason = cannotStart(report, this.#options)
        else if (report.type === 'ready') {
          ready = true
          this.#worker = worker
          this.#died = undefined
          // A free port, once found, stays: readers come back to where they were.
          this.#options = { ...this.#options, port: report.port }
          resolve()
        } else this.#hear(worker, report)
      })
      worker.on('error', (error) => {
        reason ??= error instanceof Error ? error : new Error(String(error))
      })
      worker.on('exit', () => {
        const death = reason ?? new Error('The thread of the stream ended unexpectedly.')
        if (!ready) return reject(death)
        if (performance.now() - began > wellAfter) this.#restartIn = firstRestart
        this.#buried(death)
      })
    })
  }

  #hear(worker: Worker, report: Exclude<FromStream, { type: 'ready' | 'broken' }>): void {
    if (report.type === 'log') this.#parts.log[report.level](report.fields, report.message)
    else if (report.type === 'authorize') void this.#answer(worker, report)
    else {
      this.#waiting.get(report.id)?.resolve(report.view)
      this.#waiting.delete(report.id)
    }
  }

  async #answer(worker: Worker, { id, secret }: Extract<FromStream, { type: 'authorize' }>): Promise<void> {
    const say = (answer: ToStream) => worker.postMessage(answer)
    try {
      say({ type: 'authorized', id, reader: await this.#parts.authorize(secret) })
    } catch (error) {
      this.#parts.log.error({ err: error }, 'readers of the stream cannot be told who they are')
      say({ type: 'failed', id })
    }
  }

  #buried(death: Error): void {
    this.#worker = undefined
    for (const { reject } of this.#waiting.values()) reject(away(death.message))
    this.#waiting.clear()
    if (this.#closing) return
    this.#died = `its thread died: ${death.message}`
    this.#parts.log.error({ err: death }, 'the thread of the stream died: clicks for it wait in the journal')
    this.#restarting = this.#restart()
  }

  async #restart(): Promise<void> {
    while (!this.#closing) {
      const delay = this.#restartIn
      this.#restartIn = Math.min(delay * 2, slowestRestart)
      const interrupted = await wait(delay, false, { signal: this.#restartWait.signal }).catch(() => true)
      if (interrupted) return
      this.restarts++
      try {
        await this.start()
        const feed = this.connect()
        if (feed) this.#onFeed(feed)
        this.#parts.log.info({ restarts: this.restarts }, 'the thread of the stream is back')
        return
      } catch (error) {
        this.#died = `its thread cannot start: ${error instanceof Error ? error.message : String(error)}`
        this.#parts.log.error({ err: error, retryIn: this.#restartIn }, 'the thread of the stream cannot start')
      }
    }
  }

  async #close(): Promise<void> {
    this.#restartWait.abort()
    await this.#restarting
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    worker.postMessage({ type: 'close' } satisfies ToStream)
    const late = new AbortController()
    const deadline = wait(closingTime, 'late', { signal: late.signal }).catch(() => 'in time')
    const outcome = await Promise.race([ended, deadline])
    late.abort()
    if (outcome === 'late') await worker.terminate()
  }
}

/** From sources (under the test runner) the thread runs as built: a worker thread loads plain JavaScript only. */
function threadFile(): URL {
  const fromSource = import.meta.url.endsWith('.ts')
  return new URL(fromSource ? '../../dist/worker/stream-worker.js' : './stream-worker.js', import.meta.url)
}

function cannotStart(
  { message, code }: Extract<FromStream, { type: 'broken' }>,
  { host, port }: StreamThreadData,
): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host}, for the stream, is in use by another program. Stop it, or choose another with --nsqd-port.`,
    EACCES: `Port ${port}, for the stream, needs more rights than this user has. Choose one above 1023 with --nsqd-port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with --nsqd-host.`,
    ENOTFOUND: `The host name ${host} is not known. Choose another with --nsqd-host.`,
  }
  const reason = reasons[code ?? '']
  return reason === undefined ? new Error(`The stream cannot start: ${message}`) : new OperatorError(reason)
}

function away(reason: string): Refusal {
  return new Refusal(
    'TEMPORARILY_UNAVAILABLE',
    `The stream is not available at the moment (${reason}). Try again in a few seconds.`,
  )
}
