/**
 * The tags of a group in SQL. tag-store.contract.ts defines the behaviour. One transaction changes everything that has a
 * tag, page by page: SQLite yields to the event loop between statements.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type SqlBool, sql, type Transaction } from 'kysely'
import type { ChangeContext } from '../../../core/links/link.js'
import type { TagChange, TagDetails, TagStep, TagStore } from '../../../core/links/tag-store.js'
import { defaultTagColor } from '../../../core/links/tags.js'
import type { Transact } from '../../sql/database/transact.js'
import { undoable } from '../../sql/database/undoable.js'
import type { Schema } from '../../sql/tables/schema.js'
import { isEventWanted } from '../steps/note-event.js'
import { hasRow, updateRows, upsert } from '../steps/rows.js'
import { type AddTagsToHistory, type TagsChange, tagHistory } from './link-history.js'
import { noteLinksUpdated } from './note-link-updated.js'
import {
  alphabet,
  countUses,
  linkPlace,
  lockTotal,
  type Placed,
  type TagPlace,
  tagPlaces,
  tagsOfItems,
} from './write-tags.js'

export function sqlTagStore(db: Kysely<Schema>, transact: Transact): TagStore {
  const addToHistory = tagHistory(db)
  return {
    list: (groupGuid) => tagsOf(db, groupGuid),

    update: (groupGuid, tag, change, context) =>
      undoable<TagDetails | 'missing' | 'taken'>(transact, async (tx, undo) => {
        const { name = tag } = change
        const isRenamed = name !== tag
        const refusal = async () => {
          if (!(await isUsed(tx, groupGuid, tag))) return 'missing'
          return isRenamed && !change.merge && (await isUsed(tx, groupGuid, name)) ? 'taken' : undefined
        }
        // Asked again once nobody else can change the tags of the group.
        const early = await refusal()
        if (early) return early
        if (isRenamed) await touchItems(tx, groupGuid, tag, context.at)
        await lockTags(tx, groupGuid)
        const late = await refusal()
        if (late) return undo(late)

        if (isRenamed) {
          const own = { group_guid: groupGuid, tag }
          if (!(await isUsed(tx, groupGuid, name))) await updateRows(tx, 'group_tag_details', own, { tag: name })
          await replaceTag(tx, { groupGuid, tag, name, context, addToHistory })
        }
        await writeDetails(tx, groupGuid, name, change)
        const [details] = await tagsOf(tx, groupGuid, name)
        if (!details) throw new Error(`the tag ${name} is missing after its change`)
        return details
      }),

    async addresses(groupGuid, tags, limit) {
      const links = new Set<string>()
      const keywords: string[] = []
      let read = 0
      for (const tag of tags) {
        for await (const page of pagesOf(db, linkPlace, groupGuid, tag)) {
          await nextTurn()
          const ids = page.filter((id) => !links.has(id))
          for (const id of ids) links.add(id)
          read += page.length
          if (read > limit) return undefined
          keywords.push(...(await keywordsOf(db, ids)))
        }
      }
      return [...links, ...keywords]
    },

    replaceSome: (groupGuid, tag, change, limit, context) =>
      undoable<TagStep | 'taken'>(transact, async (tx, undo) => {
        const { name, merge } = change
        const places = new Map<TagPlace, readonly string[]>()
        let left = limit
        // Rows of items are locked before the tags of the group, as in `touchItems`.
        for (const place of tagPlaces) {
          const { value: ids = [] } = await pagesOf(tx, place, groupGuid, tag, left).next()
          if (ids.length > 0) await touch(tx, place, ids, context.at)
          places.set(place, ids)
          left -= ids.length
          if (left === 0) break
        }
        await lockTags(tx, groupGuid)
        const replacement = { groupGuid, tag, name, context, addToHistory }
        if (name !== undefined) {
          if (!(await isUsed(tx, groupGuid, name))) await copyDetails(tx, groupGuid, tag, name)
          else if (!merge && (await isUsed(tx, groupGuid, tag))) return undo('taken')
        }
        let items = 0
        for (const [place, ids] of places) items += await replaceIn(tx, place, ids, replacement)
        if (name !== undefined && items > 0) await writeDetails(tx, groupGuid, name, change)
        // Items that lost the tag before it was locked were found too.
        return { items, more: left < limit && (await isUsed(tx, groupGuid, tag)) }
      }),

    remove: (groupGuid, tag, context) =>
      transact(async (tx) => {
        await touchItems(tx, groupGuid, tag, context.at)
        await lockTags(tx, groupGuid)
        if (!(await isUsed(tx, groupGuid, tag))) return false
        await replaceTag(tx, { groupGuid, tag, name: undefined, context, addToHistory })
        return true
      }),
  }
}

/**
 * Locks the rows of the items before the tags of the group, as all other changes do: in the other order PostgreSQL would
 * undo this long transaction whenever somebody edits an item with the tag.
 */
