/** Delivers clicks to the stream. The publisher is injected: in this process, or daemons on other machines. */
import type { Click } from '../clicks/click.js'
import type { ClickSink } from '../clicks/click-log.js'
import type { JournalPosition } from '../clicks/journal.js'
import type { Batch } from './batches.js'
import type { ClickMessages } from './click-messages.js'

export interface Publisher {
  /** The last published journal row; 0 before the first. */
  position(journalId: string): Promise<number>
  /** Resolves when all messages and the position are persisted. */
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
