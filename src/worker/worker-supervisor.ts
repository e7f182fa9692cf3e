/**
 * Supervises a worker thread: starts it, restarts it with exponential backoff when it dies, and stops it in time.
 * Pending calls of a dead thread are rejected. Does not know what the thread does.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Transferable, Worker } from 'node:worker_threads'
import type { Logger } from '../lib/logger.js'
import { errorOf, type Failure, type Methods, ThreadCalls } from './thread-calls.js'

export interface SupervisedThread<Ready> {
  /** Name of the thread in error messages. */
  readonly name: string
  readonly sentences: {
    /** The reason if the thread gave none. */
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
  /** Turns a start error into a readable one. */
  readonly startFailure?: (error: Error) => Error
  /** The error for callers while no thread is running. */
  readonly away: (reason: string) => Error
  readonly onDeath?: () => void
  readonly onBack?: () => void
}

/** The methods that every supervised thread may call. */
export interface SupervisorMethods<Ready = unknown> {
  /** The thread is ready. */
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
  readonly max: number
  /** A thread that ran this long was healthy: the next restart is a quick one again. */
  readonly healthyAfter: number
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
  #started: Promise<void> | undefined

  constructor(thread: SupervisedThread<Ready>, pauses: Pauses = { first: 200, max: 30_000, healthyAfter: 60_000 }) {
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

  /** Why it is not running; undefined while it runs. */
  get failure(): string | undefined {
    return this.#failure
  }

  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Resolves when the thread is ready. */
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
        if (performance.now() - began > this.#pauses.healthyAfter) this.#pause = this.#pauses.first
        this.#bury(death)
      })
    })
  }

  /** Starts a thread that not every service needs, at the first call. After a failed start, the next caller retries. */
  async startOnce(): Promise<void> {
    this.#started ??= this.start()
    try {
      await this.#started
    } catch (error) {
      this.#started = undefined
      throw this.#thread.away(error instanceof Error ? error.message : String(error))
    }
  }

  call<Name extends keyof Theirs & string>(
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    return this.callWith([], name, ...args)
  }

  /** A call whose arguments contain ports or buffers to transfer. */
  callWith<Name extends keyof Theirs & string>(
    transfer: readonly Transferable[],
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    const { name: thread, away } = this.#thread
    if (this.#closing) return Promise.reject(away('the service is stopping'))
    if (!this.#running) return Promise.reject(away(this.#failure ?? `${thread} has not started`))
    return this.#running.calls.call(name, args, transfer)
  }

  /** A call without a result; returns false if no thread is running. */
  tell<Name extends keyof Theirs & string>(
    name: Name,
    args: Parameters<Theirs[Name]>,
    transfer: readonly Transferable[] = [],
  ): boolean {
    this.#running?.calls.tell(name, args, transfer)
    return this.#running !== undefined
  }

  /** Stops the thread, and terminates it if it has not ended after `timeLimit` milliseconds. */
  close(args: Parameters<Theirs['close']>, timeLimit: number, onLate: () => void = () => {}): Promise<void> {
    this.#closing ??= this.#close(args, timeLimit, onLate)
    return this.#closing
  }

  async #close(args: Parameters<Theirs['close']>, timeLimit: number, onLate: () => void): Promise<void> {
    this.#closed.abort()
    await this.#started?.catch(() => {})
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
      this.#pause = Math.min(pause * 2, this.#pauses.max)
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

/** Starts a thread from a file in this folder. `memory`: MiB of its heap. */
export function beginThread(
  file: string,
  workerData: unknown,
  transferList: Transferable[] = [],
  memory = 384,
): Worker {
  // Under the test runner (TypeScript sources) use the build: worker threads load plain JavaScript only.
  const folder = import.meta.url.endsWith('.ts') ? '../../dist/worker/' : './'
  const resourceLimits = { maxOldGenerationSizeMb: memory }
  return new Worker(new URL(`${folder}${file}`, import.meta.url), { workerData, transferList, resourceLimits })
}
