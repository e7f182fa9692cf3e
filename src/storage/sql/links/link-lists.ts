/**
 * Pages of a group's links, and bulk reads, in SQL. link-store.contract.ts defines the behaviour.
 *
 * A page is read along an index that has the links in order: that of the group, or that of a tag in it. If few links
 * match the filter, the scan can be long, so it is split into ranges, because SQLite blocks the process while a
 * statement runs. test/scale/query-plans.test.ts checks that every statement uses its index.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Link } from '../../../core/links/link.js'
import { tagsPerLink } from '../../../core/links/link-fields.js'
import type {
  LinkAddresses,
  LinkFilter,
  LinkPage,
  LinkStore,
  PageInput,
  Position,
} from '../../../core/links/link-store.js'
import { asciiPart, type Destination, leadsTo, mentions } from '../../../core/links/search.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'
import { changeAll } from './change-links.js'
import { keywords, type LinkRow, linesOf, linkFrom, selectLinks } from './link-row.js'

/** The engine's function for the position of a substring. */
export type PositionFunction = 'instr' | 'strpos'

export function sqlLinkLists(db: Kysely<Schema>, transact: Transact, position: PositionFunction) {
  return {
    page: (input) => readPage(db, input, position),
    behind: (groupGuid, addresses) => linksBehind(db, groupGuid, addresses),
    addressesBehind: (groupGuid, addresses) => addressesBehind(db, groupGuid, addresses),
    withMostKeywords: (groupGuid, size) => withMostKeywords(db, groupGuid, size),
    hosts: (groupGuid, newest) => readHosts(db, groupGuid, newest),
    changeAll: (groupGuid, addresses, change, at) => changeAll(transact, groupGuid, addresses, change, at),
  } satisfies Partial<LinkStore>
}

async function readPage(
  db: Kysely<Schema>,
  { groupGuid, filter, after, size }: PageInput,
  position: PositionFunction,
): Promise<LinkPage> {
  // Each tag is a separate condition: engines reject a thousand, or plan for a minute.
  if (new Set(filter.tags).size > tagsPerLink) return { links: [], more: false }
  const scan = await scanFor(db, groupGuid, filter, position)
  const conditions = sql.join<SqlBool>([sql`links.deleted_at is null`, ...scan.conditions], sql` and `)
  const isWanted = exactFilter(filter)
  const found: Link[] = []
  const end = { createdAt: filter.createdAfter ?? 0, id: '' }
  const batch = Math.min(size + 1, linksPerRead)
  // Searching for many words costs as much with fewer links.
  const maxStep = Math.max(shortStep, longStep / Math.max(1, filter.words?.length ?? 0))
  let from = earlier(after, { createdAt: filter.createdBefore ?? Number.MAX_SAFE_INTEGER, id: '' })
  for (let step = shortStep; ; step = Math.min(step * 4, maxStep)) {
    const stop = await scan.ahead({ from, to: end }, step)
    const range = { from, to: stop ?? end }
    for (let left: Range | undefined = range; left; ) {
      const rows: readonly LinkRow[] = await scan.links(left, conditions, batch)
      found.push(...rows.map(linkFrom).filter(isWanted))
      if (found.length > size) return { links: found.slice(0, size), more: true }
      const last = rows.length === batch ? rows.at(-1) : undefined
      left = last && { from: { createdAt: last.created_at, id: last.id }, to: range.to }
      if (left) await nextTurn()
    }
    if (!stop) return { links: found, more: false }
    from = stop
    await nextTurn()
  }
}

/** Takes SQLite a few milliseconds. */
const linksPerRead = 100

