/**
 * All feeds of a process: a sink of clicks, beside the click log. A feed is kept for a while after its last reader has
 * left, so that a reader who was disconnected can resume. Clicks that readers of other processes follow are collected for
 * them. Must not know threads, nor how processes talk to each other.
 */
import type { Closable } from '../../lib/closing.js'
import type { Click } from '../clicks/click.js'
import type { ClickSink } from '../clicks/click-log.js'
import { DomainNames } from '../domains/domains.js'
import type { Clock } from '../values/time.js'
import { Feed, singlePerSecond } from './feed.js'
import { liveClick } from './live-click.js'
import { type FeedUpdate, keyOf, type LiveSubject, type SharedClicks } from './live-subject.js'

export interface FeedsDeps {
  readonly send: (updates: readonly FeedUpdate[]) => void
  readonly share: (clicks: readonly SharedClicks[]) => void
  /** The row of a journal from which clicks are told: earlier ones are counted already. */
  readonly begin: (journalId: string) => number
  readonly clock: Clock
}

/** Events are sent together this often, which bounds the work of the thread that writes to readers. */
const sendEvery = 200

/** How long a feed without readers is kept (docs/api/events.md#resume). */
export const keepFor = 5 * 60_000
const maxKept = 1_000

interface OpenFeed {
  readonly feed: Feed
  readers: number
  /** When its last reader left. */
  leftAt: number
}

export class Feeds implements ClickSink, Closable {
  readonly #deps: FeedsDeps
  /** By key; those without readers in the order in which they were left. */
  readonly #feeds = new Map<string, OpenFeed>()
  readonly #waiting = new Map<string, Feed>()
  /** Keys that readers of other processes follow, with what they have not been sent. */
  #shared = new Map<string, Shared>()
  readonly #cleaning: NodeJS.Timeout
  #sending: NodeJS.Timeout | undefined
  #names = new DomainNames([])

  constructor(deps: FeedsDeps) {
    this.#deps = deps
    this.#cleaning = setInterval(() => this.#drop(), 10_000).unref()
  }

  /** The first events for the reader; later ones are sent to all readers of the feed. */
  join(subject: LiveSubject, lastEventId: string | undefined): string {
    const key = keyOf(subject)
    const open = this.#feeds.get(key) ?? { feed: new Feed(), readers: 0, leftAt: 0 }
    this.#feeds.set(key, open)
    open.readers += 1
    // What the others have not got yet must not reach the new reader twice.
    const events = open.feed.takeAll()
    this.#waiting.delete(key)
    if (events !== '') this.#deps.send([[key, events]])
    return open.feed.begin(lastEventId)
  }

  leave(subject: LiveSubject): void {
    const key = keyOf(subject)
    const open = this.#feeds.get(key)
    if (!open) return
    open.readers -= 1
    if (open.readers > 0) return
    open.leftAt = this.#deps.clock.now()
    this.#feeds.delete(key)
    this.#feeds.set(key, open)
    this.#drop()
  }

  /** The current names of domains. */
  useNames(names: DomainNames): void {
    this.#names = names
  }

  async cursor(journalId: string): Promise<number> {
    return this.#deps.begin(journalId)
  }

  async append(clicks: readonly Click[]): Promise<void> {
    if (this.#feeds.size + this.#shared.size === 0) return
    const now = this.#deps.clock.now()
    for (const click of clicks) {
      // Only what reports of links count, and no global hashes, which belong to no group.
      if (click.trafficClass !== 'human' || click.linkId === '' || click.kind === 'view') continue
      const keys = [keyOf({ kind: 'group', id: click.groupGuid }), keyOf({ kind: 'link', id: click.linkId })]
      const followed = keys.filter((key) => this.#feeds.has(key) || this.#shared.has(key))
      if (followed.length === 0) continue
      const data = liveClick(click, this.#names)
      for (const key of followed) {
        this.#add(key, (feed) => feed.add(data, now))
        this.#shared.get(key)?.add(data, now)
      }
    }
    if (this.#shared.size > 0) this.#sendSoon()
  }

  /** The keys that readers of other processes follow now. */
  shareWith(keys: readonly string[]): void {
    this.#shared = new Map(keys.map((key) => [key, this.#shared.get(key) ?? new Shared()]))
  }

  /** Clicks that another process has shared. */
  addShared({ key, clicks, counted }: SharedClicks): void {
    const now = this.#deps.clock.now()
    this.#add(key, (feed) => {
      for (const data of clicks) feed.add(data, now)
      if (counted > 0) feed.addCount(counted, now)
    })
  }

  /** Clicks of other processes may have been lost. */
  addGap(): void {
    for (const key of this.#feeds.keys()) this.#add(key, (feed) => feed.addGap())
  }

  close(): void {
    clearInterval(this.#cleaning)
    clearTimeout(this.#sending)
  }

  /** Drops feeds that nobody has read for a while. */
  #drop(): void {
    const before = this.#deps.clock.now() - keepFor
    const left = [...this.#feeds].filter(([, { readers }]) => readers === 0)
    for (const [index, [key, { leftAt }]] of left.entries()) {
      if (leftAt > before && index >= left.length - maxKept) continue
      this.#feeds.delete(key)
      this.#waiting.delete(key)
    }
  }

  #add(key: string, add: (feed: Feed) => void): void {
    const feed = this.#feeds.get(key)?.feed
    if (!feed) return
    add(feed)
    this.#waiting.set(key, feed)
    this.#sendSoon()
  }

  #sendSoon(): void {
    this.#sending ??= setTimeout(() => this.#send(), sendEvery)
  }

  #send(): void {
    this.#sending = undefined
    const now = this.#deps.clock.now()
    const updates: FeedUpdate[] = []
    for (const [key, feed] of this.#waiting) {
      const events = feed.take(now)
      if (events !== '') updates.push([key, events])
      if (feed.isEmpty) this.#waiting.delete(key)
    }
    if (updates.length > 0) this.#deps.send(updates)
    const shared = [...this.#shared].flatMap(([key, each]) => each.take(key) ?? [])
    if (shared.length > 0) this.#deps.share(shared)
    if (this.#waiting.size > 0) this.#sendSoon()
  }
}

/** What the readers of other processes have not been sent: as many clicks as they see, and a count of the others. */
class Shared {
  #clicks: string[] = []
  #counted = 0
  #inSecond = 0
  #secondEnds = 0

  add(data: string, now: number): void {
    if (now >= this.#secondEnds) {
      this.#inSecond = 0
      this.#secondEnds = now + 1_000
    }
    this.#inSecond += 1
    if (this.#inSecond > singlePerSecond) this.#counted += 1
    else this.#clicks.push(data)
  }

  take(key: string): SharedClicks | undefined {
    if (this.#clicks.length + this.#counted === 0) return undefined
    const taken = { key, clicks: this.#clicks, counted: this.#counted }
    this.#clicks = []
    this.#counted = 0
    return taken
  }
}
