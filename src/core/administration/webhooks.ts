/** The operator's commands for webhooks. Secrets and the paths of URLs are not shown. */
import type { Actor } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { requireLinkWord } from '../accounts/tokens.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { parseTimestamp } from '../values/time.js'
import { hostOf, type Webhook } from '../webhooks/webhook.js'
import type { Delivery, WebhookStore } from '../webhooks/webhook-store.js'
import { requireReadable, type WebhookDeliveries } from '../webhooks/webhooks.js'

export interface WebhookAdministrationDeps extends AuditDeps {
  readonly webhookStore: WebhookStore
  readonly clock: Clock
  /** Undefined while the service is stopped: it sends the events after its start. */
  readonly webhookDeliveries?: Pick<WebhookDeliveries, 'redeliver' | 'refresh'>
}

const listed = [
  'guid',
  'organizationGuid',
  'name',
  'events',
  'linkWord',
  'isActive',
  'alertedAt',
  'alertDelivery',
  'deactivatedAt',
  'lost',
] as const

type Listed = Pick<Webhook, (typeof listed)[number]>

export type ListedWebhook = Listed & { readonly host: string }

export async function listWebhooks(
  { webhookStore }: WebhookAdministrationDeps,
  { organizationGuid = 'all' }: { organizationGuid?: string | undefined },
): Promise<readonly ListedWebhook[]> {
  const webhooks = await webhookStore.list(organizationGuid)
  return webhooks.map((webhook) => {
    const shown = Object.fromEntries(listed.map((field) => [field, webhook[field]])) as Listed
    return { ...shown, host: hostOf(webhook) }
  })
}

export async function webhookLog(
  { webhookStore }: WebhookAdministrationDeps,
  {
    guid,
    size = 50,
    onlyFailed = false,
  }: { guid: string; size?: number | undefined; onlyFailed?: boolean | undefined },
): Promise<readonly Delivery[]> {
  await requireWebhook(webhookStore, guid)
  return webhookStore.deliveries(guid, { after: undefined, size, onlyFailed })
}

/** An empty word: that of the service. Like that of a token, it need not be configured yet. */
export async function setWebhookWord(
  deps: WebhookAdministrationDeps,
  actor: Actor,
  { guid, word }: { guid: string; word: string },
): Promise<{ readonly guid: string; readonly word: string }> {
  const linkWord = word === '' ? undefined : word
  requireLinkWord(linkWord, 'webhooks')
  const { organizationGuid, name } = await requireWebhook(deps.webhookStore, guid)
  const { login } = actor
  await deps.webhookStore.update(guid, () => ({ linkWord }), { login, at: deps.clock.now() })
  await deps.webhookDeliveries?.refresh()
  await addAuditEntry(deps, { action: 'webhook_changed', login, organizationGuid, subject: guid, details: { name } })
  return { guid, word }
}

/** Exactly one of the two. */
export interface RedeliverInput {
  readonly guid: string
  readonly delivery?: string | undefined
  readonly since?: string | undefined
}

export async function redeliverWebhook(
  { webhookStore, clock, webhookDeliveries }: WebhookAdministrationDeps,
  { guid, delivery, since }: RedeliverInput,
): Promise<{ readonly count: number; readonly isRunning: boolean }> {
  if ((delivery === undefined) === (since === undefined)) {
    throw invalid('delivery', 'Name a delivery (--delivery ID) or a time (--since TIME).', 'webhooks')
  }
  const webhook = await requireWebhook(webhookStore, guid)
  if (!webhook.isActive) throw new Refusal('BAD_REQUEST', 'The webhook is not active.', { resource: 'webhooks' })
  requireReadable(webhook)
  const time = since === undefined ? undefined : parseTimestamp(since)
  if (since !== undefined && !time) throw invalid('since', 'Send a time such as 2026-11-15T08:00:00Z.', 'webhooks')
  const which = time ? { since: time.at } : { delivery: delivery ?? '', at: clock.now() }
  const count = await webhookStore.redeliver(guid, which)
  webhookDeliveries?.redeliver()
  return { count, isRunning: webhookDeliveries !== undefined }
}

async function requireWebhook(webhookStore: WebhookStore, guid: string): Promise<Webhook> {
  const webhook = await webhookStore.get(guid)
  if (!webhook) throw new Refusal('NOT_FOUND', `There is no webhook ${quoted(guid)}.`, { resource: 'webhooks' })
  return webhook
}
