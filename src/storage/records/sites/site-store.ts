/**
 * Sites in SQL. What each method promises: site-store.contract.ts. Whoever changes a site first holds its row, then its
 * link; a racing change waits there, and reads what was written before.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import type { ChangeContext } from '../../../core/links/link.js'
import { addressesOf, isTooLarge, type Site, type SiteDocument, type SitePlaces } from '../../../core/sites/site.js'
import type {
  NewSite,
  SiteChanged,
  SiteCreated,
  SitePageInput,
  SiteStore,
  SiteUpdated,
} from '../../../core/sites/site-store.js'
import { newGuid } from '../../../core/values/guid.js'
import type { DrawHash } from '../../../core/values/random.js'
import { chunks } from '../../../lib/chunks.js'
import type { Announce } from '../../sql/database/announce.js'
import type { Transact } from '../../sql/database/transact.js'
import { type Undo, undoable } from '../../sql/database/undoable.js'
import { codec, partOf } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { linkInserts } from '../links/insert-links.js'
import { insertKeyword } from '../links/write-keywords.js'
import { linkSteps } from '../links/write-links.js'
import { noteGroupEvents } from '../steps/note-event.js'
import { hasRow, holdRow, insertRows, newestFirst, readHeldRow, updateRows } from '../steps/rows.js'
import type { CountUsage } from '../usage/count-usage.js'
import { setUses } from './site-uses.js'

export interface SiteStoreOptions {
  readonly announce: Announce
  readonly countUsage: CountUsage
}

export function sqlSiteStore(
  db: Kysely<Schema>,
  transact: Transact,
  { announce, countUsage }: SiteStoreOptions,
): SiteStore {
  const links = linkSteps(
    linkInserts(db, transact, { countUsage, parallel: 1, isAlone: () => true }),
    announce,
    countUsage,
  )

  async function create(
    tx: Transaction<Schema>,
    undo: Undo<SiteCreated>,
    { guid, address, document, link: draft }: NewSite,
    newHash: DrawHash,
  ): Promise<SiteCreated> {
    const { groupGuid, createdBy, at } = draft
    if (isTooLarge(document)) return { outcome: 'too-large' }
    const refused = ({ outcome }: { readonly outcome: string }): never => {
      throw new Error(`the link of a site was refused: ${outcome}`)
    }
    const hidden = { ...draft, forceNew: true, hidden: true }
    const created = await links.create(tx, refused, hidden, noDetails, newHash)
    if (created.outcome !== 'done') return refused(created)
    const linkId = created.link.id
    await updateRows(tx, 'links', { id: linkId }, { site_guid: guid })
    const claimed = await claim(tx, linkId, address, { login: createdBy, clientId: draft.clientId, at })
    if (claimed) return undo({ outcome: 'taken', holder: claimed })
    const times = { createdAt: at, modifiedAt: at }
    const site = { guid, groupGuid, linkId, address, status: 'active', draft: document, createdBy, ...times } as const
    await insertRows(tx, 'sites', siteColumns.columns(site) as never)
    if (!(await setUses(tx, { ...site, live: undefined }))) return undo({ outcome: 'no-image' })
    await announce(tx, [address])
    return { outcome: 'done', site: await readSite(tx, guid) }
  }

  const change: SiteStore['change'] = (guid, step, at, liveToo = false) =>
    undoable(transact, async (tx, undo): Promise<SiteChanged> => {
      const held = await hold(tx, guid)
      if (!held) return { outcome: 'missing' }
      const draft = step(held.draft)
      const live = liveToo && held.live ? step(held.live) : held.live
      const outcome = await write(tx, { ...held, draft, live }, at)
      if (outcome !== 'done') return undo({ outcome })
      const site = await readSite(tx, guid)
      if (liveToo) await announce(tx, addressesOf(site))
      return { outcome: 'done', site }
    })

  const update: SiteStore['update'] = (guid, { displayName, description, qrCodeId, place }, context) =>
    undoable(transact, async (tx, undo): Promise<SiteUpdated> => {
      const held = await hold(tx, guid)
      if (!held) return { outcome: 'missing' }
      const { at } = context
      const described = (document: SiteDocument) => ({
        ...document,
        ...(displayName !== undefined && { displayName }),
        ...(description !== undefined && { description }),
      })
      if (qrCodeId !== undefined && qrCodeId !== null) {
        if (!(await hasRow(tx, 'qr_codes', { id: qrCodeId, link_id: held.linkId, deleted_at: null }))) {
          return undo({ outcome: 'no-code' })
        }
      }
      if (qrCodeId !== undefined) await updateRows(tx, 'sites', { guid }, { qr_code_id: qrCodeId })
      if (place && place.address !== held.address) {
        const holder = await move(tx, held, place, context)
        if (holder) return undo({ outcome: 'taken', holder })
      }
      const live = place && held.live ? described(held.live) : held.live
      const outcome = await write(tx, { ...held, draft: described(held.draft), live }, at)
      if (outcome !== 'done') return undo({ outcome })
      const site = await readSite(tx, guid)
      if (place) await announce(tx, addressesOf(site))
      return { outcome: 'done', site }
    })

  const publish: SiteStore['publish'] = (guid, at) =>
    transact(async (tx) => {
      const held = await hold(tx, guid)
      if (!held) return 'missing'
      if (!(await hasRow(tx, 'links', { id: held.linkId, deleted_at: null }))) return 'no-link'
      if (!(await mayReturn(tx, held))) return 'no-domain'
      await save(tx, { ...held, live: held.draft }, at)
      await updateRows(tx, 'sites', { guid }, { status: 'active', published_at: at })
      const site = await readSite(tx, guid)
      await announce(tx, addressesOf(site))
      const details = { site_id: guid, url: site.address, title: site.draft.displayName }
      await noteGroupEvents(tx, site.groupGuid, [{ type: 'site.published', at, details }])
      return site
    })

  const discard: SiteStore['discard'] = (guid, at) =>
    transact(async (tx) => {
      const held = await hold(tx, guid)
      if (!held) return 'missing'
      if (!held.live) return 'never-published'
      await save(tx, { ...held, draft: held.live }, at)
      return 'discarded'
    })

  const deactivate: SiteStore['deactivate'] = (guid, at) =>
    transact(async (tx) => {
      const inactive = { status: 'inactive', modified_at: at } as const
      if (!(await updateRows(tx, 'sites', { guid, status: 'active' }, inactive))) return undefined
      const site = await readSite(tx, guid)
      await announce(tx, addressesOf(site))
      return site
    })

  const removeRedirect: SiteStore['removeRedirect'] = (guid, address, at) =>
    transact(async (tx) => {
      const active = { site_guid: guid, address, status: 'active' } as const
      const inactive = { status: 'inactive', modified_at: at } as const
      if (!(await updateRows(tx, 'site_redirects', active, inactive))) return false
      await updateRows(tx, 'sites', { guid }, { modified_at: at })
      await announce(tx, [address])
      return true
    })

  return {
    create: (draft, newHash) => undoable(transact, (tx, undo) => create(tx, undo, draft, newHash)),
    change,
    update,
    publish,
    discard,
    deactivate,
    removeRedirect,
    get: async (guid) => (await readSites(db, [guid]))[0],
    page: (input) => page(db, input),
    places: (of) => places(db, of),
    async live(guid) {
      const [site] = await readSites(db, [guid])
      const { live: document, publishedAt } = site ?? {}
      if (site?.status !== 'active' || document === undefined || publishedAt === undefined) return undefined
      const { groupGuid, linkId, address, redirects } = site
      const forwarded = redirects.filter(({ status }) => status === 'active').map((redirect) => redirect.address)
      return { guid, groupGuid, linkId, address, forwarded, document, publishedAt }
    },
    async linksEverOn(guid) {
      const rows = await db
        .selectFrom('site_links')
        .select(['link_id', 'type'])
        .where('site_guid', '=', guid)
        .where('was_live', '=', 1)
        .execute()
      return new Map(rows.map(({ link_id, type }) => [link_id, type]))
    },
  }
}

const noDetails = { title: undefined, tags: [], expiresAt: undefined, deeplinks: [], routing: [], keyword: undefined }

const siteColumns = codec('sites')
const placeColumns = partOf('sites', ['guid', 'groupGuid', 'linkId', 'address', 'createdAt'])
const redirectColumns = codec('site_redirects')

async function page(db: Kysely<Schema>, { groupGuid, after, size, address }: SitePageInput): Promise<readonly Site[]> {
  let active = db.selectFrom('sites').select('guid').where('group_guid', '=', groupGuid).where('status', '=', 'active')
  if (address !== undefined) active = active.where('address', '=', address)
  const place = after && ([after.createdAt, after.guid] as const)
  const rows = await newestFirst(active, ['created_at', 'guid'], place, size).execute()
  const guids = rows.map(({ guid }) => guid)
  const sites: Site[] = []
  for (const some of chunks(guids, documentsAtOnce)) {
    sites.push(...(await readSites(db, some)))
    await nextTurn()
  }
  return sites
}

/** Parsing the largest two documents of a site takes some milliseconds: redirects have their turn between steps. */
const documentsAtOnce = 4

