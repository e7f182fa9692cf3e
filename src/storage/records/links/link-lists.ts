/** Pages of a group's links (see database/pages.ts), and bulk reads, in SQL. link-store.contract.ts defines the behaviour. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Link } from '../../../core/links/link.js'
import type {
  CountLimit,
  ItemCount,
  LinkAddresses,
  LinkFilter,
  LinkStore,
  Page,
  PageInput,
  Position,
} from '../../../core/links/link-store.js'
import type { Transact } from '../../sql/database/transact.js'
import type { PositionFunction } from '../../sql/engine.js'
import type { Schema } from '../../sql/tables/schema.js'
import {
  type Conditions,
  countItems,
  exists,
  groupIndex,
  hasTooManyTags,
  isExactly,
  itemsPerRead,
  type ListIndex,
  linkConditions,
  longStep,
  mayMention,
  noItems,
  optional,
  ownConditions,
  readPage,
  type Scan,
  scanThrough,
  tagIndex,
  within,
} from '../steps/pages.js'
import { bulkLinks, changeAll } from './change-links.js'
import { keywords, type LinkRow, linesOf, linkFrom, selectLinks } from './link-row.js'

export function sqlLinkLists(db: Kysely<Schema>, transact: Transact, position: PositionFunction) {
  return {
    page: (input) => readLinks(db, input, position),
    count: (groupGuid, filter, limit) => countLinks(db, groupGuid, filter, limit, position),
    linksAt: (groupGuid, addresses, filter = {}) => linksBehind(db, groupGuid, addresses, filter, position),
    addressesAt: (groupGuid, addresses, hiddenToo = false) => addressesAt(db, groupGuid, addresses, hiddenToo),
    withMostKeywords: (groupGuid, size) => withMostKeywords(db, groupGuid, size),
    hosts: (groupGuid, newest) => readHosts(db, groupGuid, newest),
    changeAll: (groupGuid, addresses, change, context) =>
      changeAll(transact, bulkLinks, groupGuid, addresses, change, context),
  } satisfies Partial<LinkStore>
}

async function readLinks(
  db: Kysely<Schema>,
  input: PageInput<LinkFilter>,
  position: PositionFunction,
): Promise<Page<Link>> {
  const { groupGuid, filter } = input
  if (hasTooManyTags(filter)) return noItems
  const scan = await scanFor(db, groupGuid, filter, position)
  return readPage(scan, input, linkFrom, (link) => isExactly(filter, link))
}

async function countLinks(
  db: Kysely<Schema>,
  groupGuid: string,
  filter: LinkFilter,
  limit: CountLimit,
  position: PositionFunction,
): Promise<ItemCount> {
  if (hasTooManyTags(filter)) return { count: 0, isExact: true }
  const scan = await scanFor(db, groupGuid, filter, position)
  return countItems(scan, filter, limit, linkFrom, (link) => isExactly(filter, link))
}

async function linksBehind(
  db: Kysely<Schema>,
  groupGuid: string,
  addresses: readonly string[],
  filter: LinkFilter,
  position: PositionFunction,
): Promise<ReadonlyMap<string, Link>> {
  const found = new Map<string, Link>()
  if (hasTooManyTags(filter)) return found
  const conditions = [sql<SqlBool>`links.deleted_at is null and links.hidden = 0`, ...allConditionsOf(filter, position)]
  for (let from = 0; from < addresses.length; from += itemsPerRead) {
    if (from > 0) await nextTurn()
    const rows = await selectLinks(db)
      .innerJoin('addresses as used', 'used.link_id', 'links.id')
      .select('used.address as used_address')
      .where('used.address', 'in', addresses.slice(from, from + itemsPerRead))
      .where('links.group_guid', '=', groupGuid)
      .where(sql.join<SqlBool>(conditions, sql` and `))
      .execute()
    for (const row of rows) {
      const link = linkFrom(row)
      if (isExactly(filter, link)) found.set(row.used_address, link)
    }
  }
  return found
}

// Reads little of each link, so this many take SQLite a few milliseconds. With more, PostgreSQL scans all links
// instead of looking each up.
const addressesPerRead = 200

async function addressesAt(
  db: Kysely<Schema>,
  groupGuid: string,
  addresses: readonly string[],
  hiddenToo: boolean,
): Promise<LinkAddresses> {
  const found = new Map<string, readonly string[]>()
  for (let from = 0; from < addresses.length; from += addressesPerRead) {
    if (from > 0) await nextTurn()
    const rows = await db
      .selectFrom('addresses as used')
      .innerJoin('links', 'links.id', 'used.link_id')
      .select(['links.id', keywordsIfAny.as('keywords')])
      .where('used.address', 'in', addresses.slice(from, from + addressesPerRead))
      .where('links.group_guid', '=', groupGuid)
      .where('links.deleted_at', 'is', null)
      .$if(!hiddenToo, (query) => query.where('links.hidden', '=', 0))
      .execute()
    for (const row of rows) found.set(row.id, [row.id, ...linesOf(row.keywords)])
  }
  return found
}

async function withMostKeywords(db: Kysely<Schema>, groupGuid: string, size: number): Promise<LinkAddresses> {
  const found = new Map<string, readonly string[]>()
  let after = { count: 2 ** 31 - 1, id: '' }
  while (found.size < size) {
    if (found.size > 0) await nextTurn()
    const limit = Math.min(addressesPerRead, size - found.size)
    const rows = await db
      .selectFrom('links')
      .select(['id', 'keyword_count', keywords.as('keywords')])
      .where('group_guid', '=', groupGuid)
      .where('deleted_at', 'is', null)
      // Repeats the condition of the partial index, or the engine would not use it.
      .where(sql<SqlBool>`keyword_count > 0 and (keyword_count, id) < (${after.count}, ${after.id})`)
      .orderBy('keyword_count', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    for (const row of rows) found.set(row.id, [row.id, ...linesOf(row.keywords)])
    const last = rows.at(-1)
    if (!last || rows.length < limit) break
    after = { count: last.keyword_count, id: last.id }
  }
  return found
}

const keywordsIfAny = sql<string | null>`case when links.keyword_count > 0 then ${keywords} end`

async function readHosts(db: Kysely<Schema>, groupGuid: string, newest: number): Promise<readonly string[]> {
  const hosts = new Set<string>()
  const to = { createdAt: 0, id: '' }
  let from: Position = { createdAt: Number.MAX_SAFE_INTEGER, id: '' }
  for (let seen = 0; seen < newest; seen += longStep) {
    const rows = await db
      .selectFrom('links')
      .select(['created_at', 'id', 'long_url'])
      .where('group_guid', '=', groupGuid)
      .where(within('created_at', 'id', { from, to }))
      .where('deleted_at', 'is', null)
      .where('hidden', '=', 0)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(Math.min(longStep, newest - seen))
      .execute()
    for (const { long_url } of rows) hosts.add(new URL(long_url).hostname)
    const last = rows.at(-1)
    if (!last || rows.length < longStep) break
    from = { createdAt: last.created_at, id: last.id }
    await nextTurn()
  }
  return [...hosts].sort()
}

async function scanFor(
  db: Kysely<Schema>,
  groupGuid: string,
  filter: LinkFilter,
  position: PositionFunction,
): Promise<Scan<LinkRow>> {
  const conditions = [sql<SqlBool>`links.deleted_at is null and links.hidden = 0`, ...conditionsOf(filter, position)]
  const tags = [...new Set(filter.tags)]
  const membership = membershipOf(filter)
  if (membership && (await isFew(db, membership))) {
    return scanThrough(db, selectLinks(db), fewLinks(membership), [...conditions, ...tags.map(hasTag)])
  }
  const [tag, ...otherTags] = tags
  const all = [...conditions, ...otherTags.map(hasTag), ...(membership ? [isMember(membership)] : [])]
  if (tag === undefined) return scanThrough(db, selectLinks(db), groupIndex('links', groupGuid), all)
  const tagged = selectLinks(db).innerJoin('link_tags', 'link_tags.link_id', 'links.id')
  return scanThrough(db, tagged, tagIndex('link_tags', groupGuid, tag), all)
}

/** Unordered, but there is little to sort. All of these links belong to the group of the campaign. */
function fewLinks({ column, guid }: Membership): ListIndex {
  const where = sql<SqlBool>`links.id in (select link_id from channel_links where ${sql.ref(column)} = ${guid})`
  return { table: 'links', id: 'id', where, few: true }
}

