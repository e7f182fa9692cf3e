/**
 * A channel: its own place in the log, what it has handed out, and the consumers that share it. Each message goes to one
 * of them, and comes back when it is requeued or not answered in time. Nothing here waits: consumers are asked whether
 * they want a message, and given it.
 */
import type { Block } from './block.js'
import { type Outstanding, pack, unpack } from './channel-state.js'
import { Deliveries, type Mistake, type Owner } from './deliveries.js'
import { maxAttempts } from './frames.js'
import type { ChannelState } from './message-log.js'
import { isEphemeral } from './names.js'
import type { Totals } from './totals.js'

export interface Consumer extends Owner {
  readonly id: number
  /** Percent; 0 is everything. */
  readonly sampleRate: number
  wantsMessages(): boolean
  deliver(block: Block, position: number, attempts: number): void
  /** The channel has nothing more for it at this moment. */
  rest(): void
  /** The channel is gone. */
  drop(): void
}

/** What a channel needs to know of the topic it belongs to. */
export interface ChannelTopic {
  readonly head: number
  blockFrom(position: number): Block | undefined
  blockOf(position: number): Block | undefined
}

export interface ChannelSettings {
  readonly maxOutstanding: number
  readonly totals: Totals
}

interface Taken {
  readonly block: Block
  readonly position: number
  readonly attempts: number
}

/** Handed out in one go, before other connections have their turn. */
const atOnce = 256

export class Channel {
  readonly name: string
  readonly ephemeral: boolean
  /** Number of its row in the log; 0 for an ephemeral one, which has none. */
  readonly row: number
  readonly counts: { messages: number; requeues: number; timeouts: number; lost: number }
  readonly #topic: ChannelTopic
  readonly #settings: ChannelSettings
  readonly #consumers = new Map<number, Consumer>()
  readonly #deliveries = new Deliveries()
  /** The first message that was never handed out. */
  #next: number
  #block: Block | undefined
  /** Beyond `next`, and yet handed over to the deliveries: messages that were published with a delay. */
  readonly #ahead: Set<number>
  #againFirst = true
  #scheduled = false
  #closed = false
  #paused: boolean
  #changed = false

  constructor(topic: ChannelTopic, name: string, row: number, state: ChannelState, settings: ChannelSettings) {
    this.name = name
    this.ephemeral = isEphemeral(name)
    this.row = row
    this.counts = { messages: 0, requeues: 0, timeouts: 0, lost: state.lost }
    this.#topic = topic
    this.#settings = settings
    this.#next = state.next
    this.#paused = state.paused
    const { outstanding, ahead } = unpack(state.outstanding)
    this.#ahead = new Set(ahead)
    for (const message of outstanding) this.#deliveries.putBack(message)
  }

