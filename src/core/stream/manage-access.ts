import { type NoteParts, note } from '../audit/audit.js'
import type { AccountStore } from '../auth/account-store.js'
import { type Actor, requireOrganizationAdmin } from '../auth/actor.js'
import { type ChangePlanParts, requireServiceAdmin } from '../limits/change-plan.js'
import { Refusal } from '../refusal.js'
import { organizationTopics } from './access.js'
import type { Stream } from './stream.js'
import type { AllowedReader, StreamAccessStore, StreamReader } from './stream-access-store.js'

export interface ManageAccessParts extends NoteParts {
  readonly streamAccess: StreamAccessStore
  readonly accounts: Pick<AccountStore, 'actorByLogin'>
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
  parts: ManageAccessParts & Pick<ChangePlanParts, 'groups'>,
  actor: Actor,
  organizationGuid: string,
): Promise<OrganizationAccess> {
  if (actor.organizations.some((each) => each.organizationGuid === organizationGuid)) {
    requireOrganizationAdmin(actor, organizationGuid)
  } else {
    await requireServiceAdmin(parts, actor)
    await requireKnown(parts, organizationGuid)
  }
  return accessOf(parts, organizationGuid)
}

export async function changeStreamAccess(
  parts: ManageAccessParts & Pick<ChangePlanParts, 'groups'>,
  actor: Actor,
  organizationGuid: string,
  allowed: boolean,
): Promise<OrganizationAccess> {
  await requireServiceAdmin(parts, actor)
  await requireKnown(parts, organizationGuid)
  const reader = { kind: 'organization', subject: organizationGuid } as const
  if (allowed) await allowReader(parts, reader, actor.login)
  else await denyReader(parts, reader, actor.login)
  return accessOf(parts, organizationGuid)
}

export async function allowReader(parts: ManageAccessParts, reader: StreamReader, by: string): Promise<void> {
  const outcome = await parts.streamAccess.allow(reader, by, parts.clock.now())
  if (outcome === 'unknown') throw unknown(reader)
  await parts.stream?.accessChanged()
  if (outcome === 'allowed') await noteAccess(parts, 'stream_allowed', reader, by)
}

/** False when they were not allowed before. */
export async function denyReader(parts: ManageAccessParts, reader: StreamReader, by: string): Promise<boolean> {
  const denied = await parts.streamAccess.deny(reader)
  await parts.stream?.accessChanged()
  if (denied) await noteAccess(parts, 'stream_denied', reader, by)
  return denied
}

/** Our choice: an account reads what happens in all of its organizations, so each of them is told. */
async function noteAccess(
  parts: ManageAccessParts,
  action: 'stream_allowed' | 'stream_denied',
  { kind, subject }: StreamReader,
  login: string,
): Promise<void> {
  const concerned = kind === 'organization' ? [subject] : await organizationsOf(parts, subject)
  // With nobody concerned it is for the operator to know.
  for (const organizationGuid of concerned.length === 0 ? [undefined] : concerned) {
    await note(parts, { action, login, organizationGuid, subject, details: { kind } })
  }
}

async function organizationsOf({ accounts }: ManageAccessParts, login: string): Promise<readonly string[]> {
  const actor = await accounts.actorByLogin(login)
  return (actor?.organizations ?? []).map(({ organizationGuid }) => organizationGuid)
}

async function accessOf({ streamAccess }: ManageAccessParts, organizationGuid: string): Promise<OrganizationAccess> {
  const allowed = (await streamAccess.allowed()).find(
    ({ kind, subject }) => kind === 'organization' && subject === organizationGuid,
  )
  return { organizationGuid, allowed, topics: allowed ? organizationTopics(organizationGuid) : [] }
}

async function requireKnown({ groups }: Pick<ChangePlanParts, 'groups'>, organizationGuid: string): Promise<void> {
  const [organization] = await groups.organizations([organizationGuid])
  if (!organization) throw unknown({ kind: 'organization', subject: organizationGuid })
}

function unknown({ kind, subject }: StreamReader): Refusal {
  return kind === 'organization'
    ? new Refusal('NOT_FOUND', `There is no organization "${subject}".`, { resource: 'organizations' })
    : new Refusal('NOT_FOUND', `There is no user "${subject}".`, { resource: 'users' })
}
