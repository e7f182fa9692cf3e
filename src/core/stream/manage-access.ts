import type { TokenStore } from '../accounts/account-store.js'
import { type Actor, requireOrganizationAuditor } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { type ChangePlanDeps, requireServiceAdmin, type ServiceAdmin } from '../limits/change-plan.js'
import { Refusal } from '../values/refusal.js'
import { organizationTopics } from './access.js'
import type { Stream } from './stream.js'
import type { AllowedReader, StreamReader, StreamStore } from './stream-store.js'

export interface ManageAccessDeps extends AuditDeps {
  readonly streamStore: StreamStore
  readonly accounts: TokenStore
  /** Undefined while the service is stopped. */
  readonly stream?: Pick<Stream, 'accessChanged'>
}

/** Whether the administrators of an organization may read its stream, and which topics it has. */
export interface OrganizationAccess {
  readonly organizationGuid: string
  readonly allowed: AllowedReader | undefined
  readonly topics: readonly string[]
}

/**
 * Administrators and auditors of the organization may read this setting. Only administrators of the organization that runs the service
 * may change it, like plans, because a stream uses the service's disk and bandwidth.
 */
export async function readStreamAccess(
  deps: ManageAccessDeps & Pick<ChangePlanDeps, 'groups'>,
  actor: Actor,
  organizationGuid: string,
): Promise<OrganizationAccess> {
  if (actor.organizations.some((each) => each.organizationGuid === organizationGuid)) {
    requireOrganizationAuditor(actor, organizationGuid)
  } else {
    await requireServiceAdmin(deps, actor)
    await requireOrganizationExists(deps, organizationGuid)
  }
  return accessOf(deps, organizationGuid)
}

export async function changeStreamAccess(
  deps: ManageAccessDeps & Pick<ChangePlanDeps, 'groups'>,
  admin: ServiceAdmin,
  organizationGuid: string,
  allowed: boolean,
): Promise<OrganizationAccess> {
  await requireOrganizationExists(deps, organizationGuid)
  const reader = { kind: 'organization', subject: organizationGuid } as const
  if (allowed) await allowReader(deps, reader, admin.login)
  else await denyReader(deps, reader, admin.login)
  return accessOf(deps, organizationGuid)
}

export async function allowReader(deps: ManageAccessDeps, reader: StreamReader, by: string): Promise<void> {
  const outcome = await deps.streamStore.allowReader(reader, by, deps.clock.now())
  if (outcome === 'unknown') throw readerNotFound(reader)
  await deps.stream?.accessChanged()
  if (outcome === 'allowed') await noteAccess(deps, 'stream_allowed', reader, by)
}

/** False when the reader was not allowed before. */
export async function denyReader(deps: ManageAccessDeps, reader: StreamReader, by: string): Promise<boolean> {
  const denied = await deps.streamStore.denyReader(reader)
  await deps.stream?.accessChanged()
  if (denied) await noteAccess(deps, 'stream_denied', reader, by)
  return denied
}

/** A login reads the topics of all its organizations, so each of them gets an audit entry. */
async function noteAccess(
  deps: ManageAccessDeps,
  action: 'stream_allowed' | 'stream_denied',
  { kind, subject }: StreamReader,
  login: string,
): Promise<void> {
  const organizations = kind === 'organization' ? [subject] : await organizationsOf(deps, subject)
  // Without an organization, write an entry for the operator.
  for (const organizationGuid of organizations.length === 0 ? [undefined] : organizations) {
    await addAuditEntry(deps, { action, login, organizationGuid, subject, details: { kind } })
  }
}

async function organizationsOf({ accounts }: ManageAccessDeps, login: string): Promise<readonly string[]> {
  const actor = await accounts.actorByLogin(login)
  return (actor?.organizations ?? []).map(({ organizationGuid }) => organizationGuid)
}

async function accessOf({ streamStore }: ManageAccessDeps, organizationGuid: string): Promise<OrganizationAccess> {
  const allowed = (await streamStore.allowedReaders()).find(
    ({ kind, subject }) => kind === 'organization' && subject === organizationGuid,
  )
  return { organizationGuid, allowed, topics: allowed ? organizationTopics(organizationGuid) : [] }
}

async function requireOrganizationExists(
  { groups }: Pick<ChangePlanDeps, 'groups'>,
  organizationGuid: string,
): Promise<void> {
  const [organization] = await groups.organizations([organizationGuid])
  if (!organization) throw readerNotFound({ kind: 'organization', subject: organizationGuid })
}

function readerNotFound({ kind, subject }: StreamReader): Refusal {
  return kind === 'organization'
    ? new Refusal('NOT_FOUND', `There is no organization "${subject}".`, { resource: 'organizations' })
    : new Refusal('NOT_FOUND', `There is no user "${subject}".`, { resource: 'users' })
}
