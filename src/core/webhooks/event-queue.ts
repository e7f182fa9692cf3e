/**
 * Puts clicks and new links into the queues of the webhooks that want them: a destination of messages, as the stream is
 * (core/stream/click-messages.ts). Must not know when they are sent.
 */
import { chunks } from '../../lib/chunks.js'
import type { JournalPosition } from '../clicks/journal.js'
import { organizationClicks, organizationLinks, type WantedTopics } from '../stream/access.js'
import type { Publisher } from '../stream/click-messages.js'
import type { Batch } from '../stream/messages.js'
import type { Clock } from '../values/time.js'
import type { QueuedEvents } from './queued-events.js'
import type { WantedEvents, WebhookStore } from './webhook-store.js'

export interface EventQueueDeps {
  readonly webhookStore: Pick<WebhookStore, 'wanted' | 'enqueue' | 'sourcePosition'>
  /** Where to begin in a journal that was never read for webhooks. */
  readonly begin: (journalId: string) => Promise<number>
  /** Called when events were added. */
  readonly onQueued: () => void
  readonly clock: Clock
}

/** In one row, which is rewritten once a second while its events are sent. */
const eventsPerRow = 100
/** How often the position is stored while no click is wanted. */
const storeEvery = 5_000

export class EventQueue implements Publisher {
  readonly #deps: EventQueueDeps
  #byTopic: ReadonlyMap<string, readonly WantedEvents[]> = new Map()
  /** When the position of each journal was stored. */
  readonly #storedAt = new Map<string, number>()

  constructor(deps: EventQueueDeps) {
    this.#deps = deps
  }

  /** Reads which webhooks there are. */
  async topics(): Promise<WantedTopics> {
    const wanted = await this.#deps.webhookStore.wanted()
    const byTopic = new Map<string, WantedEvents[]>()
    for (const webhook of wanted) {
      const { organizationGuid, events } = webhook
      const topics = [
        ...(events.includes('engagement') ? [organizationClicks(organizationGuid)] : []),
        ...(events.includes('link.created') ? [organizationLinks(organizationGuid)] : []),
      ]
      for (const topic of topics) byTopic.set(topic, [...(byTopic.get(topic) ?? []), webhook])
    }
    this.#byTopic = byTopic
    const ofLinks = wanted.filter(({ events }) => events.includes('link.created')).map(({ since }) => since)
    return { topics: new Set(byTopic.keys()), since: ofLinks.length === 0 ? undefined : Math.min(...ofLinks) }
  }

  async position(journalId: string): Promise<number> {
    const { webhookStore, begin } = this.#deps
    const stored = await webhookStore.sourcePosition(journalId)
    if (stored !== undefined) return stored
    const position = await begin(journalId)
    // After a crash, clicks that were counted meanwhile would be left out.
    await webhookStore.enqueue([], { name: journalId, position })
    return position
  }

  /** The position is stored with the events, and otherwise now and then: without events there is nothing to repeat. */
  async publish(batches: readonly Batch[], { journalId, row }: JournalPosition): Promise<void> {
    const { webhookStore, clock, onQueued } = this.#deps
    const now = clock.now()
    const events = this.#eventsOf(batches, now)
    const storedAt = this.#storedAt.get(journalId) ?? Number.NEGATIVE_INFINITY
    if (events.length === 0 && (this.#byTopic.size === 0 || now - storedAt < storeEvery)) return
    await webhookStore.enqueue(events, { name: journalId, position: row })
    this.#storedAt.set(journalId, now)
    if (events.length > 0) onQueued()
  }

  async send(batches: readonly Batch[]): Promise<void> {
    const events = this.#eventsOf(batches, this.#deps.clock.now())
    if (events.length === 0) return
    await this.#deps.webhookStore.enqueue(events)
    this.#deps.onQueued()
  }

  #eventsOf(batches: readonly Batch[], dueAt: number): readonly QueuedEvents[] {
    return batches.flatMap(([topic, messages]) => {
      const webhooks = this.#byTopic.get(topic) ?? []
      if (webhooks.length === 0) return []
      const readable = messages.map((message) => {
        const json = message.toString()
        return { json, ...(JSON.parse(json) as { nature?: string; group_guid?: string }) }
      })
      // Clicks of robots are in the stream, but they are no engagements.
      const wanted = readable.filter(({ nature }) => nature === undefined || nature === 'human')
      return webhooks.flatMap(({ guid: webhookGuid, groupGuid }) => {
        const own = groupGuid === undefined ? wanted : wanted.filter(({ group_guid }) => group_guid === groupGuid)
        return [...chunks(own, eventsPerRow)].map((some) => {
          return { webhookGuid, dueAt, tries: 0, events: some.map(({ json }) => json) }
        })
      })
    })
  }
}
