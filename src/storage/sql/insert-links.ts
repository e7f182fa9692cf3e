import type { Transaction } from 'kysely'
import type { Link, LinkDraft } from '../../core/links/link.js'
import type { Shortened } from '../../core/links/link-store.js'
import { linkFrom, selectLinks } from './link-row.js'
import type { Schema } from './schema.js'
import { LostRace } from './transact.js'

export interface Wish {
  readonly draft: LinkDraft
  readonly newHash: () => string
  readonly urlKey: string
  readonly reuseKey: string
}

/**
 * Answers all wishes in one transaction, with three statements unless somebody else wished for the same or a hash was
 * taken. Addresses come first: only who holds an address may create what it leads to, so nothing is ever half written.
 */
export async function findOrInsertAll(
  tx: Transaction<Schema>,
  wishes: readonly Wish[],
  defaultDomain: string,
): Promise<readonly Shortened[]> {
  const links = uniqueBy(wishes, (wish) => wish.reuseKey).map((wish) => claimOn(wish.draft.domain, wish))
  const globals = uniqueBy(wishes, (wish) => wish.urlKey).map((wish) => claimOn(defaultDomain, wish))

  await claimAddresses(tx, links, globals)
  const newLinks = await insertLinks(tx, links)
  const newGlobals = await insertGlobals(tx, globals)

  const known = links.filter((claim) => !newLinks.has(claim.address))
  const unused = [...known, ...globals.filter((claim) => !newGlobals.has(claim.wish.urlKey))]
  if (unused.length > 0) await releaseAddresses(tx, unused)

  const answers = known.length > 0 ? await readLinks(tx, known) : new Map<string, Link>()
  const creators = new Set<Wish>()
  for (const claim of links) {
    if (!newLinks.has(claim.address)) continue
    answers.set(claim.wish.reuseKey, linkOf(claim))
    creators.add(claim.wish)
  }
  return wishes.map((wish) => {
    const link = answers.get(wish.reuseKey)
    // Our insert met the link, but by the time of the read it was no longer the one to be reused.
    if (!link || link.longUrl !== wish.draft.longUrl) throw new LostRace(`the link ${wish.reuseKey} changed meanwhile`)
    return { link, created: creators.has(wish) }
  })
}

/** An address that a wish needs: drawn, and drawn again while it is taken. */
interface Claim {
  readonly wish: Wish
  readonly domain: string
  hash: string
  address: string
  draws: number
}

function claimOn(domain: string, wish: Wish): Claim {
  return { wish, domain, hash: '', address: '', draws: 0 }
}

/** The first wish for each key, in the order of the keys: racing transactions then take their locks in one order. */
function uniqueBy(wishes: readonly Wish[], key: (wish: Wish) => string): readonly Wish[] {
  const first = new Map<string, Wish>()
  for (const wish of wishes) if (!first.has(key(wish))) first.set(key(wish), wish)
  return [...first].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, wish]) => wish)
}

async function claimAddresses(
  tx: Transaction<Schema>,
  links: readonly Claim[],
  globals: readonly Claim[],
): Promise<void> {
  const drawn = new Set<string>()
  let openLinks = links
  let openGlobals = globals
  while (openLinks.length + openGlobals.length > 0) {
    for (const claim of openLinks) draw(claim, drawn)
    for (const claim of openGlobals) draw(claim, drawn)
    const rows = await tx
      .insertInto('addresses')
      .values([
        ...openLinks.map(({ address, wish }) => ({
          address,
          kind: 'hash' as const,
          link_id: address,
          long_url_key: null,
          created_at: wish.draft.at,
        })),
        ...openGlobals.map(({ address, wish }) => ({
          address,
          kind: 'global' as const,
          link_id: null,
          long_url_key: wish.urlKey,
          created_at: wish.draft.at,
        })),
      ])
      .onConflict((conflict) => conflict.doNothing())
      .returning('address')
      .execute()
    const got = new Set(rows.map((row) => row.address))
    openLinks = openLinks.filter((claim) => !got.has(claim.address))
    openGlobals = openGlobals.filter((claim) => !got.has(claim.address))
  }
}

/** Draws until the hash is new among all of this transaction, on whichever domain: a link and its global hash differ. */
function draw(claim: Claim, drawn: Set<string>): void {
  do {
    if (claim.draws === mostDraws) {
      throw new Error(`No free hash on ${claim.domain} after ${mostDraws} draws: check the source of random hashes.`)
    }
    claim.draws += 1
    claim.hash = claim.wish.newHash()
  } while (drawn.has(claim.hash))
  drawn.add(claim.hash)
  claim.address = `${claim.domain}/${claim.hash}`
}

// Our choice: with 62^7 hashes even a second draw is rare; so many in a row mean that the source is broken.
const mostDraws = 50

async function insertLinks(tx: Transaction<Schema>, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .insertInto('links')
    .values(
      claims.map(({ wish: { draft, urlKey, reuseKey }, address, domain, hash }) => ({
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
      })),
    )
    .onConflict((conflict) => conflict.column('reuse_key').doNothing())
    .returning('id')
    .execute()
  return new Set(rows.map((row) => row.id))
}

async function insertGlobals(tx: Transaction<Schema>, claims: readonly Claim[]): Promise<ReadonlySet<string>> {
  const rows = await tx
    .insertInto('global_links')
    .values(
      claims.map(({ wish, address }) => ({
        long_url_key: wish.urlKey,
        address,
        long_url: wish.draft.longUrl,
        created_at: wish.draft.at,
      })),
    )
    .onConflict((conflict) => conflict.column('long_url_key').doNothing())
    .returning('long_url_key')
    .execute()
  return new Set(rows.map((row) => row.long_url_key))
}

async function releaseAddresses(tx: Transaction<Schema>, claims: readonly Claim[]): Promise<void> {
  const addresses = claims.map((claim) => claim.address)
  await tx.deleteFrom('addresses').where('address', 'in', addresses).execute()
}

async function readLinks(tx: Transaction<Schema>, claims: readonly Claim[]): Promise<Map<string, Link>> {
  const keys = claims.map((claim) => claim.wish.reuseKey)
  const rows = await selectLinks(tx).where('links.reuse_key', 'in', keys).execute()
  return new Map(rows.map((row) => [row.reuse_key ?? '', linkFrom(row)]))
}

/** The link as it was just written, without reading it back. */
function linkOf({ wish: { draft }, address, domain, hash }: Claim): Link {
  return {
    id: address,
    domain,
    hash,
    groupGuid: draft.groupGuid,
    longUrl: draft.longUrl,
    title: undefined,
    archived: false,
    createdAt: draft.at,
    createdBy: draft.createdBy,
    clientId: draft.clientId,
    expiresAt: undefined,
    deletedAt: undefined,
    keywords: [],
    tags: [],
  }
}
