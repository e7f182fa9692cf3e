/**
 * Sends the events of the queue to receivers (core/webhooks/deliver-events.ts). A thread with its own connection to the
 * database, so that redirects never wait for receivers, nor for the log of deliveries.
 */
import { CurrentDomainNames } from '../../core/stream/subscriptions.js'
import { systemClock } from '../../core/values/time.js'
import { EventDelivery } from '../../core/webhooks/deliver-events.js'
import type { EventSource } from '../../core/webhooks/events.js'
import type { WebhookTiming } from '../../core/webhooks/webhook-queue.js'
import type { StateChange } from '../../core/webhooks/webhook-store.js'
import { tagsOfLinks } from '../../core/webhooks/webhooks.js'
import { FailureThrottles } from '../../lib/failure-throttle.js'
import { PeriodicTask } from '../../lib/periodic-task.js'
import { GuardedClient } from '../../storage/outgoing/guarded-client.js'
import { Receivers } from '../../storage/webhooks/receivers.js'
import { openRecords, type RecordsPlace } from '../stores/open-records.js'
import type { HostOwner } from './host-messages.js'
import { holderAt } from './stream-links.js'
import type { ThreadCalls } from './thread-calls.js'

export interface WebhookThreadData extends EventSource {
  readonly records: RecordsPlace
  readonly outgoingAllow: readonly string[]
  readonly timing: WebhookTiming
}

/** The methods of the main thread. */
export interface WebhookThreadOwner extends HostOwner {
  changed(changes: readonly StateChange[]): void
}

export interface WebhookThreadMethods extends Pick<EventDelivery, 'use' | 'ping' | 'redeliver' | 'look' | 'close'> {}

/** How soon a domain that another process renamed has its new name in events. */
const refreshEvery = 5_000

export async function serve(
  { baseUrl, linkWords, timing, records: place, outgoingAllow }: WebhookThreadData,
  owner: ThreadCalls<WebhookThreadOwner>,
): Promise<WebhookThreadMethods> {
  const records = await openRecords(place)
  const client = new GuardedClient({ allow: outgoingAllow })
  const receivers = new Receivers({ client, now: systemClock.now, timeout: timing.timeout })
  const names = new CurrentDomainNames(records)
  // In an outage one line a minute.
  const warn = new FailureThrottles().of((fields, message) => owner.tell('log', ['warn', fields, message]))
  const delivery = new EventDelivery(
    {
      ...{
        baseUrl,
        linkWords,
        clock: systemClock,
        webhookStore: records.webhookStore,
        holder: holderAt(place),
      },
      names: () => names.known(),
      send: (webhook, events) => receivers.send(webhook, events),
      tagsOf: async (links) => tagsOfLinks({ links: records.links, domains: await names.known() }, links),
      onChange: (changes) => owner.tell('changed', [changes]),
      onFailure: (error) => warn({ reason: String(error) }, 'cannot read or write the queue of webhooks; events wait'),
    },
    timing,
  )
  const refreshing = new PeriodicTask(
    refreshEvery,
    () => names.refresh(),
    () => {},
  )
  return {
    use: (webhooks) => delivery.use(webhooks),
    ping: (webhook) => delivery.ping(webhook),
    redeliver: () => delivery.redeliver(),
    look: () => delivery.look(),
    async close() {
      await refreshing.close()
      await delivery.close()
      client.close()
      await records.close()
    },
  }
}
