/** Deletes attempts and failed events that are too old (docs/api/webhooks.md#delivery-log). Several processes may do it. */
import type { Closable } from '../../lib/closing.js'
import type { Clock } from '../values/time.js'
import type { WebhookStore } from './webhook-store.js'

export interface OldDeliveriesDeps {
  readonly webhookStore: Pick<WebhookStore, 'deleteOld'>
  readonly clock: Clock
  /** Called when they cannot be deleted; tried again an hour later. */
  readonly onFailure: (error: unknown) => void
}

const keptFor = 7 * 24 * 3_600_000
const interval = 3_600_000
// One transaction of SQLite blocks the event loop, so it deletes few rows.
const deletedAtOnce = 500

export class OldDeliveries implements Closable {
  readonly #deps: OldDeliveriesDeps
  #timer: NodeJS.Timeout | undefined
  #underWay: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(deps: OldDeliveriesDeps) {
    this.#deps = deps
  }

  /** Deletes now and every hour, until `close`. */
  start(): void {
    this.#underWay = this.#delete()
    this.#timer = setInterval(() => {
      this.#underWay = this.#delete()
    }, interval).unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#underWay
  }

  async #delete(): Promise<void> {
    try {
      const before = this.#deps.clock.now() - keptFor
      let deleted = deletedAtOnce
      while (deleted === deletedAtOnce && !this.#isClosed) {
        deleted = await this.#deps.webhookStore.deleteOld(before, deletedAtOnce)
      }
    } catch (error) {
      this.#deps.onFailure(error)
    }
  }
}
