/**
 * The webhook thread: reads the stream for every active webhook and sends the events to its receiver. Its own thread, so
 * that redirects never wait for receivers. It talks to the main thread only by messages; the main thread has the database.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { newGuid } from '../core/values/guid.js'
import { systemClock } from '../core/values/time.js'
import { channelOf, pingEvent, topicsOf } from '../core/webhooks/events.js'
import type { Webhook } from '../core/webhooks/webhook.js'
import { messageTimeout, type QueueDeps, WebhookQueue } from '../core/webhooks/webhook-queue.js'
import type { Attempt } from '../core/webhooks/webhook-store.js'
import { TopicReader } from '../storage/nsqd/topic-reader.js'
import { GuardedClient } from '../storage/outgoing/guarded-client.js'
import { Receivers } from '../storage/webhooks/receivers.js'
import { lowerPriority } from './lower-priority.js'
import { ThreadCalls } from './thread-calls.js'
import type { WebhookThreadData, WebhookThreadMethods, WebhookThreadOwner } from './webhook-messages.js'

type Owner = ThreadCalls<WebhookThreadOwner>

async function runThread(port: MessagePort, data: WebhookThreadData): Promise<void> {
  const client = new GuardedClient({ allow: data.outgoingAllow })
  const receivers = new Receivers({ client, now: systemClock.now, timeout: data.timing.timeout })
  const running = new Map<string, RunningWebhook>()
  const methods: WebhookThreadMethods = {
    use: (webhooks) => useWebhooks(webhooks),
    ping: (webhook) => ping(webhook),
    redeliver(events) {
      for (const [guid, { queue }] of running) {
        queue.redeliver(events.filter(({ webhookGuid }) => webhookGuid === guid))
      }
    },
    async close() {
      await Promise.all([...running.values()].map((each) => each.close('when-sent')))
      await log.close()
      client.close()
      port.close()
    },
  }
  const owner: Owner = new ThreadCalls<WebhookThreadOwner>(port, methods)
  const log = new AttemptLog(owner)
  await lowerPriority()

  const deps = (setMaxInFlight: (count: number) => void): QueueDeps => ({
    clock: systemClock,
    baseUrl: data.baseUrl,
    linkWords: data.linkWords,
    send: (webhook, events) => receivers.send(webhook, events),
    note: (attempt) => log.add(attempt),
    record: (attempt) => log.addAndWrite(attempt),
    triesOf: (guid, eventIds) => owner.call('triesOf', [guid, eventIds]),
    tagsOf: (links) => owner.call('tagsOf', [links]),
    setMaxInFlight,
  })

  async function useWebhooks(webhooks: readonly Webhook[]): Promise<void> {
    const wanted = new Set(webhooks.map(({ guid }) => guid))
    const gone = [...running].filter(([guid]) => !wanted.has(guid))
    for (const [guid] of gone) running.delete(guid)
    await Promise.all([
      ...gone.map(([, each]) => each.close()),
      ...webhooks.map((webhook) => {
        const known = running.get(webhook.guid) ?? new RunningWebhook(webhook, owner, deps, data)
        running.set(webhook.guid, known)
        return known.use(webhook)
      }),
    ])
  }

  async function ping(webhook: Webhook): Promise<Attempt> {
    const [id, at, began] = [newGuid('delivery'), systemClock.now(), performance.now()]
    const { eventId, payload } = pingEvent(webhook, `ping/${id}`, at, data.baseUrl)
    const event = { eventId, payload: JSON.stringify(payload) }
    const result = await receivers.send(webhook, [event])
    const durationMs = Math.round(performance.now() - began)
    // A failed ping is not tried again, and is no dead letter: nobody needs it.
    const attempt = { ...result, id, webhookGuid: webhook.guid, at, durationMs, events: [] }
    await log.addAndWrite(attempt)
    return attempt
  }

  owner.tell('ready', [undefined])
}

/** A webhook, its queue, and a reader for each of its topics. */
class RunningWebhook {
  readonly queue: WebhookQueue
  readonly #owner: Owner
  readonly #readers = new Map<string, TopicReader>()
  #maxInFlight: number