const valuesPerRead = 500

async function places(
  db: Kysely<Schema>,
  of: Parameters<SiteStore['places']>[0],
  inactiveToo = false,
): Promise<readonly SitePlaces[]> {
  const found: SitePlaces[] = []
  const column = 'guids' in of ? 'sites.guid' : 'sites.group_guid'
  for (const values of chunks('guids' in of ? of.guids : of.groupGuids, valuesPerRead)) {
    let sites = db.selectFrom('sites').where(column, 'in', values)
    if (!('guids' in of || inactiveToo)) sites = sites.where('sites.status', '=', 'active')
    const rows = await sites.select(placeColumns.names.map((name) => `sites.${name}` as const)).execute()
    const redirects = new Map<string, { readonly address: string }[]>(rows.map(({ guid }) => [guid, []]))
    const former = sites.innerJoin('site_redirects', 'site_redirects.site_guid', 'sites.guid')
    for (const { guid, address } of await former.select(['sites.guid', 'site_redirects.address']).execute()) {
      redirects.get(guid)?.push({ address })
    }
    found.push(...rows.map((row) => ({ ...placeColumns.fields(row), redirects: redirects.get(row.guid) ?? [] })))
  }
  if ('guids' in of) return of.guids.flatMap((guid) => found.find((site) => site.guid === guid) ?? [])
  return found.sort((one, other) => other.createdAt - one.createdAt || (one.guid < other.guid ? 1 : -1))
}

