/**
 * The main thread's handle on the webhook thread: starts it with the first active webhook, and tells it and the click
 * thread about changes. Meanwhile events wait in the database.
 */
import type { PlanCheckDeps } from '../../core/limits/plans.js'
import { type AnnounceDeps, announceState } from '../../core/webhooks/announce-state.js'
import { isReadable, type Webhook } from '../../core/webhooks/webhook.js'
import { defaultTiming, type WebhookTiming } from '../../core/webhooks/webhook-queue.js'
import type { Attempt, StateChange, WebhookStore } from '../../core/webhooks/webhook-store.js'
import type { WebhookDeliveries } from '../../core/webhooks/webhooks.js'
import type { Closable } from '../../lib/closing.js'
import type { Logger } from '../../lib/logger.js'
import { PeriodicTask } from '../../lib/periodic-task.js'
import { SerialQueue } from '../../lib/serial-queue.js'
import type { RecordsPlace } from '../stores/open-records.js'
import type { ClickThread } from './click-thread.js'
import type { HostOwner } from './host-messages.js'
import { startModule } from './start-module.js'
import type { WebhookThreadData, WebhookThreadMethods, WebhookThreadOwner } from './webhook-worker.js'
import { WorkerThread } from './worker-thread.js'

export interface WebhookThreadOptions extends Omit<WebhookThreadData, 'timing'> {
  readonly timing?: Partial<WebhookTiming> | undefined
}

export interface WebhookThreadDeps extends PlanCheckDeps, AnnounceDeps {
  readonly webhookStore: WebhookStore
  /** Puts clicks and new links into the queues. */
  readonly pipeline: Pick<ClickThread, 'refreshWebhooks' | 'onWebhookEvents'>
  readonly log: Logger
}

/** How soon a webhook is known that another process added or changed. */
const lookEvery = 5_000

export class WebhookThread implements WebhookDeliveries, Closable {
  readonly #deps: WebhookThreadDeps
  readonly #records: RecordsPlace
  readonly #thread: WorkerThread<WebhookThreadMethods>
  /** The active webhooks as the thread knows them. */
  #known: readonly Webhook[] = []
  /** Of these it was logged that they cannot be decrypted. */
  #unreadable: ReadonlySet<string> = new Set()
  readonly #refreshing = new SerialQueue()
  #looking: PeriodicTask | undefined

  constructor({ timing: given, ...options }: WebhookThreadOptions, deps: WebhookThreadDeps) {
    this.#deps = deps
    this.#records = options.records
    const timing = { ...defaultTiming, ...given }
    this.#thread = new WorkerThread({
      name: 'webhook thread',
      begin: () => startModule('webhooks', { ...options, timing } satisfies WebhookThreadData),
      unavailable: 'Webhooks are not available at the moment',
      meanwhile: 'events wait in the database',
      log: deps.log,
      closingTime: 15_000,
      owner: { changed: (changes) => this.#changed(changes) } satisfies Omit<WebhookThreadOwner, keyof HostOwner>,
      onBack: () => void this.#use().catch((err) => deps.log.error({ err }, 'cannot start webhooks')),
    })
    deps.pipeline.onWebhookEvents(() => this.#thread.tell('look', []))
    if (options.records.databaseUrl !== undefined) {
      const onFailure = (err: unknown) => deps.log.warn({ err }, 'cannot look for changes of webhooks; trying again')
      this.#looking = new PeriodicTask(lookEvery, () => this.#lookForChanges(), onFailure)
    }
  }

  /** Call it once at the start. */
  async start(): Promise<void> {
    if ((await this.#deps.webhookStore.wanted()).length > 0) await this.refresh()
  }

  refresh(): Promise<void> {
    return this.#refreshing.run(() => this.#refresh())
  }

  ping(webhook: Webhook): Promise<Attempt> {
    return this.#thread.methods.ping(webhook)
  }

  redeliver(): void {
    if (!this.#thread.isRunning) return
    this.#thread.methods
      .redeliver()
      .catch((err) => this.#deps.log.error({ err }, 'cannot read the events to send again'))
  }

  async close(): Promise<void> {
    this.#looking?.stop()
    await this.#refreshing.idle()
    await this.#thread.close()
  }

  async #refresh(): Promise<void> {
    const active = await this.#active()
    if (active.length === 0 && this.#known.length === 0) return
    this.#known = active
    this.#logUnreadable()
    // The first ones start the thread.
    if (this.#thread.isRunning || (active.length > 0 && this.#thread.failure === undefined)) await this.#use()
    await this.#deps.pipeline.refreshWebhooks(this.#records)
  }

  async #active(): Promise<readonly Webhook[]> {
    const { webhookStore, plans } = this.#deps
    const wanted = new Set((await webhookStore.wanted()).map(({ guid }) => guid))
    if (wanted.size === 0) return []
    return (await webhookStore.list('all')).filter(
      ({ guid, organizationGuid }) => wanted.has(guid) && plans.of(organizationGuid).features.has('webhooks'),
    )
  }

  /** A thread that died gets them when it is back. */
  async #use(): Promise<void> {
    await this.#thread.methods.use(this.#known)
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
    const active = await this.#active()
    const isSame = JSON.stringify(active.map(seenFields)) === JSON.stringify(this.#known.map(seenFields))
    if (!isSame) await this.refresh()
  }

  #changed(changes: readonly StateChange[]): void {
    for (const change of changes) announceState(this.#deps, change)
    if (changes.some(({ change }) => change === 'deactivated')) void this.refresh().catch(() => {})
  }
}

/** What the thread needs to know; its own records change the rest. */
function seenFields({ alertedAt: _, ...fields }: Webhook): unknown {
  return fields
}
