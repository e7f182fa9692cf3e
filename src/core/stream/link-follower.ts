/**
 * Tells the stream of every link that is made, at least once. Nothing is written for it when one is made: it follows the
 * links that are in the records already, while somebody wants to hear of them. It must not know where they are kept, who
 * publishes, nor when it is called again.
 *
 * A link gets its time before it is written, so that a look may miss one that an earlier time still belongs to. Each is
 * therefore read twice: as soon as it is there, and again when nothing older can follow, which settling.ts knows.
 */
import type { Clock } from '../values/clock.js'
import { type Batch, Batches } from './batches.js'
import { linkMessage } from './link-message.js'
import type { NamesInUse } from './names-in-use.js'
import type { NewLink, NewLinkPosition, StreamStore } from './stream-store.js'
import type { Subscriptions } from './subscriptions.js'
import { organizationLinks, serviceLinks } from './topics.js'
import { longestWait, Watermark } from './watermark.js'

export interface LinkFollowerDeps {
  readonly streamStore: StreamStore
  readonly subscriptions: Subscriptions
  readonly names: NamesInUse
  readonly cursor: LeasedCursor
  /** Resolves when all messages are safe. */
  readonly send: (batches: readonly Batch[]) => Promise<void>
  readonly clock: Clock
}

/** The moment before which every link has been published, kept where a crash does not take it. */
export interface LeasedCursor {
  /** `from` when there was none before; undefined while another process follows. */
  take(from: number): Promise<number | undefined>
  /** False when another process has taken over. */
  move(to: number): Promise<boolean>
  leave(): Promise<void>
}

/** Our choice: a link is in the stream half a second after it was made, in the mean a quarter. */
const lookEvery = 500
const idlePause = 1_000
/** Of machines whose clock is ahead of ours. */
const mostAhead = 60_000
/** Ordinary disorder, which nobody should have to wait a minute for. */
const overlap = 1_000
/** Our choice: about 100 kB of messages. */
const pageSize = 500
const moveEvery = 5_000
/** Our choice: where nobody knows how far it was, not more than this is told again. */
const longestUnknown = 24 * 60 * 60 * 1000

export class LinkFollower {
  readonly #deps: LinkFollowerDeps
  #place: Place | undefined
  #openFor = 0

  constructor(deps: LinkFollowerDeps) {
    this.#deps = deps
  }

  /** Publishes what was made since the last look, and answers after how many milliseconds to look again. */
  async look(): Promise<number> {
    const { subscriptions } = this.#deps
    await subscriptions.known()
    if (!subscriptions.wantsLinks) {
      await this.leave()
      return idlePause
    }
    this.#place ??= await this.#begin()
    if (!this.#place) return idlePause
    await this.#follow(this.#place)
    return lookEvery
  }

  /** For how long a change has been open that is no longer waited for; undefined while all of them are. */
  get tooLongOpen(): number | undefined {
    return this.#place && this.#openFor > longestWait ? this.#openFor : undefined
  }

  /** Another process may go on at once. */
  async leave(): Promise<void> {
    if (!this.#place) return
    this.#place = undefined
    await this.#deps.cursor.leave()
  }

  /** Of links that were made before anybody was allowed to read nothing is told. */
  async #begin(): Promise<Place | undefined> {
    const { subscriptions, cursor, clock } = this.#deps
    const now = clock.now()
    const since = subscriptions.since ?? now
    const kept = await cursor.take(Math.max(since, now - longestUnknown))
    if (kept === undefined) return undefined
    const settled = Math.min(Math.max(kept, since), now)
    return { settled, seenTo: settled, told: new Map(), movedAt: now, watermark: new Watermark(now) }
  }

  async #follow(place: Place): Promise<void> {
    const now = this.#deps.clock.now()
    // The clock may have been set back.
    place.settled = Math.min(place.settled, now)
    place.seenTo = Math.min(place.seenTo, now)

    // Asked before anything is read: what ends in between is there to be read.
    this.#openFor = await this.#deps.streamStore.openFor()
    const settled = Math.max(place.settled, place.watermark.look(now, this.#openFor))
    await this.#tell(place, place.settled, settled, ({ createdAt }) => this.#settle(place, createdAt))
    await this.#settle(place, settled)

    await this.#tell(place, Math.max(place.seenTo - overlap, settled), now + mostAhead, async ({ createdAt }) => {
      place.seenTo = Math.min(createdAt, now)
    })
    place.seenTo = now
  }

  /** All links of a stretch of time, but for those that were told of before, a page at a time. */
  async #tell(place: Place, from: number, before: number, onPage: (last: NewLink) => Promise<void>): Promise<void> {
    let after: NewLinkPosition = { createdAt: from, id: '' }
    while (from < before) {
      const page = await this.#deps.streamStore.newLinks(after, before, pageSize)
      await this.#publish(page.filter(({ id }) => !place.told.has(id)))
      for (const { id, createdAt } of page) place.told.set(id, createdAt)
      const last = page.at(-1)
      if (!last || page.length < pageSize) return
      await onPage(last)
      after = last
    }
  }

  async #publish(links: readonly NewLink[]): Promise<void> {
    const { subscriptions, streamStore, send } = this.#deps
    if (links.length === 0) return
    const readers = await subscriptions.readersOf(links.map(({ groupGuid }) => groupGuid))
    const topicsOf = ({ groupGuid }: NewLink) => {
      const organizationGuid = readers.organizationOf(groupGuid)
      const own = organizationGuid === undefined ? [] : [organizationLinks(organizationGuid)]
      return [serviceLinks, ...own].filter((topic) => readers.wants(topic))
    }
    const wanted = links.filter((link) => topicsOf(link).length > 0)
    if (wanted.length === 0) return
    const names = await this.#deps.names.known()
    const batches = new Batches()
    for (const link of await streamStore.describeLinks(wanted.map(({ id }) => id))) {
      const message = linkMessage(link, readers.organizationOf(link.groupGuid), names)
      for (const topic of topicsOf(link)) batches.add(topic, message)
    }
    await send(batches.all)
  }

  async #settle(place: Place, moment: number): Promise<void> {
    const { cursor, clock } = this.#deps
    place.settled = moment
    forgetBefore(place.told, moment)
    const now = clock.now()
    if (Math.abs(now - place.movedAt) < moveEvery) return
    place.movedAt = now
    if (!(await cursor.move(place.settled))) this.#place = undefined
  }
}

interface Place {
  /** Nothing older can follow, and everything older was told of. */
  settled: number
  /** What was made up to here was looked for at least once. */
  seenTo: number
  /** Links since `settled` that were told of, or that nobody wants to hear of, and when they were made. */
  readonly told: Map<string, number>
  movedAt: number
  readonly watermark: Watermark
}

/** They are in order, nearly: what is left over goes the next time. */
function forgetBefore(told: Map<string, number>, moment: number): void {
  for (const [id, createdAt] of told) {
    if (createdAt >= moment) return
    told.delete(id)
  }
}
