/** One change to several links of a group, in one transaction: either all are changed or none. */
import type { Transaction } from 'kysely'
import type { BulkAnswer, BulkChange } from '../../../core/links/link-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'
import { type Undo, undoable } from '../database/undoable.js'
import { addTags, removeTags, type TaggedLink, type TagOutcome } from './write-tags.js'

export function changeAll(
  transact: Transact,
  groupGuid: string,
  addresses: readonly string[],
  change: BulkChange,
  at: number,
): Promise<BulkAnswer> {
  return undoable(transact, (tx, undo) => changeIn(tx, undo, groupGuid, addresses, change, at))
}

async function changeIn(
  tx: Transaction<Schema>,
  undo: Undo<BulkAnswer>,
  groupGuid: string,
  addresses: readonly string[],
  change: BulkChange,
  at: number,
): Promise<BulkAnswer> {
  const found = await linksBehind(tx, addresses)
  const links = new Map<string, TaggedLink>()
  for (const address of addresses) {
    const link = found.get(address)
    if (!link) return { outcome: 'missing', address }
    // Check access before state: outsiders must not learn that a link was deleted.
    if (link.groupGuid !== groupGuid) return { outcome: 'elsewhere', address }
    links.set(link.id, link)
  }
  const ids = [...links.keys()]

  // Also if only tags change: this update locks the links, in a fixed order against deadlocks.
  const set = { modified_at: at, ...('archived' in change && { archived: change.archived ? 1 : 0 }) }
  for (const id of ids.toSorted()) {
    const update = tx.updateTable('links').set(set).where('id', '=', id).where('deleted_at', 'is', null)
    const { numUpdatedRows } = await update.executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return undo({ outcome: 'missing', address: id })
  }

  const outcome = 'addTags' in change ? await editTags(tx, [...links.values()], change) : 'held'
  if (outcome === 'too-many-per-link') return undo({ outcome: 'too-many-tags', on: 'link' })
  if (outcome === 'too-many-per-group') return undo({ outcome: 'too-many-tags', on: 'group' })
  return { outcome: 'changed', ids }
}

/** Remove first, so that a link at its limit can exchange a tag. */
async function editTags(
  tx: Transaction<Schema>,
  links: readonly TaggedLink[],
  change: Extract<BulkChange, { addTags: readonly string[] }>,
): Promise<TagOutcome> {
  const added = new Set(change.addTags)
  const removed = change.removeTags.filter((tag) => !added.has(tag))
  await removeTags(tx, links, removed)
  return addTags(tx, links, change.addTags)
}

/** By address, including deleted links. */
async function linksBehind(tx: Transaction<Schema>, addresses: readonly string[]): Promise<Map<string, TaggedLink>> {
  const rows = await tx
    .selectFrom('addresses')
    .innerJoin('links', 'links.id', 'addresses.link_id')
    .select(['addresses.address', 'links.id', 'links.group_guid as groupGuid', 'links.created_at as createdAt'])
    .where('addresses.address', 'in', addresses)
    .execute()
  return new Map(rows.map(({ address, ...link }) => [address, link]))
}
