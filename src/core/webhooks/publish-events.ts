/**
 * Publishes the events of the outbox to the stream, and adds those of links that expire. At least once: an event is
 * forgotten after the stream has it. One process does it at a time. Must not know who publishes, nor when it is called.
 */
import type { Domains } from '../domains/domains.js'
import { organizationEvents } from '../stream/access.js'
import type { LeasedCursor } from '../stream/link-follower.js'
import { type Batch, Batches } from '../stream/messages.js'
import type { Clock } from '../values/time.js'
import type { StoredEvent, WebhookStore } from './webhook-store.js'

export interface PublishEventsDeps {
  readonly webhookStore: Pick<WebhookStore, 'outgoingEvents' | 'forgetEvents' | 'noteExpired' | 'wanted'>
  readonly domains: Pick<Domains, 'shown'>
  /** The time up to which expired links have events. */
  readonly cursor: LeasedCursor
  /** Resolves when all messages are persisted. */
  readonly send: (batches: readonly Batch[]) => Promise<void>
  readonly clock: Clock
}

const pageSize = 500
/** How often the lease is renewed, and expired links are looked for. */
const leaseInterval = 5_000

export class EventPublisher {
  readonly #deps: PublishEventsDeps
  #checkedAt = Number.NEGATIVE_INFINITY
  #isHolder = false

  constructor(deps: PublishEventsDeps) {
    this.#deps = deps
  }

  /** Publishes what there is. */
  async poll(): Promise<void> {
    const { webhookStore, clock } = this.#deps
    const now = clock.now()
    if (now - this.#checkedAt >= leaseInterval) {
      this.#checkedAt = now
      this.#isHolder = await this.#noteExpired(now)
    }
    if (!this.#isHolder) return
    for (;;) {
      const events = await webhookStore.outgoingEvents(pageSize)
      if (events.length === 0) return
      await this.#publish(events)
      await webhookStore.forgetEvents(events.map(({ id }) => id))
      if (events.length < pageSize) return
    }
  }

  /** False while another process does this. */
  async #noteExpired(now: number): Promise<boolean> {
    const { webhookStore, cursor } = this.#deps
    const from = await cursor.take(now)
    if (from === undefined) return false
    if (from < now) await webhookStore.noteExpired(from, now)
    return cursor.move(Math.max(from, now))
  }

  async #publish(events: readonly StoredEvent[]): Promise<void> {
    const { webhookStore, send } = this.#deps
    // The webhook may be gone: a topic that nobody reads must not grow.
    const organizations = new Set((await webhookStore.wanted()).map(({ organizationGuid }) => organizationGuid))
    const batches = new Batches()
    for (const event of events) {
      if (organizations.has(event.organizationGuid)) {
        batches.add(organizationEvents(event.organizationGuid), this.#message(event))
      }
    }
    if (batches.all.length > 0) await send(batches.all)
  }

  #message({ id, organizationGuid, groupGuid, type, at, details }: StoredEvent): Buffer {
    const { shortlink, custom_shortlinks: keywords, expiration_at: expiresAt, ...rest } = details
    const link = typeof shortlink === 'string' ? this.#deps.domains.shown(shortlink) : undefined
    return Buffer.from(
      JSON.stringify({
        event_id: `event/${id}`,
        type,
        at: new Date(at).toISOString(),
        organization_guid: organizationGuid,
        group_guid: groupGuid,
        link,
        details: {
          ...(link !== undefined && { shortlink: link }),
          ...rest,
          ...(Array.isArray(keywords) && { custom_shortlinks: keywords.map((each) => this.#deps.domains.shown(each)) }),
          ...(expiresAt !== undefined && { expiration_at: typeof expiresAt === 'number' ? shown(expiresAt) : '' }),
        },
      }),
    )
  }
}

function shown(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+0000`
}
