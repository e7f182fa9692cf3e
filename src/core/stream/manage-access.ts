import type { AccountStore } from '../accounts/account-store.js'
import { type Actor, requireOrganizationAdmin } from '../accounts/actor.js'
import { type AuditDeps, note } from '../accounts/audit.js'
import { type ChangePlanDeps, requireServiceAdmin, type ServiceAdmin } from '../limits/change-plan.js'
import { Refusal } from '../values/refusal.js'
import { organizationTopics } from './access.js'
import type { Stream } from './stream.js'
import type { AllowedReader, StreamReader, StreamStore } from './stream-store.js'

export interface ManageAccessDeps extends AuditDeps {
  readonly streamStore: StreamStore
  readonly accounts: AccountStore
  /** Undefined while the service is stopped: it looks when it starts. */
  readonly stream?: Pick<Stream, 'accessChanged'>
}

/** Whether the administrators of an organization may read its stream, and what that is. */
export interface OrganizationAccess {
  readonly organizationGuid: string
  readonly allowed: AllowedReader | undefined
  readonly topics: readonly string[]
}

/**
 * Our choice: known to the administrators of the organization, and changed by those of the organization that runs the
 * service, like plans: a stream costs disk and bandwidth that are not theirs.
 */
export async function readStreamAccess(
  deps: ManageAccessDeps & Pick<ChangePlanDeps, 'groups'>,
  actor: Actor,
  organizationGuid: string,
): Promise<OrganizationAccess> {
  if (actor.organizations.some((each) => each.organizationGuid === organizationGuid)) {
    requireOrganizationAdmin(actor, organizationGuid)
  } else {
    await requireServiceAdmin(deps, actor)
    await requireKnown(deps, organizationGuid)
  }
  return accessOf(deps, organizationGuid)
}

export async function changeStreamAccess(
  deps: ManageAccessDeps & Pick<ChangePlanDeps, 'groups'>,
  admin: ServiceAdmin,
  organizationGuid: string,
  allowed: boolean,
): Promise<OrganizationAccess> {
  await requireKnown(deps, organizationGuid)
  const reader = { kind: 'organization', subject: organizationGuid } as const
  if (allowed) await allowReader(deps, reader, admin.login)
  else await denyReader(deps, reader, admin.login)
  return accessOf(deps, organizationGuid)
}

export async function allowReader(deps: ManageAccessDeps, reader: StreamReader, by: string): Promise<void> {
  const outcome = await deps.streamStore.allowReader(reader, by, deps.clock.now())
  if (outcome === 'unknown') throw unknown(reader)
  await deps.stream?.accessChanged()
  if (outcome === 'allowed') await noteAccess(deps, 'stream_allowed', reader, by)
}

/** False when they were not allowed before. */
export async function denyReader(deps: ManageAccessDeps, reader: StreamReader, by: string): Promise<boolean> {
  const denied = await deps.streamStore.denyReader(reader)
  await deps.stream?.accessChanged()
  if (denied) await noteAccess(deps, 'stream_denied', reader, by)
  return denied
}

/** Our choice: an account reads what happens in all of its organizations, so each of them is told. */
async function noteAccess(
  deps: ManageAccessDeps,
  action: 'stream_allowed' | 'stream_denied',
  { kind, subject }: StreamReader,
  login: string,
): Promise<void> {
  const concerned = kind === 'organization' ? [subject] : await organizationsOf(deps, subject)
  // With nobody concerned it is for the operator to know.
  for (const organizationGuid of concerned.length === 0 ? [undefined] : concerned) {
    await note(deps, { action, login, organizationGuid, subject, details: { kind } })
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

async function requireKnown({ groups }: Pick<ChangePlanDeps, 'groups'>, organizationGuid: string): Promise<void> {
  const [organization] = await groups.organizations([organizationGuid])
  if (!organization) throw unknown({ kind: 'organization', subject: organizationGuid })
}

function unknown({ kind, subject }: StreamReader): Refusal {
  return kind === 'organization'
    ? new Refusal('NOT_FOUND', `There is no organization "${subject}".`, { resource: 'organizations' })
    : new Refusal('NOT_FOUND', `There is no user "${subject}".`, { resource: 'users' })
}
