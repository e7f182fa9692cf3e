/**
 * Delivers the events of all active webhooks from their queues: looks for events that are due, and stores what became of
 * them. It can run in any thread, and in several processes: one of them at a time has the queue of a webhook, so that its
 * events stay in order. Must not know how requests are sent.
 */
import { PeriodicTask } from '../../lib/periodic-task.js'
import { SerialQueue } from '../../lib/serial-queue.js'
import { newGuid } from '../values/guid.js'
import { pingEvent } from './events.js'
import type { QueuedEvents, QueueProgress, QueueRow, RowProgress } from './queued-events.js'
import { isReadable, type Webhook } from './webhook.js'
import { claimFor, type QueueDeps, sendOnce, WebhookQueue, type WebhookTiming } from './webhook-queue.js'
import type { Attempt, StateChange, WebhookStore } from './webhook-store.js'

export interface DeliverEventsDeps extends Omit<QueueDeps, 'take' | 'note' | 'store'> {
  readonly webhookStore: Pick<
    WebhookStore,
    'claim' | 'release' | 'due' | 'correctDueTimes' | 'record' | 'marked' | 'noteExpired'
  >
  /** This process; the same after a restart, which then has its queues at once. */
  readonly holder: string
  readonly onChange: (changes: readonly StateChange[]) => void
}

const lookEvery = 500
const lookForExpiredEvery = 5_000
const correctTimesEvery = 60_000
/** When a claim of a process that does not answer ends: later than a process keeps rows, and a request lasts. */
const claimTimeout = 30_000
/** Rows that are read at once, of up to 100 events each. */
const rowsAtOnce = 10
const maxMarked = 10_000

/** The log keeps this many attempts per webhook (docs/api/webhooks.md#delivery-log). */
const limits = { entries: 1_000, deadLetters: 10_000, alertAfter: 2 }
const deactivateAfter = 24 * 60 * 60 * 1000

/** Results are collected for so long, and stored together. */
const storeEvery = 1_000

export class EventDelivery {
  readonly #deps: DeliverEventsDeps
  readonly #timing: WebhookTiming
  readonly #queues = new Map<string, WebhookQueue>()
  #webhooks: readonly Webhook[] = []
  readonly #looking: PeriodicTask
  #expiredAt = Number.NEGATIVE_INFINITY
  #correctedAt = Number.NEGATIVE_INFINITY
  // What is not stored yet.
  readonly #attempts: Attempt[] = []
  readonly #rows = new Map<string, RowProgress>()
  readonly #retries: QueuedEvents[] = []
  readonly #storing: PeriodicTask
  readonly #stores = new SerialQueue()

  constructor(deps: DeliverEventsDeps, timing: WebhookTiming) {
    this.#deps = deps
    this.#timing = timing
    this.#looking = new PeriodicTask(lookEvery, (signal) => this.#look(signal), deps.onFailure)
    this.#storing = new PeriodicTask(storeEvery, () => this.#store(), deps.onFailure)
  }

  /** All active webhooks. */
  async use(webhooks: readonly Webhook[]): Promise<void> {
    this.#webhooks = webhooks
    const wanted = new Set(webhooks.map(({ guid }) => guid))
    for (const [guid, queue] of this.#queues) {
      if (wanted.has(guid)) continue
      this.#queues.delete(guid)
      void queue.close()
    }
    for (const webhook of webhooks) {
      const known = this.#queues.get(webhook.guid)
      if (known) known.use(webhook)
      else this.#queues.set(webhook.guid, this.#open(webhook))
    }
    // At once, so that a new webhook misses no link that expires from now on.
    await this.#noteExpired(this.#deps.clock.now())
    await this.redeliver()
    this.look()
  }

  /** Events were added. */
  look(): void {
    void this.#looking.now()
  }

  /** Sends the marked events. */
  async redeliver(): Promise<void> {
    for (const event of await this.#deps.webhookStore.marked(this.#readable(), maxMarked)) {
      this.#queues.get(event.webhookGuid)?.redeliver([event])
    }
  }

