/**
 * All feeds of a process, in the live thread: reads the clicks of an organization while somebody reads one of its feeds,
 * and for a while longer, so that a reader who was disconnected can resume. Must not know where clicks come from.
 */
import type { Closable } from '../../lib/closing.js'
import type { Clock } from '../values/time.js'
import { Feed } from './feed.js'
import { liveClick } from './live-click.js'
import { type FeedUpdate, keyOf, type LiveSubject } from './live-subject.js'

export interface FeedsDeps {
  /** Reads the clicks of an organization; resolves when every later click will arrive. */
  readonly follow: (organizationGuid: string, listener: ClickListener) => Promise<Closable>
  readonly send: (updates: readonly FeedUpdate[]) => void
  readonly clock: Clock
}

interface ClickListener {
  readonly onMessage: (message: Buffer) => void
  /** After an interruption: clicks meanwhile do not arrive. */
  readonly onGap: () => void
}

/** Events are sent together this often, which bounds the work of the thread that writes to readers. */
const sendEvery = 200

/** How long a feed without readers is kept (docs/api/events.md#resume). */
const keepFor = 5 * 60_000
const maxKept = 1_000

interface OpenFeed {
  readonly subject: LiveSubject
  readonly feed: Feed
  readers: number
  /** When its last reader left. */
  leftAt: number
}

interface Followed {
  feeds: number
  readonly reading: Promise<Closable>
}

export class Feeds implements Closable {
  readonly #deps: FeedsDeps
  /** By key; those without readers in the order in which they were left. */
  readonly #feeds = new Map<string, OpenFeed>()
  readonly #followed = new Map<string, Followed>()
  readonly #waiting = new Map<string, Feed>()
  readonly #cleaning: NodeJS.Timeout
  #sending: NodeJS.Timeout | undefined

  constructor(deps: FeedsDeps) {
    this.#deps = deps
    this.#cleaning = setInterval(() => this.#drop(), 10_000).unref()
  }

  /** The first events for the reader; later ones are sent to all readers of the feed. */
  async join(subject: LiveSubject, lastEventId: string | undefined): Promise<string> {
    const key = keyOf(subject)
    const open = this.#feeds.get(key) ?? this.#open(key, subject)
    open.readers += 1
    try {
      await this.#followed.get(subject.organizationGuid)?.reading
    } catch (error) {
      this.leave(subject)
      this.#close(key, open)
      throw error
    }
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

  async close(): Promise<void> {
    clearInterval(this.#cleaning)
    clearTimeout(this.#sending)
    const followed = [...this.#followed.values()]
    this.#followed.clear()
    this.#feeds.clear()
    for (const { reading } of followed) await reading.then((open) => open.close()).catch(() => {})
  }

  #open(key: string, subject: LiveSubject): OpenFeed {
    const open = { subject, feed: new Feed(), readers: 0, leftAt: 0 }
    this.#feeds.set(key, open)
    const { organizationGuid } = subject
    const followed = this.#followed.get(organizationGuid)
    if (followed) followed.feeds += 1
    else {
      const reading = this.#deps.follow(organizationGuid, {
        onMessage: (message) => this.#take(organizationGuid, message),
        onGap: () => this.#addGap(organizationGuid),
      })
      // Whoever joins awaits it; without this a failure would be an unhandled rejection too.
      reading.catch(() => {})
      this.#followed.set(organizationGuid, { feeds: 1, reading })
    }
    return open
  }

  /** Drops feeds that nobody has read for a while. */
  #drop(): void {
    const before = this.#deps.clock.now() - keepFor
    const left = [...this.#feeds].filter(([, { readers }]) => readers === 0)
    for (const [index, [key, open]] of left.entries()) {
      if (open.leftAt <= before || index < left.length - maxKept) this.#close(key, open)
    }
  }

  #close(key: string, { subject, readers }: OpenFeed): void {
    if (readers > 0 || !this.#feeds.delete(key)) return
    this.#waiting.delete(key)
    const followed = this.#followed.get(subject.organizationGuid)
    if (!followed) return
    followed.feeds -= 1
    if (followed.feeds > 0) return
    this.#followed.delete(subject.organizationGuid)
    followed.reading.then((open) => open.close()).catch(() => {})
  }

  #take(organizationGuid: string, message: Buffer): void {
    const click = liveClick(message)
    if (!click) return
    this.#add(keyOf({ organizationGuid, kind: 'group', id: click.groupGuid }), click.data)
    this.#add(keyOf({ organizationGuid, kind: 'link', id: click.link }), click.data)
  }

  #add(key: string, data: string): void {
    const feed = this.#feeds.get(key)?.feed
    if (!feed) return
    feed.add(data, this.#deps.clock.now())
    this.#sendSoon(key, feed)
  }

  #addGap(organizationGuid: string): void {
    for (const [key, { subject, feed }] of this.#feeds) {
      if (subject.organizationGuid !== organizationGuid) continue
      feed.addGap()
      this.#sendSoon(key, feed)
    }
  }

  #sendSoon(key: string, feed: Feed): void {
    this.#waiting.set(key, feed)
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
    if (this.#waiting.size > 0) this.#sending = setTimeout(() => this.#send(), sendEvery)
  }
}