interface Membership {
  readonly column: 'campaign_guid' | 'channel_guid'
  readonly guid: string
}

function membershipOf({ campaignGuid, channelGuid }: LinkFilter): Membership | undefined {
  if (channelGuid !== undefined) return { column: 'channel_guid', guid: channelGuid }
  return campaignGuid === undefined ? undefined : { column: 'campaign_guid', guid: campaignGuid }
}

async function isFew(db: Kysely<Schema>, { column, guid }: Membership): Promise<boolean> {
  const rows = await db
    .selectFrom('channel_links')
    .select('link_id')
    .where(column, '=', guid)
    .orderBy('campaign_guid')
    .orderBy('link_id')
    .limit(1)
    .offset(longStep)
    .execute()
  return rows.length === 0
}

/** For links that are not read along an index of the list. */
function allConditionsOf(filter: LinkFilter, position: PositionFunction): Conditions {
  const { createdAfter, createdBefore } = filter
  const membership = membershipOf(filter)
  return [
    ...(createdAfter === undefined ? [] : [sql<SqlBool>`links.created_at >= ${createdAfter}`]),
    ...(createdBefore === undefined ? [] : [sql<SqlBool>`links.created_at < ${createdBefore}`]),
    ...[...new Set(filter.tags)].map(hasTag),
    ...(membership ? [isMember(membership)] : []),
    ...conditionsOf(filter, position),
  ]
}

