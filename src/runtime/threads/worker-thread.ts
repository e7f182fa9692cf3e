/**
 * A thread that serves the methods of a module (worker-host.ts) as long as the service runs. It is restarted with exponential
 * backoff when it dies, and its pending calls are rejected. Does not know what the thread does.
 */

import { setTimeout as wait } from 'node:timers/promises'
import type { Transferable, Worker } from 'node:worker_threads'
import { Refusal } from '../../core/values/refusal.js'
import type { Closable } from '../../lib/closing.js'
import type { LogLevel } from '../../lib/logger.js'
import { messageOf } from '../../lib/message-of.js'
import { passOn } from '../../lib/pass-on.js'
import type { HostOwner } from './host-messages.js'
import { errorOf, type Failure, type Methods, type Remote, ThreadCalls } from './thread-calls.js'

export interface WorkerThreadOptions {
  /** In the log, such as `list thread`. */
  readonly name: string
  /** Starts a new thread (start-module.ts). */
  readonly begin: () => Worker
  /** For its callers while it is not running, such as `Lists are not available at the moment`. */
  readonly unavailable: string
  /** For the log: what happens while it is not running. */
  readonly meanwhile: string
  readonly log: Readonly<Record<LogLevel, (fields: object, message: string) => void>>
  /** Seconds until callers may try again. */
  readonly retryAfter?: number
  /** Milliseconds to finish work when it is closed; then it is terminated. */
  readonly closingTime?: number
  /** The methods that the thread may call. */
  readonly owner?: object
  /** Turns a start error into a readable one. */
  readonly startFailure?: (error: Error) => Error
  readonly onDeath?: () => void
  readonly onBack?: () => void
}

/** In milliseconds. */
export interface Pauses {
  readonly first: number
  readonly max: number
  /** A thread that ran this long was healthy: the next restart is a quick one again. */
  readonly healthyAfter: number
}

export class WorkerThread<Served extends Methods<Served>> implements Closable {
  /** The methods of the module. The first call starts the thread, if nobody did. */
  readonly methods = passOn<Remote<Served>>((name, args) => this.call(name, args as Parameters<Served[typeof name]>))
  readonly #options: WorkerThreadOptions
  readonly #pauses: Pauses
  readonly #closed = new AbortController()
  #running: { readonly worker: Worker; readonly calls: ThreadCalls<Served> } | undefined
  #pause: number
  #restarts = 0
  #restarting: Promise<void> = Promise.resolve()
  #failure: string | undefined
  #closing: Promise<void> | undefined
  #started: Promise<void> | undefined

  constructor(options: WorkerThreadOptions, pauses: Pauses = { first: 200, max: 30_000, healthyAfter: 60_000 }) {
    this.#options = options
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

  /** Resolves when the thread is ready. If it cannot start, the next caller tries again. */
  start(): Promise<void> {
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined
      throw error
    })
    return this.#started
  }

  /** As one of `methods`, with ports or buffers to transfer. */
  async call<Name extends keyof Served & string>(
    name: Name,
    args: Parameters<Served[Name]>,
    transfer: readonly Transferable[] = [],
  ): Promise<Awaited<ReturnType<Served[Name]>>> {
    if (this.#closing) throw this.away('the service is stopping')
    if (!this.#running && this.#failure === undefined) {
      await this.start().catch((error: unknown) => {
        throw this.away(messageOf(error))
      })
    }
    if (!this.#running) throw this.away(this.#failure ?? 'the service is stopping')
    return this.#running.calls.call(name, args, transfer)
  }

  /** A call without a result; returns false if no thread is running. */
  tell<Name extends keyof Served & string>(
    name: Name,
    args: Parameters<Served[Name]>,
    transfer: readonly Transferable[] = [],
  ): boolean {
    this.#running?.calls.tell(name, args, transfer)
    return this.#running !== undefined
  }

  /** The error for callers while it is not running. */
  away(reason: string): Refusal {
    const { unavailable, retryAfter = 1 } = this.#options
    const message = `${unavailable} (${reason}). Try again in a few seconds.`
    return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter })
  }

  /** Stops the thread. The arguments are for the `close` of its module. */
  close(timeLimit = this.#options.closingTime ?? 5_000, ...args: readonly unknown[]): Promise<void> {
    this.#closing ??= this.#close(timeLimit, args)
    return this.#closing
  }

  #begin(): Promise<void> {
    const { name, begin, owner, log, startFailure } = this.#options
    const worker = begin()
    const began = performance.now()
    let reason: Error | undefined
    return new Promise((resolve, reject) => {
      const hostOwner: HostOwner = {
        ready: () => {
          this.#running = { worker, calls }
          this.#failure = undefined
          resolve()
        },
        broken: (failure: Failure) => {
          const error = errorOf(failure)
          reason = startFailure?.(error) ?? error
        },
        log: (level, fields, message) => log[level](fields, message),
      }
      const calls = new ThreadCalls<Served>(worker, { ...owner, ...hostOwner })
      worker.on('error', (error) => {
        reason ??= error instanceof Error ? error : new Error(String(error))
      })
      worker.on('exit', () => {
        const death = reason ?? new Error(`The ${name} ended unexpectedly.`)
        calls.end(this.away(death.message))
        if (this.#running?.worker !== worker) return reject(death)
        if (performance.now() - began > this.#pauses.healthyAfter) this.#pause = this.#pauses.first
        this.#bury(death)
      })
    })
  }

  async #close(timeLimit: number, args: readonly unknown[]): Promise<void> {
    const { name, log } = this.#options
    this.#closed.abort()
    await this.#started?.catch(() => {})
    await this.#restarting
    if (!this.#running) return
    const { worker, calls } = this.#running
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    calls.close(...args)
    const inTime = new AbortController()
    const deadline = wait(timeLimit, 'late', { signal: inTime.signal }).catch(() => 'in time')
    const outcome = await Promise.race([ended, deadline])
    inTime.abort()
    if (outcome !== 'late') return
    log.warn({ timeLimit }, `${name} did not close in time`)
    await worker.terminate()
  }

  #bury(death: Error): void {
    const { name, meanwhile, log, onDeath } = this.#options
    this.#running = undefined
    onDeath?.()
    if (this.#closing) return
    this.#failure = `the ${name} died: ${death.message}`
    log.error({ err: death }, `${name} died; ${meanwhile}`)
    this.#restarting = this.#restart()
  }

  async #restart(): Promise<void> {
    const { name, log, onBack } = this.#options
    while (!this.#closing) {
      const pause = this.#pause
      this.#pause = Math.min(pause * 2, this.#pauses.max)
      const interrupted = await wait(pause, false, { signal: this.#closed.signal }).catch(() => true)
      if (interrupted) return
      this.#restarts++
      try {
        await this.#begin()
        onBack?.()
        log.info({ restarts: this.#restarts }, `${name} is running again`)
        return
      } catch (error) {
        this.#failure = `the ${name} cannot start: ${messageOf(error)}`
        log.error({ err: error, retryIn: this.#pause }, `cannot start the ${name}`)
      }
    }
  }
}
