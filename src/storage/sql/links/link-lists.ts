/**
 * Pages of a group's links, and changes of many links at once, in SQL. What is promised: link-store.contract.ts.
 *
 * A page is read along an index that has the links in order: that of the group, or of one tag in it. Where only few of
 * them are wanted the way can be long, so it is cut into stretches: the embedded engine stops the whole process while a
 * statement runs. Every statement below is held to its index by test/scale/query-plans.test.ts.
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

/** How the engine calls the function that says where a text occurs in another. */
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
  // Each tag is a condition of its own: engines stop at a thousand, or plan for a minute.
  if (new Set(filter.tags).size > tagsPerLink) return { links: [], more: false }
  const path = await pathFor(db, groupGuid, filter, position)
  const conditions = sql.join<SqlBool>([sql`links.deleted_at is null`, ...path.conditions], sql` and `)
  const isWanted = lastWord(filter)
  const found: Link[] = []
  const end = { createdAt: filter.createdAfter ?? 0, id: '' }
  const batch = Math.min(size + 1, handful)
  // Looking for many words costs as much for fewer links.
  const longest = Math.max(shortStep, longStep / Math.max(1, filter.words?.length ?? 0))
  let from = earlier(after, { createdAt: filter.createdBefore ?? Number.MAX_SAFE_INTEGER, id: '' })
  for (let step = shortStep; ; step = Math.min(step * 4, longest)) {
    const stop = await path.ahead({ from, to: end }, step)
    const stretch = { from, to: stop ?? end }
    for (let rest: Stretch | undefined = stretch; rest; ) {
      const rows: readonly LinkRow[] = await path.links(rest, conditions, batch)
      found.push(...rows.map(linkFrom).filter(isWanted))
      if (found.length > size) return { links: found.slice(0, size), more: true }
      const last = rows.length === batch ? rows.at(-1) : undefined
      rest = last && { from: { createdAt: last.created_at, id: last.id }, to: stretch.to }
      if (rest) await nextTurn()
    }
    if (!stop) return { links: found, more: false }
    from = stop
    await nextTurn()
  }
}

/** As many at a time as take SQLite a few milliseconds. */
const handful = 100

