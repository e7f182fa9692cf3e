/**
 * Pages of links and of QR codes, newest first, and the conditions that both lists have.
 *
 * A page is read along an index that has the items in order: that of the group, or that of a tag in it. If few items
 * match the filter, the scan can be long, so it is split into ranges, because SQLite blocks the process while a
 * statement runs. test/scale/query-plans.test.ts checks that every statement uses its index.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { CountLimit, ItemCount, ItemFilter, Page, PageInput, Position } from '../../../core/links/link-store.js'
import { asciiPart, type Destination, leadsTo, mentions } from '../../../core/links/search.js'
import { tagsPerLink } from '../../../core/links/tags.js'
import type { PositionFunction } from '../../sql/engine.js'
import type { Schema } from '../../sql/tables/schema.js'

/** An index scan over items in the order of the list. */
export interface Scan<Row> {
  /** The position after this many items; undefined if fewer are left. */
  ahead(range: Range, step: number): Promise<Position | undefined>
  /** The items of the range that match the conditions of the list. */
  rows(range: Range, limit: number): Promise<readonly Row[]>
  /** How many these are. */
  count(range: Range): Promise<number>
}

export type Conditions = readonly RawBuilder<SqlBool>[]

/** An index that has items of a group by time and id, newest last. */
export interface ListIndex {
  readonly table: 'links' | 'link_tags' | 'qr_codes' | 'qr_code_tags'
  /** Its column with the id of the item. */
  readonly id: 'id' | 'link_id' | 'code_id'
  /** What comes before the time in the index. */
  readonly where: RawBuilder<SqlBool>
  /** There are so few items that they need no index, and are read at once. */
  readonly few?: boolean
}

export function groupIndex(table: 'links' | 'qr_codes', groupGuid: string): ListIndex {
  return { table, id: 'id', where: sql`${sql.ref(`${table}.group_guid`)} = ${groupGuid}` }
}

export function tagIndex(table: 'link_tags' | 'qr_code_tags', groupGuid: string, tag: string): ListIndex {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const where = sql<SqlBool>`${column('group_guid')} = ${groupGuid} and ${column('tag')} = ${tag}`
  return { table, id: table === 'link_tags' ? 'link_id' : 'code_id', where }
}

/** Each tag is a separate condition: engines reject a thousand, or plan for a minute. */
export function hasTooManyTags({ tags }: ItemFilter): boolean {
  return new Set(tags).size > tagsPerLink
}

export const noItems = { items: [], more: false } as const

/** Whether the item matches the filter; the SQL conditions match more. */
export function isExactly({ words = [], destination }: ItemFilter, item: Parameters<typeof mentions>[0]): boolean {
  return mentions(item, words) && (!destination || leadsTo(item.longUrl, destination))
}

/** Reads items by a query of `table`, as far as they match the conditions. */
export function scanThrough<Tables extends keyof Schema, Row>(
  db: Kysely<Schema>,
  query: SelectQueryBuilder<Schema, Tables, Row>,
  { table, id, where, few = false }: ListIndex,
  conditions: Conditions,
): Scan<Row> {
  const timeName = `${table}.created_at`
  const idName = `${table}.${id}`
  const time = sql.ref(timeName)
  const item = sql.ref(idName)
  const wanted = sql.join<SqlBool>(conditions, sql` and `)
  // Not a join: without a limit PostgreSQL would read all links for it.
  const items = table === 'link_tags' ? 'links' : table === 'qr_code_tags' ? 'qr_codes' : undefined
  const matches = items
    ? exists(sql`${sql.table(items)} where ${sql.ref(`${items}.id`)} = ${item} and ${wanted}`)
    : wanted
  return {
    async ahead(range, step) {
      if (few) return undefined
      const { rows } = await sql<Position>`
        select ${time} as "createdAt", ${item} as "id" from ${sql.table(table)}
        where ${where} and ${within(timeName, idName, range)} order by ${time} desc, ${item} desc
        limit 1 offset ${step - 1}`.execute(db)
      return rows[0]
    },
    rows: (range, limit) =>
      query
        .where(where)
        .where(within(timeName, idName, range))
        .where(wanted)
        .orderBy(time, 'desc')
        .orderBy(item, 'desc')
        .limit(limit)
        .execute(),
    async count(range) {
      const { rows } = await sql<{ count: number | string }>`
        select count(*) as count from ${sql.table(table)}
        where ${where} and ${within(timeName, idName, range)} and ${matches}`.execute(db)
      return Number(rows[0]?.count)
    },
  }
}

/** The items after `from` (exclusive) down to `to` (inclusive). */
interface Range {
  readonly from: Position
  readonly to: Position
}

interface PageRow {
  readonly id: string
  readonly created_at: number
}

export async function readPage<Row extends PageRow, Item>(
  scan: Scan<Row>,
  { after, size, filter }: PageInput<ItemFilter>,
  itemFrom: (row: Row) => Item,
  isWanted: (item: Item) => boolean,
): Promise<Page<Item>> {
  const found: Item[] = []
  for await (const { range } of steps(scan, filter, after, shortStep)) {
    for await (const rows of rowsIn(scan, range, Math.min(size + 1, itemsPerRead))) {
      found.push(...rows.map(itemFrom).filter(isWanted))
      if (found.length > size) return { items: found.slice(0, size), more: true }
    }
  }
  return { items: found, more: false }
}

