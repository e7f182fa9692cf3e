/** What happened to the events of a webhook, and sending them again (docs/api/webhooks.md#delivery-log). */
import type { Actor } from '../accounts/actor.js'
import { cursorOf, positionIn } from '../values/cursor.js'
import { isGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import { parseTimestamp } from '../values/time.js'
import { requireEvents, type Webhook, type WebhookEvent } from './webhook.js'
import type { DeadLetter, Delivery, SentDelivery } from './webhook-store.js'
import { maySeeCredentials, requireReadable, type WebhookDeps } from './webhooks.js'

export interface LogInput {
  readonly size: number
  /** `searchAfter` of the previous page. */
  readonly searchAfter: string | undefined
  readonly onlyFailed?: boolean
}

export interface LogEntries<Entry> {
  readonly entries: readonly Entry[]
  readonly searchAfter: string | undefined
}

export async function listDeliveries(
  deps: Pick<WebhookDeps, 'webhookStore'>,
  actor: Actor,
  webhook: Webhook,
  { onlyFailed = false, ...input }: LogInput,
): Promise<LogEntries<Delivery>> {
  const found = await page(input, (range) => deps.webhookStore.deliveries(webhook.guid, { ...range, onlyFailed }))
  return { ...found, entries: found.entries.map((delivery) => shownTo(actor, webhook, delivery)) }
}

export async function listDeadLetters(
  deps: Pick<WebhookDeps, 'webhookStore'>,
  actor: Actor,
  { guid }: Webhook,
  input: LogInput,
): Promise<LogEntries<DeadLetter>> {
  const found = await page(input, (range) => deps.webhookStore.deadLetters(guid, range))
  // The webhook may have had other events before.
  requireEvents(
    actor,
    found.entries.flatMap(({ eventTypes }) => eventTypes),
  )
  return found
}

/** With the events that were sent. */
export async function readDelivery(
  deps: Pick<WebhookDeps, 'webhookStore'>,
  actor: Actor,
  webhook: Webhook,
  id: string,
): Promise<SentDelivery> {
  const delivery = isGuid(id) ? await deps.webhookStore.delivery(webhook.guid, id) : undefined
  if (!delivery) throw new Refusal('NOT_FOUND', `There is no delivery ${quoted(id)}.`, { resource: 'webhooks' })
  requireEvents(actor, delivery.eventTypes)
  return shownTo(actor, webhook, delivery)
}

/** Auditors do not see the answer: receivers repeat the URL in it. */
function shownTo<Shown extends Delivery>(actor: Actor, webhook: Webhook, delivery: Shown): Shown {
  return maySeeCredentials(actor, webhook) ? delivery : { ...delivery, answer: '' }
}

/** Sends the events of a delivery once more, whatever became of it. Returns how many. */
export async function redeliverOne(deps: WebhookDeps, actor: Actor, webhook: Webhook, id: string): Promise<number> {
  requireActive(webhook)
  const at = deps.clock.now()
  const check = (types: readonly WebhookEvent[]) => requireEvents(actor, types)
  const count = isGuid(id) ? await deps.webhookStore.redeliver(webhook.guid, { delivery: id, at }, check) : 0
  if (count === 0) {
    throw new Refusal('NOT_FOUND', `There is no delivery ${quoted(id)} with events.`, { resource: 'webhooks' })
  }
  deps.webhookDeliveries.redeliver()
  return count
}

/** Sends all dead letters once more that failed since a time. Returns how many. */
export async function redeliverSince(
  deps: WebhookDeps,
  actor: Actor,
  webhook: Webhook,
  since: string,
): Promise<number> {
  requireActive(webhook)
  const time = parseTimestamp(since)
  if (!time) throw invalid('since', 'Send a timestamp such as 2026-11-15T08:00:00+0000.', 'webhooks')
  const check = (types: readonly WebhookEvent[]) => requireEvents(actor, types)
  const count = await deps.webhookStore.redeliver(webhook.guid, { since: time.at }, check)
  if (count > 0) deps.webhookDeliveries.redeliver()
  return count
}

function requireActive(webhook: Webhook): void {
  if (!webhook.isActive) {
    throw new Refusal('BAD_REQUEST', 'The webhook is not active. Activate it first.', { resource: 'webhooks' })
  }
  requireReadable(webhook)
}

async function page<Entry extends { readonly at: number; readonly id: string }>(
  { size, searchAfter }: LogInput,
  read: (range: { after: { at: number; id: string } | undefined; size: number }) => Promise<readonly Entry[]>,
): Promise<LogEntries<Entry>> {
  const after = searchAfter === undefined ? undefined : positionIn(searchAfter, 'webhooks')
  const found = await read({ after, size: size + 1 })
  const entries = found.slice(0, size)
  const last = found.length > size ? entries.at(-1) : undefined
  return { entries, searchAfter: last && cursorOf(last) }
}