async function linksBehind(
  db: Kysely<Schema>,
  groupGuid: string,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Link>> {
  const found = new Map<string, Link>()
  for (let from = 0; from < addresses.length; from += handful) {
    if (from > 0) await nextTurn()
    const rows = await selectLinks(db)
      .innerJoin('addresses as used', 'used.link_id', 'links.id')
      .select('used.address as used_address')
      .where('used.address', 'in', addresses.slice(from, from + handful))
      .where('links.group_guid', '=', groupGuid)
      .where('links.deleted_at', 'is', null)
      .execute()
    for (const row of rows) found.set(row.used_address, linkFrom(row))
  }
  return found
}

// Our choice: with so little of each link, as many as take SQLite a few milliseconds. With more, PostgreSQL reads all links
// there are instead of looking each up.
const armful = 200

async function addressesBehind(
  db: Kysely<Schema>,
  groupGuid: string,
  addresses: readonly string[],
): Promise<LinkAddresses> {
  const found = new Map<string, readonly string[]>()
  for (let from = 0; from < addresses.length; from += armful) {
    if (from > 0) await nextTurn()
    const rows = await db
      .selectFrom('addresses as used')
      .innerJoin('links', 'links.id', 'used.link_id')
      .select(['links.id', keywordsIfAny.as('keywords')])
      .where('used.address', 'in', addresses.slice(from, from + armful))
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
    const limit = Math.min(armful, size - found.size)
    const rows = await db
      .selectFrom('links')
      .select(['id', 'keyword_count', keywords.as('keywords')])
      .where('group_guid', '=', groupGuid)
      .where('deleted_at', 'is', null)
      // The index holds only these, and the engine must see that they are what is asked for.
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

/** The links that come after `from`, down to and with `to`. */
interface Stretch {
  readonly from: Position
  readonly to: Position
}

/** A way through links in the order of the list. */
interface Path {
  /** What is still to be asked of each link on the way. */
  readonly conditions: readonly RawBuilder<SqlBool>[]
  /** Where a step over so many links leads to; undefined when the rest of the way is shorter. */
  ahead(stretch: Stretch, step: number): Promise<Position | undefined>
  links(stretch: Stretch, conditions: Expression<SqlBool>, limit: number): Promise<readonly LinkRow[]>
}

// Our choice: most lists find their page in the first, short step. Looking for a word in the links of a long one takes
// SQLite about five milliseconds.
const shortStep = 200
const longStep = 2000

async function pathFor(
  db: Kysely<Schema>,
  groupGuid: string,
  filter: LinkFilter,
  position: PositionFunction,
): Promise<Path> {
  const conditions = conditionsOf(filter, position)
  const [tag, ...otherTags] = new Set(filter.tags)
  const tagged = otherTags.map(hasTag)
  const carried = carriedBy(filter)
  if (carried && (await isFew(db, carried))) {
    return throughFew(db, carried, [...conditions, ...(tag === undefined ? [] : [hasTag(tag)]), ...tagged])
  }
  const all = [...conditions, ...tagged, ...(carried ? [isCarried(carried)] : [])]
  return tag === undefined ? throughGroup(db, groupGuid, all) : throughTag(db, groupGuid, tag, all)
}

function throughGroup(db: Kysely<Schema>, groupGuid: string, conditions: Path['conditions']): Path {
  return {
    conditions,
    async ahead(stretch, step) {
      const row = await db
        .selectFrom('links')
        .select(['created_at', 'id'])
        .where('group_guid', '=', groupGuid)
        .where(within('created_at', 'id', stretch))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .offset(step - 1)
        .executeTakeFirst()
      return row && { createdAt: row.created_at, id: row.id }
    },
    links: (stretch, wanted, limit) =>
      selectLinks(db)
        .where('links.group_guid', '=', groupGuid)
        .where(within('links.created_at', 'links.id', stretch))
        .where(wanted)
        .orderBy('links.created_at', 'desc')
        .orderBy('links.id', 'desc')
        .limit(limit)
        .execute(),
  }
}

function throughTag(db: Kysely<Schema>, groupGuid: string, tag: string, conditions: Path['conditions']): Path {
  return {
    conditions,
    async ahead(stretch, step) {
      const row = await db
        .selectFrom('link_tags')
        .select(['created_at', 'link_id'])
        .where('group_guid', '=', groupGuid)
        .where('tag', '=', tag)
        .where(within('created_at', 'link_id', stretch))
        .orderBy('created_at', 'desc')
        .orderBy('link_id', 'desc')
        .limit(1)
        .offset(step - 1)
        .executeTakeFirst()
      return row && { createdAt: row.created_at, id: row.link_id }
    },
    links: (stretch, wanted, limit) =>
      selectLinks(db)
        .innerJoin('link_tags as tagged', 'tagged.link_id', 'links.id')
        .where('tagged.group_guid', '=', groupGuid)
        .where('tagged.tag', '=', tag)
        .where(within('tagged.created_at', 'tagged.link_id', stretch))
        .where(wanted)
        .orderBy('tagged.created_at', 'desc')
        .orderBy('tagged.link_id', 'desc')
        .limit(limit)
        .execute(),
  }
}

/** Nothing is in order here, but there is little to sort. All of it is of the group its campaigns are of. */
function throughFew(db: Kysely<Schema>, carried: Carried, conditions: Path['conditions']): Path {
  return {
    conditions,
    ahead: async () => undefined,
    links: (stretch, wanted, limit) =>
      selectLinks(db)
        .where(
          'links.id',
          'in',
          db.selectFrom('channel_links').select('link_id').where(carried.column, '=', carried.guid),
        )
        .where(within('links.created_at', 'links.id', stretch))
        .where(wanted)
        .orderBy('links.created_at', 'desc')
        .orderBy('links.id', 'desc')
        .limit(limit)
        .execute(),
  }
}

interface Carried {
  readonly column: 'campaign_guid' | 'channel_guid'
  readonly guid: string
}

function carriedBy({ campaignGuid, channelGuid }: LinkFilter): Carried | undefined {
  if (channelGuid !== undefined) return { column: 'channel_guid', guid: channelGuid }
  return campaignGuid === undefined ? undefined : { column: 'campaign_guid', guid: campaignGuid }
}

async function isFew(db: Kysely<Schema>, { column, guid }: Carried): Promise<boolean> {
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

function within(createdAt: string, id: string, { from, to }: Stretch): RawBuilder<SqlBool> {
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
    ...asked(filter.private, sql`links.private = 1`),
    ...asked(expires, sql`links.expires_at is not null`),
    ...(expired ? asked(expired.wanted, sql`coalesce(links.expires_at <= ${expired.at}, false)`) : []),
    ...asked(routing, sql`links.dynamic_routing is not null`),
    ...asked(deeplinks, hasDeeplinks),
    ...asked(domainDeeplinks, sql`(${hasDeeplinks} and ${isOnBrandedDomain})`),
    ...asked(keywords, exists(keywordsOfLink)),
    ...(makers.length > 0 ? [sql<SqlBool>`links.created_by in (${sql.join(makers)})`] : []),
    ...(filter.words ?? []).flatMap((word) => mayMention(word, position)),
    ...(filter.destination ? mayLeadTo(filter.destination, position) : []),
  ]
}

/** The condition, its opposite, or nothing. */
function asked(wanted: boolean | undefined, condition: RawBuilder<unknown>): readonly RawBuilder<SqlBool>[] {
  if (wanted === undefined) return []
  return [wanted ? sql<SqlBool>`${condition}` : sql<SqlBool>`not ${condition}`]
}

/**
 * The offset says nothing; it keeps PostgreSQL from gathering the whole other table first, which it prefers for a
 * thousand links or more, and would do once for each stretch of the way.
 */
function exists(rows: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`exists (select 1 from ${rows} limit 1 offset 0)`
}

// The kind is not a parameter: the index holds only keywords, and the engine must see that they are what is asked for.
const keywordsOfLink = sql`addresses named where named.link_id = links.id and named.kind = 'keyword'`

const hasDeeplinks = exists(sql`link_deeplinks where link_deeplinks.link_id = links.id`)
const isOnBrandedDomain = exists(sql`domains where domains.name = links.domain`)

function hasTag(tag: string): RawBuilder<SqlBool> {
  return exists(sql`link_tags other where other.link_id = links.id and other.tag = ${tag}`)
}

function isCarried({ column, guid }: Carried): RawBuilder<SqlBool> {
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
 * Not `like`, which on SQLite compares letter by letter at each place: 2,000 long URLs and one long word took seconds. What
 * the engines make of letters beyond ASCII does not matter: none is in `part`.
 */
function contains(column: string, part: string, position: PositionFunction): RawBuilder<SqlBool> {
  return sql`${sql.raw(position)}(lower(${sql.ref(column)}), ${part}) > 0`
}

/** What the engine finds is more than is meant: core decides. */
function lastWord({ words = [], destination }: LinkFilter): (link: Link) => boolean {
  return (link) => mentions(link, words) && (!destination || leadsTo(link.longUrl, destination))
}
