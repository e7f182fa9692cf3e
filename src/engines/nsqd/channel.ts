/**
 * A channel: a position in the topic's log, the unfinished messages, and the consumers that share them.
 * Each message goes to one consumer and is delivered again after a requeue or a timeout. Nothing here blocks: the
 * channel asks each consumer whether it wants a message.
 */
import type { Block } from './block.js'
import { Deliveries, type DeliveryError, type Outstanding, type Owner, pack, unpack } from './deliveries.js'
import { isEphemeral, maxAttempts } from './frames.js'
import type { ChannelState } from './message-log.js'
import type { Totals } from './options.js'

export interface Consumer extends Owner {
  readonly id: number
  /** Percent; 0 means no sampling. */
  readonly sampleRate: number
  wantsMessages(): boolean
  deliver(block: Block, position: number, attempts: number): void
  /** The channel has no more messages for now. */
  rest(): void
  /** The channel was deleted. */
  drop(): void
}

/** What a channel needs from its topic. */
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

/** Messages per pump, so that other connections get their turn. */
const maxPerPump = 256

export class Channel {
  readonly name: string
  readonly ephemeral: boolean
  /** Row id in the log; 0 for an ephemeral channel, which is not saved. */
  readonly row: number
  readonly counts: { messages: number; requeues: number; timeouts: number; lost: number }
  readonly #topic: ChannelTopic
  readonly #settings: ChannelSettings
  readonly #consumers = new Map<number, Consumer>()
  readonly #deliveries = new Deliveries()
  /** The first message that was never delivered. */
  #next: number
  #block: Block | undefined
  /** Positions at or after `next` that are already in the deliveries, because they were published with a delay. */
  readonly #ahead: Set<number>
  #requeuedFirst = true
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

  /** Messages waiting: neither in flight nor deferred. */
  get depth(): number {
    return this.#topic.head + 1 - this.#next - this.#ahead.size + this.#deliveries.requeued
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

  /** Its messages stay in flight until they time out, as in nsqd: the consumer may have finished processing them. */
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

  /** Delivers messages at the end of this event-loop turn. */
  wake(): void {
    if (this.#scheduled || this.#closed || this.#paused || this.#consumers.size === 0) return
    this.#scheduled = true
    setImmediate(() => this.#pump())
  }

  finish(consumer: Consumer, position: number): DeliveryError | undefined {
    const taken = this.#deliveries.take(position, consumer)
    if (typeof taken === 'string') return taken
    this.#settings.totals.finished++
    this.#changed = true
    this.wake()
    return undefined
  }

  requeue(consumer: Consumer, position: number, delay: number): DeliveryError | undefined {
    const taken = this.#deliveries.take(position, consumer)
    if (typeof taken === 'string') return taken
    this.counts.requeues++
    this.#settings.totals.requeued++
    this.#putBack({ position, attempts: taken, until: delay === 0 ? 0 : Date.now() + delay })
    this.wake()
    return undefined
  }

  touch(consumer: Consumer, position: number, maxTimeout: number): DeliveryError | undefined {
    return this.#deliveries.touch(position, consumer, maxTimeout)
  }

  /** Takes back messages that timed out and deferred messages that are due. */
  tick(now: number): void {
    const { late, due } = this.#deliveries.tick(now)
    if (late + due === 0) return
    this.counts.timeouts += late
    this.#settings.totals.timedOut += late
    this.#changed = true
    this.wake()
  }

  /** Every message before this position is finished. */
  get finishedBefore(): number {
    return this.#deliveries.lowest(this.#next)
  }

  /** The log has dropped all messages before this position; counts the waiting ones as lost. */
  expire(before: number): void {
    if (this.#next < before) {
      const alreadyTaken = [...this.#ahead].filter((position) => position < before)
      for (const position of alreadyTaken) this.#ahead.delete(position)
      this.#lose(before - this.#next - alreadyTaken.length)
      this.#next = before
    }
    this.#lose(this.#deliveries.expire(before))
  }

  /** The state to save, or undefined when nothing changed since the last call. */
  changes(): ChannelState | undefined {
    if (!this.#changed || this.ephemeral) return undefined
    this.#changed = false
    return this.state()
  }

  /** Saving failed: report the changes again next time. */
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
    const left = this.#deliverAll(Date.now())
    this.#rotate()
    if (left === 0) this.wake()
    else for (const consumer of this.#consumers.values()) consumer.rest()
  }

  /** Round-robin: one message per consumer that wants one. Returns how much of the budget is left. */
  #deliverAll(now: number): number {
    let left = maxPerPump
    for (let served = -1; served !== 0; ) {
      served = 0
      for (const consumer of this.#consumers.values()) {
        if (!consumer.wantsMessages()) continue
        const message = left > 0 ? this.#take(now) : undefined
        if (!message) return left
        served++
        left--
        this.#deliverTo(consumer, message, now)
      }
    }
    return left
  }

  /** Moves the first consumer to the end, so that single messages do not always go to the same one. */
  #rotate(): void {
    const [first] = this.#consumers.values()
    if (!first || this.#consumers.size === 1) return
    this.#consumers.delete(first.id)
    this.#consumers.set(first.id, first)
  }

  #deliverTo(consumer: Consumer, { block, position, attempts }: Taken, now: number): void {
    this.#changed = true
    // As in nsqd, a message skipped by sampling is finished for the channel.
    if (consumer.sampleRate > 0 && Math.random() * 100 >= consumer.sampleRate) return
    const tries = Math.min(attempts + 1, maxAttempts)
    this.#deliveries.add(position, consumer, tries, now)
    this.#settings.totals.delivered++
    consumer.deliver(block, position, tries)
  }

  /** Alternates between requeued and new messages, so that a message that always fails cannot block the rest. */
  #take(now: number): Taken | undefined {
    this.#requeuedFirst = !this.#requeuedFirst
    return this.#requeuedFirst
      ? (this.#takeRequeued() ?? this.#takeNew(now))
      : (this.#takeNew(now) ?? this.#takeRequeued())
  }

  #takeRequeued(): Taken | undefined {
    for (let message = this.#deliveries.nextRequeued(); message; message = this.#deliveries.nextRequeued()) {
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
