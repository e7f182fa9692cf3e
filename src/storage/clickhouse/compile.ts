/**
 * Compiles a metrics query to ClickHouse SQL; no other file knows the dialect. All caller input is a number or a
 * literal from literal.ts.
 */
import type {
  Counted,
  DimensionFilter,
  LastQuery,
  MetricsQuery,
  MetricsScope,
  NestedQuery,
  SetsQuery,
} from '../../core/clicks/metrics-query.js'
import {
  type BucketRule,
  bucketRule,
  firstMonday,
  length,
  type Piece,
  piecesWithin,
  type Unit,
} from '../../core/values/zone-buckets.js'
import { literal } from './literal.js'
import { columnOf, texts } from './schema.js'

export interface Compiled {
  readonly sql: string
  /** Start time of a bucket, from the first column of a row. */
  readonly startOf: (key: number) => number
}

/** Columns: bucket key, one value per other dimension in the requested order, count. */
export function compileCount(query: MetricsQuery, clicks: string): Compiled {
  const rule = ruleOf(query)
  const within = rule && piecesWithin(rule, query.from ?? Number.NEGATIVE_INFINITY, query.to)
  const key = rule && within ? bucketKey(rule.unit, within) : '0'
  const startOf = rule ? (read: number) => rule.startOf(fromKey(rule.unit, read)) : () => 0
  const split = query.by.filter((dimension) => dimension !== 'time')
  const values = split.map((dimension, index) => `${texts[dimension]} AS v${index}`)
  const names = ['bucket', ...split.map((_, index) => `v${index}`)]
  const where = conditions(query).join(' AND ')
  const order = `ORDER BY ${['total DESC', ...names].join(', ')}`
  const limit = query.size === undefined ? '' : `LIMIT ${wholeSize(query.size)} OFFSET ${wholeSize(query.skip ?? 0)}`
  const [columns, keys] = [[`${key} AS bucket`, ...values].join(', '), names.join(', ')]

  if (query.measure === 'visitors') {
    // Leave out visitors whose clicks were all cancelled, because they became totals.
    const visitors = `SELECT ${columns} FROM ${clicks} WHERE ${where} AND visitor IS NOT NULL
      GROUP BY ${keys}, visitor HAVING sum(n) > 0`
    if (query.by.length === 0) return { sql: `SELECT 0, count() FROM (${visitors})`, startOf }
    return { sql: `SELECT ${keys}, count() AS total FROM (${visitors}) GROUP BY ${keys} ${order} ${limit}`, startOf }
  }
  if (query.by.length === 0) return { sql: `SELECT 0, sum(n) FROM ${clicks} WHERE ${where}`, startOf }
  return {
    sql: `SELECT ${columns}, sum(n) AS total FROM ${clicks} WHERE ${where}
      GROUP BY ${keys} HAVING total > 0 ${order} ${limit}`,
    startOf,
  }
}

/** Columns: value and count of a row, value and count of a part of it. Sorted, with the parts of a row together. */
export function compileNested(query: NestedQuery, clicks: string): string {
  const where = conditions(query).join(' AND ')
  const names = `${texts[query.by]} AS row_value, ${texts[query.parts.by]} AS part`
  const [counted, count] =
    query.measure === 'visitors'
      ? [
          `SELECT ${names}, visitor FROM ${clicks} WHERE ${where} AND visitor IS NOT NULL
          GROUP BY row_value, part, visitor HAVING sum(n) > 0`,
          'uniqExact(visitor)',
        ]
      : [
          `SELECT ${names}, sum(n) AS clicked FROM ${clicks} WHERE ${where} GROUP BY row_value, part HAVING clicked > 0`,
          'sum(clicked)',
        ]
  const grouped = `SELECT row_value, part, grouping(part) AS is_row, toInt64(${count}) AS total FROM (${counted})
    GROUP BY GROUPING SETS ((row_value), (row_value, part))`
  const parts = `
    SELECT *, row_number() OVER (PARTITION BY row_value ORDER BY is_row DESC, total DESC, part) AS place
    FROM (SELECT *, max(if(is_row = 1, total, 0)) OVER (PARTITION BY row_value) AS row_total FROM (${grouped}))`
  const ranked = `SELECT *, dense_rank() OVER (ORDER BY row_total DESC, row_value) AS rank FROM (${parts})`
  return `SELECT row_value, row_total, part, total FROM (${ranked})
    WHERE is_row = 0 AND rank <= ${wholeSize(query.size)} AND place <= 1 + ${wholeSize(query.parts.size)}
    ORDER BY rank, place`
}

