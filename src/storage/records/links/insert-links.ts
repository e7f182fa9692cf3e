/**
 * New links in SQL. Requests of one event-loop turn share a transaction of three statements (addresses, links, usage), plus
 * more on a conflict. Addresses come first: only the transaction that holds an address creates its link, so nothing is
 * ever half written. Promises: link-store.contract.ts.
 */
import { hash } from 'node:crypto'
import type { Insertable, Kysely, Transaction } from 'kysely'
import type { Link, LinkDetails, LinkDraft } from '../../../core/links/link.js'
import type { LinkStore, Shortened } from '../../../core/links/link-store.js'
import type { DrawHash } from '../../../core/values/random.js'
import {
  inBatches,
  jsonInsert,
  LostRace,
  type MultiInsert,
  multiInsert,
  type Transact,
} from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { updateRows } from '../steps/rows.js'
import { type CountUsage, usesOf } from '../usage/count-usage.js'
import { type Claim, claimAddresses, releaseAddresses } from './claim-addresses.js'
import { linkColumns, linkFrom, readLink, selectLinks, wholeRow } from './link-row.js'
import { noteLinkChanged } from './note-link-updated.js'

export interface InsertLinks extends Pick<LinkStore, 'findOrInsert'> {
  links(tx: Transaction<Schema>, inputs: readonly LinkInsert[]): Promise<readonly Shortened[]>
  /** Returns the address of the long URL's global hash, which is created if it does not exist. */
  globalHash(tx: Transaction<Schema>, input: GlobalHashInput): Promise<string>
}

export interface LinkInsert {
  readonly draft: LinkDraft
  readonly newHash: DrawHash
  readonly urlKey: string
  /** Null: always a new link. */
  readonly reuseKey: string | null
  /** Written with a new link, without its keyword, tags, deep links and routing rules, which have tables of their own. */
  readonly details?: LinkDetails | undefined
}

interface GlobalHashInput {
  readonly longUrl: string
  readonly domain: string
  readonly at: number
  readonly newHash: DrawHash
}

export interface InsertOptions {
  readonly countUsage: CountUsage
  /** Maximum concurrent transactions with new links. */
  readonly parallel: number
  /** Whether the caller writes in a transaction of its own, which others cannot share. */
  readonly isAlone: () => boolean
  /** Whether the engine reads many rows from JSON. */
  readonly readsJson?: boolean
}

// Enough for a busy turn, and few enough that one batch blocks the event loop for a few milliseconds at most.
const batchSize = 64

