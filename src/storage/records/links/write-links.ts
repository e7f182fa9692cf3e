/**
 * Creates links with details, and updates and deletes links. Each is one transaction that first locks the row of the
 * link, so data read afterwards stays valid.
 */
import type { Transaction, Updateable } from 'kysely'
import type { DeeplinkDraft } from '../../../core/links/deeplink.js'
import {
  type ChangeContext,
  isRedirect,
  isReusable,
  type Link,
  type LinkChange,
  type LinkDetails,
  type LinkDraft,
} from '../../../core/links/link.js'
import { targetFields } from '../../../core/links/link-fields.js'
import type { Created, LinkStore, Updated } from '../../../core/links/link-store.js'
import type { RoutingRule } from '../../../core/links/routing-rule.js'
import { newGuid } from '../../../core/values/guid.js'
import type { DrawHash } from '../../../core/values/random.js'
import type { Announce } from '../../sql/database/announce.js'
import { LostRace, type Transact } from '../../sql/database/transact.js'
import { type Undo, undoable } from '../../sql/database/undoable.js'
import type { Schema } from '../../sql/tables/schema.js'
import { holdRow, updateRows } from '../steps/rows.js'
import { type CountUsage, countForGroup, usesOf } from '../usage/count-usage.js'
import { removeCodesOf } from './codes-of-links.js'
import { type InsertLinks, inputFor, longUrlKey } from './insert-links.js'
import { linkColumns, readLink } from './link-row.js'
import { noteLinkChanged } from './note-link-updated.js'
import { insertKeyword, redirectKeywords } from './write-keywords.js'
import { linkTags, tooManyTags } from './write-tags.js'

/** Changes inside a transaction, for stores that write more than a link. */
export interface LinkSteps {
  create(
    tx: Transaction<Schema>,
    undo: Undo<Created>,
    draft: LinkDraft,
    details: LinkDetails,
    newHash: DrawHash,
  ): Promise<Created>
  update(
    tx: Transaction<Schema>,
    undo: Undo<Updated>,
    id: string,
    change: LinkChange,
    context: ChangeContext,
  ): Promise<Updated>
  remove(tx: Transaction<Schema>, id: string, at: number): Promise<'removed' | 'edited' | 'missing'>
}

export function linkChanges(
  transact: Transact,
  steps: LinkSteps,
): Pick<LinkStore, 'create' | 'update' | 'remove' | 'fillTitle'> {
  return {
    create: (draft, details, newHash) =>
      undoable(transact, (tx, undo) => steps.create(tx, undo, draft, details, newHash)),
    update: (id, change, context) => undoable(transact, (tx, undo) => steps.update(tx, undo, id, change, context)),
    remove: (id, at) => transact((tx) => steps.remove(tx, id, at)),
    fillTitle: (linkId, longUrl, title) =>
      transact((tx) =>
        updateRows(tx, 'links', { id: linkId, long_url: longUrl, title: null, deleted_at: null }, { title }),
      ),
  }
}

