/**
 * Delivers the events of one webhook, one request at a time and so in order, while the receiver accepts them. A failed
 * event goes back to the stream and is tried again later; meanwhile the others are delivered. A receiver that fails
 * again and again is asked ever more rarely, so that an outage costs few events their tries. Must not know how requests
 * are sent, nor where messages come from.
 */
import { newGuid } from '../values/guid.js'
import type { Clock } from '../values/time.js'
import { type EventSource, eventFrom, type OutgoingEvent } from './events.js'
import { isReadable, type Webhook } from './webhook.js'
import type { Attempt, MarkedEvent } from './webhook-store.js'

export interface QueueDeps extends EventSource {
  readonly clock: Clock
  /** Never rejects. */
  readonly send: (webhook: Webhook, events: readonly SentEvent[]) => Promise<SendResult>
  /** Writes a successful attempt to the log, some time later. */
  readonly note: (attempt: Attempt) => void
  /** Resolves when it is stored, with all attempts before. */
  readonly record: (attempt: Attempt) => Promise<void>
  readonly triesOf: (webhookGuid: string, eventIds: readonly string[]) => Promise<ReadonlyMap<string, number>>
  readonly tagsOf: (links: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  /** How many unfinished messages the stream may send; 0 stops it. */
  readonly setMaxInFlight: (count: number) => void
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

/** Five tries within 61 minutes. nsqd delays a message by at most an hour. */
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

/** A message of the stream. */
export interface QueuedMessage {
  readonly attempts: number
  readonly body: Buffer
  finish(): void
  requeue(pause: number): void
}

/** Messages are given back if they waited this long, well before the stream delivers them again (`messageTimeout`). */
const maxWait = 30_000
export const messageTimeout = 120_000
/** When the database is away, failed events are tried again without counting the try. */
const pauseWithoutStore = 30_000
/** Messages that are fetched in advance: as many as are sent in this time. */
const prefetchTime = 1_000
const maxPrefetch = 1_000

export class WebhookQueue {
  readonly #deps: QueueDeps
  readonly #timing: WebhookTiming
  #webhook: Webhook
  #waiting: { readonly message: QueuedMessage; readonly since: number }[] = []
  #marked: MarkedEvent[] = []
  #running: Promise<void> | undefined
  #isClosed = false
  #failures = 0
  #averageMs = 50
  #backoff: NodeJS.Timeout | undefined

  constructor(webhook: Webhook, deps: QueueDeps, timing: WebhookTiming) {
    this.#webhook = webhook
    this.#deps = deps
    this.#timing = timing
  }

  /** The webhook was changed. */
  use(webhook: Webhook): void {
    const wasReadable = isReadable(this.#webhook)
    this.#webhook = webhook
    if (isReadable(webhook) === wasReadable || this.#backoff) return
    this.#deps.setMaxInFlight(this.maxInFlight)
    if (wasReadable) this.#giveBack()
  }

  push(message: QueuedMessage): void {
    if (this.#isClosed || this.#backoff || !isReadable(this.#webhook)) {
      message.requeue(0)
      return
    }
    this.#waiting.push({ message, since: this.#deps.clock.now() })
    this.#run()
  }

  /** Sends these once more, also while the receiver fails. */
  redeliver(events: readonly MarkedEvent[]): void {
    const known = new Set(this.#marked.map(({ eventId }) => eventId))
    this.#marked.push(...events.filter(({ eventId }) => !known.has(eventId)))
    this.#run()
  }

  /** In powers of two, so that it changes rarely; 0 while nothing can be sent. */
  get maxInFlight(): number {
    if (!isReadable(this.#webhook)) return 0
    const requests = 2 ** Math.max(1, Math.round(Math.log2(prefetchTime / this.#averageMs)))
    return Math.min(maxPrefetch, requests * this.#webhook.batch)
  }

  /** Resolves when the request under way is over. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#backoff)
    this.#giveBack()
    await this.#running
  }

  #run(): void {
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = undefined
    })
  }

  async #sendAll(): Promise<void> {
    while (!this.#isClosed && this.#waiting.length + this.#marked.length > 0) {
      if (this.#marked.length > 0) await this.#sendMarked()
      else await this.#sendNext()
    }
  }

  async #sendNext(): Promise<void> {
    const [first] = this.#waiting
    if (!first) return
    if (this.#deps.clock.now() - first.since > maxWait) return this.#giveBack()
    const messages = this.#waiting.splice(0, this.#webhook.batch).map(({ message }) => message)
    try {
      const batch = await this.#prepare(messages)
      if (batch.length > 0) await this.#deliver(batch)
    } catch {
      // The database is away: what was not sent is not known to have failed.
      for (const message of messages) message.requeue(pauseWithoutStore)
    }
  }

  /** Finishes messages that the webhook does not want. */
  async #prepare(messages: readonly QueuedMessage[]): Promise<readonly Prepared[]> {
    const wanted: { message: QueuedMessage; event: OutgoingEvent }[] = []
    for (const message of messages) {
      const event = eventFrom(this.#webhook, message.body, this.#deps)
      if (event) wanted.push({ message, event })
      else message.finish()
    }
    const again = wanted.filter(({ message }) => message.attempts > 1).map(({ event }) => event.eventId)
    const tries = again.length === 0 ? none : await this.#deps.triesOf(this.#webhook.guid, again)
    const links = this.#webhook.fetchTags ? wanted.flatMap(({ event }) => event.link ?? []) : []
    const tags = links.length === 0 ? noTags : await this.#deps.tagsOf([...new Set(links)])
    return wanted.map(({ message, event: { eventId, link, payload } }) => ({
      message,
      eventId,
      tries: (tries.get(eventId) ?? 0) + 1,
      payload: JSON.stringify(
        this.#webhook.fetchTags && link !== undefined ? { ...payload, tags: tags.get(link) ?? [] } : payload,
      ),
    }))
  }

  async #deliver(batch: readonly Prepared[]): Promise<void> {
    const attempt = await this.#send(batch)
    if (attempt.failure === undefined) {
      for (const { message } of batch) message.finish()
      this.#deps.note({ ...attempt, events: batch.map((event) => attempted(event, undefined)) })
      this.#succeeded(attempt.durationMs)
      return
    }
    const { pauses } = this.#timing
    const failed = batch.map((event) => ({ event, pause: attempt.isGone ? undefined : pauses[event.tries - 1] }))
    // First in the backoff: what arrives while the attempt is stored must wait too.
    this.#failed()
    await this.#deps.record({
      ...attempt,
      events: failed.map(({ event, pause }) => attempted(event, pause === undefined ? undefined : attempt.at + pause)),
    })
    for (const { event, pause } of failed) {
      if (pause === undefined) event.message.finish()
      else event.message.requeue(pause)
    }
  }

  /** A redelivery is one try; it does not change the pace. */
  async #sendMarked(): Promise<void> {
    const batch = this.#marked.splice(0, this.#webhook.batch)
    try {
      const tries = await this.#deps.triesOf(
        this.#webhook.guid,
        batch.map(({ eventId }) => eventId),
      )
      const attempt = await this.#send(batch)
      const events = batch.map((event) =>
        attempted({ ...event, tries: (tries.get(event.eventId) ?? 1) + 1 }, undefined),
      )
      await this.#deps.record({ ...attempt, events })
    } catch {
      // The database is away. They stay marked there, for the next start or request.
    }
  }

  async #send(events: readonly SentEvent[]): Promise<Omit<Attempt, 'events'>> {
    const { clock, send } = this.#deps
    const at = clock.now()
    const began = performance.now()
    const result = await send(this.#webhook, events)
    const durationMs = Math.round(performance.now() - began)
    return { ...result, id: newGuid('delivery'), webhookGuid: this.#webhook.guid, at, durationMs }
  }

  #succeeded(tookMs: number): void {
    this.#failures = 0
    this.#averageMs = 0.8 * this.#averageMs + 0.2 * Math.max(1, tookMs)
    this.#deps.setMaxInFlight(this.maxInFlight)
  }

  /** Waits before the next event, and lets go of those that were fetched in advance. */
  #failed(): void {
    this.#failures++
    const { backoff, maxBackoff } = this.#timing
    this.#deps.setMaxInFlight(0)
    this.#giveBack()
    this.#backoff = setTimeout(
      () => {
        this.#backoff = undefined
        this.#deps.setMaxInFlight(Math.min(1, this.maxInFlight))
      },
      Math.min(backoff * 2 ** (this.#failures - 1), maxBackoff),
    )
  }

  #giveBack(): void {
    for (const { message } of this.#waiting.splice(0)) message.requeue(0)
  }
}

interface Prepared extends SentEvent {
  readonly message: QueuedMessage
  readonly tries: number
}

function attempted({ eventId, tries, payload }: SentEvent & { readonly tries: number }, nextTryAt: number | undefined) {
  return { eventId, tries, payload, nextTryAt }
}

const none: ReadonlyMap<string, number> = new Map()
const noTags: ReadonlyMap<string, readonly string[]> = new Map()
