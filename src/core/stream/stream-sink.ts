/** The stream as one of the places that clicks go to. Who publishes, here or on other machines, is handed in. */
import type { Click } from '../clicks/click.js'
import type { ClickSink } from '../clicks/click-log.js'
import type { JournalPosition } from '../clicks/journal.js'
import type { Batch } from './batches.js'
import type { ClickMessages } from './click-messages.js'

export interface Publisher {
  /** The last journal row that was published; 0 before the first. */
  position(journalId: string): Promise<number>
  /** Resolves when all messages are safe, and with them the position. */
  publish(batches: readonly Batch[], upTo: JournalPosition): Promise<void>
}

export class StreamSink implements ClickSink {
  readonly #messages: Pick<ClickMessages, 'batchesOf'>
  readonly #publisher: Publisher

  constructor(messages: Pick<ClickMessages, 'batchesOf'>, publisher: Publisher) {
    this.#messages = messages
    this.#publisher = publisher
  }

  cursor(journalId: string): Promise<number> {
    return this.#publisher.position(journalId)
  }

  async append(clicks: readonly Click[], upTo: JournalPosition): Promise<void> {
    await this.#publisher.publish(await this.#messages.batchesOf(clicks), upTo)
  }
}
