/**
 * The main thread's handle on the webhook thread: starts it with the first active webhook, tells it about changes, and
 * does its work on the database. Meanwhile events wait in the stream.
 */

import type { PlanCheckDeps } from '../core/limits/plans.js'
import type { Stream } from '../core/stream/stream.js'
import { Refusal } from '../core/values/refusal.js'
import type { Clock } from '../core/values/time.js'
import { type AnnounceDeps, announceState } from '../core/webhooks/announce-state.js'
import { channelOf, channelPrefix, type EventSource, isOutgoing, topicsOf } from '../core/webhooks/events.js'
import { isReadable, type Webhook } from '../core/webhooks/webhook.js'
import { defaultTiming, type WebhookTiming } from '../core/webhooks/webhook-queue.js'
import type { Attempt, WebhookStore } from '../core/webhooks/webhook-store.js'
import type { WebhookDeliveries } from '../core/webhooks/webhooks.js'
import type { Closable } from '../lib/closing.js'
import type { Logger } from '../lib/logger.js'
import type { OutgoingEvents } from './outgoing-events.js'
import type { WebhookThreadMethods, WebhookThreadOwner } from './webhook-messages.js'
import { beginThread, WorkerSupervisor } from './worker-supervisor.js'

export interface WebhookThreadOptions extends EventSource {
  readonly outgoingAllow: readonly string[]
  /** Other processes may change webhooks. */
  readonly isShared: boolean
  readonly timing?: Partial<WebhookTiming> | undefined
}

