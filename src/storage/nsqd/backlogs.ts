/**
 * How much of each topic the daemons hold that nobody has read: they keep it for ever and on their own disk, so whoever
 * publishes has to know when to stop. Looked at now and then, beside publishing; a daemon that does not answer changes
 * nothing.
 */

import type { NsqStats, TopicStats } from '../../core/stream/stream.js'
import type { Clock } from '../../core/values/clock.js'

export interface BacklogDeps {
  readonly stats: () => Promise<NsqStats>
  readonly clock: Clock
  /** Called when a topic has become too long, and when it takes messages again. */
  readonly onChange: (topic: string, full: boolean, leftOut: number) => void
}

/** Our choice: at ten thousand clicks a second a topic is too long by twenty thousand before it is noticed. */
const lookEvery = 2_000

export class Backlogs {
  readonly #deps: BacklogDeps
  readonly #most: number
  /** Messages that were left out, by topic. */
  #full = new Map<string, number>()
  #nextLook = 0
  #looking: Promise<void> | undefined

  /** `most` unread messages of a topic on all daemons together; 0: any number. */
  constructor(most: number, deps: BacklogDeps) {
    this.#most = most
    this.#deps = deps
  }

  /** Whether these are to be published. Nobody waits for the next look. */
  takes(topic: string, messages: number): boolean {
    void this.look()
    const leftOut = this.#full.get(topic)
    if (leftOut === undefined) return true
    this.#full.set(topic, leftOut + messages)
    return false
  }

  /** Asks the daemons, unless they were asked a moment ago. Never rejects. */
  look(): Promise<void> {
    const now = this.#deps.clock.now()
    if (this.#most === 0 || now < this.#nextLook) return this.#looking ?? Promise.resolve()
    this.#nextLook = now + lookEvery
    this.#looking = this.#look().catch(() => undefined)
    return this.#looking
  }

  async #look(): Promise<void> {
    const { daemons } = await this.#deps.stats()
    // As long as one does not answer, nobody knows how much there is.
    if (daemons.length === 0 || daemons.some(({ health }) => health !== 'OK')) return
    const unread = new Map<string, number>()
    for (const topic of daemons.flatMap(({ topics }) => topics)) {
      unread.set(topic.topic_name, (unread.get(topic.topic_name) ?? 0) + unreadOf(topic))
    }
    const before = this.#full
    this.#full = new Map()
    for (const [topic, count] of unread) {
      if (count >= this.#most) this.#full.set(topic, before.get(topic) ?? 0)
    }
    for (const topic of this.#full.keys()) if (!before.has(topic)) this.#deps.onChange(topic, true, 0)
    for (const [topic, leftOut] of before) if (!this.#full.has(topic)) this.#deps.onChange(topic, false, leftOut)
  }
}

/** What is in no channel yet, and what the channel that is furthest behind has. */
function unreadOf({ depth, channels }: TopicStats): number {
  return depth + Math.max(0, ...channels.map((channel) => channel.depth + channel.deferred_count))
}
