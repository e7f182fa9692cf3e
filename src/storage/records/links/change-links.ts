/** One change to several links or QR codes of a group, in one transaction: either all are changed or none. */
import type { Transaction } from 'kysely'
import type { ChangeContext, Link } from '../../../core/links/link.js'
import type { BulkAnswer, BulkChange } from '../../../core/links/link-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { undoable } from '../../sql/database/undoable.js'
import type { Schema } from '../../sql/tables/schema.js'
import { holdRow } from '../steps/rows.js'
import { readLink } from './link-row.js'
import { noteLinkChanged } from './note-link-updated.js'
import { linkTags, type TaggedItem, type TagWriter, tooManyTags } from './write-tags.js'

/** Where the items are kept. */
export interface BulkItems {
  /** By what they were named; deleted ones too. */
  find(tx: Transaction<Schema>, names: readonly string[]): Promise<ReadonlyMap<string, TaggedItem>>
  readonly table: 'links' | 'qr_codes'
  readonly tags: TagWriter
}

export function changeAll(
  transact: Transact,
  items: BulkItems,
  groupGuid: string,
  names: readonly string[],
  change: BulkChange,
  context: ChangeContext,
): Promise<BulkAnswer> {
  return undoable(transact, async (tx, undo): Promise<BulkAnswer> => {
    const found = await items.find(tx, names)
    const chosen = new Map<string, TaggedItem>()
    for (const item of names) {
      const known = found.get(item)
      if (!known) return { outcome: 'missing', item }
      // Check access before state: outsiders must not learn that an item was deleted.
      if (known.groupGuid !== groupGuid) return { outcome: 'elsewhere', item }
      chosen.set(known.id, known)
    }
    const ids = [...chosen.keys()]

    const before: Link[] = []
    // In a fixed order against deadlocks.
    for (const id of ids.toSorted()) {
      if (!(await holdRow(tx, items.table, { id, deleted_at: null }))) return undo({ outcome: 'gone', item: id })
      if (items.table === 'links') before.push(await readLink(tx, id))
    }
    const set = { modified_at: context.at, ...('archived' in change && { archived: change.archived ? 1 : 0 }) }
    await tx.updateTable(items.table).set(set).where('id', 'in', ids).execute()

    const outcome = 'addTags' in change ? await items.tags.edit(tx, [...chosen.values()], change) : 'held'
    if (outcome !== 'held') return undo(tooManyTags(outcome))
    for (const link of before) await noteLinkChanged(tx, link, context)
    return { outcome: 'changed', ids }
  })
}

/** Links by any of their addresses. */
export const bulkLinks: BulkItems = {
  async find(tx, addresses) {
    const rows = await tx
      .selectFrom('addresses')
      .innerJoin('links', 'links.id', 'addresses.link_id')
      .select(['addresses.address', 'links.id', 'links.group_guid as groupGuid', 'links.created_at as createdAt'])
      .where('addresses.address', 'in', addresses)
      .where('links.hidden', '=', 0)
      .execute()
    return new Map(rows.map(({ address, ...link }) => [address, link]))
  },
  table: 'links',
  tags: linkTags,
}
