/** Reads and changes groups, and decides who may. */
import {
  type Actor,
  type GroupRole,
  requireGroup,
  requireGroupAdmin,
  requireOrganization,
  requireOrganizationAdmin,
} from '../accounts/actor.js'
import { type AuditDeps, audited, type NewAuditEntry } from '../accounts/audit.js'
import type { Group, GroupChange, GroupStore, TagType } from '../accounts/group-store.js'
import { couldBeDomain } from '../values/domain-name.js'
import { requireName } from '../values/names.js'
import { invalid, quoted, type Refusal } from '../values/refusal.js'
import { zoneName } from '../values/zone.js'

export interface GroupDeps {
  readonly groups: GroupStore
}

export interface ChangeGroupDeps extends GroupDeps, AuditDeps {
  /** The token cache, which includes group memberships. */
  readonly tokens: { clear(): void }
  /** The domains in memory, which include their groups. */
  readonly domains: { refresh(): Promise<void> }
  readonly redirectCache: { forget(address: string): void }
}

export interface GroupInput extends Omit<GroupChange, 'timeZone'> {
  /** A name of the time zone database; send an empty string to remove it. */
  readonly timeZone?: string | undefined
}

/** A group as one of its members sees it. */
export interface OwnGroup {
  readonly group: Group
  readonly role: GroupRole
}

/** The actor's groups, or those of one organization, oldest first. */
export async function listGroups(
  deps: GroupDeps,
  actor: Actor,
  organizationGuid: string | undefined,
): Promise<readonly OwnGroup[]> {
  if (organizationGuid !== undefined) requireOrganization(actor, organizationGuid)
  const mine = actor.groups.filter(
    (membership) => organizationGuid === undefined || membership.organizationGuid === organizationGuid,
  )
  const groups = await deps.groups.groups(mine.map(({ groupGuid }) => groupGuid))
  return groups.map((group) => ({ group, role: requireGroup(actor, group.guid).role }))
}

export async function readGroup(deps: GroupDeps, actor: Actor, groupGuid: string): Promise<OwnGroup> {
  const { role } = requireGroup(actor, groupGuid)
  const [group] = await deps.groups.groups([groupGuid])
  if (!group) throw new Error(`the group ${groupGuid} has members but does not exist`)
  return { group, role }
}

/** Group administrators may rename a group and set its time zone; moving it and assigning domains requires organization administrators. */
export async function changeGroup(
  deps: ChangeGroupDeps,
  actor: Actor,
  groupGuid: string,
  input: GroupInput,
): Promise<OwnGroup> {
  const { role } = requireGroupAdmin(actor, groupGuid)
  const { group } = await readGroup(deps, actor, groupGuid)
  const change = changedFields(group, input)
  if (change.organizationGuid !== undefined || change.domains !== undefined) {
    requireOrganizationAdmin(actor, group.organizationGuid)
  }
  if (change.organizationGuid !== undefined) requireOrganizationAdmin(actor, change.organizationGuid)
  if (change.name !== undefined) requireName(change.name, 'groups')
  const invalidNames = change.domains?.filter((domain) => !couldBeDomain(domain)) ?? []
  if (invalidNames.length > 0) throw foreignDomains(invalidNames)

  const at = deps.clock.now()
  const changed = await audited(
    deps,
    ({ groups }) => groups.changeGroup(groupGuid, change, at),
    (answer) => answer.outcome === 'changed' && changeNote(actor, group, answer.group),
  )
  if (changed.outcome === 'no-group') throw new Error(`the group ${groupGuid} was removed during the change`)
  if (changed.outcome === 'foreign-domains') throw foreignDomains(changed.domains)
  if (change.organizationGuid !== undefined) deps.tokens.clear()
  for (const address of changed.freed) deps.redirectCache.forget(address)
  if (change.domains !== undefined) await deps.domains.refresh()
  return { group: changed.group, role }
}

function changeNote(
  { login }: Actor,
  before: Group,
  { guid, name, organizationGuid, domains, timeZone }: Group,
): NewAuditEntry | undefined {
  const details = {
    ...(name !== before.name && { name }),
    ...(organizationGuid !== before.organizationGuid && { from: before.organizationGuid }),
    ...(domains.join() !== before.domains.join() && { domains: domains.join() }),
    ...(timeZone !== before.timeZone && { timeZone: timeZone ?? '' }),
  }
  if (Object.keys(details).length === 0) return undefined
  return { action: 'group_changed', login, organizationGuid, subject: guid, details }
}

/** Clients send back whole resources: unchanged fields are ignored, and need no permission. */
function changedFields(group: Group, { name, organizationGuid, domains, timeZone }: GroupInput): GroupChange {
  const wanted = domains && [...new Set(domains.map((domain) => domain.toLowerCase()))]
  const same = wanted?.length === group.domains.length && wanted.every((domain) => group.domains.includes(domain))
  return {
    name,
    organizationGuid: organizationGuid === group.organizationGuid ? undefined : organizationGuid,
    domains: same ? undefined : wanted,
    timeZone: timeZone === undefined ? undefined : readTimeZone(timeZone),
  }
}

/** As sent, but in the usual case. The canonical name may be an old one: Asia/Calcutta for Asia/Kolkata. */
function readTimeZone(text: string): string | null {
  if (text === '') return null
  const canonical = text.length > maxZoneLength ? undefined : zoneName(text)
  if (canonical === undefined) {
    throw invalid('timeZone', `There is no time zone ${quoted(text)}. Send a name such as Europe/Berlin.`, 'groups')
  }
  return canonical.toLowerCase() === text.toLowerCase() ? canonical : text
}

const maxZoneLength = 64

function foreignDomains(domains: readonly string[]): Refusal {
  const names = domains.slice(0, 5).map(quoted).join(', ')
  return invalid('bsds', `Not branded domains of the group's organization: ${names}. Add them there first.`, 'groups')
}

/** The tags of the group's links or QR codes, in alphabetical order. Bounded by the tag limit of a group. */
export async function listTags(
  deps: { readonly groups: GroupStore },
  actor: Actor,
  groupGuid: string,
  type: TagType = 'shortlink',
): Promise<readonly string[]> {
  requireGroup(actor, groupGuid)
  return deps.groups.tags(groupGuid, type)
}
