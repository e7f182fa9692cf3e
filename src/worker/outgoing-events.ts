/** Runs the publisher of events while a webhook wants them. In the main thread, which has the database. */
import { setTimeout as wait } from 'node:timers/promises'
import type { EventPublisher } from '../core/webhooks/publish-events.js'
import type { Closable } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'

const pollInterval = 500
const retryInterval = 5_000

export class OutgoingEvents implements Closable {
  readonly #publisher: Pick<EventPublisher, 'poll'>
  readonly #log: Logger
  #over: AbortController | undefined
  #done: Promise<void> = Promise.resolve()

  constructor(publisher: Pick<EventPublisher, 'poll'>, log: Logger) {
    this.#publisher = publisher
    this.#log = log
  }

  /** Whether a webhook wants events at the moment. */
  setWanted(isWanted: boolean): void {
    if (isWanted === (this.#over !== undefined)) return
    this.#over?.abort()
    this.#over = isWanted ? new AbortController() : undefined
    if (this.#over) this.#done = this.#run(this.#over.signal)
  }

  async close(): Promise<void> {
    this.setWanted(false)
    await this.#done
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const pause = await this.#publisher.poll().then(
        () => pollInterval,
        (err: unknown) => {
          this.#log.warn({ err }, 'cannot publish events for webhooks; they wait in the database')
          return retryInterval
        },
      )
      const isOver = await wait(pause, false, { signal, ref: false }).catch(() => true)
      if (isOver) return
    }
  }
}
