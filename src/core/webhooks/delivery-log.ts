/** What happened to the events of a webhook, and sending them again (docs/api/webhooks.md#delivery-log). */
import { cursorOf, positionIn } from '../values/cursor.js'
import { isGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import { parseTimestamp } from '../values/time.js'
import type { Webhook } from './webhook.js'
import type { DeadLetter, Delivery, SentDelivery } from './webhook-store.js'
import { requireReadable, type WebhookDeps } from './webhooks.js'

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
  { guid }: Webhook,
  { onlyFailed = false, ...input }: LogInput,
): Promise<LogEntries<Delivery>> {
  return page(input, (range) => deps.webhookStore.deliveries(guid, { ...range, onlyFailed }))
}

export async function listDeadLetters(
  deps: Pick<WebhookDeps, 'webhookStore'>,
  { guid }: Webhook,
  input: LogInput,
): Promise<LogEntries<DeadLetter>> {
  return page(input, (range) => deps.webhookStore.deadLetters(guid, range))
}

/** With the events that were sent. */
export async function readDelivery(
  deps: Pick<WebhookDeps, 'webhookStore'>,
  { guid }: Webhook,
  id: string,
): Promise<SentDelivery> {
  const delivery = isGuid(id) ? await deps.webhookStore.delivery(guid, id) : undefined
  if (!delivery) throw new Refusal('NOT_FOUND', `There is no delivery ${quoted(id)}.`, { resource: 'webhooks' })
  return delivery
}

/** Sends the events of a delivery once more, whatever became of it. Returns how many. */
export async function redeliverOne(deps: WebhookDeps, webhook: Webhook, id: string): Promise<number> {
  requireActive(webhook)
  const at = deps.clock.now()
  const count = isGuid(id) ? await deps.webhookStore.redeliver(webhook.guid, { delivery: id, at }) : 0
  if (count === 0) {
    throw new Refusal('NOT_FOUND', `There is no delivery ${quoted(id)} with events.`, { resource: 'webhooks' })
  }
  deps.webhookDeliveries.redeliver()
  return count
}

/** Sends all dead letters once more that failed since a time. Returns how many. */
export async function redeliverSince(deps: WebhookDeps, webhook: Webhook, since: string): Promise<number> {
  requireActive(webhook)
  const time = parseTimestamp(since)
  if (!time) throw invalid('since', 'Send a timestamp such as 2026-11-15T08:00:00+0000.', 'webhooks')
  const count = await deps.webhookStore.redeliver(webhook.guid, { since: time.at })
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