/** Columns: index of a set, its count. */
export function compileSets(query: SetsQuery, clicks: string): string {
  const { groupGuid, sets, ...counted } = query
  const addresses = sets.flat()
  const places = sets.flatMap((set, place) => set.map(() => place))
  const place = `transform(address, [${addresses.map(literal).join(', ')}], [${places.join(', ')}], -1)`
  const group = oneOf('group_guid', [groupGuid])
  const where = [group, ...conditions({ ...counted, scope: { addresses } })].join(' AND ')
  if (query.measure === 'visitors') {
    const visitors = `SELECT ${place} AS place FROM ${clicks} WHERE ${where} AND visitor IS NOT NULL
      GROUP BY place, visitor HAVING sum(n) > 0`
    return `SELECT place, count() FROM (${visitors}) GROUP BY place`
  }
  return `SELECT ${place} AS place, sum(n) FROM ${clicks} WHERE ${where} GROUP BY place`
}

/** Columns: time, key, one value per dimension in the requested order. FINAL leaves out clicks that were taken back. */
export function compileLast(query: LastQuery, clicks: string): string {
  const { by, size, after } = query
  const where = [...conditions(query), 'n > 0', 'visitor IS NOT NULL']
  if (after) {
    const at = moment(after.at)
    where.push(`clicked_at <= ${at}`, `(clicked_at < ${at} OR ${clickKey} <= toUInt64(${literal(after.key)}))`)
  }
  return `SELECT ${['clicked_at', `toString(${clickKey})`, ...by.map((name) => texts[name])].join(', ')} FROM ${clicks} FINAL
    WHERE ${where.join(' AND ')}
    ORDER BY clicked_at DESC, ${clickKey} DESC LIMIT ${wholeSize(size)} OFFSET ${wholeSize(after?.skip ?? 0)}`
}

const clickKey = 'cityHash64(address, journal, journal_row, position)'

function wholeSize(size: number): number {
  return Math.max(0, Math.trunc(size))
}

/**
 * Whether the query needs the time of the first click: without it, a window without a start would compile every UTC
 * offset change since 1970.
 */
export function needsBeginning(query: MetricsQuery): boolean {
  return query.from === undefined && query.by.includes('time') && typeof query.bucket?.zone === 'string'
}

/**
 * Columns: number of rows, time of the first one. Cancelled clicks need no filter: their total is at least as early.
 */
export function compileFirstAt(query: Counted, clicks: string): string {
  return `SELECT count(), min(clicked_at) FROM ${clicks} WHERE ${conditions(query).join(' AND ')}`
}

function ruleOf({ by, bucket }: MetricsQuery): BucketRule | undefined {
  if (!by.includes('time')) return undefined
  if (!bucket) throw new Error('a query split by time needs a bucket')
  return bucketRule(bucket)
}

function scopeCondition(scope: MetricsScope): string {
  if ('addresses' in scope) return oneOf('address', scope.addresses)
  return oneOf('group_guid', 'groupGuids' in scope ? scope.groupGuids : [scope.groupGuid])
}

