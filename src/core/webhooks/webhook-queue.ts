/**
 * Delivers the events of one webhook, one request at a time and so in order, while the receiver accepts them. A failed
 * event goes back to the queue and is tried again later; meanwhile the others are delivered. A receiver that fails
 * again and again is asked ever more rarely, so that an outage costs few events their tries. Must not know how requests
 * are sent, nor how the queue is stored.
 */
import type { DomainNames } from '../domains/domains.js'
import { newGuid } from '../values/guid.js'
import type { Clock } from '../values/time.js'
import { type EventSource, eventFrom, type OutgoingEvent } from './events.js'
import type { QueueProgress, QueueRow, RowProgress } from './queued-events.js'
import { isReadable, type Webhook } from './webhook.js'
import type { Attempt, MarkedEvent } from './webhook-store.js'

export interface QueueDeps extends EventSource {
  readonly clock: Clock
  /** Rows that are due and not sent; none while another process sends the events of this webhook. */
  readonly take: (webhookGuid: string) => Promise<readonly QueueRow[]>
  /** Never rejects. */
  readonly send: (webhook: Webhook, events: readonly SentEvent[]) => Promise<SendResult>
  /** Stores what was done, some time later. */
  readonly note: (attempt: Attempt | undefined, progress: QueueProgress) => void
  /** Resolves when everything that was noted is stored. */
  readonly store: () => Promise<void>
  readonly tagsOf: (links: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  readonly names: () => Promise<DomainNames>
  /** Called when the queue cannot be read or written; tried again. */
  readonly onFailure: (error: unknown) => void
}

/** In milliseconds. */
export interface WebhookTiming {
  /** Pauses after the first and each later failure of an event; after the last try there is none. */
  readonly pauses: readonly number[]
  /** Pause of the whole webhook after a failure; doubled after each further one, up to `maxBackoff`. */
  readonly backoff: number
  readonly maxBackoff: number
  readonly timeout: number
}

/** Five tries within 61 minutes. */
export const defaultTiming: WebhookTiming = {
  pauses: [30_000, 3 * 60_000, 12 * 60_000, 45 * 60_000],
  backoff: 1_000,
  maxBackoff: 60_000,
  timeout: 10_000,
}

export interface SentEvent {
  readonly eventId: string
  /** As JSON. */
  readonly payload: string
}

export type SendResult = Pick<Attempt, 'status' | 'failure' | 'answer' | 'isGone'>

/** While the database is away. */
const pauseWithoutStore = 5_000
/** Rows that were taken this long ago are taken again, because the claim ends some time. */
export const claimFor = 5_000

interface Waiting {
  readonly row: QueueRow
  readonly index: number
}

export class WebhookQueue {
  readonly #deps: QueueDeps
  readonly #timing: WebhookTiming
  #webhook: Webhook
  #waiting: Waiting[] = []
  #takenAt = 0
  #marked: MarkedEvent[] = []
  #running: Promise<void> | undefined
  #isWoken = false
  #isClosed = false
  #failures = 0
  #backoff: NodeJS.Timeout | undefined

  constructor(webhook: Webhook, deps: QueueDeps, timing: WebhookTiming) {
    this.#webhook = webhook
    this.#deps = deps
    this.#timing = timing
  }

  /** The webhook was changed. */
  use(webhook: Webhook): void {
    this.#webhook = webhook
    this.wake()
  }

  /** Events are due. */
  wake(): void {
    this.#isWoken = true
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = undefined
      if (this.#isWoken && !this.#isClosed) this.wake()
    })
  }