/**
 * Of a group that leaves its domains: deactivates its sites that are at the root of one, and removes redirects from there,
 * also those of inactive sites, which may be published later. Answers the addresses that lead nowhere since.
 */
export async function leaveRoots(tx: Transaction<Schema>, groupGuid: string, at: number): Promise<readonly string[]> {
  const freed: string[] = []
  const active = { status: 'active' } as const
  const inactive = { status: 'inactive', modified_at: at } as const
  for (const site of await places(tx, { groupGuids: [groupGuid] }, true)) {
    const { guid, address, redirects } = site
    if (isRoot(address) && (await updateRows(tx, 'sites', { guid, ...active }, inactive))) {
      freed.push(...addressesOf(site))
    }
    for (const former of redirects.filter((redirect) => isRoot(redirect.address))) {
      const redirect = { site_guid: guid, address: former.address, ...active }
      if (await updateRows(tx, 'site_redirects', redirect, inactive)) freed.push(former.address)
    }
  }
  return freed
}

/**
 * Whether an inactive site may be where it was: its group may not use the domain of a root any more. The group is held,
 * so that it does not leave the domain at the same time.
 */
async function mayReturn(tx: Transaction<Schema>, { status, address, groupGuid }: HeldSite): Promise<boolean> {
  if (status === 'active' || !isRoot(address)) return true
  await holdRow(tx, 'groups', { guid: groupGuid })
  return hasRow(tx, 'group_domains', { group_guid: groupGuid, domain: address.slice(0, -1) })
}