/** Core decides whether an item has the words, so these items are read; others are only counted. */
export async function countItems<Row extends PageRow, Item>(
  scan: Scan<Row>,
  filter: ItemFilter,
  limit: CountLimit,
  itemFrom: (row: Row) => Item,
  isWanted: (item: Item) => boolean,
): Promise<ItemCount> {
  const isSearch = (filter.words?.length ?? 0) > 0 || filter.destination !== undefined
  let [count, passed] = [0, 0]
  for await (const { range, step } of steps(scan, filter, undefined, longStep)) {
    if (passed >= limit.passed) return { count, isExact: false }
    passed += step
    if (!isSearch) {
      count += await scan.count(range)
      continue
    }
    for await (const rows of rowsIn(scan, range, itemsPerRead)) {
      count += rows.map(itemFrom).filter(isWanted).length
      if (count >= limit.read) return { count, isExact: false }
    }
  }
  return { count, isExact: true }
}

/** The list in ranges of `step` items, the last one with fewer; steps grow. */
async function* steps(
  scan: Scan<unknown>,
  filter: ItemFilter,
  after: Position | undefined,
  first: number,
): AsyncGenerator<{ readonly range: Range; readonly step: number }> {
  const end = { createdAt: filter.createdAfter ?? 0, id: '' }
  // Searching for many words costs as much with fewer items.
  const maxStep = Math.max(shortStep, Math.floor(longStep / Math.max(1, filter.words?.length ?? 0)))
  let from = earlier(after, { createdAt: filter.createdBefore ?? Number.MAX_SAFE_INTEGER, id: '' })
  for (let step = Math.min(first, maxStep); ; step = Math.min(step * 4, maxStep)) {
    const stop = await scan.ahead({ from, to: end }, step)
    yield { range: { from, to: stop ?? end }, step }
    if (!stop) return
    from = stop
    await nextTurn()
  }
}

/** What matches in the range, so many at a time. */
async function* rowsIn<Row extends PageRow>(
  scan: Scan<Row>,
  range: Range,
  batch: number,
): AsyncGenerator<readonly Row[]> {
  for (let left: Range | undefined = range; left; ) {
    const rows: readonly Row[] = await scan.rows(left, batch)
    yield rows
    const last = rows.length === batch ? rows.at(-1) : undefined
    left = last && { from: { createdAt: last.created_at, id: last.id }, to: range.to }
    if (left) await nextTurn()
  }
}

/** Takes SQLite a few milliseconds. */
export const itemsPerRead = 100

// Most lists find their page in the first, short step. Searching a word in the items of a long step takes SQLite
// about five milliseconds.
const shortStep = 200
export const longStep = 2000

function earlier(one: Position | undefined, other: Position): Position {
  return one && one.createdAt < other.createdAt ? one : other
}

export function within(createdAt: string, id: string, { from, to }: Range): RawBuilder<SqlBool> {
  const place = sql`(${sql.ref(createdAt)}, ${sql.ref(id)})`
  return sql`${place} < (${from.createdAt}, ${from.id}) and ${place} >= (${to.createdAt}, ${to.id})`
}

/** The condition, its negation, or nothing. */
export function optional(wanted: boolean | undefined, condition: RawBuilder<unknown>): readonly RawBuilder<SqlBool>[] {
  if (wanted === undefined) return []
  return [wanted ? sql<SqlBool>`${condition}` : sql<SqlBool>`not ${condition}`]
}

/**
 * The offset has no effect on the result; it keeps PostgreSQL from materializing the whole other table first, once
 * for each range.
 */
export function exists(rows: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`exists (select 1 from ${rows} limit 1 offset 0)`
}

/**
 * Not `like`, which SQLite compares letter by letter at each position: 2,000 long URLs and one long word took
 * seconds. How engines treat letters beyond ASCII does not matter: `part` has none.
 */
function contains(column: string, part: string, position: PositionFunction): RawBuilder<SqlBool> {
  return sql`${sql.raw(position)}(lower(${sql.ref(column)}), ${part}) > 0`
}

/** Conditions on the row of a link, which links and QR codes have. They match more than the filter means; core decides. */
export function linkConditions(filter: ItemFilter, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  const { domain, expires, expired, routing, destination } = filter
  return [
    ...(domain === undefined ? [] : [sql<SqlBool>`links.domain = ${domain}`]),
    ...optional(expires, sql`links.expires_at is not null`),
    ...(expired ? optional(expired.wanted, sql`coalesce(links.expires_at <= ${expired.at}, false)`) : []),
    ...optional(routing, sql`links.dynamic_routing is not null`),
    ...(destination ? mayLeadTo(destination, position) : []),
  ]
}

/** Conditions on a row of either table. */
export function ownConditions(table: 'links' | 'qr_codes', { archived, makers = [] }: ItemFilter): Conditions {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return [
    ...(archived === undefined ? [] : [sql<SqlBool>`${column('archived')} = ${archived ? 1 : 0}`]),
    ...(makers.length > 0 ? [sql<SqlBool>`${column('created_by')} in (${sql.join(makers)})`] : []),
  ]
}

/** Whether one of these columns contains each of the words; matches more than that, and core decides. */
export function mayMention(
  words: readonly string[] = [],
  position: PositionFunction,
  columns: readonly string[],
  more: (within: (column: string) => RawBuilder<SqlBool>) => Conditions,
): Conditions {
  const parts = words.map(asciiPart).filter((part) => part !== '')
  return parts.map((part) => {
    const within = (column: string) => contains(column, part, position)
    return sql<SqlBool>`(${sql.join([...columns.map(within), ...more(within)], sql` or `)})`
  })
}

function mayLeadTo({ host, path }: Destination, position: PositionFunction): readonly RawBuilder<SqlBool>[] {
  const parts = [asciiPart(host), path].filter((part) => part !== '')
  return parts.map((part) => contains('links.long_url', part, position))
}