  /** Sends these once more, also while the receiver fails. */
  redeliver(events: readonly MarkedEvent[]): void {
    const known = new Set(this.#marked.map(({ eventId }) => eventId))
    this.#marked.push(...events.filter(({ eventId }) => !known.has(eventId)))
    this.wake()
  }

  /** Resolves when the request under way is over. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#backoff)
    await this.#running
  }

  async #sendAll(): Promise<void> {
    this.#isWoken = false
    try {
      while (!this.#isClosed) {
        if (this.#marked.length > 0) await this.#sendMarked()
        else if (this.#backoff || !isReadable(this.#webhook)) return
        else if (this.#waiting.length > 0 && Math.abs(this.#deps.clock.now() - this.#takenAt) < claimFor)
          await this.#sendNext()
        else if (!(await this.#takeMore())) return
      }
    } catch (error) {
      // The database is away: what was not sent is not known to have failed.
      this.#deps.onFailure(error)
      this.#pause(pauseWithoutStore)
    }
  }

  async #takeMore(): Promise<boolean> {
    this.#takenAt = this.#deps.clock.now()
    const rows = await this.#deps.take(this.#webhook.guid)
    this.#waiting = rows.flatMap((row) =>
      row.events.slice(row.done).map((_, offset) => ({ row, index: row.done + offset })),
    )
    return this.#waiting.length > 0
  }

  async #sendNext(): Promise<void> {
    const some = this.#waiting.slice(0, this.#webhook.batch)
    const batch = await this.#prepare(some)
    this.#waiting.splice(0, some.length)
    const rows = progressOf(some)
    if (batch.length === 0) return this.#deps.note(undefined, { rows, retries: [] })
    const attempt = await sendOnce(this.#deps, this.#webhook, batch)
    if (attempt.failure === undefined) {
      this.#failures = 0
      const events = batch.map((event) => attempted(event, undefined))
      return this.#deps.note({ ...attempt, events }, { rows, retries: [] })
    }
    const { pauses } = this.#timing
    const failed = batch.map((event) => {
      const pause = attempt.isGone ? undefined : pauses[event.tries - 1]
      return { event, nextTryAt: pause === undefined ? undefined : attempt.at + pause }
    })
    const retries = failed.flatMap(({ event: { tries, message }, nextTryAt: dueAt }) =>
      dueAt === undefined ? [] : { webhookGuid: this.#webhook.guid, dueAt, tries, events: [JSON.stringify(message)] },
    )
    const events = failed.map(({ event, nextTryAt }) => attempted(event, nextTryAt))
    this.#failed()
    this.#deps.note({ ...attempt, events }, { rows, retries })
    await this.#deps.store()
  }

  /** Leaves out events that the webhook does not want. */
  async #prepare(some: readonly Waiting[]): Promise<readonly Prepared[]> {
    const names = await this.#deps.names()
    const wanted = some.flatMap(({ row, index }) => {
      const message = row.events[index] ?? {}
      const event = eventFrom(this.#webhook, message, this.#deps, names)
      return event ? [{ message, tries: row.tries + 1, event }] : []
    })
    const links = this.#webhook.fetchTags ? wanted.flatMap(({ event }) => event.link ?? []) : []
    const tags = links.length === 0 ? noTags : await this.#deps.tagsOf([...new Set(links)])
    return wanted.map(({ message, tries, event }) => ({
      message,
      tries,
      eventId: event.eventId,
      payload: JSON.stringify(this.#withTags(event, tags)),
    }))
  }

  #withTags({ link, payload }: OutgoingEvent, tags: ReadonlyMap<string, readonly string[]>) {
    return this.#webhook.fetchTags && link !== undefined ? { ...payload, tags: tags.get(link) ?? [] } : payload
  }

  /** A redelivery is one try; it does not change the pace. If it cannot be recorded, the events stay marked. */
  async #sendMarked(): Promise<void> {
    const batch = this.#marked.splice(0, this.#webhook.batch)
    const attempt = await sendOnce(this.#deps, this.#webhook, batch)
    const events = batch.map((event) => attempted({ ...event, tries: event.tries + 1 }, undefined))
    this.#deps.note({ ...attempt, events }, { rows: [], retries: [] })
    await this.#deps.store()
  }

  #failed(): void {
    this.#failures++
    const { backoff, maxBackoff } = this.#timing
    this.#pause(Math.min(backoff * 2 ** (this.#failures - 1), maxBackoff))
  }

  /** What was taken in advance is taken again later. */
  #pause(milliseconds: number): void {
    this.#waiting = []
    clearTimeout(this.#backoff)
    if (this.#isClosed) return
    this.#backoff = setTimeout(() => {
      this.#backoff = undefined
      this.wake()
    }, milliseconds)
  }
}

export async function sendOnce(
  { clock, send }: Pick<QueueDeps, 'clock' | 'send'>,
  webhook: Webhook,
  events: readonly SentEvent[],
  id = newGuid('delivery'),
): Promise<Omit<Attempt, 'events'>> {
  const at = clock.now()
  const began = performance.now()
  const result = await send(webhook, events)
  const durationMs = Math.round(performance.now() - began)
  return { ...result, id, webhookGuid: webhook.guid, at, durationMs }
}

interface Prepared extends SentEvent {
  readonly message: Readonly<Record<string, unknown>>
  readonly tries: number
}

/** Events of a row are sent in order, so a number says which of them are done. */
function progressOf(some: readonly Waiting[]): readonly RowProgress[] {
  const rows = new Map(
    some.map(({ row: { id, events }, index }) => [id, { id, done: index + 1, isOver: index + 1 === events.length }]),
  )
  return [...rows.values()]
}

function attempted({ eventId, tries, payload }: SentEvent & { readonly tries: number }, nextTryAt: number | undefined) {
  return { eventId, tries, payload, nextTryAt }
}

const noTags: ReadonlyMap<string, readonly string[]> = new Map()