  constructor(
    webhook: Webhook,
    owner: Owner,
    deps: (setMaxInFlight: (count: number) => void) => QueueDeps,
    { timing }: WebhookThreadData,
  ) {
    this.#owner = owner
    this.queue = new WebhookQueue(
      webhook,
      deps((count) => this.#setMaxInFlight(count)),
      timing,
    )
    this.#maxInFlight = this.queue.maxInFlight
  }

  async use(webhook: Webhook): Promise<void> {
    this.queue.use(webhook)
    const topics = topicsOf(webhook.organizationGuid, webhook.events)
    for (const [topic, reader] of this.#readers) {
      if (topics.includes(topic)) continue
      this.#readers.delete(topic)
      await reader.close()
    }
    const missing = topics.filter((topic) => !this.#readers.has(topic))
    await Promise.all(missing.map((topic) => this.#read(topic, webhook.guid)))
  }

  /** `when-sent`: after the request under way, whose event would otherwise be sent again. */
  async close(when: 'now' | 'when-sent' = 'now'): Promise<void> {
    const sent = this.queue.close()
    if (when === 'when-sent') await sent
    await Promise.all([...this.#readers.values()].map((reader) => reader.close()))
  }

  #read(topic: string, guid: string): Promise<void> {
    const options = { topic, channel: channelOf(guid), maxInFlight: this.#maxInFlight, messageTimeout }
    const reader = new TopicReader(options, {
      daemons: () => this.#owner.call('daemons', []),
      onMessage: (message) => this.queue.push(message),
      onFailure: (daemon, { message: reason }) =>
        this.#owner.tell('log', ['warn', { daemon, topic, reason }, 'cannot read events for a webhook; trying again']),
    })
    this.#readers.set(topic, reader)
    return reader.start()
  }

  #setMaxInFlight(count: number): void {
    this.#maxInFlight = count
    for (const reader of this.#readers.values()) reader.setMaxInFlight(count)
  }
}

/** How long successful attempts are collected before they are written together. */
const writeEvery = 1_000
/** More are not kept anyway. */
const maxCollected = 1_000

/** Writes attempts in batches: one transaction for each of a thousand deliveries a second would be too many. */
class AttemptLog {
  readonly #owner: Owner
  #waiting: Attempt[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(owner: Owner) {
    this.#owner = owner
  }

  add(attempt: Attempt): void {
    this.#waiting.push(attempt)
    this.#timer ??= setTimeout(() => void this.#write().catch(() => {}), writeEvery)
  }

  /** Resolves when it is stored. */
  addAndWrite(attempt: Attempt): Promise<void> {
    this.#waiting.push(attempt)
    return this.#write()
  }

  async close(): Promise<void> {
    await this.#write().catch(() => {})
  }

  /** What cannot be written is lost: the log is no proof, and its events are in the stream until they are delivered. */
  async #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const attempts = this.#waiting.splice(0)
    if (attempts.length > 0) await this.#owner.call('record', [newestOf(attempts)])
  }
}

/** Of each webhook; always those of events that failed before, whose state must change. */
function newestOf(attempts: readonly Attempt[]): readonly Attempt[] {
  const left = new Map<string, number>()
  return attempts
    .toReversed()
    .filter(({ webhookGuid, failure, events }) => {
      const kept = (left.get(webhookGuid) ?? 0) + 1
      left.set(webhookGuid, kept)
      return kept <= maxCollected || failure !== undefined || events.some(({ tries }) => tries > 1)
    })
    .reverse()
}

// Last, because classes and constants above must be initialized first.
if (!parentPort) throw new Error('webhook-worker.js must be started by webhook-thread.js')
await runThread(parentPort, workerData as WebhookThreadData)
