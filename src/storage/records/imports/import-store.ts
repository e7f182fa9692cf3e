/**
 * Imported links in SQL. A batch is one transaction of a few statements per hundred links: read what holds the
 * addresses, decide, insert. An address that another transaction takes in between makes the batch start again, so the
 * decision is always about what is there. import-store.contract.ts defines the behaviour.
 */
import type { Insertable, Kysely, Transaction } from 'kysely'
import {
  type ImportOutcome,
  type ImportOutcomes,
  type ImportOwner,
  type ImportStore,
  type LinkToImport,
  maxRenames,
  type OnConflict,
  renamed,
} from '../../../core/imports/import-store.js'
import { tagsPerGroup } from '../../../core/links/tags.js'
import { newGuid } from '../../../core/values/guid.js'
import { chunks } from '../../../lib/chunks.js'
import type { Announce } from '../../sql/database/announce.js'
import { LostRace, type MultiInsert, multiInsert, type Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { longUrlKey } from '../links/insert-links.js'
import { wholeRow } from '../links/link-row.js'
import type { LinkSteps } from '../links/write-links.js'
import { linkTags } from '../links/write-tags.js'
import { sqlClickMarks } from './click-marks.js'

export interface ImportStoreOptions {
  readonly announce: Announce
  /** Changes a link, with its history and events. */
  readonly update: LinkSteps['update']
}

export function sqlImportStore(db: Kysely<Schema>, transact: Transact, options: ImportStoreOptions): ImportStore {
  const insertAddresses: MultiInsert<NewAddress, unknown> = multiInsert((rows) =>
    db
      .insertInto('addresses')
      .values(rows)
      .onConflict((conflict) => conflict.column('address').doNothing()),
  )
  const insertLinks: MultiInsert<NewLink, unknown> = multiInsert((rows) => db.insertInto('links').values(rows))
  const insertHistory: MultiInsert<NewHistory, unknown> = multiInsert((rows) =>
    db.insertInto('keyword_history').values(rows),
  )

  async function write(tx: Transaction<Schema>, owner: ImportOwner, decided: readonly Decision[]): Promise<void> {
    const made = decided.filter(isMade)
    const keywords = made.flatMap(keywordsOf)
    // Sorted, so that racing imports lock in the same order, and that neighbours in an index are written together.
    const addresses = [...made.map(addressRow), ...keywords.map(keywordRow)].sort(byAddress)
    for (const some of chunks(addresses, rowsAtOnce)) {
      const { count } = await insertAddresses(tx, some)
      if (count < some.length) throw new LostRace('an address was taken concurrently')
    }
    const rows = made.map((decision) => linkRow(owner, decision)).sort(byId)
    for (const some of chunks(rows, rowsAtOnce)) await insertLinks(tx, some)
    const history = keywords.map((keyword) => historyRow(owner, keyword))
    for (const some of chunks(history, rowsAtOnce)) await insertHistory(tx, some)
    const tagged = made.filter(({ tags }) => tags.length > 0).map((decision) => taggedItem(owner, decision))
    if (tagged.length > 0) await requireHeld(linkTags.setEach(tx, tagged))
    for (const decision of decided.filter(isReplaced)) await replace(tx, owner, decision, options.update)
    if (addresses.length === 0) return
    // A visit may have cached that an address does not exist.
    await options.announce(
      tx,
      addresses.map(({ address }) => address),
    )
  }

  return {
    importLinks: (owner, links, onConflict) =>
      transact(async (tx) => {
        const decided = await decide(tx, owner, links, onConflict)
        await write(tx, owner, decided)
        return outcomesOf(decided)
      }),
    previewLinks: async (owner, links, onConflict) => outcomesOf(await decide(db, owner, links, onConflict)),
    ...sqlClickMarks(db, transact),
  }
}

type NewAddress = Insertable<Schema['addresses']>
type NewLink = Insertable<Schema['links']>
type NewHistory = Insertable<Schema['keyword_history']>

/** Far below the maximum number of parameters of both engines. */
const rowsAtOnce = 100
const addressesAtOnce = 500

/** What becomes of a link. */
interface Decision {
  readonly link: LinkToImport
  readonly outcome: ImportOutcome
  /** The id of the link to change. */
  readonly replaces?: string
  readonly keywords: readonly string[]
  readonly tags: readonly string[]
}

interface Made extends Decision {
  readonly outcome: Extract<ImportOutcome, { readonly address: string }>
}

function isMade(decision: Decision): decision is Made {
  return decision.outcome.outcome === 'new' || decision.outcome.outcome === 'renamed'
}

function isReplaced(decision: Decision): decision is Decision & { readonly replaces: string } {
  return decision.replaces !== undefined
}

function outcomesOf(decided: readonly Decision[]): ImportOutcomes {
  return decided.map(({ outcome }) => outcome)
}

/** The link that holds an address now. */
interface Holder {
  readonly address: string
  readonly linkId: string | null
  readonly groupGuid: string | null
  readonly longUrl: string | null
  readonly deletedAt: number | null
}

async function decide(
  db: Kysely<Schema>,
  owner: ImportOwner,
  links: readonly LinkToImport[],
  onConflict: OnConflict,
): Promise<readonly Decision[]> {
  const holders = await holdersOf(
    db,
    links.flatMap(({ address, keywords }) => [address, ...keywords]),
  )
  /** Addresses that links of this batch get. */
  const claimed = new Set<string>()
  const settled = new Map<LinkToImport, Settled>()
  for (const link of links) {
    const holder = holders.get(link.address)
    if (holder === undefined) claimed.add(link.address)
    settled.set(link, settle(owner, link, holder, onConflict))
  }
  if (onConflict === 'rename') await rename(db, owner, settled, claimed)

  const allowed = await allowedTags(db, owner.groupGuid, links)
  return links.map((link) => {
    const { outcome, replaces } = settled.get(link) as Settled
    const keywords = isNew(outcome) ? freeKeywords(link, holders, claimed) : []
    const tags = link.tags.filter((tag) => allowed.has(tag))
    return {
      link,
      outcome: withNote(outcome, link, keywords, tags),
      ...(replaces !== undefined && { replaces }),
      keywords,
      tags,
    }
  })
}

interface Settled {
  readonly outcome: ImportOutcome
  readonly replaces?: string
}

function settle(
  owner: ImportOwner,
  { address, longUrl }: LinkToImport,
  holder: Holder | undefined,
  onConflict: OnConflict,
): Settled {
  if (!holder) return { outcome: { outcome: 'new', address } }
  if (isSame(owner, longUrl, holder)) return { outcome: { outcome: 'same', address } }
  const reason = reasonFor(owner, holder)
  if (onConflict !== 'replace' || !mayReplace(owner, holder)) return { outcome: { outcome: 'conflict', reason } }
  return { outcome: { outcome: 'replaced', address }, replaces: holder.linkId ?? '' }
}

function isSame({ groupGuid }: ImportOwner, longUrl: string, holder: Holder): boolean {
  return holder.groupGuid === groupGuid && holder.longUrl === longUrl && holder.deletedAt === null
}

function mayReplace({ groupGuid }: ImportOwner, holder: Holder): boolean {
  return holder.groupGuid === groupGuid && holder.deletedAt === null
}

function reasonFor({ groupGuid }: ImportOwner, { groupGuid: held, longUrl, deletedAt }: Holder): string {
  if (held === null) return 'the service itself uses this back-half'
  if (held !== groupGuid) return 'a link of another group has this back-half'
  if (deletedAt !== null) return 'a deleted link had this back-half, which is never given again'
  return `this back-half leads to ${longUrl}`
}

/** Gives conflicting links the first free back-half, or the one that an earlier run gave them. */
async function rename(
  db: Kysely<Schema>,
  owner: ImportOwner,
  settled: Map<LinkToImport, Settled>,
  claimed: Set<string>,
): Promise<void> {
  let open = [...settled].filter(([, { outcome }]) => outcome.outcome === 'conflict').map(([link]) => link)
  for (let attempt = 2; open.length > 0 && attempt <= maxRenames; attempt++) {
    const candidates = open.map((link) => ({ link, address: `${link.domain}/${renamed(link.backHalf, attempt)}` }))
    const holders = await holdersOf(
      db,
      candidates.map(({ address }) => address),
    )
    for (const { link, address } of candidates) {
      const holder = holders.get(address)
      if (holder && isSame(owner, link.longUrl, holder)) settled.set(link, { outcome: { outcome: 'same', address } })
      if (holder || claimed.has(address)) continue
      claimed.add(address)
      settled.set(link, { outcome: { outcome: 'renamed', address } })
    }
    open = open.filter((link) => settled.get(link)?.outcome.outcome === 'conflict')
  }
}

function isNew({ outcome }: ImportOutcome): boolean {
  return outcome === 'new' || outcome === 'renamed'
}

function freeKeywords(
  { keywords }: LinkToImport,
  holders: ReadonlyMap<string, Holder>,
  claimed: Set<string>,
): readonly string[] {
  const free = keywords.filter((keyword) => !holders.has(keyword) && !claimed.has(keyword))
  for (const keyword of free) claimed.add(keyword)
  return free
}

function withNote(
  outcome: ImportOutcome,
  link: LinkToImport,
  keywords: readonly string[],
  tags: readonly string[],
): ImportOutcome {
  if (outcome.outcome === 'conflict' || outcome.outcome === 'same') return outcome
  const taken = isNew(outcome) ? link.keywords.filter((keyword) => !keywords.includes(keyword)) : []
  const notes = [
    ...(taken.length > 0 ? [`left out, because they are taken: ${taken.join(', ')}`] : []),
    ...(tags.length < link.tags.length
      ? [`${link.tags.length - tags.length} tags left out: a group has at most ${tagsPerGroup}`]
      : []),
  ]
  return notes.length === 0 ? outcome : { ...outcome, note: notes.join('; ') }
}

async function holdersOf(db: Kysely<Schema>, addresses: readonly string[]): Promise<ReadonlyMap<string, Holder>> {
  const holders = new Map<string, Holder>()
  for (const some of chunks(addresses.toSorted(), addressesAtOnce)) {
    const rows = await db
      .selectFrom('addresses')
      .leftJoin('links', 'links.id', 'addresses.link_id')
      .select([
        'addresses.address',
        'addresses.link_id as linkId',
        'links.group_guid as groupGuid',
        'links.long_url as longUrl',
        'links.deleted_at as deletedAt',
      ])
      .where('addresses.address', 'in', some)
      .execute()
    for (const row of rows) holders.set(row.address, row)
  }
  return holders
}

/** The tags that the group has or still has room for. */
async function allowedTags(
  db: Kysely<Schema>,
  groupGuid: string,
  links: readonly LinkToImport[],
): Promise<ReadonlySet<string>> {
  const wanted = new Set(links.flatMap(({ tags }) => tags))
  if (wanted.size === 0) return wanted
  const rows = await db
    .selectFrom('group_tags')
    .select('tag')
    .where('group_guid', '=', groupGuid)
    .where('type', '=', 'shortlink')
    .execute()
  const known = new Set(rows.map(({ tag }) => tag))
  const added = [...wanted].filter((tag) => !known.has(tag)).slice(0, Math.max(0, tagsPerGroup - known.size))
  return new Set([...known, ...added])
}

interface NewKeyword {
  readonly address: string
  readonly decision: Made
}

function keywordsOf(decision: Made): readonly NewKeyword[] {
  return decision.keywords.map((address) => ({ address, decision }))
}

function addressRow({ link, outcome: { address } }: Made): NewAddress {
  return { address, kind: 'hash', link_id: address, long_url_key: null, created_at: link.createdAt }
}

function keywordRow({ address, decision: { link, outcome } }: NewKeyword): NewAddress {
  return { address, kind: 'keyword', link_id: outcome.address, long_url_key: null, created_at: link.createdAt }
}

function byAddress(one: NewAddress, other: NewAddress): number {
  return one.address < other.address ? -1 : 1
}

function byId(one: NewLink, other: NewLink): number {
  return one.id < other.id ? -1 : 1
}

function linkRow({ groupGuid, login }: ImportOwner, { link, outcome: { address }, keywords }: Made): NewLink {
  // Several imported links may have one long URL, so none of them is the one to reuse: they have no such key.
  return wholeRow(link, {
    id: address,
    domain: link.domain,
    long_url: link.longUrl,
    created_at: link.createdAt,
    hash: address.slice(link.domain.length + 1),
    group_guid: groupGuid,
    long_url_key: longUrlKey(link.longUrl),
    modified_at: link.createdAt,
    created_by: login,
    edited_at: keywords.length > 0 ? link.createdAt : null,
    keyword_count: keywords.length,
  })
}

function historyRow(
  { groupGuid, login }: ImportOwner,
  { address, decision: { link, outcome } }: NewKeyword,
): NewHistory {
  return {
    guid: newGuid('keyword'),
    address,
    link_id: outcome.address,
    group_guid: groupGuid,
    login,
    long_url: link.longUrl,
    created_at: link.createdAt,
    first_created_at: link.createdAt,
    deactivated_at: null,
  }
}

function taggedItem({ groupGuid }: ImportOwner, { link, outcome, tags }: Made) {
  return { id: outcome.address, groupGuid, createdAt: link.createdAt, tags }
}

async function replace(
  tx: Transaction<Schema>,
  { login, at }: ImportOwner,
  { link, replaces, tags }: Decision & { readonly replaces: string },
  update: LinkSteps['update'],
): Promise<void> {
  const { longUrl, title, note, archived, expiresAt } = link
  const cleared = { title: title ?? null, note: note ?? null, expiresAt: expiresAt ?? null }
  const change = { longUrl, archived, tags, ...cleared }
  const lost = (): never => {
    throw new LostRace(`the tags of the group changed while ${replaces} was replaced`)
  }
  const { outcome } = await update(tx, lost, replaces, change, { login, at })
  if (outcome !== 'done') throw new LostRace(`the link ${replaces} was deleted concurrently`)
}

/** The tags were counted before: only a concurrent change can exceed a limit. */
async function requireHeld(written: Promise<string>): Promise<void> {
  if ((await written) !== 'held') throw new LostRace('the tags of the group changed concurrently')
}