export interface WebhookThreadDeps extends PlanCheckDeps, AnnounceDeps {
  readonly webhookStore: WebhookStore
  readonly stream: Stream
  readonly clock: Clock
  /** The tags of links; those that do not exist are left out. */
  readonly tagsOf: (links: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  readonly log: Logger
  /** Publishes events beside clicks and new links. */
  readonly outgoingEvents: Pick<OutgoingEvents, 'setWanted' | 'close'>
}

/** How soon a webhook is known that another process added or changed. */
const lookEvery = 5_000
const closingTime = 15_000

/** The log keeps this many attempts per webhook (docs/api/webhooks.md#delivery-log). */
const logEntries = 1_000
const maxDeadLetters = 10_000
const alertAfter = 2
const deactivateAfter = 24 * 60 * 60 * 1000
const maxMarked = 10_000

export class WebhookThread implements WebhookDeliveries, Closable {
  readonly #deps: WebhookThreadDeps
  readonly #supervisor: WorkerSupervisor<WebhookThreadMethods, undefined>
  #starting: Promise<void> | undefined
  /** The active webhooks as the thread knows them. */
  #known: readonly Webhook[] = []
  /** Of these it was logged that they cannot be decrypted. */
  #unreadable: ReadonlySet<string> = new Set()
  #refreshing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(options: WebhookThreadOptions, deps: WebhookThreadDeps) {
    this.#deps = deps
    const timing = { ...defaultTiming, ...options.timing }
    const { baseUrl, linkWords, outgoingAllow } = options
    this.#supervisor = new WorkerSupervisor({
      name: 'the webhook thread',
      sentences: {
        ended: 'The webhook thread ended unexpectedly.',
        died: 'webhook thread died; events wait in the stream',
        cannotStart: 'cannot start the webhook thread',
        back: 'webhook thread is running again',
      },
      log: deps.log,
      away: (reason) =>
        new Refusal(
          'TEMPORARILY_UNAVAILABLE',
          `Webhooks are not available at the moment (${reason}). Try again later.`,
        ),
      begin: () => beginThread('webhook-worker.js', { baseUrl, linkWords, outgoingAllow, timing }),
      methods: this.#methods(),
      onBack: () => void this.#tell().catch((err) => deps.log.error({ err }, 'cannot start webhooks')),
    })
    if (options.isShared) this.#timer = setInterval(() => void this.#lookForChanges(), lookEvery).unref()
  }

  /** Call it once at the start. */
  async start(): Promise<void> {
    if ((await this.#deps.webhookStore.wanted()).length > 0) await this.refresh()
  }

  refresh(): Promise<void> {
    const refreshed = this.#refreshing.then(() => this.#refresh())
    this.#refreshing = refreshed.catch(() => {})
    return refreshed
  }

  async ping(webhook: Webhook): Promise<Attempt> {
    await this.#running()
    return this.#supervisor.call('ping', webhook)
  }

  redeliver(): void {
    void this.#redeliver().catch((err) => this.#deps.log.error({ err }, 'cannot read the events to send again'))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#deps.outgoingEvents.close()
    await this.#refreshing
    await this.#starting?.catch(() => {})
    await this.#supervisor.close([], closingTime)
  }

  async #refresh(): Promise<void> {
    const { webhookStore, stream } = this.#deps
    // Before the webhooks: a channel is created after its webhook, so one without a webhook was removed.
    const channels = this.#known.length === 0 ? await this.#formerChannels() : channelsOf(this.#known)
    const active = await this.#active()
    if (active.length === 0 && this.#known.length === 0 && channels.length === 0) return
    this.#known = active
    this.#logUnreadable()
    if (active.length > 0 || this.#supervisor.isRunning) {
      await this.#running()
      await this.#tell()
    }
    await stream.accessChanged()
    this.#deps.outgoingEvents.setWanted(active.some(({ events }) => events.some(isOutgoing)))
    const wanted = new Set(channelsOf(active).map(({ topic, channel }) => `${topic} ${channel}`))
    const removed = channels.filter(({ topic, channel }) => !wanted.has(`${topic} ${channel}`))
    for (const { topic, channel } of removed) await stream.deleteChannel(topic, channel)
    if ((await webhookStore.marked(this.#readable(), 1)).length > 0) this.redeliver()
  }

  async #active(): Promise<readonly Webhook[]> {
    const { webhookStore, plans } = this.#deps
    const wanted = new Set((await webhookStore.wanted()).map(({ guid }) => guid))
    if (wanted.size === 0) return []
    return (await webhookStore.list('all')).filter(
      ({ guid, organizationGuid }) => wanted.has(guid) && plans.of(organizationGuid).features.has('webhooks'),
    )
  }

  /** Channels of webhooks that a former process left. */
  async #formerChannels(): Promise<readonly Channel[]> {
    const { daemons } = await this.#deps.stream.stats()
    return daemons.flatMap(({ topics }) =>
      topics.flatMap(({ topic_name: topic, channels }) =>
        channels
          .map(({ channel_name: channel }) => ({ topic, channel }))
          .filter(({ channel }) => channel.startsWith(channelPrefix)),
      ),
    )
  }

  #running(): Promise<void> {
    this.#starting ??= this.#deps.stream
      .daemons()
      .then(() => this.#supervisor.start())
      .catch((error: unknown) => {
        this.#starting = undefined
        throw error
      })
    return this.#starting
  }

  /** A thread that died gets them when it is back. */
  async #tell(): Promise<void> {
    if (this.#supervisor.isRunning) await this.#supervisor.call('use', this.#known)
  }

  async #redeliver(): Promise<void> {
    const marked = await this.#deps.webhookStore.marked(this.#readable(), maxMarked)
    if (marked.length > 0) this.#supervisor.tell('redeliver', [marked])
  }

  #readable(): readonly string[] {
    return this.#known.filter(isReadable).map(({ guid }) => guid)
  }

  #logUnreadable(): void {
    const unreadable = this.#known.filter((webhook) => !isReadable(webhook))
    for (const { guid: webhook, organizationGuid: organization, lost } of unreadable) {
      if (this.#unreadable.has(webhook)) continue
      this.#deps.log.error(
        { webhook, organization, lost },
        'cannot decrypt the URL or secrets of a webhook, because the key was lost; its events wait. ' +
          'Set its URL again and rotate its secret, or delete it (docs/backup.md#secrets)',
      )
    }
    this.#unreadable = new Set(unreadable.map(({ guid }) => guid))
  }

  async #lookForChanges(): Promise<void> {
    try {
      const active = await this.#active()
      const isSame = JSON.stringify(active.map(seenFields)) === JSON.stringify(this.#known.map(seenFields))
      if (!isSame) await this.refresh()
    } catch (err) {
      this.#deps.log.warn({ err }, 'cannot look for changes of webhooks; trying again')
    }
  }

  #methods(): Omit<WebhookThreadOwner, 'ready' | 'broken' | 'log'> {
    const { stream, webhookStore, tagsOf } = this.#deps
    return {
      daemons: () => stream.daemons(),
      record: (attempts) => this.#record(attempts),
      triesOf: (guid, eventIds) => webhookStore.triesOf(guid, eventIds),
      tagsOf,
    }
  }

  async #record(attempts: readonly Attempt[]): Promise<void> {
    const now = this.#deps.clock.now()
    const limits = { entries: logEntries, deadLetters: maxDeadLetters, alertAfter }
    const changes = await this.#deps.webhookStore.record(attempts, {
      ...limits,
      deactivateBefore: now - deactivateAfter,
    })
    for (const change of changes) announceState(this.#deps, change)
    if (changes.some(({ change }) => change === 'deactivated')) void this.refresh().catch(() => {})
  }
}

interface Channel {
  readonly topic: string
  readonly channel: string
}

function channelsOf(webhooks: readonly Webhook[]): readonly Channel[] {
  return webhooks.flatMap(({ guid, organizationGuid, events }) =>
    topicsOf(organizationGuid, events).map((topic) => ({ topic, channel: channelOf(guid) })),
  )
}

/** What the thread needs to know; its own records change the rest. */
function seenFields({ alertedAt: _, ...fields }: Webhook): unknown {
  return fields
}
