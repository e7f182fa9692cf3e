/**
 * Writes the tags of links and QR codes, and counts the uses of tags per group and kind. Runs in the caller's transaction,
 * which must have locked the rows of the items (by an update) and must be rolled back if a limit is exceeded.
 */
import { sql, type Transaction } from 'kysely'
import type { TagType } from '../../../core/accounts/group-store.js'
import type { TagEdit } from '../../../core/links/link.js'
import { tagsPerGroup, tagsPerLink } from '../../../core/links/tags.js'
import { chunks } from '../../../lib/chunks.js'
import type { Schema } from '../../sql/tables/schema.js'

/** A link, or a QR code. */
export interface TaggedItem {
  readonly id: string
  readonly groupGuid: string
  readonly createdAt: number
}

/** `held`: written. Otherwise roll back: an item or the group would exceed its tag limit. */
type TagOutcome = 'held' | 'too-many-per-item' | 'too-many-per-group'

/** What stores answer when they rolled back. */
export function tooManyTags(outcome: Exclude<TagOutcome, 'held'>) {
  return { outcome: 'too-many-tags', on: outcome === 'too-many-per-item' ? 'link' : 'group' } as const
}

export interface TagWriter {
  /** Gives the item exactly these tags in this order. */
  set(tx: Transaction<Schema>, item: TaggedItem, tags: readonly string[]): Promise<TagOutcome>
  /** Like `set`, for many items of one group, each with its own tags. */
  setEach(
    tx: Transaction<Schema>,
    items: readonly (TaggedItem & { readonly tags: readonly string[] })[],
  ): Promise<TagOutcome>
  /** Adds these tags after the existing ones; all items belong to one group. */
  add(tx: Transaction<Schema>, items: readonly TaggedItem[], tags: readonly string[]): Promise<TagOutcome>
  /** Removes tags, then adds tags; all items belong to one group. */
  edit(tx: Transaction<Schema>, items: readonly TaggedItem[], edit: TagEdit): Promise<TagOutcome>
}

export interface TagPlace {
  readonly type: TagType
  readonly items: 'links' | 'qr_codes'
  readonly table: 'link_tags' | 'qr_code_tags'
  /** The column with the id of the item. */
  readonly owner: string
}

export const linkPlace: TagPlace = { type: 'shortlink', items: 'links', table: 'link_tags', owner: 'link_id' }
const codePlace: TagPlace = { type: 'qr_code', items: 'qr_codes', table: 'qr_code_tags', owner: 'code_id' }
/** In the order in which they are locked. */
export const tagPlaces = [linkPlace, codePlace]

export const linkTags = tagWriter(linkPlace)
export const qrCodeTags = tagWriter(codePlace)

function tagWriter(place: TagPlace): TagWriter {
  return {
    set: (tx, item, tags) => write(tx, place, [item], () => ({ kept: [], wanted: tags })),
    setEach: (tx, items) => write(tx, place, items, (_, { tags }) => ({ kept: [], wanted: tags })),
    add: (tx, items, tags) => write(tx, place, items, (current) => ({ kept: current, wanted: tags })),
    edit: (tx, items, { removeTags, addTags }) => {
      const unwanted = new Set(removeTags.filter((tag) => !addTags.includes(tag)))
      const kept = (current: readonly Placed[]) => current.filter(({ tag }) => !unwanted.has(tag))
      return write(tx, place, items, (current) => ({ kept: kept(current), wanted: addTags }))
    },
  }
}

export interface Placed {
  readonly tag: string
  readonly position: number
}

/** Kept tags keep their positions; wanted ones follow in order. */
interface Plan {
  readonly kept: readonly Placed[]
  readonly wanted: readonly string[]
}

async function write<Item extends TaggedItem>(
  tx: Transaction<Schema>,
  place: TagPlace,
  items: readonly Item[],
  plan: (current: readonly Placed[], item: Item) => Plan,
): Promise<TagOutcome> {
  const [first] = items
  if (!first) return 'held'
  // Concurrent tag changes of this group wait at this row, so data read after it stays valid.
  const total = await lockTotal(tx, place, first.groupGuid)
  const current = await tagsOfItems(
    tx,
    place,
    items.map(({ id }) => id),
  )
  const uses = new Map<string, number>()
  const gone: { readonly id: string; readonly tags: readonly string[] }[] = []
  const rows: NewTag[] = []

  for (const item of items) {
    const before = current.get(item.id) ?? []
    const { kept, wanted } = plan(before, item)
    const had = new Set(before.map(({ tag }) => tag))
    const keeps = new Set(kept.map(({ tag }) => tag))
    const added = wanted.filter((tag) => !keeps.has(tag))
    if (keeps.size + added.length > tagsPerLink) return 'too-many-per-item'

    const after = new Set([...keeps, ...added])
    const removed = before.map(({ tag }) => tag).filter((tag) => !after.has(tag))
    const next = Math.max(-1, ...kept.map(({ position }) => position)) + 1
    for (const tag of removed) uses.set(tag, (uses.get(tag) ?? 0) - 1)
    for (const tag of added) if (!had.has(tag)) uses.set(tag, (uses.get(tag) ?? 0) + 1)
    if (removed.length > 0) gone.push({ id: item.id, tags: removed })
    for (const [index, tag] of added.entries()) rows.push({ item, tag, position: next + index })
  }

  for (const { id, tags } of gone) await dropTags(tx, place, id, tags)
  for (const some of chunks(rows, rowsAtOnce)) await placeTags(tx, place, some)
  const by = await countUses(tx, place, first.groupGuid, uses)
  return by > 0 && total + by > tagsPerGroup ? 'too-many-per-group' : 'held'
}