export function linkSteps(inserts: InsertLinks, announce: Announce, countUsage: CountUsage): LinkSteps {
  async function create(
    tx: Transaction<Schema>,
    undo: Undo<Created>,
    draft: LinkDraft,
    details: LinkDetails,
    newHash: DrawHash,
  ): Promise<Created> {
    const [shortened] = await inserts.links(tx, [inputFor(draft, newHash)])
    if (!shortened) throw new Error('inserting a link returned no result')
    if (!shortened.created) {
      if (draft.keepExisting) return { outcome: 'done', ...shortened }
      const refreshed = await refresh(tx, shortened.link, details, contextOf(draft))
      return refreshed.outcome === 'done' ? refreshed : undo(refreshed)
    }

    const { id, groupGuid, createdAt } = shortened.link
    const columns = { ...columnsOf(details), hidden: draft.hidden ? 1 : 0 }
    await tx.updateTable('links').set(columns).where('id', '=', id).execute()
    if (details.tags.length > 0) {
      const outcome = await linkTags.set(tx, { id, groupGuid, createdAt }, details.tags)
      if (outcome !== 'held') return undo(tooManyTags(outcome))
    }
    const copies = details.deeplinks.map((deeplink) => ({ ...deeplink, guid: undefined }))
    if (copies.length > 0) await replaceDeeplinks(tx, id, copies, draft.at)
    if (details.keyword !== undefined) {
      const context = { login: draft.createdBy, at: draft.at }
      const added = await insertKeyword(tx, details.keyword, id, context)
      if (added.outcome === 'taken') return undo(added)
      if (added.outcome !== 'done') throw new Error(`cannot add ${details.keyword} to the new link ${id}`)
      await announce(tx, [details.keyword])
    }
    const link = await readLink(tx, id)
    await countUsage(tx, usesOf(draft, details))
    return { outcome: 'done', link, created: true }
  }

  async function remove(tx: Transaction<Schema>, id: string, at: number): Promise<'removed' | 'edited' | 'missing'> {
    const row = await tx
      .updateTable('links')
      .set({ deleted_at: at, modified_at: at, reuse_key: null })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .where('edited_at', 'is', null)
      .returning(['group_guid', 'created_at'])
      .executeTakeFirst()
    if (!row) {
      const link = await tx.selectFrom('links').select('deleted_at').where('id', '=', id).executeTakeFirst()
      return link && link.deleted_at === null ? 'edited' : 'missing'
    }
    await linkTags.set(tx, { id, groupGuid: row.group_guid, createdAt: row.created_at }, [])
    await removeCodesOf(tx, id, at)
    await announce(tx, [id])
    return 'removed'
  }

  return { create, update: linkUpdate(announce, countUsage), remove }
}

/** Changes a link inside a transaction. */
export function linkUpdate(announce: Announce, countUsage: CountUsage): LinkSteps['update'] {
  return async function update(
    tx: Transaction<Schema>,
    undo: Undo<Updated>,
    id: string,
    change: LinkChange,
    context: ChangeContext,
  ): Promise<Updated> {
    if (!(await holdRow(tx, 'links', { id, deleted_at: null }))) return { outcome: 'missing' }
    const before = await readLink(tx, id)
    await updateRows(tx, 'links', { id }, { modified_at: context.at, ...changedColumns(change, context.at) })

    if (change.longUrl !== undefined) await redirectKeywords(tx, id, change.longUrl, context)
    if (change.deeplinks) {
      const replaced = await replaceDeeplinks(tx, id, change.deeplinks, context.at)
      if (!replaced) return undo({ outcome: 'foreign-deeplink' })
    }
    const tagged = await writeTags(tx, before, change)
    if (tagged !== 'held') return undo(tooManyTags(tagged))
    const link = await noteLinkChanged(tx, before, context)
    if (leadsElsewhere(change)) await announce(tx, [link.id, ...link.keywords])
    if (isRedirect(change)) await countForGroup(tx, countUsage, link.groupGuid, 'redirects', context.at)
    return { outcome: 'done', link }
  }
}

async function writeTags(tx: Transaction<Schema>, link: Link, { tags, tagEdit }: LinkChange) {
  if (tags) return linkTags.set(tx, link, tags)
  return tagEdit ? linkTags.edit(tx, [link], tagEdit) : 'held'
}

type LinkColumns = Updateable<Schema['links']>

function columnsOf(details: LinkDetails): LinkColumns {
  return {
    ...linkColumns.columns(details),
    dynamic_routing: routingJson(details.routing),
    ...(!isReusable(details) && { reuse_key: null }),
  }
}

function changedColumns(change: LinkChange, at: number): LinkColumns {
  const { longUrl, routing } = change
  return {
    ...linkColumns.columns(change),
    ...(routing !== undefined && { dynamic_routing: routingJson(routing) }),
    ...(!isReusable(change) && { reuse_key: null }),
    ...(longUrl !== undefined && { long_url_key: longUrlKey(longUrl), edited_at: at, reuse_key: null }),
  }
}

