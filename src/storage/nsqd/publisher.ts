/**
 * Publishes to real daemons. Messages belong to the stream once daemons have confirmed all of them, and only then does
 * the position move: at least once, and none is left out. It knows neither the journal nor what a message looks like.
 */
import type { JournalPosition } from '../../core/clicks/journal.js'
import type { Batch } from '../../core/stream/batches.js'
import type { Publisher } from '../../core/stream/stream-sink.js'
import type { Clock } from '../../core/values/clock.js'
import { OperatorError } from '../../lib/operator-error.js'
import type { CursorFile } from './cursor-file.js'
import type { Daemon } from './daemon.js'

export interface PublisherDeps {
  readonly daemons: readonly Daemon[]
  readonly cursors: CursorFile
  readonly clock: Clock
  /** Whether so many messages of a topic are to be published; those that are not count as published. */
  readonly takes: (topic: string, messages: number) => boolean
  /** Called when a daemon did not confirm and another one is asked. */
  readonly onFailure: (daemon: string, error: unknown) => void
}

// nsqd takes 5 MiB in one batch, unless its operator allows less. Our choice: far from that, and still thousands of
// clicks.
const largestBatch = 1024 * 1024
// Our choice: how long a daemon that failed is left alone while there are others.
const rest = 5_000

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

  /** All of them and the position, or a rejection after which some may have been published and all will be again. */
  async publish(batches: readonly Batch[], { journalId, row }: JournalPosition): Promise<void> {
    await this.send(batches)
    this.#deps.cursors.set(journalId, row)
  }

  /** Messages alone, of a source that keeps its position by itself. */
  async send(batches: readonly Batch[]): Promise<void> {
    for (const [topic, messages] of batches) {
      if (!this.#deps.takes(topic, messages.length)) continue
      for (const piece of pieces(messages)) await this.#publish(topic, piece)
    }
  }

  close(): void {
    for (const daemon of this.#deps.daemons) daemon.close()
  }

  /**
   * Our choice: daemons take turns, so that each has the topic and its channels before it is needed alone. One that
   * failed is left out for a while, and asked all the same when no other confirms.
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
        this.#restingUntil.set(daemon, this.#deps.clock.now() + rest)
        this.#deps.onFailure(daemon.name, error)
      }
    }
    const reasons = failures.map((error) => (error instanceof Error ? error.message : String(error)))
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

/** The same messages in pieces that a daemon takes at once. */
function* pieces(messages: readonly Buffer[]): Generator<readonly Buffer[]> {
  let piece: Buffer[] = []
  let size = 0
  for (const message of messages) {
    if (piece.length > 0 && size + message.length + 4 > largestBatch) {
      yield piece
      piece = []
      size = 0
    }
    piece.push(message)
    size += message.length + 4
  }
  if (piece.length > 0) yield piece
}
