/**
 * Tracks the unread messages per topic of the external daemons. nsqd stores them on its disk without a limit, so the
 * publisher must stop when a topic has too many. Polled in the background; a daemon that does not answer changes
 * nothing.
 */
import type { NsqStats, TopicStats } from '../../core/stream/stream.js'
import type { Clock } from '../../core/values/time.js'

export interface BacklogDeps {
  readonly stats: () => Promise<NsqStats>
  readonly clock: Clock
  /** Called when a topic exceeds the limit, and when it accepts messages again. */
  readonly onChange: (topic: string, full: boolean, skipped: number) => void
}

/** At ten thousand clicks a second, a topic exceeds the limit by twenty thousand before it is noticed. */
const pollInterval = 2_000

export class Backlogs {
  readonly #deps: BacklogDeps
  readonly #max: number
  /** Skipped messages by topic. */
  #full = new Map<string, number>()
  #nextPoll = 0
  #polling: Promise<void> | undefined

  /** `max` unread messages per topic over all daemons; 0: no limit. */
  constructor(max: number, deps: BacklogDeps) {
    this.#max = max
    this.#deps = deps
  }

  /** Whether to publish these messages. Starts a poll and does not wait for it. */
  takes(topic: string, messages: number): boolean {
    void this.look()
    const skipped = this.#full.get(topic)
    if (skipped === undefined) return true
    this.#full.set(topic, skipped + messages)
    return false
  }

  /** Polls the daemons unless they were polled just now. Never rejects. */
  look(): Promise<void> {
    const now = this.#deps.clock.now()
    if (this.#max === 0 || now < this.#nextPoll) return this.#polling ?? Promise.resolve()
    this.#nextPoll = now + pollInterval
    this.#polling = this.#look().catch(() => undefined)
    return this.#polling
  }

  async #look(): Promise<void> {
    const { daemons } = await this.#deps.stats()
    // While a daemon does not answer, the total is unknown.
    if (daemons.length === 0 || daemons.some(({ health }) => health !== 'OK')) return
    const unread = new Map<string, number>()
    for (const topic of daemons.flatMap(({ topics }) => topics)) {
      unread.set(topic.topic_name, (unread.get(topic.topic_name) ?? 0) + unreadOf(topic))
    }
    const before = this.#full
    this.#full = new Map()
    for (const [topic, count] of unread) {
      if (count >= this.#max) this.#full.set(topic, before.get(topic) ?? 0)
    }
    for (const topic of this.#full.keys()) if (!before.has(topic)) this.#deps.onChange(topic, true, 0)
    for (const [topic, skipped] of before) if (!this.#full.has(topic)) this.#deps.onChange(topic, false, skipped)
  }
}

/** Messages in no channel yet, plus the depth of the slowest channel. */
function unreadOf({ depth, channels }: TopicStats): number {
  return depth + Math.max(0, ...channels.map((channel) => channel.depth + channel.deferred_count))
}