async function touchItems(tx: Transaction<Schema>, groupGuid: string, tag: string, at: number): Promise<void> {
  for (const place of tagPlaces) {
    for await (const ids of pagesOf(tx, place, groupGuid, tag)) await touch(tx, place, ids, at)
  }
}

async function touch(tx: Transaction<Schema>, { items }: TagPlace, ids: readonly string[], at: number): Promise<void> {
  await tx.updateTable(items).set({ modified_at: at }).where('id', 'in', ids).execute()
}

async function lockTags(tx: Transaction<Schema>, groupGuid: string): Promise<void> {
  for (const place of tagPlaces) await lockTotal(tx, place, groupGuid)
}

interface Replacement {
  readonly groupGuid: string
  readonly tag: string
  /** What items have instead; undefined: nothing. */
  readonly name: string | undefined
  readonly context: ChangeContext
  readonly addToHistory: AddTagsToHistory
}

async function replaceTag(tx: Transaction<Schema>, replacement: Replacement): Promise<void> {
  const { groupGuid, tag } = replacement
  for (const place of tagPlaces) {
    for await (const ids of pagesOf(tx, place, groupGuid, tag)) await replaceIn(tx, place, ids, replacement)
  }
}

/** Returns how many of the items had the tag. Those that lost it before it was locked stay as they are. */
async function replaceIn(
  tx: Transaction<Schema>,
  place: TagPlace,
  found: readonly string[],
  replacement: Replacement,
): Promise<number> {
  const { groupGuid, tag, name, context, addToHistory } = replacement
  const tags = await tagsOfItems(tx, place, found)
  const before = new Map([...tags].filter(([, placed]) => placed.some((each) => each.tag === tag)))
  const ids = [...before.keys()]
  if (ids.length === 0) return 0
  const table = sql.table(place.table)
  const owner = sql.ref(place.owner)
  // Again, for items that got the tag before it was locked.
  await touch(tx, place, ids, context.at)
  const rows = sql`${owner} in (${sql.join(ids)}) and tag = ${tag}`
  let renamed = 0
  if (name !== undefined) {
    const other = sql`select 1 from ${table} as other where other.${owner} = ${table}.${owner} and other.tag = ${name}`
    const { numAffectedRows = 0n } = await sql`
      update ${table} set tag = ${name} where ${rows} and not exists (${other})`.execute(tx)
    renamed = Number(numAffectedRows)
  }
  // With a new name, of items that have both.
  await sql`delete from ${table} where ${rows}`.execute(tx)
  if (place.items === 'links') {
    await addToHistory(tx, changesFrom(before, replacement), context)
    if (await isEventWanted(tx, groupGuid, 'link.updated')) await noteLinksUpdated(tx, ids, context.at)
  }
  const uses = new Map([[tag, -ids.length], ...(name === undefined ? [] : [[name, renamed] as const])])
  await countUses(tx, place, groupGuid, uses)
  return ids.length
}

