/**
 * Publishes every new link to the stream, at least once. Creating a link writes nothing extra: the follower polls the
 * links themselves, while the stream has readers. Must not know where links are stored, who publishes, nor when it is
 * called again.
 *
 * A link gets its timestamp before its transaction commits, so a poll may miss a link with an earlier timestamp. The
 * follower therefore reads each link twice: as soon as it is visible, and again once the watermark passes
 * it.
 */
import type { Clock } from '../values/time.js'
import { organizationLinks, serviceLinks } from './access.js'
import { type Batch, Batches, linkMessage } from './messages.js'
import type { NewLink, NewLinkPosition, StreamStore } from './stream-store.js'
import type { CurrentDomainNames, Subscriptions } from './subscriptions.js'

export interface LinkFollowerDeps {
  readonly streamStore: StreamStore
  readonly subscriptions: Subscriptions
  readonly names: CurrentDomainNames
  readonly cursor: LeasedCursor
  /** Resolves when all messages are persisted. */
  readonly send: (batches: readonly Batch[]) => Promise<void>
  readonly clock: Clock
}

/** The time before which all links are published, stored durably. Only one process at a time holds it. */
export interface LeasedCursor {
  /** Returns `from` if there is no cursor yet; undefined while another process holds it. */
  take(from: number): Promise<number | undefined>
  /** False when another process has taken over. */
  move(to: number): Promise<boolean>
  leave(): Promise<void>
}

/** A link is published within half a second. */
const pollInterval = 500
const idleInterval = 1_000
/** Maximum clock difference of machines whose clock is ahead of ours. */
const maxClockSkew = 60_000
/** Re-read overlap for links that commit slightly out of order, so they need not wait for the watermark. */
const overlap = 1_000
/** About 100 kB of messages. */
const pageSize = 500
const cursorInterval = 5_000
/** Without a stored cursor, publish at most this much of the past. */
const maxBacklog = 24 * 60 * 60 * 1000

export class LinkFollower {
  readonly #deps: LinkFollowerDeps
  #state: FollowState | undefined
  #openFor = 0

  constructor(deps: LinkFollowerDeps) {
    this.#deps = deps
  }

  /** Publishes the links created since the last poll; returns the milliseconds until the next poll. */
  async poll(): Promise<number> {
    const { subscriptions } = this.#deps
    await subscriptions.known()
    if (!subscriptions.wantsLinks) {
      await this.leave()
      return idleInterval
    }
    this.#state ??= await this.#start()
    if (!this.#state) return idleInterval
    await this.#follow(this.#state)
    return pollInterval
  }

  /** How long an ignored transaction has been open; undefined while none exceeds the maximum wait. */
  get tooLongOpen(): number | undefined {
    return this.#state && this.#openFor > maxTransactionWait ? this.#openFor : undefined
  }

  /** Releases the cursor, so another process can take over at once. */
  async leave(): Promise<void> {
    if (!this.#state) return
    this.#state = undefined
    await this.#deps.cursor.leave()
  }

  /** Starts no earlier than the first reader was allowed. */
  async #start(): Promise<FollowState | undefined> {
    const { subscriptions, cursor, clock } = this.#deps
    const now = clock.now()
    const since = subscriptions.since ?? now
    const kept = await cursor.take(Math.max(since, now - maxBacklog))
    if (kept === undefined) return undefined
    const settled = Math.min(Math.max(kept, since), now)
    return { settled, readTo: settled, published: new Map(), movedAt: now, watermark: new Watermark(now) }
  }

  async #follow(state: FollowState): Promise<void> {
    const now = this.#deps.clock.now()
    // The clock may have been set back.
    state.settled = Math.min(state.settled, now)
    state.readTo = Math.min(state.readTo, now)

    // Query before reading links: a transaction that commits in between is visible to the read.
    this.#openFor = await this.#deps.streamStore.openFor()
    const settled = Math.max(state.settled, state.watermark.update(now, this.#openFor))
    await this.#publishRange(state, state.settled, settled, ({ createdAt }) => this.#settle(state, createdAt))
    await this.#settle(state, settled)

    await this.#publishRange(
      state,
      Math.max(state.readTo - overlap, settled),
      now + maxClockSkew,
      async ({ createdAt }) => {
        state.readTo = Math.min(createdAt, now)
      },
    )
    state.readTo = now
  }

  /** Publishes all links of a time range that are not published yet, page by page. */
  async #publishRange(
    state: FollowState,
    from: number,
    before: number,
    onPage: (last: NewLink) => Promise<void>,
  ): Promise<void> {
    let after: NewLinkPosition = { createdAt: from, id: '' }
    while (from < before) {
      const page = await this.#deps.streamStore.newLinks(after, before, pageSize)
      await this.#publish(page.filter(({ id }) => !state.published.has(id)))
      for (const { id, createdAt } of page) state.published.set(id, createdAt)
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

  async #settle(state: FollowState, time: number): Promise<void> {
    const { cursor, clock } = this.#deps
    state.settled = time
    dropBefore(state.published, time)
    const now = clock.now()
    if (Math.abs(now - state.movedAt) < cursorInterval) return
    state.movedAt = now
    if (!(await cursor.move(state.settled))) this.#state = undefined
  }
}

interface FollowState {
  /** The watermark: no earlier link can appear, and all earlier links are published. */
  settled: number
  /** Links created before this time were read at least once. */
  readTo: number
  /** Links since `settled` that are published or have no readers, with their creation time. */
  readonly published: Map<string, number>
  movedAt: number
  readonly watermark: Watermark
}

/** The entries are almost in order; a leftover is removed by a later call. */
function dropBefore(published: Map<string, number>, time: number): void {
  for (const [id, createdAt] of published) {
    if (createdAt >= time) return
    published.delete(id)
  }
}

/** Far longer than from a link's timestamp to its transaction, and than the clock skew between machines. */
const headStart = 30_000
/** Half a minute, at two polls per second. */
const pollsRemembered = 60
/**
 * Maximum wait for an open transaction. Links published in the meantime are kept in memory, which must not grow without
 * end.
 */
export const maxTransactionWait = 600_000

/**
 * The watermark: every link created before it is visible. A link gets its timestamp before its transaction commits, so a
 * link can appear before links that were read already. Each poll passes the age of the oldest open transaction; this class
 * must not know where it comes from.
 *
 * No link can appear that is older than the start of the oldest open transaction minus `headStart`. Open transactions are
 * remembered for some polls, because one that was rolled back may be retried. This counts polls instead of time, so a
 * clock that jumps or a machine that slept does not end it early.
 */
export class Watermark {
  /** Start of the oldest open transaction at each poll, or the time of the poll without one; newest last. */
  readonly #openSince: number[]

  /** Starts with the maximum delay, because earlier transactions are unknown. */
  constructor(now: number) {
    this.#openSince = [now - headStart]
  }

  /** The watermark, given how long the oldest transaction has been open. */
  update(now: number, openFor: number): number {
    this.#openSince.push(now - Math.min(openFor, maxTransactionWait))
    if (this.#openSince.length > pollsRemembered) this.#openSince.shift()
    return Math.min(...this.#openSince) - headStart
  }
}
