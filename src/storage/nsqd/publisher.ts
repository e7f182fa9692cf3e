/**
 * Publishes to external daemons. The position advances only after the daemons have confirmed all messages: at least
 * once, none skipped. It knows neither the journal nor the content of messages.
 */

import type { JournalPosition } from '../../core/clicks/journal.js'
import type { Publisher } from '../../core/stream/click-messages.js'
import type { Batch } from '../../core/stream/messages.js'
import type { Clock } from '../../core/values/time.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import type { CursorFile } from './cursor-file.js'
import type { Daemon } from './daemon.js'

export interface PublisherDeps {
  readonly daemons: readonly Daemon[]
  readonly cursors: CursorFile
  readonly clock: Clock
  /** Whether to publish this many messages of a topic; skipped ones count as published. */
  readonly takes: (topic: string, messages: number) => boolean
  /** Called when a daemon did not confirm and another one is tried. */
  readonly onFailure: (daemon: string, error: unknown) => void
}

// nsqd accepts 5 MiB per batch unless configured lower. This is far below, and still thousands of clicks.
const maxBatchBytes = 1024 * 1024
// How long a failed daemon is avoided while there are others.
const cooldown = 5_000

export class NsqdPublisher implements Publisher {
  readonly #deps: PublisherDeps
  readonly #restingUntil = new Map<Daemon, number>()
  #turn = 0

  constructor(deps: PublisherDeps) {
    this.#deps = deps
  }

  async position(journalId: string): Promise<number> {
    return this.#deps.cursors.get(journalId)
  }

  /**
   * Publishes all batches and saves the position. After a rejection some may have been published; all will be published
   * again.
   */
  async publish(batches: readonly Batch[], { journalId, row }: JournalPosition): Promise<void> {
    await this.send(batches)
    this.#deps.cursors.set(journalId, row)
  }

  /** Publishes messages of a source that keeps its own position. */
  async send(batches: readonly Batch[]): Promise<void> {
    for (const [topic, messages] of batches) {
      if (!this.#deps.takes(topic, messages.length)) continue
      for (const piece of batchesOf(messages)) await this.#publish(topic, piece)
    }
  }

  close(): void {
    for (const daemon of this.#deps.daemons) daemon.close()
  }

  /**
   * Round-robin, so that each daemon has the topic and its channels before it is needed alone. A failed daemon is
   * avoided for a while, but tried when no other confirms.
   */
  async #publish(topic: string, messages: readonly Buffer[]): Promise<void> {
    const failures: unknown[] = []
    for (const daemon of this.#inTurn()) {
      try {
        await daemon.publish(topic, messages)
        this.#restingUntil.delete(daemon)
        return
      } catch (error) {
        failures.push(error)
        this.#restingUntil.set(daemon, this.#deps.clock.now() + cooldown)
        this.#deps.onFailure(daemon.name, error)
      }
    }
    const reasons = failures.map(messageOf)
    throw new OperatorError(`No nsqd has confirmed the messages. ${reasons.join(' ')}`)
  }

  #inTurn(): readonly Daemon[] {
    const { daemons, clock } = this.#deps
    const first = this.#turn++ % daemons.length
    const ordered = [...daemons.slice(first), ...daemons.slice(0, first)]
    const resting = (daemon: Daemon) => (this.#restingUntil.get(daemon) ?? 0) > clock.now()
    return [...ordered.filter((daemon) => !resting(daemon)), ...ordered.filter(resting)]
  }
}

/** Splits the messages into batches that a daemon accepts. */
function* batchesOf(messages: readonly Buffer[]): Generator<readonly Buffer[]> {
  let piece: Buffer[] = []
  let size = 0
  for (const message of messages) {
    if (piece.length > 0 && size + message.length + 4 > maxBatchBytes) {
      yield piece
      piece = []
      size = 0
    }
    piece.push(message)
    size += message.length + 4
  }
  if (piece.length > 0) yield piece
}
