/** Messages between the main thread and the webhook thread. */
import type { StreamDaemon } from '../core/stream/stream.js'
import type { EventSource } from '../core/webhooks/events.js'
import type { Webhook } from '../core/webhooks/webhook.js'
import type { WebhookTiming } from '../core/webhooks/webhook-queue.js'
import type { Attempt, MarkedEvent } from '../core/webhooks/webhook-store.js'
import type { SupervisorMethods } from './worker-supervisor.js'

/** Start data of the webhook thread. */
export interface WebhookThreadData extends EventSource {
  readonly outgoingAllow: readonly string[]
  readonly timing: WebhookTiming
}

/** The methods of the webhook thread. */
export interface WebhookThreadMethods {
  /** All active webhooks. Resolves when each of them has its channels on the daemons that answer. */
  use(webhooks: readonly Webhook[]): Promise<void>
  ping(webhook: Webhook): Promise<Attempt>
  redeliver(events: readonly MarkedEvent[]): void
  /** Gives messages back to the stream, writes the log and ends the thread. */
  close(): void
}

/** The methods of the main thread for the webhook thread. Only the main thread uses the database. */
export interface WebhookThreadOwner extends SupervisorMethods<undefined> {
  daemons(): Promise<readonly StreamDaemon[]>
  record(attempts: readonly Attempt[]): Promise<void>
  triesOf(webhookGuid: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  tagsOf(links: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
}
