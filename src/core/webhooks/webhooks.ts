/** Managing webhooks. Only administrators of their organization may change them, and auditors see them too (docs/api/webhooks.md#access). */
import {
  type Actor,
  requireOrganization,
  requireOrganizationAdmin,
  requireOrganizationAuditor,
} from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import type { DomainNames } from '../domains/domains.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import type { LinkStore } from '../links/link-store.js'
import { isGuid, newGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import { changedFields, type FieldDeps, newFields, type WebhookInput } from './fields.js'
import { newSigningSecret } from './sign.js'
import { isReadable, maxWebhooks, requireEvents, type Webhook, withoutCredentials } from './webhook.js'
import type { Attempt, WebhookStore } from './webhook-store.js'

export interface WebhookDeps extends AuditDeps, PlanCheckDeps, FieldDeps {
  readonly webhookStore: WebhookStore
  readonly webhookDeliveries: WebhookDeliveries
}

/** What sends events; app.ts decides where it runs. */
export interface WebhookDeliveries {
  /** Call it after every change of webhooks: when it resolves, an active webhook gets all later events. */
  refresh(): Promise<void>
  /** Sends a ping, also for an inactive webhook, and logs the attempt. */
  ping(webhook: Webhook): Promise<Attempt>
  /** Sends the marked events soon. */
  redeliver(): void
}

export async function listWebhooks(
  deps: Pick<WebhookDeps, 'webhookStore' | 'plans'>,
  actor: Actor,
  organizationGuid: string,
): Promise<readonly Webhook[]> {
  requireOrganizationAuditor(actor, organizationGuid)
  requireWebhooks(deps, organizationGuid)
  const webhooks = await deps.webhookStore.list(organizationGuid)
  return webhooks.map((webhook) => shownTo(actor, webhook))
}

/** With its signing secret, which is not shown again. */
export async function addWebhook(
  deps: WebhookDeps,
  actor: Actor,
  organizationGuid: string,
  input: WebhookInput,
): Promise<Webhook> {
  requireOrganizationAdmin(actor, organizationGuid)
  const fields = newFields(deps, actor, organizationGuid, input)
  requireEvents(actor, fields.events)
  requireWebhooks(deps, organizationGuid)
  const [guid, secret, at] = [newGuid('webhook'), newSigningSecret(), deps.clock.now()]
  const added = { ...fields, guid, organizationGuid, secret, by: actor.login, at, limit: maxWebhooks }
  const outcome = await deps.webhookStore.add(added)
  if (outcome === 'no-organization') throw new Error(`the organization ${organizationGuid} has an administrator only`)
  if (outcome === 'too-many') {
    throw invalid('name', `An organization has at most ${maxWebhooks} webhooks. Delete one first.`, 'webhooks')
  }
  await deps.webhookDeliveries.refresh()
  await note(deps, 'webhook_added', actor, { guid, organizationGuid, name: fields.name })
  return requireFound(await deps.webhookStore.get(guid), guid)
}

/** Outsiders cannot find out which webhooks exist. */
export async function readWebhook(
  deps: Pick<WebhookDeps, 'webhookStore' | 'plans'>,
  actor: Actor,
  guid: string,
): Promise<Webhook> {
  const webhook = isGuid(guid) ? await deps.webhookStore.get(guid) : undefined
  const isMember = actor.organizations.some((each) => each.organizationGuid === webhook?.organizationGuid)
  if (!webhook || (!isMember && !actor.isOperator)) throw notFound(guid)
  requireOrganizationAuditor(actor, webhook.organizationGuid)
  requireWebhooks(deps, webhook.organizationGuid)
  return shownTo(actor, webhook)
}

/** Auditors do not see what only those who send to the receiver may know. */
function shownTo(actor: Actor, webhook: Webhook): Webhook {
  return maySeeCredentials(actor, webhook) ? webhook : withoutCredentials(webhook)
}

export function maySeeCredentials(actor: Actor, { organizationGuid }: Webhook): boolean {
  return requireOrganization(actor, organizationGuid).role === 'admin'
}

/** The same, to change it. */
export async function editableWebhook(
  deps: Pick<WebhookDeps, 'webhookStore' | 'plans'>,
  actor: Actor,
  guid: string,
): Promise<Webhook> {
  const webhook = await readWebhook(deps, actor, guid)
  requireOrganizationAdmin(actor, webhook.organizationGuid)
  return webhook
}

export async function updateWebhook(
  deps: WebhookDeps,
  actor: Actor,
  webhook: Webhook,
  input: WebhookInput,
): Promise<Webhook> {
  const { guid, organizationGuid } = webhook
  const by = { login: actor.login, at: deps.clock.now() }
  const change = (current: Webhook) => {
    const changed = changedFields(deps, actor, current, input)
    // The former ones too: they are in its log.
    requireEvents(actor, [...current.events, ...(changed.events ?? [])])
    return changed
  }
  const updated = requireFound(await deps.webhookStore.update(guid, change, by), guid)
  await deps.webhookDeliveries.refresh()
  await note(deps, 'webhook_changed', actor, { guid, organizationGuid, name: updated.name })
  return updated
}

/** The former secret stays valid for a day, so that receivers can be changed without missing an event. */
const rotationTime = 24 * 60 * 60 * 1000

export async function rotateSecret(deps: WebhookDeps, actor: Actor, webhook: Webhook): Promise<Webhook> {
  const { guid, organizationGuid, name } = webhook
  const at = deps.clock.now()
  const secret = newSigningSecret()
  const rotate = ({ secret: { current }, lost }: Webhook) => ({
    secret: {
      current: secret,
      previous: lost.includes('secret') ? undefined : { secret: current, until: at + rotationTime },
    },
  })
  const rotated = requireFound(await deps.webhookStore.update(guid, rotate, { login: actor.login, at }), guid)
  await deps.webhookDeliveries.refresh()
  await note(deps, 'webhook_secret_rotated', actor, { guid, organizationGuid, name })
  return rotated
}

export async function removeWebhook(deps: WebhookDeps, actor: Actor, webhook: Webhook): Promise<void> {
  const { guid, organizationGuid, name } = webhook
  if (!(await deps.webhookStore.remove(guid))) throw notFound(guid)
  await deps.webhookDeliveries.refresh()
  await note(deps, 'webhook_removed', actor, { guid, organizationGuid, name })
}

/** Throws if the receiver does not accept the ping. */
export async function verifyWebhook(deps: WebhookDeps, webhook: Webhook): Promise<Webhook> {
  requireReadable(webhook)
  const { failure } = await deps.webhookDeliveries.ping(webhook)
  if (failure !== undefined) {
    throw new Refusal('BAD_REQUEST', `The receiver did not accept the ping: ${failure}.`, { resource: 'webhooks' })
  }
  return requireFound(await deps.webhookStore.get(webhook.guid), webhook.guid)
}

/** Before anything is sent. */
export function requireReadable(webhook: Webhook): void {
  if (isReadable(webhook)) return
  const message =
    `Nothing can be sent: ${webhook.lost.join(', ')} of the webhook cannot be decrypted, because the key was lost. ` +
    'Set url and the fields of OAuth again, and rotate the secret.'
  throw new Refusal('BAD_REQUEST', message, { resource: 'webhooks' })
}

/** By the ids that stream messages contain; links that do not exist are left out. */
export async function tagsOfLinks(
  deps: { readonly links: Pick<LinkStore, 'get'>; readonly domains: Pick<DomainNames, 'addressOf'> },
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  for (const id of ids) {
    const slash = id.indexOf('/')
    const address = deps.domains.addressOf(id.slice(0, slash), id.slice(slash + 1))
    const link = address === undefined ? undefined : await deps.links.get(address)
    if (link) found.set(id, link.tags)
  }
  return found
}

function requireWebhooks(deps: PlanCheckDeps, organizationGuid: string): void {
  requireFeature(deps, organizationGuid, 'webhooks', 'webhooks')
}

function note(
  deps: AuditDeps,
  action: 'webhook_added' | 'webhook_changed' | 'webhook_secret_rotated' | 'webhook_removed',
  { login }: Actor,
  { guid, organizationGuid, name }: Pick<Webhook, 'guid' | 'organizationGuid' | 'name'>,
): Promise<void> {
  return addAuditEntry(deps, { action, login, organizationGuid, subject: guid, details: { name } })
}

function requireFound(webhook: Webhook | undefined, guid: string): Webhook {
  if (!webhook) throw notFound(guid)
  return webhook
}

function notFound(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no webhook ${quoted(guid)}.`, { resource: 'webhooks' })
}