async function linksBehind(
  db: Kysely<Schema>,
  groupGuid: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Link>> {
  const found = new Map<string, Link>()
  for (let from = 0; from < addresses.length; from += linksPerRead) {
    if (from > 0) await nextTurn()
    const rows = await selectLinks(db)
      .innerJoin('addresses as used', 'used.link_id', 'links.id')
      .select('used.address as used_address')
      .where('used.address', 'in', addresses.slice(from, from + linksPerRead))
      .where('links.group_guid', '=', groupGuid)
      .where('links.deleted_at', 'is', null)
      .execute()
    for (const row of rows) found.set(row.used_address, linkFrom(row))
  }
  return found
}

// Reads little of each link, so this many take SQLite a few milliseconds. With more, PostgreSQL scans all links
// instead of looking each up.
const addressesPerRead = 200

async function addressesBehind(
  db: Kysely<Schema>,
  groupGuid: string,
  addresses: readonly string[],
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

/** The links after `from` (exclusive) down to `to` (inclusive). */
interface Range {
  readonly from: Position
  readonly to: Position
}

/** An index scan over links in the order of the list. */
interface Scan {
  /** Conditions to check for each scanned link. */
  readonly conditions: readonly RawBuilder<SqlBool>[]
  /** The position after this many links; undefined if fewer are left. */
  ahead(range: Range, step: number): Promise<Position | undefined>
  links(range: Range, conditions: Expression<SqlBool>, limit: number): Promise<readonly LinkRow[]>
}

// Most lists find their page in the first, short step. Searching a word in the links of a long step takes SQLite
// about five milliseconds.
const shortStep = 200
const longStep = 2000

async function scanFor(
  db: Kysely<Schema>,
  groupGuid: string,
  filter: LinkFilter,
  position: PositionFunction,
): Promise<Scan> {
  const conditions = conditionsOf(filter, position)
  const [tag, ...otherTags] = new Set(filter.tags)
  const tagged = otherTags.map(hasTag)
  const membership = membershipOf(filter)
  if (membership && (await isFew(db, membership))) {
    return throughFew(db, membership, [...conditions, ...(tag === undefined ? [] : [hasTag(tag)]), ...tagged])
  }
  const all = [...conditions, ...tagged, ...(membership ? [isMember(membership)] : [])]
  return tag === undefined ? throughGroup(db, groupGuid, all) : throughTag(db, groupGuid, tag, all)
}

function throughGroup(db: Kysely<Schema>, groupGuid: string, conditions: Scan['conditions']): Scan {
  return {
    conditions,
    async ahead(range, step) {
      const row = await db
        .selectFrom('links')
        .select(['created_at', 'id'])
        .where('group_guid', '=', groupGuid)
        .where(within('created_at', 'id', range))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .offset(step - 1)
        .executeTakeFirst()
      return row && { createdAt: row.created_at, id: row.id }
    },
    links: (range, wanted, limit) =>
      selectLinks(db)
        .where('links.group_guid', '=', groupGuid)
        .where(within('links.created_at', 'links.id', range))
        .where(wanted)
        .orderBy('links.created_at', 'desc')
        .orderBy('links.id', 'desc')
        .limit(limit)
        .execute(),
  }
}

function throughTag(db: Kysely<Schema>, groupGuid: string, tag: string, conditions: Scan['conditions']): Scan {
  return {
    conditions,
    async ahead(range, step) {
      const row = await db
        .selectFrom('link_tags')
        .select(['created_at', 'link_id'])
        .where('group_guid', '=', groupGuid)
        .where('tag', '=', tag)
        .where(within('created_at', 'link_id', range))
        .orderBy('created_at', 'desc')
        .orderBy('link_id', 'desc')
        .limit(1)
        .offset(step - 1)
        .executeTakeFirst()
      return row && { createdAt: row.created_at, id: row.link_id }
    },
    links: (range, wanted, limit) =>
      selectLinks(db)
        .innerJoin('link_tags as tagged', 'tagged.link_id', 'links.id')
        .where('tagged.group_guid', '=', groupGuid)
        .where('tagged.tag', '=', tag)
        .where(within('tagged.created_at', 'tagged.link_id', range))
        .where(wanted)
        .orderBy('tagged.created_at', 'desc')
        .orderBy('tagged.link_id', 'desc')
        .limit(limit)
        .execute(),
  }
}

/** Unordered, but there is little to sort. All of these links belong to the group of the campaign. */
function throughFew(db: Kysely<Schema>, membership: Membership, conditions: Scan['conditions']): Scan {
  return {
    conditions,
    ahead: async () => undefined,
    links: (range, wanted, limit) =>
      selectLinks(db)
        .where(
          'links.id',
          'in',
          db.selectFrom('channel_links').select('link_id').where(membership.column, '=', membership.guid),
        )
        .where(within('links.created_at', 'links.id', range))
        .where(wanted)
        .orderBy('links.created_at', 'desc')
        .orderBy('links.id', 'desc')
        .limit(limit)
        .execute(),
  }
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

function within(createdAt: string, id: string, { from, to }: Range): RawBuilder<SqlBool> {
  const place = sql`(${sql.ref(createdAt)}, ${sql.ref(id)})`
  return sql`${place} < (${from.createdAt}, ${from.id}) and ${place} >= (${to.createdAt}, ${to.id})`
}

function earlier(one: Position | undefined, other: Position): Position {
  return one && one.createdAt < other.createdAt ? one : other
}

function conditionsOf(filter: LinkFilter, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  const {
    domain,
    archived,
    modifiedAfter,
    expired,
    expires,
    routing,
    deeplinks,
    domainDeeplinks,
    keywords,
    makers = [],
  } = filter
  return [
    ...(domain === undefined ? [] : [sql<SqlBool>`links.domain = ${domain}`]),
    ...(archived === undefined ? [] : [sql<SqlBool>`links.archived = ${archived ? 1 : 0}`]),
    ...(modifiedAfter === undefined ? [] : [sql<SqlBool>`links.modified_at >= ${modifiedAfter}`]),
    ...optional(filter.private, sql`links.private = 1`),
    ...optional(expires, sql`links.expires_at is not null`),
    ...(expired ? optional(expired.wanted, sql`coalesce(links.expires_at <= ${expired.at}, false)`) : []),
    ...optional(routing, sql`links.dynamic_routing is not null`),
    ...optional(deeplinks, hasDeeplinks),
    ...optional(domainDeeplinks, sql`(${hasDeeplinks} and ${isOnBrandedDomain})`),
    ...optional(keywords, exists(keywordsOfLink)),
    ...(makers.length > 0 ? [sql<SqlBool>`links.created_by in (${sql.join(makers)})`] : []),
    ...(filter.words ?? []).flatMap((word) => mayMention(word, position)),
    ...(filter.destination ? mayLeadTo(filter.destination, position) : []),
  ]
}

/** The condition, its negation, or nothing. */
function optional(wanted: boolean | undefined, condition: RawBuilder<unknown>): readonly RawBuilder<SqlBool>[] {
  if (wanted === undefined) return []
  return [wanted ? sql<SqlBool>`${condition}` : sql<SqlBool>`not ${condition}`]
}

/**
 * The offset has no effect on the result; it keeps PostgreSQL from materializing the whole other table first, once
 * for each range.
 */
function exists(rows: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`exists (select 1 from ${rows} limit 1 offset 0)`
}

// The kind is a literal, not a parameter, so that the engine can use the partial index of keywords.
const keywordsOfLink = sql`addresses named where named.link_id = links.id and named.kind = 'keyword'`

const hasDeeplinks = exists(sql`link_deeplinks where link_deeplinks.link_id = links.id`)
const isOnBrandedDomain = exists(sql`domains where domains.name = links.domain`)

function hasTag(tag: string): RawBuilder<SqlBool> {
  return exists(sql`link_tags other where other.link_id = links.id and other.tag = ${tag}`)
}

function isMember({ column, guid }: Membership): RawBuilder<SqlBool> {
  return exists(sql`channel_links member where member.link_id = links.id and ${sql.ref(`member.${column}`)} = ${guid}`)
}

function mayMention(word: string, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  const part = asciiPart(word)
  if (part === '') return []
  const within = (column: string) => contains(column, part, position)
  return [
    sql`(
      ${within('links.long_url')} or ${within('links.title')} or ${within('links.hash')}
      or ${exists(sql`link_tags worn where worn.link_id = links.id and ${within('worn.tag')}`)}
      or ${exists(sql`${keywordsOfLink} and ${within('named.address')}`)}
    )`,
  ]
}

function mayLeadTo({ host, path }: Destination, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  const parts = [asciiPart(host), path].filter((part) => part !== '')
  return parts.map((part) => contains('links.long_url', part, position))
}

/**
 * Not `like`, which SQLite compares letter by letter at each position: 2,000 long URLs and one long word took
 * seconds. How engines treat letters beyond ASCII does not matter: `part` has none.
 */
function contains(column: string, part: string, position: PositionFunction): RawBuilder<SqlBool> {
  return sql`${sql.raw(position)}(lower(${sql.ref(column)}), ${part}) > 0`
}

/** The SQL conditions match more than the filter means; core decides. */
function exactFilter({ words = [], destination }: LinkFilter): (link: Link) => boolean {
  return (link) => mentions(link, words) && (!destination || leadsTo(link.longUrl, destination))
}
