/**
 * Keeps a worker thread running: starts it, restarts it with growing pauses when it dies, and stops it in time. Calls
 * that a dead thread will not answer are refused. What the thread does is its owner's to know.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Transferable, Worker } from 'node:worker_threads'
import type { Logger } from '../lib/logger.js'
import { errorOf, type Failure, type Methods, ThreadCalls } from './thread-calls.js'

export interface SupervisedThread<Ready> {
  /** Its name in the reason that a refused caller is given. */
  readonly name: string
  readonly sentences: {
    /** The reason when the thread gave none. */
    readonly ended: string
    readonly died: string
    readonly cannotStart: string
    readonly back: string
  }
  readonly log: Logger
  /** Starts a new thread. */
  readonly begin: () => Worker
  /** The methods that the thread may call besides those of `SupervisorMethods`. */
  readonly methods?: object
  readonly onReady?: (value: Ready) => void
  /** Makes the error of a thread that cannot start readable. */
  readonly startFailure?: (error: Error) => Error
  /** The error for callers while there is no thread. */
  readonly away: (reason: string) => Error
  readonly onDeath?: () => void
  readonly onBack?: () => void
}

/** The methods that every supervised thread may call. */
export interface SupervisorMethods<Ready = unknown> {
  /** The thread can be used. */
  ready(value: Ready): void
  /** The thread cannot start, and ends. */
  broken(failure: Failure): void
  /** Only the main thread writes the log. */
  log(level: LogLevel, fields: Readonly<Record<string, unknown>>, message: string): void
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** The methods that every supervised thread serves. */
interface SupervisedMethods {
  /** Ends the thread. */
  close(...args: never[]): unknown
}

/** In milliseconds. */
export interface Pauses {
  readonly first: number
  readonly longest: number
  /** A thread that lived this long was well: the next restart is a quick one again. */
  readonly wellAfter: number
}

export class WorkerSupervisor<Theirs extends SupervisedMethods & Methods<Theirs>, Ready = unknown> {
  readonly #thread: SupervisedThread<Ready>
  readonly #pauses: Pauses
  readonly #closed = new AbortController()
  #running: { readonly worker: Worker; readonly calls: ThreadCalls<Theirs> } | undefined
  #pause: number
  #restarts = 0
  #restarting: Promise<void> = Promise.resolve()
  #failure: string | undefined
  #closing: Promise<void> | undefined

  constructor(thread: SupervisedThread<Ready>, pauses: Pauses = { first: 200, longest: 30_000, wellAfter: 60_000 }) {
    this.#thread = thread
    this.#pauses = pauses
    this.#pause = pauses.first
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  get restarts(): number {
    return this.#restarts
  }

  /** Why it is not running; undefined while it is. */
  get failure(): string | undefined {
    return this.#failure
  }

  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Resolves when the thread can be used. */
  start(): Promise<void> {
    const { begin, methods, log, sentences, onReady, startFailure } = this.#thread
    const worker = begin()
    const began = performance.now()
    let reason: Error | undefined
    return new Promise((resolve, reject) => {
      const supervisorMethods: SupervisorMethods<Ready> = {
        ready: (value) => {
          this.#running = { worker, calls }
          this.#failure = undefined
          onReady?.(value)
          resolve()
        },
        broken: (failure) => {
          const error = errorOf(failure)
          reason = startFailure?.(error) ?? error
        },
        log: (level, fields, message) => log[level](fields, message),
      }
      const calls = new ThreadCalls<Theirs>(worker, { ...methods, ...supervisorMethods })
      worker.on('error', (error) => {
        reason ??= error instanceof Error ? error : new Error(String(error))
      })
      worker.on('exit', () => {
        const death = reason ?? new Error(sentences.ended)
        calls.end(this.#thread.away(death.message))
        if (this.#running?.worker !== worker) return reject(death)
        if (performance.now() - began > this.#pauses.wellAfter) this.#pause = this.#pauses.first
        this.#bury(death)
      })
    })
  }

  call<Name extends keyof Theirs & string>(
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    const { name: thread, away } = this.#thread
    if (this.#closing) return Promise.reject(away('the service is stopping'))
    if (!this.#running) return Promise.reject(away(this.#failure ?? `${thread} has not started`))
    return this.#running.calls.call(name, args)
  }

  /** A call that nobody waits for; false when there is no thread to take it. */
  tell<Name extends keyof Theirs & string>(
    name: Name,
    args: Parameters<Theirs[Name]>,
    transfer: readonly Transferable[] = [],
  ): boolean {
    this.#running?.calls.tell(name, args, transfer)
    return this.#running !== undefined
  }

  /** Ends the thread, by force when it has not ended `timeLimit` milliseconds after it was asked to. */
  close(args: Parameters<Theirs['close']>, timeLimit: number, onLate: () => void = () => {}): Promise<void> {
    this.#closing ??= this.#close(args, timeLimit, onLate)
    return this.#closing
  }

  async #close(args: Parameters<Theirs['close']>, timeLimit: number, onLate: () => void): Promise<void> {
    this.#closed.abort()
    await this.#restarting
    if (!this.#running) return
    const { worker, calls } = this.#running
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    calls.tell('close', args)
    const inTime = new AbortController()
    const deadline = wait(timeLimit, 'late', { signal: inTime.signal }).catch(() => 'in time')
    const outcome = await Promise.race([ended, deadline])
    inTime.abort()
    if (outcome !== 'late') return
    onLate()
    await worker.terminate()
  }

  #bury(death: Error): void {
    const { name, sentences, log, onDeath } = this.#thread
    this.#running = undefined
    onDeath?.()
    if (this.#closing) return
    this.#failure = `${name} died: ${death.message}`
    log.error({ err: death }, sentences.died)
    this.#restarting = this.#restart()
  }

  async #restart(): Promise<void> {
    const { name, sentences, log, onBack } = this.#thread
    while (!this.#closing) {
      const pause = this.#pause
      this.#pause = Math.min(pause * 2, this.#pauses.longest)
      const interrupted = await wait(pause, false, { signal: this.#closed.signal }).catch(() => true)
      if (interrupted) return
      this.#restarts++
      try {
        await this.start()
        onBack?.()
        log.info({ restarts: this.#restarts }, sentences.back)
        return
      } catch (error) {
        this.#failure = `${name} cannot start: ${error instanceof Error ? error.message : String(error)}`
        log.error({ err: error, retryIn: this.#pause }, sentences.cannotStart)
      }
    }
  }
}

/** A thread from its file in this folder. */
export function beginThread(file: string, workerData: unknown, transferList: Transferable[] = []): Worker {
  // From sources (under the test runner) it runs as built: a worker thread loads plain JavaScript only.
  const folder = import.meta.url.endsWith('.ts') ? '../../dist/worker/' : './'
  const resourceLimits = { maxOldGenerationSizeMb: 384 }
  return new Worker(new URL(`${folder}${file}`, import.meta.url), { workerData, transferList, resourceLimits })
}