function isRoot(address: string): boolean {
  return address.endsWith('/')
}

/** In this order; unknown ones are left out. */
async function readSites(db: Kysely<Schema>, guids: readonly string[]): Promise<readonly Site[]> {
  if (guids.length === 0) return []
  const rows = await db
    .selectFrom('sites')
    .selectAll()
    .where('guid', 'in', [...guids])
    .execute()
  const redirects = await db
    .selectFrom('site_redirects')
    .selectAll()
    .where('site_guid', 'in', [...guids])
    .orderBy('modified_at', 'desc')
    .orderBy('guid')
    .execute()
  const sites = rows.map((row) => {
    const own = redirects.filter(({ site_guid }) => site_guid === row.guid)
    return siteColumns.fieldsWith(row, { redirects: own.map(redirectFrom) })
  })
  return guids.flatMap((guid) => sites.find((site) => site.guid === guid) ?? [])
}

function redirectFrom(row: object): Site['redirects'][number] {
  const { siteGuid: _, ...redirect } = redirectColumns.fields(row)
  return redirect
}

async function readSite(tx: Transaction<Schema>, guid: string): Promise<Site> {
  const [site] = await readSites(tx, [guid])
  if (!site) throw new Error(`the site ${guid} disappeared`)
  return site
}

type HeldSite = Omit<Site, 'redirects'>

async function hold(tx: Transaction<Schema>, guid: string): Promise<HeldSite | undefined> {
  const row = await readHeldRow(tx, 'sites', { guid })
  return row && siteColumns.fields(row)
}

/** Both documents, unless one is too large or has an image that does not exist: then the caller rolls back. */
async function write(tx: Transaction<Schema>, site: HeldSite, at: number): Promise<'done' | 'no-image' | 'too-large'> {
  if (isTooLarge(site.draft) || (site.live && isTooLarge(site.live))) return 'too-large'
  return (await save(tx, site, at)) ? 'done' : 'no-image'
}

/** Documents that were checked before, with what they refer to. */
async function save(tx: Transaction<Schema>, site: HeldSite, at: number): Promise<boolean> {
  const { guid, draft, live } = site
  await updateRows(tx, 'sites', { guid }, siteColumns.columns({ draft, live, modifiedAt: at }))
  return setUses(tx, site)
}

/** Moves the site to another address, and answers who has it if that is not possible. */
async function move(
  tx: Transaction<Schema>,
  held: HeldSite,
  { address, url }: { readonly address: string; readonly url: string },
  context: ChangeContext,
) {
  const { guid, linkId, address: former } = held
  const holder = await claim(tx, linkId, address, context)
  if (holder) return holder
  const { at } = context
  // The new address may be a former one of the site.
  await tx.deleteFrom('site_redirects').where('site_guid', '=', guid).where('address', '=', address).execute()
  const status = (await mayReturn(tx, held)) ? 'active' : 'inactive'
  const redirect = { guid: newGuid('site-redirect'), site_guid: guid, address: former, status } as const
  await insertRows(tx, 'site_redirects', { ...redirect, created_at: at, modified_at: at })
  await updateRows(tx, 'sites', { guid }, { address })
  await updateRows(tx, 'links', { id: linkId }, { long_url: url })
  return undefined
}

/** Undefined when the link has the address now. */
async function claim(tx: Transaction<Schema>, linkId: string, address: string, context: ChangeContext) {
  if (await hasRow(tx, 'addresses', { address, link_id: linkId })) return undefined
  const added = await insertKeyword(tx, address, linkId, context)
  if (added.outcome === 'taken') return added.holder
  if (added.outcome === 'no-link') throw new Error(`the hidden link ${linkId} does not exist`)
  return undefined
}
