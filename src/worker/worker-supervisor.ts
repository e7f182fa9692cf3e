/**
 * Keeps a worker thread running: starts it, starts it again with growing pauses when it dies, and ends it in time. Calls
 * that nobody will answer any more are refused. What the thread does and what its messages mean is its owner's to know.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type Transferable, Worker } from 'node:worker_threads'
import type { Logger } from '../lib/logger.js'

export interface SupervisedThread<Report> {
  /** What it is called where somebody is told why there is no answer. */
  readonly name: string
  readonly sentences: {
    /** The reason where the thread gave none. */
    readonly ended: string
    readonly died: string
    readonly cannotStart: string
    readonly back: string
  }
  readonly log: Logger
  /** A new thread. */
  readonly begin: () => Worker
  /** Answers `ready` for the report that the thread can be used, and an error for the one that it cannot start. */
  readonly hear: (report: Report, worker: Worker) => 'ready' | Error | undefined
  /** What a caller is told while there is no thread. */
  readonly away: (reason: string) => Error
  readonly onDeath?: () => void
  /** Called when it was started again. */
  readonly onBack?: () => void
}

/** In milliseconds. */
export interface Pauses {
  readonly first: number
  readonly longest: number
  /** A thread that lived this long was well: the next restart is a quick one again. */
  readonly wellAfter: number
}

export class WorkerSupervisor<Report> {
  readonly #thread: SupervisedThread<Report>
  readonly #pauses: Pauses
  readonly #calls = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>()
  readonly #closed = new AbortController()
  #worker: Worker | undefined
  #lastCall = 0
  #pause: number
  #restarts = 0
  #restarting: Promise<void> = Promise.resolve()
  #failure: string | undefined
  #closing: Promise<void> | undefined

  constructor(thread: SupervisedThread<Report>, pauses: Pauses = { first: 200, longest: 30_000, wellAfter: 60_000 }) {
    this.#thread = thread
    this.#pauses = pauses
    this.#pause = pauses.first
  }

  /** Undefined while there is none that can be used. */
  get worker(): Worker | undefined {
    return this.#worker
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
    const { begin, hear, sentences } = this.#thread
    const worker = begin()
    const began = performance.now()
    let reason: Error | undefined
    return new Promise((resolve, reject) => {
      worker.on('message', (report: Report) => {
        const news = hear(report, worker)
        if (news instanceof Error) reason = news
        if (news !== 'ready') return
        this.#worker = worker
        this.#failure = undefined
        resolve()
      })
      worker.on('error', (error) => {
        reason ??= error instanceof Error ? error : new Error(String(error))
      })
      worker.on('exit', () => {
        const death = reason ?? new Error(sentences.ended)
        if (this.#worker !== worker) return reject(death)
        if (performance.now() - began > this.#pauses.wellAfter) this.#pause = this.#pauses.first
        this.#bury(death)
      })
    })
  }

  /** Sends what `message` makes of the call's number, and resolves when `answer` is given that number. */
  ask(message: (call: number) => unknown): Promise<unknown> {
    const { name, away } = this.#thread
    const worker = this.#worker
    if (this.#closing) return Promise.reject(away('the service is stopping'))
    if (!worker) return Promise.reject(away(this.#failure ?? `${name} has not started`))
    const call = ++this.#lastCall
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject })
      worker.postMessage(message(call))
    })
  }

  /** A call that nobody waits for is no mistake: it was refused when an earlier thread died. */
  answer(call: number, answer: unknown): void {
    this.#calls.get(call)?.resolve(answer)
    this.#calls.delete(call)
  }

  refuse(call: number, reason: Error): void {
    this.#calls.get(call)?.reject(reason)
    this.#calls.delete(call)
  }

  /** Ends the thread, by force when it has not ended `timeLimit` milliseconds after it was asked to. */
  close(askToEnd: (worker: Worker) => void, timeLimit: number, onLate: () => void = () => {}): Promise<void> {
    this.#closing ??= this.#close(askToEnd, timeLimit, onLate)
    return this.#closing
  }

  async #close(askToEnd: (worker: Worker) => void, timeLimit: number, onLate: () => void): Promise<void> {
    this.#closed.abort()
    await this.#restarting
    const worker = this.#worker
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    askToEnd(worker)
    const inTime = new AbortController()
    const deadline = wait(timeLimit, 'late', { signal: inTime.signal }).catch(() => 'in time')
    const outcome = await Promise.race([ended, deadline])
    inTime.abort()
    if (outcome !== 'late') return
    onLate()
    await worker.terminate()
  }

  #bury(death: Error): void {
    const { name, sentences, log, away, onDeath } = this.#thread
    this.#worker = undefined
    onDeath?.()
    for (const { reject } of this.#calls.values()) reject(away(death.message))
    this.#calls.clear()
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