function conditions(query: Counted & Partial<Pick<MetricsQuery, 'from' | 'to'>>): readonly string[] {
  const { scope } = query
  const where = [
    scopeCondition(scope),
    oneOf('kind', query.kinds),
    oneOf(columnOf('trafficClass'), query.trafficClasses),
    ...(query.filters ?? []).map(matches),
  ]
  if (query.from !== undefined) where.push(`clicked_at >= ${moment(query.from)}`)
  if (query.to !== undefined) where.push(`clicked_at < ${moment(query.to)}`)
  return where
}

function matches({ by, operator, values, groupGuids }: DimensionFilter): string {
  const isOne = groupGuids ? oneInGroup(texts[by], values, groupGuids) : oneOf(texts[by], values)
  return operator === 'is' ? isOne : `NOT (${isOne})`
}

function oneInGroup(column: string, values: readonly string[], groupGuids: readonly string[]): string {
  if (values.length === 0) return 'false'
  const pairs = values.map((value, at) => `(${literal(groupGuids[at] ?? '')}, ${literal(value)})`)
  return `(group_guid, ${column}) IN (${pairs.join(', ')})`
}

function oneOf(column: string, values: readonly string[]): string {
  if (values.length === 0) return 'false'
  const [first = ''] = values
  return values.length === 1 ? `${column} = ${literal(first)}` : `${column} IN (${values.map(literal).join(', ')})`
}

/**
 * Whole milliseconds, rounded up, because clicks have whole milliseconds. Infinite bounds become the limits of the
 * column.
 */
function moment(milliseconds: number): bigint {
  const limit = Number.MAX_SAFE_INTEGER
  return BigInt(Math.ceil(Math.min(Math.max(milliseconds, -limit), limit)))
}

/** SQL for the bucket key of a click, with the rules of core/values/zone-buckets.ts; for months see fromKey. */
function bucketKey(unit: Unit, pieces: readonly Piece[]): string {
  const local = `clicked_at + ${choose(pieces, ({ offset }) => offset)}`
  const shifted = pieces.every(({ shift }) => shift === 0)
    ? floorOf(unit, local)
    : `${floorOf(unit, local)} + ${choose(pieces, ({ shift }) => shift)}`
  if (pieces.every(({ minKey }) => minKey === undefined)) return shifted
  const minKey = choose(pieces, (piece) => (piece.minKey === undefined ? -never : toKey(unit, piece.minKey)))
  return `greatest(${shifted}, ${minKey})`
}

/** Later than any click. */
const never = Number.MAX_SAFE_INTEGER

/** SQL for the term of the piece that contains the click. */
function choose(pieces: readonly Piece[], term: (piece: Piece) => number): string {
  const terms = pieces.map(term)
  const [first, ...others] = terms
  if (first === undefined) throw new Error('a window without an offset')
  if (others.every((other) => other === first)) return `toInt64(${first})`
  const last = terms.length - 1
  const cases = terms.slice(0, last).map((value, index) => `clicked_at < ${pieces[index + 1]?.from}, toInt64(${value})`)
  return `multiIf(${cases.join(', ')}, toInt64(${terms[last]}))`
}

function floorOf(unit: Unit, local: string): string {
  if (unit === 'month') {
    const date = `fromUnixTimestamp64Milli(${local}, 'UTC')`
    return `toInt64(toYear(${date})) * 12 + toMonth(${date}) - 1`
  }
  const origin = unit === 'week' ? firstMonday : 0
  return `${local} - positiveModulo(${local} - ${origin}, ${length[unit]})`
}

/** SQL counts months since year 0; all other code uses milliseconds. */
function toKey(unit: Unit, start: number): number {
  if (unit !== 'month') return start
  const date = new Date(start)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function fromKey(unit: Unit, key: number): number {
  // setUTCFullYear, because Date.UTC maps the years 0 to 99 to 1900 to 1999.
  return unit === 'month' ? new Date(0).setUTCFullYear(Math.floor(key / 12), key - Math.floor(key / 12) * 12, 1) : key
}
