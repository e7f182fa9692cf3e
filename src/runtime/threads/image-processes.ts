/**
 * Decodes pictures in child processes: one for each picture, a few at a time. A picture that crashes its decoder, or keeps
 * it busy for too long, costs nobody else anything; and the decoder sees neither the secrets in the environment of the
 * service nor its memory.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ImageType } from '../../core/images/image.js'
import type { EncodeOutcome, ImageEncoder } from '../../core/images/image-encoder.js'
import { Refusal } from '../../core/values/refusal.js'
import type { Closable } from '../../lib/closing.js'
import { installation } from '../../lib/installation.js'
import type { Logger } from '../../lib/logger.js'
import { Places } from '../../lib/places.js'
import type { ImageJob } from './image-worker.js'

export interface ImageProcessOptions {
  readonly maxRunning?: number
  readonly maxWaiting?: number
  /** Milliseconds for one picture. */
  readonly timeout?: number
}

// At most 40 MB wait. The largest picture takes a second or two on an idle core, so a longer time means it is stuck.
const defaults = { maxRunning: 2, maxWaiting: 8, timeout: 20_000 }

export class ImageProcesses implements ImageEncoder, Closable {
  readonly #log: Logger
  readonly #running = new Set<ChildProcess>()
  readonly #options: Required<ImageProcessOptions>
  readonly #places: Places
  #isClosed = false

  constructor(log: Logger, options: ImageProcessOptions = {}) {
    this.#log = log
    this.#options = { ...defaults, ...options }
    this.#places = new Places(this.#options.maxRunning)
  }

  encode(bytes: Uint8Array, type: ImageType): Promise<EncodeOutcome> {
    return this.#inTurn({ task: 'encode', bytes, type })
  }

  draw(bytes: Uint8Array, type: ImageType, side: number): Promise<EncodeOutcome> {
    return this.#inTurn({ task: 'draw', bytes, type, side })
  }

  async #inTurn(job: ImageJob): Promise<EncodeOutcome> {
    if (this.#places.waiting >= this.#options.maxWaiting) throw unavailable('Too many images are being uploaded')
    await this.#places.enter()
    try {
      return await this.#run(job)
    } finally {
      this.#places.leave()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const child of this.#running) child.kill('SIGKILL')
  }

  #run(job: ImageJob): Promise<EncodeOutcome> {
    if (this.#isClosed) return Promise.reject(unavailable('The service is stopping'))
    const child = fork(worker, [], { env: environment, execArgv: [], serialization: 'advanced', stdio: 'ignore' })
    this.#running.add(child)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        resolve({ fault: 'too-much-work' })
        child.kill('SIGKILL')
      }, this.#options.timeout)
      child.once('message', (outcome) => resolve(outcome as EncodeOutcome))
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        clearTimeout(timer)
        this.#running.delete(child)
        // Nothing happens here when it has answered.
        if (this.#isClosed) return reject(unavailable('The service is stopping'))
        resolve({ fault: 'broken' })
        if (code !== 0) this.#log.warn({ code, signal }, 'the decoder of an image crashed or was stopped')
      })
      // A child that ended before it read everything tells by its exit.
      child.send(job, () => {})
    })
  }
}

function unavailable(reason: string): Refusal {
  return new Refusal('TEMPORARILY_UNAVAILABLE', `${reason}. Try again in a few seconds.`, { retryAfter: 5 })
}

/** As built, like the worker threads. */
const worker = fileURLToPath(new URL('dist/runtime/threads/image-worker.js', installation))

/** Windows starts no program without the first. */
const { SystemRoot } = process.env
const environment = { ...(SystemRoot !== undefined && { SystemRoot }), UV_THREADPOOL_SIZE: '1' }