export function linkInserts(
  db: Kysely<Schema>,
  transact: Transact,
  { countUsage, parallel, isAlone, readsJson = false }: InsertOptions,
): InsertLinks {
  const insertAddresses = bySize(addressInsert(db), readsJson && jsonInsert<NewAddress>('addresses', 'address'))
  const insertManyLinks = readsJson && jsonInsert<NewLink>('links', 'reuse_key')
  const insertLinks = bySize(linkInsert(db), insertManyLinks)
  // Rows with more columns need a statement of their own.
  const insertDetailedLinks = bySize(linkInsert(db), insertManyLinks)

  const insertTogether = inBatches((inputs: readonly LinkInsert[]) => transact((tx) => insertAndCount(tx, inputs)), {
    size: batchSize,
    parallel,
  })

  async function insertAlone(input: LinkInsert): Promise<Shortened> {
    const [result] = await transact((tx) => insertAndCount(tx, [input]))
    if (!result) throw new Error('one link was inserted without a result')
    return result
  }

  async function insertAndCount(tx: Transaction<Schema>, inputs: readonly LinkInsert[]): Promise<readonly Shortened[]> {
    const results = await links(tx, inputs)
    const created = inputs.filter((_, index) => results[index]?.created)
    await countUsage(
      tx,
      created.flatMap(({ draft }) => usesOf(draft)),
    )
    return results
  }

  async function links(tx: Transaction<Schema>, inputs: readonly LinkInsert[]): Promise<readonly Shortened[]> {
    const links = firstOfEach(inputs).map(claimFor)
    await claimAddresses(tx, links, (open) => insertAddresses(tx, open.map(addressOf)))
    const detailed = links.some(({ input }) => input.details)
    const rows = links.map(detailed ? detailedRowOf : rowOf)
    const { count } = await (detailed ? insertDetailedLinks : insertLinks)(tx, rows)
    const newLinks = count === links.length ? undefined : await existing(tx, links)

    const known = newLinks ? links.filter((claim) => !newLinks.has(claim.address)) : []
    if (known.length > 0) await releaseAddresses(tx, known)
    const byKey = known.length > 0 ? await readKnown(tx, known) : new Map<string | null, Link>()
    const made = new Map<LinkInsert, Link>()
    for (const [at, claim] of links.entries()) {
      const row = rows[at]
      if (!row || newLinks?.has(claim.address) === false) continue
      const link = detailed ? detailedLinkOf(claim, row) : linkOf(claim)
      made.set(claim.input, link)
      byKey.set(claim.input.reuseKey, link)
    }
    return inputs.map((input) => {
      const own = made.get(input)
      if (own) return { link: own, created: true }
      const link = byKey.get(input.reuseKey)
      // The link was there at the insert, but at the read it was no longer the one to reuse.
      if (link?.longUrl !== input.draft.longUrl) throw new LostRace(`the link ${input.reuseKey} changed meanwhile`)
      return { link, created: false }
    })
  }

  async function globalHash(tx: Transaction<Schema>, input: GlobalHashInput): Promise<string> {
    const { longUrl, domain, at, newHash } = input
    const urlKey = longUrlKey(longUrl)
    const known = tx.selectFrom('global_links').select('address').where('long_url_key', '=', urlKey)
    const before = await known.executeTakeFirst()
    if (before) return before.address
    const claim: Claim = { domain, newHash, hash: '', address: '', draws: 0 }
    const row = ({ address }: Claim) =>
      ({ address, kind: 'global', link_id: null, long_url_key: urlKey, created_at: at }) as const
    await claimAddresses(tx, [claim], (open) => insertAddresses(tx, open.map(row)))
    const created = await tx
      .insertInto('global_links')
      .values({ long_url_key: urlKey, address: claim.address, long_url: longUrl, created_at: at })
      .onConflict((conflict) => conflict.column('long_url_key').doNothing())
      .returning('address')
      .executeTakeFirst()
    if (created) return created.address
    await releaseAddresses(tx, [claim])
    return (await known.executeTakeFirstOrThrow()).address
  }

  return {
    findOrInsert: (draft, newHash) => (isAlone() ? insertAlone : insertTogether)(inputFor(draft, newHash)),
    links,
    globalHash,
  }
}

export function inputFor(draft: LinkDraft, newHash: DrawHash, details?: LinkDetails): LinkInsert {
  const urlKey = longUrlKey(draft.longUrl)
  const key = draft.forceNew ? null : reuseKey(draft.groupGuid, draft.domain, urlKey)
  return { draft, newHash, urlKey, reuseKey: key, details }
}

/** The first 132 bits of the URL's hash, because the URL itself is too long for an index. */
export function longUrlKey(longUrl: string): string {
  return hash('sha256', longUrl, 'base64url').slice(0, 22)
}

/** Begins with the long URL, so the unique index also finds all links to one page. */
export function reuseKey(groupGuid: string, domain: string, urlKey: string): string {
  return `${urlKey}/${groupGuid}/${domain}`
}

interface LinkClaim extends Claim {
  readonly input: LinkInsert
}

function claimFor(input: LinkInsert): LinkClaim {
  return { domain: input.draft.domain, newHash: input.newHash, hash: '', address: '', draws: 0, input }
}

/** The first input for each key, sorted by key, so racing transactions lock in the same order. Inputs without a key never conflict. */
function firstOfEach(inputs: readonly LinkInsert[]): readonly LinkInsert[] {
  const first = new Map<string, LinkInsert>()
  const alone: LinkInsert[] = []
  for (const input of inputs) {
    const known = first.get(input.reuseKey ?? '')
    if (input.reuseKey === null) alone.push(input)
    // One that may restore an archived link goes before those that may not.
    else if (!known || (known.draft.keepArchived && !input.draft.keepArchived)) first.set(input.reuseKey, input)
  }
  const sorted = [...first.values()].sort((one, other) => ((one.reuseKey ?? '') < (other.reuseKey ?? '') ? -1 : 1))
  return alone.length === 0 ? sorted : [...sorted, ...alone]
}

function addressOf({ address, input: { draft } }: LinkClaim): NewAddress {
  return { address, kind: 'hash', link_id: address, long_url_key: null, created_at: draft.at }
}

/** A request that says so wins over the default of its user. */
function isPrivate(draft: LinkDraft, details: LinkDetails | undefined): boolean {
  return details?.private ?? draft.private ?? false
}

function rowOf({ address, domain, hash, input: { draft, details, urlKey, reuseKey } }: LinkClaim): NewLink {
  return {
    id: address,
    domain,
    hash,
    group_guid: draft.groupGuid,
    long_url: draft.longUrl,
    long_url_key: urlKey,
    reuse_key: reuseKey,
    created_at: draft.at,
    modified_at: draft.at,
    created_by: draft.createdBy,
    client_id: draft.clientId ?? null,
    private: isPrivate(draft, details) ? 1 : 0,
  }
}

