/**
 * The main thread's handle on the thread that renders pictures of QR codes: a large PNG keeps a core busy for tenths of a
 * second, and redirects must not wait for it. It starts with the first picture.
 */
import type { Drawing } from '../core/qr-design/drawing.js'
import { Refusal } from '../core/values/refusal.js'
import type { Closable } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'
import type { PictureRenderer } from '../storage/qr-images/qr-images.js'
import { beginThread, WorkerSupervisor } from './worker-supervisor.js'

/** The methods of the thread. */
export interface QrImageThreadMethods {
  png(svg: string): Uint8Array
  pdf(drawing: Drawing, size: number): Uint8Array
  close(): void
}

/** Time to finish a picture. */
const closingGrace = 2_000

export class QrImageThread implements PictureRenderer, Closable {
  readonly #supervisor: WorkerSupervisor<QrImageThreadMethods>

  constructor(log: Logger) {
    this.#supervisor = new WorkerSupervisor<QrImageThreadMethods>({
      name: 'the QR image thread',
      sentences: {
        ended: 'The QR image thread ended unexpectedly.',
        died: 'QR image thread died; pictures fail until it is running again',
        cannotStart: 'cannot start the QR image thread',
        back: 'QR image thread is running again',
      },
      log,
      away,
      begin: () => beginThread('qr-image-worker.js', undefined),
    })
  }

  async png(svg: string): Promise<Uint8Array> {
    await this.#supervisor.startOnce()
    return this.#supervisor.call('png', svg)
  }

  async pdf(drawing: Drawing, size: number): Promise<Uint8Array> {
    await this.#supervisor.startOnce()
    return this.#supervisor.call('pdf', drawing, size)
  }

  async close(): Promise<void> {
    await this.#supervisor.close([], closingGrace)
  }
}

function away(reason: string): Refusal {
  const message = `Pictures are not available at the moment (${reason}). Try again in a few seconds.`
  return new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 1 })
}