  /** Sends a ping, also for an inactive webhook, and logs the attempt. */
  async ping(webhook: Webhook): Promise<Attempt> {
    const { clock, baseUrl } = this.#deps
    const id = newGuid('delivery')
    const { eventId, payload } = pingEvent(webhook, `ping/${id}`, clock.now(), baseUrl)
    // A failed ping is not tried again, and is no dead letter: nobody needs it.
    const sent = await sendOnce(this.#deps, webhook, [{ eventId, payload: JSON.stringify(payload) }], id)
    const attempt = { ...sent, events: [] }
    this.#attempts.push(attempt)
    await this.#store()
    return attempt
  }

  /** After the requests under way, whose events would otherwise be sent again. */
  async close(): Promise<void> {
    await this.#looking.close()
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()))
    await this.#storing.close()
    // What was sent must be stored before another process has the queues.
    await this.#store()
      .then(() => this.#deps.webhookStore.release(this.#deps.holder))
      .catch(this.#deps.onFailure)
  }

  #open(webhook: Webhook): WebhookQueue {
    const deps: QueueDeps = {
      ...this.#deps,
      take: (guid) => this.#take(guid),
      note: (attempt, progress) => this.#note(attempt, progress),
      store: () => this.#store(),
    }
    return new WebhookQueue(webhook, deps, this.#timing)
  }

  async #look(signal: AbortSignal): Promise<void> {
    if (this.#webhooks.length === 0 || signal.aborted) return
    const now = this.#deps.clock.now()
    // The clock may have been set back meanwhile.
    if (Math.abs(now - this.#expiredAt) >= lookForExpiredEvery) {
      this.#expiredAt = now
      await this.#noteExpired(now)
    }
    if (Math.abs(now - this.#correctedAt) >= correctTimesEvery) {
      this.#correctedAt = now
      await this.#deps.webhookStore.correctDueTimes(this.#readable(), now, Math.max(...this.#timing.pauses))
    }
    for (const guid of await this.#deps.webhookStore.due(this.#readable(), now)) this.#queues.get(guid)?.wake()
  }

  async #noteExpired(now: number): Promise<void> {
    const isWanted = this.#webhooks.some(({ events }) => events.includes('link.expired'))
    if (isWanted) await this.#deps.webhookStore.noteExpired(now)
  }

  async #take(guid: string): Promise<readonly QueueRow[]> {
    const { webhookStore, clock, holder } = this.#deps
    const now = clock.now()
    // Before the rows are read: what is stored meanwhile is missing in both otherwise.
    const done = new Map(this.#rows)
    const except = [...done.values()].filter(({ isOver }) => isOver).map(({ id }) => id)
    const claim = { holder, now, renewBefore: now - claimFor, staleBefore: now - claimTimeout }
    const rows = await webhookStore.claim(guid, { ...claim, size: rowsAtOnce, except })
    return rows.map((row) => ({ ...row, done: Math.max(row.done, done.get(row.id)?.done ?? 0) }))
  }

  #note(attempt: Attempt | undefined, { rows, retries }: QueueProgress): void {
    if (attempt) this.#attempts.push(attempt)
    for (const row of rows) this.#rows.set(row.id, row)
    this.#retries.push(...retries)
  }

  /** What cannot be stored is stored with the next. */
  #store(): Promise<void> {
    return this.#stores.run(() => this.#storeNow())
  }

  async #storeNow(): Promise<void> {
    const attempts = [...this.#attempts]
    const rows = [...this.#rows.values()]
    const retries = [...this.#retries]
    if (attempts.length + rows.length === 0) return
    const { webhookStore, clock, onChange } = this.#deps
    const deactivateBefore = clock.now() - deactivateAfter
    const progress = { rows, retries }
    const changes = await webhookStore.record(attempts, { ...limits, deactivateBefore }, progress)
    this.#attempts.splice(0, attempts.length)
    this.#retries.splice(0, retries.length)
    for (const row of rows) if (this.#rows.get(row.id) === row) this.#rows.delete(row.id)
    if (changes.length > 0) onChange(changes)
  }

  #readable(): readonly string[] {
    return this.#webhooks.filter(isReadable).map(({ guid }) => guid)
  }
}
