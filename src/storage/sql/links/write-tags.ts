/**
 * Writes the tags of links and counts the uses of tags per group. Runs in the caller's transaction, which must have
 * locked the rows of the links (by an update) and must be rolled back if a limit is exceeded.
 */
import type { Insertable, Transaction } from 'kysely'
import { tagsPerGroup, tagsPerLink } from '../../../core/links/link-fields.js'
import { chunks } from '../../../lib/chunks.js'
import type { Schema } from '../database/schema.js'

export interface TaggedLink {
  readonly id: string
  readonly groupGuid: string
  readonly createdAt: number
}

/** `held`: written. Otherwise roll back: a link or the group would exceed its tag limit. */
export type TagOutcome = 'held' | 'too-many-per-link' | 'too-many-per-group'

/** Gives the link exactly these tags in this order. */
export function setTags(tx: Transaction<Schema>, link: TaggedLink, tags: readonly string[]): Promise<TagOutcome> {
  return write(tx, [link], () => ({ kept: [], wanted: tags }))
}

/** Adds these tags after the existing ones; all links belong to one group. */
export function addTags(
  tx: Transaction<Schema>,
  links: readonly TaggedLink[],
  tags: readonly string[],
): Promise<TagOutcome> {
  return write(tx, links, (current) => ({ kept: current, wanted: tags }))
}

/** Removes these tags; all links belong to one group. */
export function removeTags(
  tx: Transaction<Schema>,
  links: readonly TaggedLink[],
  tags: readonly string[],
): Promise<TagOutcome> {
  const unwanted = new Set(tags)
  return write(tx, links, (current) => ({ kept: current.filter(({ tag }) => !unwanted.has(tag)), wanted: [] }))
}

interface Placed {
  readonly tag: string
  readonly position: number
}

/** Kept tags keep their positions; wanted ones follow in order. */
interface Plan {
  readonly kept: readonly Placed[]
  readonly wanted: readonly string[]
}

async function write(
  tx: Transaction<Schema>,
  links: readonly TaggedLink[],
  plan: (current: readonly Placed[]) => Plan,
): Promise<TagOutcome> {
  const [first] = links
  if (!first) return 'held'
  // Concurrent tag changes of this group wait at this row, so data read after it stays valid.
  const total = await lockTotal(tx, first.groupGuid)
  const current = await tagsOf(tx, links)
  const uses = new Map<string, number>()
  const gone: { readonly link: string; readonly tags: readonly string[] }[] = []
  const rows: Insertable<Schema['link_tags']>[] = []

  for (const link of links) {
    const before = current.get(link.id) ?? []
    const { kept, wanted } = plan(before)
    const had = new Set(before.map(({ tag }) => tag))
    const keeps = new Set(kept.map(({ tag }) => tag))
    const added = wanted.filter((tag) => !keeps.has(tag))
    if (keeps.size + added.length > tagsPerLink) return 'too-many-per-link'

    const after = new Set([...keeps, ...added])
    const removed = before.map(({ tag }) => tag).filter((tag) => !after.has(tag))
    const next = Math.max(-1, ...kept.map(({ position }) => position)) + 1
    for (const tag of removed) uses.set(tag, (uses.get(tag) ?? 0) - 1)
    for (const tag of added) if (!had.has(tag)) uses.set(tag, (uses.get(tag) ?? 0) + 1)
    if (removed.length > 0) gone.push({ link: link.id, tags: removed })
    for (const [index, tag] of added.entries()) rows.push(tagRow(link, tag, next + index))
  }

  for (const { link, tags } of gone) {
    await tx.deleteFrom('link_tags').where('link_id', '=', link).where('tag', 'in', tags).execute()
  }
  for (const some of chunks(rows, rowsPerStatement)) await placeTags(tx, some)
  return countUses(tx, first.groupGuid, total, uses)
}

function tagRow(link: TaggedLink, tag: string, position: number): Insertable<Schema['link_tags']> {
  return { link_id: link.id, tag, position, group_guid: link.groupGuid, created_at: link.createdAt }
}

async function lockTotal(tx: Transaction<Schema>, groupGuid: string): Promise<number> {
  const { total } = await tx
    .insertInto('group_tag_totals')
    .values({ group_guid: groupGuid, type: 'shortlink', total: 0 })
    .onConflict((conflict) =>
      conflict.columns(['group_guid', 'type']).doUpdateSet((eb) => ({ total: eb.ref('group_tag_totals.total') })),
    )
    .returning('total')
    .executeTakeFirstOrThrow()
  return total
}

async function tagsOf(tx: Transaction<Schema>, links: readonly TaggedLink[]): Promise<Map<string, Placed[]>> {
  const byLink = new Map<string, Placed[]>(links.map(({ id }) => [id, []]))
  for (const some of chunks([...byLink.keys()], linksAtOnce)) {
    const found = await tx
      .selectFrom('link_tags')
      .select(['link_id', 'tag', 'position'])
      .where('link_id', 'in', some)
      .orderBy('position')
      .execute()
    for (const { link_id, ...placed } of found) byLink.get(link_id)?.push(placed)
  }
  return byLink
}

async function placeTags(tx: Transaction<Schema>, rows: readonly Insertable<Schema['link_tags']>[]): Promise<void> {
  await tx
    .insertInto('link_tags')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['link_id', 'tag']).doUpdateSet((eb) => ({ position: eb.ref('excluded.position') })),
    )
    .execute()
}

/** Adjusts the use count of each tag. A tag without uses is deleted. */
async function countUses(
  tx: Transaction<Schema>,
  groupGuid: string,
  total: number,
  uses: ReadonlyMap<string, number>,
): Promise<TagOutcome> {
  const changed = [...uses].filter(([, by]) => by !== 0)
  let fresh = 0
  const unused: string[] = []
  for (const some of chunks(changed, rowsPerStatement)) {
    const rows = await tx
      .insertInto('group_tags')
      .values(some.map(([tag, by]) => ({ group_guid: groupGuid, type: 'shortlink', tag, uses: by })))
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
  for (const some of chunks(unused, rowsPerStatement)) {
    await tx
      .deleteFrom('group_tags')
      .where('group_guid', '=', groupGuid)
      .where('type', '=', 'shortlink')
      .where('tag', 'in', some)
      .execute()
  }
  const by = fresh - unused.length
  if (by > 0 && total + by > tagsPerGroup) return 'too-many-per-group'
  if (by !== 0) await addToTotal(tx, groupGuid, by)
  return 'held'
}

async function addToTotal(tx: Transaction<Schema>, groupGuid: string, by: number): Promise<void> {
  await tx
    .updateTable('group_tag_totals')
    .set((eb) => ({ total: eb('total', '+', by) }))
    .where('group_guid', '=', groupGuid)
    .where('type', '=', 'shortlink')
    .execute()
}

// Takes SQLite about a millisecond. Between two statements the event loop can continue.
const rowsPerStatement = 100
const linksAtOnce = 10