function detailedRowOf(claim: LinkClaim): NewLink {
  const { draft, details } = claim.input
  const hasKeyword = details?.keyword !== undefined
  const keyword = { edited_at: hasKeyword ? draft.at : null, keyword_count: hasKeyword ? 1 : 0 }
  return wholeRow(details ?? {}, Object.assign(rowOf(claim), keyword))
}

type NewAddress = Insertable<Schema['addresses']>
type NewLink = Insertable<Schema['links']>

// Without `returning`: it took a tenth of the statement, and the count shows conflicts.

function addressInsert(db: Kysely<Schema>): MultiInsert<NewAddress, unknown> {
  return multiInsert((rows) =>
    db
      .insertInto('addresses')
      .values(rows)
      .onConflict((conflict) => conflict.column('address').doNothing()),
  )
}

function linkInsert(db: Kysely<Schema>): MultiInsert<NewLink, unknown> {
  return multiInsert((rows) =>
    db
      .insertInto('links')
      .values(rows)
      .onConflict((conflict) => conflict.column('reuse_key').doNothing()),
  )
}

/** `many` is for more rows than single requests share. */
function bySize<Row>(
  few: MultiInsert<Row, unknown>,
  many: MultiInsert<Row, unknown> | false,
): MultiInsert<Row, unknown> {
  return many ? (tx, rows) => (rows.length > batchSize ? many : few)(tx, rows) : few
}

/** The links among these that were inserted; their addresses are claimed, so nobody else can have created them. */
async function existing(tx: Transaction<Schema>, claims: readonly LinkClaim[]): Promise<ReadonlySet<string>> {
  const addresses = claims.map((claim) => claim.address)
  const rows = await tx.selectFrom('links').select('id').where('id', 'in', addresses).execute()
  return new Set(rows.map((row) => row.id))
}

/** Existing links with these keys. An archived one is restored, so that the user finds it in the list again. */
async function readKnown(tx: Transaction<Schema>, claims: readonly LinkClaim[]): Promise<Map<string | null, Link>> {
  const inputs = new Map(claims.map(({ input }) => [input.reuseKey, input]))
  const rows = await selectLinks(tx)
    .where('links.reuse_key', 'in', [...inputs.keys()])
    .execute()
  for (const row of rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const { id, archived, reuse_key } = row
    const draft = inputs.get(reuse_key)?.draft
    if (archived !== 1 || !draft || draft.keepArchived) continue
    // Another caller may have restored it meanwhile.
    const isRestored = await updateRows(tx, 'links', { id, archived: 1 }, { archived: 0, modified_at: draft.at })
    if (isRestored) await noteRestored(tx, id, draft)
  }
  const staysArchived = (key: string | null) => inputs.get(key)?.draft.keepArchived
  return new Map(
    rows.map((row) => [row.reuse_key, linkFrom(staysArchived(row.reuse_key) ? row : { ...row, archived: 0 })]),
  )
}

async function noteRestored(
  tx: Transaction<Schema>,
  id: string,
  { createdBy, clientId, at }: LinkDraft,
): Promise<void> {
  const link = await readLink(tx, id)
  await noteLinkChanged(tx, { ...link, archived: true }, { login: createdBy, clientId, at })
}

/** The fields of a link of which only the long URL was given. */
const plainLink: Link = linkColumns.fieldsWith({}, belongingsOf(undefined))

/** The new link, without reading it back. */
function linkOf({ address, domain, hash, input: { draft, details } }: LinkClaim): Link {
  return {
    ...plainLink,
    id: address,
    domain,
    hash,
    groupGuid: draft.groupGuid,
    longUrl: draft.longUrl,
    createdAt: draft.at,
    modifiedAt: draft.at,
    createdBy: draft.createdBy,
    clientId: draft.clientId,
    private: isPrivate(draft, details),
  }
}

function detailedLinkOf({ input: { details } }: LinkClaim, row: NewLink): Link {
  return linkColumns.fieldsWith(row, belongingsOf(details))
}

function belongingsOf(details: LinkDetails | undefined) {
  return {
    edited: details?.keyword !== undefined,
    keywords: details?.keyword === undefined ? [] : [details.keyword],
    tags: details?.tags ?? [],
    deeplinks: [],
    routing: [],
    campaignGuids: [],
    qrCodeIds: [],
    siteGuids: [],
  }
}