function conditionsOf(filter: LinkFilter, position: PositionFunction): Conditions {
  const { modifiedAfter, deeplinks, domainDeeplinks, keywords } = filter
  return [
    ...linkConditions(filter, position),
    ...ownConditions('links', filter),
    ...(modifiedAfter === undefined ? [] : [sql<SqlBool>`links.modified_at >= ${modifiedAfter}`]),
    ...optional(filter.private, sql`links.private = 1`),
    ...optional(deeplinks, hasDeeplinks),
    ...optional(domainDeeplinks, sql`(${hasDeeplinks} and ${isOnBrandedDomain})`),
    ...optional(keywords, exists(keywordsOfLink)),
    ...optional(filter.qrCodes, hasQrCodes),
    ...(filter.siteGuids ? [isOnSite(filter.siteGuids)] : []),
    ...mayMention(filter.words, position, ['links.long_url', 'links.title', 'links.note', 'links.hash'], (within) => [
      exists(sql`link_tags worn where worn.link_id = links.id and ${within('worn.tag')}`),
      exists(sql`${keywordsOfLink} and ${within('named.address')}`),
    ]),
  ]
}

// The kind is a literal, not a parameter, so that the engine can use the partial index of keywords.
const keywordsOfLink = sql`addresses named where named.link_id = links.id and named.kind = 'keyword'`

const hasDeeplinks = exists(sql`link_deeplinks where link_deeplinks.link_id = links.id`)
const isOnSite = (guids: readonly string[]) =>
  exists(
    sql`site_links held where held.link_id = links.id and held.is_used = 1 and held.site_guid in (${sql.join(guids)})`,
  )
const hasTag = (tag: string) => exists(sql`link_tags other where other.link_id = links.id and other.tag = ${tag}`)
const hasQrCodes = exists(sql`qr_codes code where code.link_id = links.id and code.deleted_at is null`)
const isOnBrandedDomain = exists(sql`domains where domains.name = links.domain`)

function isMember({ column, guid }: Membership): RawBuilder<SqlBool> {
  return exists(sql`channel_links member where member.link_id = links.id and ${sql.ref(`member.${column}`)} = ${guid}`)
}
