/** What UTM templates, views and annotations have in common. Readers of the group see them, all others change them. */
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { type AuditDeps, addAuditEntry } from '../accounts/audit.js'
import { type GuidKind, isGuid, newGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { GroupRecord, GroupRecordStore } from './group-record-store.js'

/** A kind of record. */
export interface RecordKind<Fields> extends AuditDeps {
  readonly store: GroupRecordStore<Fields>
  readonly guid: GuidKind
  readonly resource: 'utm_templates' | 'views' | 'annotations'
  /** In messages. */
  readonly one: string
  /** The field that is refused when there are too many. */
  readonly field: string
  readonly limit: number
  /** Its changes are in the audit log, by this name. */
  readonly audited?: { readonly as: 'view' | 'annotation'; readonly nameOf: (fields: Fields) => string }
}

export async function addRecord<Fields extends object>(
  kind: RecordKind<Fields>,
  actor: Pick<Actor, 'login'>,
  group: WriterMembership,
  fields: Fields,
): Promise<GroupRecord<Fields>> {
  const { store, clock, resource, one, field, limit } = kind
  const at = clock.now()
  const { groupGuid } = group
  const record = { ...fields, guid: newGuid(kind.guid), groupGuid, createdBy: actor.login }
  const outcome = await store.add({ ...record, at, limit })
  if (outcome === 'no-group') throw new Error(`the group ${groupGuid} has members but does not exist`)
  if (outcome === 'taken') throw nameTaken(kind, fields)
  if (outcome === 'too-many') throw invalid(field, `A group has at most ${limit} ${one}s. Delete one first.`, resource)
  await noteChange(kind, actor, group, 'added', record)
  return { ...record, createdAt: at, modifiedAt: at }
}

export async function readRecord<Fields>(
  kind: RecordKind<Fields>,
  groupGuid: string,
  guid: string,
): Promise<GroupRecord<Fields>> {
  const found = (await kind.store.list(groupGuid)).find((each) => each.guid === guid)
  if (!found) throw notFound(kind, guid)
  return found
}

/** What is not sent stays. */
export async function updateRecord<Fields>(
  kind: RecordKind<Fields>,
  actor: Pick<Actor, 'login'>,
  group: WriterMembership,
  guid: string,
  change: Partial<Fields>,
): Promise<GroupRecord<Fields>> {
  const updated = isGuid(guid) ? await kind.store.update(group.groupGuid, guid, change, kind.clock.now()) : 'missing'
  if (updated === 'missing') throw notFound(kind, guid)
  if (updated === 'taken') throw nameTaken(kind, change)
  await noteChange(kind, actor, group, 'changed', updated)
  return updated
}

export async function removeRecord<Fields>(
  kind: RecordKind<Fields>,
  actor: Pick<Actor, 'login'>,
  group: WriterMembership,
  guid: string,
): Promise<void> {
  const record = await readRecord(kind, group.groupGuid, guid)
  if (!(await kind.store.remove(group.groupGuid, guid))) throw notFound(kind, guid)
  await noteChange(kind, actor, group, 'removed', record)
}

async function noteChange<Fields>(
  kind: RecordKind<Fields>,
  { login }: Pick<Actor, 'login'>,
  { organizationGuid, groupGuid }: WriterMembership,
  change: 'added' | 'changed' | 'removed',
  record: Fields & { readonly guid: string },
): Promise<void> {
  const { audited } = kind
  if (!audited) return
  const details = { name: audited.nameOf(record), group: groupGuid }
  const entry = { login, organizationGuid, subject: record.guid, details }
  await addAuditEntry(kind, { action: `${audited.as}_${change}`, ...entry })
}

function nameTaken(
  { resource, one }: Pick<RecordKind<unknown>, 'resource' | 'one'>,
  fields: { name?: string },
): Refusal {
  const name = quoted(fields.name ?? '')
  const message = `The group already has a ${one} named ${name}. Choose another name, or change that one.`
  return new Refusal('CONFLICT', message, { resource, field: 'name' })
}

function notFound({ resource, one }: Pick<RecordKind<unknown>, 'resource' | 'one'>, guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no ${one} ${quoted(guid)}.`, { resource })
}