  get consumers(): readonly Consumer[] {
    return [...this.#consumers.values()]
  }

  /** Waiting: neither handed out nor deferred. */
  get depth(): number {
    return this.#topic.head + 1 - this.#next - this.#ahead.size + this.#deliveries.again
  }

  get inFlightCount(): number {
    return this.#deliveries.inFlight
  }

  get deferredCount(): number {
    return this.#deliveries.deferred
  }

  get paused(): boolean {
    return this.#paused
  }

  pause(paused: boolean): void {
    this.#paused = paused
    this.#changed = true
    this.wake()
  }

  add(consumer: Consumer): void {
    this.#consumers.set(consumer.id, consumer)
  }

  /** What it has in flight stays its own until it times out, as in nsqd: the messages may be finished already. */
  remove(consumer: Consumer): void {
    this.#consumers.delete(consumer.id)
  }

  published(block: Block): void {
    this.counts.messages += block.count
    if (block.deferredUntil > Date.now()) {
      this.#ahead.add(block.first)
      this.#putBack({ position: block.first, attempts: 0, until: block.deferredUntil })
    }
    this.wake()
  }

  /** Hands out what it can, once this turn of the event loop is over. */
  wake(): void {
    if (this.#scheduled || this.#closed || this.#paused || this.#consumers.size === 0) return
    this.#scheduled = true
    setImmediate(() => this.#pump())
  }

  finish(consumer: Consumer, position: number): Mistake | undefined {
    const taken = this.#deliveries.take(position, consumer)
    if (typeof taken === 'string') return taken
    this.#settings.totals.finished++
    this.#changed = true
    this.wake()
    return undefined
  }

  requeue(consumer: Consumer, position: number, delay: number): Mistake | undefined {
    const taken = this.#deliveries.take(position, consumer)
    if (typeof taken === 'string') return taken
    this.counts.requeues++
    this.#settings.totals.requeued++
    this.#putBack({ position, attempts: taken, until: delay === 0 ? 0 : Date.now() + delay })
    this.wake()
    return undefined
  }

  touch(consumer: Consumer, position: number, maxTimeout: number): Mistake | undefined {
    return this.#deliveries.touch(position, consumer, maxTimeout)
  }

  /** Takes back what was not answered in time, and what was deferred until now. */
  tick(now: number): void {
    const { late, due } = this.#deliveries.tick(now)
    if (late + due === 0) return
    this.counts.timeouts += late
    this.#settings.totals.timedOut += late
    this.#changed = true
    this.wake()
  }

  /** Everything before this position is finished. */
  get finishedBefore(): number {
    return this.#deliveries.lowest(this.#next)
  }

  /** The log no longer has what comes before this position: what was still waiting is lost, and counted. */
  expire(before: number): void {
    if (this.#next < before) {
      const handedOver = [...this.#ahead].filter((position) => position < before)
      for (const position of handedOver) this.#ahead.delete(position)
      this.#lose(before - this.#next - handedOver.length)
      this.#next = before
    }
    this.#lose(this.#deliveries.expire(before))
  }

  /** What is worth saving since the last time it was asked; undefined when nothing changed. */
  changes(): ChannelState | undefined {
    if (!this.#changed || this.ephemeral) return undefined
    this.#changed = false
    return this.state()
  }

  /** The changes could not be saved. */
  unsaved(): void {
    this.#changed = true
  }

  state(): ChannelState {
    const outstanding = pack({ outstanding: this.#deliveries.all(), ahead: [...this.#ahead] })
    return { next: this.#next, outstanding, lost: this.counts.lost, paused: this.#paused }
  }

  close(): void {
    this.#closed = true
    for (const consumer of this.consumers) consumer.drop()
    this.#consumers.clear()
  }

  #pump(): void {
    this.#scheduled = false
    if (this.#closed || this.#paused) return
    const left = this.#handOut(Date.now())
    this.#rotate()
    if (left === 0) this.wake()
    else for (const consumer of this.#consumers.values()) consumer.rest()
  }

  /** Round after round, one message for each consumer that wants one. Answers how many more it might have handed out. */
  #handOut(now: number): number {
    let left = atOnce
    for (let served = -1; served !== 0; ) {
      served = 0
      for (const consumer of this.#consumers.values()) {
        if (!consumer.wantsMessages()) continue
        const message = left > 0 ? this.#take(now) : undefined
        if (!message) return left
        served++
        left--
        this.#hand(consumer, message, now)
      }
    }
    return left
  }

  /** The one that was served first goes to the end, so that messages that come singly do not always find the same one. */
  #rotate(): void {
    const [first] = this.#consumers.values()
    if (!first || this.#consumers.size === 1) return
    this.#consumers.delete(first.id)
    this.#consumers.set(first.id, first)
  }

  #hand(consumer: Consumer, { block, position, attempts }: Taken, now: number): void {
    this.#changed = true
    // As in nsqd, what a sampling consumer does not get is gone for the channel.
    if (consumer.sampleRate > 0 && Math.random() * 100 >= consumer.sampleRate) return
    const tries = Math.min(attempts + 1, maxAttempts)
    this.#deliveries.hand(position, consumer, tries, now)
    this.#settings.totals.delivered++
    consumer.deliver(block, position, tries)
  }

  /** Those that come back and those that are new in turn, so that one that always fails cannot hold up the rest. */
  #take(now: number): Taken | undefined {
    this.#againFirst = !this.#againFirst
    return this.#againFirst ? (this.#takeAgain() ?? this.#takeNew(now)) : (this.#takeNew(now) ?? this.#takeAgain())
  }

  #takeAgain(): Taken | undefined {
    for (let message = this.#deliveries.nextAgain(); message; message = this.#deliveries.nextAgain()) {
      const { position, attempts } = message
      const block = this.#topic.blockOf(position)
      if (block) return { block, position, attempts }
      this.#lose(1)
    }
    return undefined
  }

  #takeNew(now: number): Taken | undefined {
    while (this.#next <= this.#topic.head && this.#deliveries.size < this.#settings.maxOutstanding) {
      const block = this.#blockAtNext()
      if (!block) return undefined
      const position = this.#next++
      if (this.#ahead.delete(position)) continue
      if (block.deferredUntil <= now) return { block, position, attempts: 0 }
      this.#putBack({ position, attempts: 0, until: block.deferredUntil })
    }
    return undefined
  }

  #blockAtNext(): Block | undefined {
    if (this.#block && this.#next >= this.#block.first && this.#next <= this.#block.last) return this.#block
    this.#block = this.#topic.blockFrom(this.#next)
    const first = this.#block?.first ?? this.#topic.head + 1
    if (first > this.#next) this.expire(first)
    return this.#block
  }

  #putBack(message: Outstanding): void {
    this.#changed = true
    this.#deliveries.putBack(message)
  }

  #lose(messages: number): void {
    if (messages === 0) return
    this.#changed = true
    this.counts.lost += messages
    this.#settings.totals.lost += messages
  }
}