interface NewTag extends Placed {
  readonly item: TaggedItem
}

export async function lockTotal(tx: Transaction<Schema>, { type }: TagPlace, groupGuid: string): Promise<number> {
  const { total } = await tx
    .insertInto('group_tag_totals')
    .values({ group_guid: groupGuid, type, total: 0 })
    .onConflict((conflict) =>
      conflict.columns(['group_guid', 'type']).doUpdateSet((eb) => ({ total: eb.ref('group_tag_totals.total') })),
    )
    .returning('total')
    .executeTakeFirstOrThrow()
  return total
}

/** In their order. */
export async function tagsOfItems(
  tx: Transaction<Schema>,
  { table, owner }: TagPlace,
  ids: readonly string[],
): Promise<Map<string, Placed[]>> {
  const byItem = new Map<string, Placed[]>(ids.map((id) => [id, []]))
  for (const some of chunks([...byItem.keys()], itemsAtOnce)) {
    const { rows } = await sql<Placed & { readonly id: string }>`
      select ${sql.ref(owner)} as id, tag, position from ${sql.table(table)}
      where ${sql.ref(owner)} in (${sql.join(some)}) order by position`.execute(tx)
    for (const { id, ...placed } of rows) byItem.get(id)?.push(placed)
  }
  return byItem
}

async function dropTags(
  tx: Transaction<Schema>,
  { table, owner }: TagPlace,
  id: string,
  tags: readonly string[],
): Promise<void> {
  await sql`delete from ${sql.table(table)} where ${sql.ref(owner)} = ${id} and tag in (${sql.join(tags)})`.execute(tx)
}

async function placeTags(tx: Transaction<Schema>, { table, owner }: TagPlace, rows: readonly NewTag[]): Promise<void> {
  const values = rows.map(
    ({ item, tag, position }) => sql`(${item.id}, ${tag}, ${position}, ${item.groupGuid}, ${item.createdAt})`,
  )
  await sql`
    insert into ${sql.table(table)} (${sql.ref(owner)}, tag, position, group_guid, created_at)
    values ${sql.join(values)}
    on conflict (${sql.ref(owner)}, tag) do update set position = excluded.position`.execute(tx)
}

/**
 * Adjusts the use count of each tag, and the total. A tag without uses is deleted, with its color and description. Returns
 * how many more tags the group has.
 */
export async function countUses(
  tx: Transaction<Schema>,
  { type }: TagPlace,
  groupGuid: string,
  uses: ReadonlyMap<string, number>,
): Promise<number> {
  const changed = [...uses].filter(([, by]) => by !== 0)
  let fresh = 0
  const unused: string[] = []
  for (const some of chunks(changed, rowsAtOnce)) {
    const rows = await tx
      .insertInto('group_tags')
      .values(some.map(([tag, by]) => ({ group_guid: groupGuid, type, tag, uses: by })))
      .onConflict((conflict) =>
        conflict
          .columns(['group_guid', 'type', 'tag'])
          .doUpdateSet((eb) => ({ uses: eb('group_tags.uses', '+', eb.ref('excluded.uses')) })),
      )
      .returning(['tag', 'uses'])
      .execute()
    fresh += rows.filter((row) => row.uses === uses.get(row.tag)).length
    unused.push(...rows.filter((row) => row.uses <= 0).map((row) => row.tag))
  }
  for (const some of chunks(unused, rowsAtOnce)) {
    await tx
      .deleteFrom('group_tags')
      .where('group_guid', '=', groupGuid)
      .where('type', '=', type)
      .where('tag', 'in', some)
      .execute()
  }
  if (unused.length > 0) await dropUnusedDetails(tx, groupGuid)
  const by = fresh - unused.length
  if (by !== 0) await addToTotal(tx, type, groupGuid, by)
  return by
}

export async function dropUnusedDetails(tx: Transaction<Schema>, groupGuid: string): Promise<void> {
  await sql`delete from group_tag_details where group_guid = ${groupGuid} and not exists (
    select 1 from group_tags where group_tags.group_guid = ${groupGuid} and group_tags.tag = group_tag_details.tag
  )`.execute(tx)
}

async function addToTotal(tx: Transaction<Schema>, type: TagType, groupGuid: string, by: number): Promise<void> {
  await tx
    .updateTable('group_tag_totals')
    .set((eb) => ({ total: eb('total', '+', by) }))
    .where('group_guid', '=', groupGuid)
    .where('type', '=', type)
    .execute()
}

// Takes SQLite about a millisecond. Between two statements the event loop can continue.
const rowsAtOnce = 100
const itemsAtOnce = 50

/** Engines collate text differently. */
export const alphabet = new Intl.Collator('en')
