/** One change to several links or QR codes of a group, in one transaction: either all are changed or none. */
import type { Transaction } from 'kysely'
import type { BulkAnswer, BulkChange } from '../../../core/links/link-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { undoable } from '../../sql/database/undoable.js'
import type { Schema } from '../../sql/tables/schema.js'
import { noteLinksUpdated } from './note-link-updated.js'
import { linkTags, type TaggedItem, type TagWriter } from './write-tags.js'

/** Where the items are kept. */
export interface BulkItems {
  /** By what they were named; deleted ones too. */
  find(tx: Transaction<Schema>, names: readonly string[]): Promise<ReadonlyMap<string, TaggedItem>>
  /** Locks the row; false when the item was deleted. */
  touch(tx: Transaction<Schema>, id: string, set: BulkColumns): Promise<boolean>
  readonly tags: TagWriter
  /** For webhooks. */
  noteChanged?(tx: Transaction<Schema>, ids: readonly string[], at: number): Promise<void>
}

interface BulkColumns {
  readonly modified_at: number
  readonly archived?: number
}

export function changeAll(
  transact: Transact,
  items: BulkItems,
  groupGuid: string,
  names: readonly string[],
  change: BulkChange,
  at: number,
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

    // Also if only tags change: this update locks the items, in a fixed order against deadlocks.
    const set = { modified_at: at, ...('archived' in change && { archived: change.archived ? 1 : 0 }) }
    for (const id of ids.toSorted()) {
      if (!(await items.touch(tx, id, set))) return undo({ outcome: 'gone', item: id })
    }

    const outcome = 'addTags' in change ? await items.tags.edit(tx, [...chosen.values()], change) : 'held'
    if (outcome === 'too-many-per-item') return undo({ outcome: 'too-many-tags', on: 'link' })
    if (outcome === 'too-many-per-group') return undo({ outcome: 'too-many-tags', on: 'group' })
    await items.noteChanged?.(tx, ids, at)
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
  async touch(tx, id, set) {
    const update = tx.updateTable('links').set(set).where('id', '=', id).where('deleted_at', 'is', null)
    return (await update.executeTakeFirstOrThrow()).numUpdatedRows > 0n
  },
  tags: linkTags,
  noteChanged: noteLinksUpdated,
}