/** A known link gets the new title and note, the privacy that was asked for and additional tags; its other tags stay. */
export async function refresh(
  tx: Transaction<Schema>,
  known: Link,
  details: LinkDetails,
  context: ChangeContext,
): Promise<Created> {
  const change: LinkChange = {
    ...(details.title && details.title !== known.title && { title: details.title }),
    ...(details.note && details.note !== known.note && { note: details.note }),
    ...(details.private !== undefined && details.private !== known.private && { private: details.private }),
  }
  const newTags = details.tags.filter((tag) => !known.tags.includes(tag))
  if (newTags.length === 0 && Object.keys(change).length === 0) return { outcome: 'done', link: known, created: false }
  const { id, longUrl } = known
  const isHeld = await holdRow(tx, 'links', { id, long_url: longUrl, deleted_at: null })
  if (!isHeld) throw new LostRace(`the link ${id} was changed concurrently`)
  const before = await readLink(tx, id)
  await updateRows(tx, 'links', { id }, { modified_at: context.at, ...changedColumns(change, context.at) })
  const outcome = newTags.length === 0 ? 'held' : await linkTags.add(tx, [known], newTags)
  if (outcome !== 'held') return tooManyTags(outcome)
  return { outcome: 'done', link: await noteLinkChanged(tx, before, context), created: false }
}

/** Shortening a URL again may change the link that it has. */
export function contextOf({ createdBy, clientId, at }: LinkDraft): ChangeContext {
  return { login: createdBy, clientId, at }
}

function routingJson(rules: readonly RoutingRule[]): string | null {
  return rules.length === 0 ? null : JSON.stringify(rules)
}

function leadsElsewhere(change: LinkChange): boolean {
  const names = ['longUrl', 'deeplinks', 'routing', ...targetFields] as const
  return names.some((name) => change[name] !== undefined)
}

/**
 * Gives the link exactly these deep links in this order. A deep link sent with its current guid keeps the guid and
 * its creation time. Returns false if a guid belongs to another link: then the caller must roll back.
 */
async function replaceDeeplinks(
  tx: Transaction<Schema>,
  linkId: string,
  drafts: readonly DeeplinkDraft[],
  at: number,
): Promise<boolean> {
  const before = await tx.selectFrom('link_deeplinks').selectAll().where('link_id', '=', linkId).execute()
  const open = new Map(before.map((row) => [row.guid, row]))
  const rows = drafts.map((draft, position) => {
    const known = open.get(draft.guid ?? '')
    if (known) open.delete(known.guid)
    const fields = {
      app_guid: draft.appGuid,
      os: draft.os,
      app_uri_path: draft.appUriPath,
      install_url: draft.installUrl,
      install_type: draft.installType,
      brand_guid: draft.brandGuid,
    }
    const same = known && Object.entries(fields).every(([name, value]) => Reflect.get(known, name) === value)
    return {
      guid: known?.guid ?? newGuid('deeplink'),
      link_id: linkId,
      position,
      ...fields,
      created_at: known?.created_at ?? at,
      modified_at: same ? known.modified_at : at,
    }
  })
  const own = new Set(before.map((row) => row.guid))
  const strange = drafts.flatMap(({ guid }) => (guid === undefined || own.has(guid) ? [] : [guid]))
  if (strange.length > 0) {
    const elsewhere = tx.selectFrom('link_deeplinks').select('guid').where('guid', 'in', strange).limit(1)
    if (await elsewhere.executeTakeFirst()) return false
  }
  if (before.length > 0) await tx.deleteFrom('link_deeplinks').where('link_id', '=', linkId).execute()
  if (rows.length > 0) await tx.insertInto('link_deeplinks').values(rows).execute()
  return true
}