/** Color and description of a tag that is being renamed; its own are deleted with its last use. */
async function copyDetails(tx: Transaction<Schema>, groupGuid: string, tag: string, name: string): Promise<void> {
  const own = tx.selectFrom('group_tag_details').select(['color', 'description'])
  const details = await own.where('group_guid', '=', groupGuid).where('tag', '=', tag).executeTakeFirst()
  if (details) await upsert(tx, 'group_tag_details', { group_guid: groupGuid, tag: name }, details)
}

function changesFrom(
  tagged: ReadonlyMap<string, readonly Placed[]>,
  { tag, name }: Replacement,
): readonly TagsChange[] {
  return [...tagged].map(([linkId, placed]) => {
    const before = placed.map((each) => each.tag)
    const instead = name === undefined || before.includes(name) ? [] : [name]
    return { linkId, before, after: before.flatMap((each) => (each === tag ? instead : each)) }
  })
}

/** The ids of the items that have the tag, in the order of an index. The caller may take the tag from them. */
async function* pagesOf(
  db: Kysely<Schema>,
  { table, owner }: TagPlace,
  groupGuid: string,
  tag: string,
  size = itemsPerPage,
): AsyncGenerator<readonly string[], undefined> {
  const id = sql.ref(owner)
  for (let after = { createdAt: Number.MIN_SAFE_INTEGER, id: '' }; ; ) {
    const { rows } = await sql<typeof after>`
      select created_at as "createdAt", ${id} as id from ${sql.table(table)}
      where group_guid = ${groupGuid} and tag = ${tag} and (created_at, ${id}) > (${after.createdAt}, ${after.id})
      order by created_at, ${id} limit ${size}`.execute(db)
    const last = rows.at(-1)
    if (!last) return undefined
    yield rows.map((row) => row.id)
    if (rows.length < size) return undefined
    after = last
  }
}

// A statement on so many takes SQLite about two milliseconds.
const itemsPerPage = 200

async function keywordsOf(db: Kysely<Schema>, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const own = db.selectFrom('addresses').select('address').where('link_id', 'in', ids)
  // A literal, so that the engine can use the partial index of keywords.
  const rows = await own.where(sql<SqlBool>`kind = 'keyword'`).execute()
  return rows.map(({ address }) => address)
}

function isUsed(tx: Transaction<Schema>, groupGuid: string, tag: string): Promise<boolean> {
  return hasRow(tx, 'group_tags', { group_guid: groupGuid, tag })
}

async function writeDetails(
  tx: Transaction<Schema>,
  groupGuid: string,
  tag: string,
  { color, description }: TagChange,
): Promise<void> {
  if (color === undefined && description === undefined) return
  const [now] = await tagsOf(tx, groupGuid, tag)
  const values = { color: color ?? now?.color ?? defaultTagColor, description: description ?? now?.description ?? '' }
  await upsert(tx, 'group_tag_details', { group_guid: groupGuid, tag }, values)
}

/** All of them, or the one with this name. */
async function tagsOf(db: Kysely<Schema>, groupGuid: string, name?: string): Promise<readonly TagDetails[]> {
  const rows = await db
    .selectFrom('group_tags as used')
    .leftJoin('group_tag_details as details', (join) =>
      join.onRef('details.group_guid', '=', 'used.group_guid').onRef('details.tag', '=', 'used.tag'),
    )
    .select(['used.tag', 'used.type', 'used.uses', 'details.color', 'details.description'])
    .where('used.group_guid', '=', groupGuid)
    .where('used.uses', '>', 0)
    .$if(name !== undefined, (query) => query.where('used.tag', '=', name ?? ''))
    .execute()
  const tags = new Map<string, TagDetails>()
  for (const { tag, type, uses, color, description } of rows) {
    const known = tags.get(tag) ?? { name: tag, links: 0, qrCodes: 0 }
    const counts = type === 'shortlink' ? { links: uses } : { qrCodes: uses }
    tags.set(tag, { ...known, ...counts, color: color ?? defaultTagColor, description: description ?? '' })
  }
  return [...tags.values()].sort((one, other) => alphabet.compare(one.name, other.name))
}
