/** What UTM templates, views and annotations have in common. Readers of the group see them, all others change them. */
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { type GuidKind, isGuid, newGuid } from '../values/guid.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import type { GroupRecord, GroupRecordStore } from './group-record-store.js'

/** A kind of record. */
export interface RecordKind<Fields> {
  readonly store: GroupRecordStore<Fields>
  readonly clock: Clock
  readonly guid: GuidKind
  readonly resource: 'utm_templates' | 'views' | 'annotations'
  /** In messages. */
  readonly one: string
  /** The field that is refused when there are too many. */
  readonly field: string
  readonly limit: number
}

export async function addRecord<Fields extends object>(
  kind: RecordKind<Fields>,
  { login: createdBy }: Pick<Actor, 'login'>,
  { groupGuid }: WriterMembership,
  fields: Fields,
): Promise<GroupRecord<Fields>> {
  const { store, clock, resource, one, field, limit } = kind
  const at = clock.now()
  const record = { ...fields, guid: newGuid(kind.guid), groupGuid, createdBy }
  const outcome = await store.add({ ...record, at, limit })
  if (outcome === 'no-group') throw new Error(`the group ${groupGuid} has members but does not exist`)
  if (outcome === 'taken') throw nameTaken(kind, fields)
  if (outcome === 'too-many') throw invalid(field, `A group has at most ${limit} ${one}s. Delete one first.`, resource)
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
  { groupGuid }: WriterMembership,
  guid: string,
  change: Partial<Fields>,
): Promise<GroupRecord<Fields>> {
  const updated = isGuid(guid) ? await kind.store.update(groupGuid, guid, change, kind.clock.now()) : 'missing'
  if (updated === 'missing') throw notFound(kind, guid)
  if (updated === 'taken') throw nameTaken(kind, change)
  return updated
}

export async function removeRecord<Fields>(
  kind: RecordKind<Fields>,
  { groupGuid }: WriterMembership,
  guid: string,
): Promise<void> {
  if (!isGuid(guid) || !(await kind.store.remove(groupGuid, guid))) throw notFound(kind, guid)
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
