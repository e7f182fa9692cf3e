/**
 * Compiles a metrics query to DuckDB SQL; only filters.ts and dimensions.ts know the dialect too. Addresses, groups and
 * times are literal numbers, with which DuckDB can skip row groups; texts of filters are bind parameters.
 */
import { dimensions, type Name } from '../../core/clicks/dimensions.js'
import type {
  Counted,
  Dimension,
  LastQuery,
  MetricsQuery,
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
} from '../../core/values/zone-buckets.js'
import { type AddressKey, digestOf } from './dictionary.js'
import { dictionaryJoins, stored } from './dimensions.js'
import { filterConditions } from './filters.js'
import { clickTables, rollupTables } from './schema.js'

/** A query's scope as dictionary keys; unknown texts have no clicks. */
export type ScopeKeys = { readonly addresses: readonly AddressKey[] } | { readonly groups: readonly number[] }

/** A statement and its bind parameters. */
export interface Statement {
  readonly sql: string
  readonly parameters: string[]
}

export interface Compiled extends Statement {
  /** Start time of a bucket, from the first column of a row. */
  readonly startOf: (key: number) => number
}

/** Facts about the log that the query does not contain. */
export interface LogFacts {
  /**
   * No click is older. Without it, a window without a start would compile every UTC offset change since 1970, for 40
   * ms.
   */
  readonly earliest: number
  /** Whether rollups may exist; if not, their tables are left out of the query plan. */
  readonly rollups: boolean
}

/** Columns: bucket key, one value per other dimension in the requested order, count. */
export function compileCount(query: MetricsQuery, scope: ScopeKeys, facts: LogFacts): Compiled {
  const visitors = query.measure === 'visitors'
  // Rollups have no visitors: rows with only rollups would count nobody.
  const rollups = facts.rollups && !visitors
  const parameters: string[] = []
  const where = conditions(query, scope, parameters)
  const time = timeOf(query, facts)
  const startOf = time ? time.startOf : () => 0
  if (query.by.length === 0) {
    const count = visitors ? 'count(DISTINCT visitor)' : rollups ? 'coalesce(sum(n), 0)::BIGINT' : 'count(*)'
    const sql = `SELECT 0, ${count} FROM (${clicks(visitors ? ['visitor'] : [], where, rollups)})`
    return { sql, parameters, startOf }
  }
  const split = query.by.filter((dimension) => dimension !== 'time')
  const number = rollups ? 'sum(n)' : 'count(*)'
  const from = joinedClicks(split, { time, where, rollups, visitors, rest: limitByCount(query, number) })
  const values = split.map((dimension, index) => `${stored[dimension].value} AS v${index}`)
  const [count, together] = visitors
    ? ['count(DISTINCT visitor)', 'GROUP BY ALL']
    : query.by.every((dimension) => isPlain(dimension, query))
      ? ['n::BIGINT', '']
      : ['sum(n)::BIGINT', 'GROUP BY ALL']
  const order = ['total DESC', 'began', ...split.map((_, index) => `v${index}`)].join(', ')
  return {
    sql: `SELECT ${[`${time?.start ?? '0'} AS began`, ...values, `${count} AS total`].join(', ')}
      ${from} ${together} ORDER BY ${order} ${query.size === undefined ? '' : `LIMIT ${wholeSize(query.size)} OFFSET ${wholeSize(query.skip ?? 0)}`}`,
    parameters,
    startOf,
  }
}

/** Columns: value and count of a row, value and count of a part of it. Sorted, with the parts of a row together. */
export function compileNested(query: NestedQuery, scope: ScopeKeys, facts: LogFacts): Statement {
  const visitors = query.measure === 'visitors'
  const parameters: string[] = []
  const where = conditions(query, scope, parameters)
  const from = joinedClicks([query.by, query.parts.by], { where, rollups: facts.rollups && !visitors, visitors })
  const count = visitors ? 'count(DISTINCT visitor)' : 'sum(n)::BIGINT'
  const grouped = `
    SELECT row_value, part, grouping(part) AS is_row, ${count} AS total
    FROM (SELECT ${stored[query.by].value} AS row_value, ${stored[query.parts.by].value} AS part, ${visitors ? 'visitor' : 'n'} ${from})
    GROUP BY GROUPING SETS ((row_value), (row_value, part))`
  const parts = `
    SELECT *, row_number() OVER (PARTITION BY row_value ORDER BY is_row DESC, total DESC, part) AS place
    FROM (SELECT *, max(total) FILTER (is_row = 1) OVER (PARTITION BY row_value) AS row_total FROM (${grouped}))`
  const ranked = `SELECT *, dense_rank() OVER (ORDER BY row_total DESC, row_value) AS rank FROM (${parts})`
  const sql = `SELECT row_value, row_total, part, total FROM (${ranked})
    WHERE is_row = 0 AND rank <= ${wholeSize(query.size)} AND place <= 1 + ${wholeSize(query.parts.size)}
    ORDER BY rank, place`
  return { sql, parameters }
}

/**
 * Columns: index of a set, its count; sets without clicks are left out. Digests, addresses and set indexes are bind
 * parameters, each as one space-separated text: as literals, ten thousand of them would take half a second to parse.
 */
export function compileSets(query: SetsQuery, group: number, facts: LogFacts): Statement {
  const visitors = query.measure === 'visitors'
  const rollups = facts.rollups && !visitors
  const addresses = query.sets.flat()
  const places = query.sets.flatMap((set, place) => set.map(() => place))
  const parameters = [addresses.map(digestOf), addresses, places].map((list) => list.join(' '))
  const where = `${conditions(query, { groups: [group] }, parameters)} AND address IN (SELECT id FROM wanted)`
  const sql = `
    WITH listed AS (
      SELECT unnest(string_split($1, ' ')::BIGINT[]) AS digest, unnest(string_split($2, ' ')) AS value,
        unnest(string_split($3, ' ')::INTEGER[]) AS place
    ), wanted AS (
      SELECT addresses.id, place FROM addresses JOIN listed USING (digest, value) WHERE addresses.group_key = ${group}
    )
    SELECT place, ${visitors ? 'count(DISTINCT visitor)' : 'sum(n)::BIGINT'}
    ${joinedClicks([], { where, rollups, visitors, keys: ['address'] })} JOIN wanted ON wanted.id = keyed.address GROUP BY place`
  return { sql, parameters }
}

interface Telling {
  readonly time?: Time | undefined
  readonly where: string
  readonly rollups: boolean
  readonly visitors: boolean
  /** SQL appended to the grouping by keys. */
  readonly rest?: string
  /** Key columns in addition to those of the names. */
  readonly keys?: readonly string[]
}

/**
 * Groups clicks by their small integer keys first and joins the dictionaries afterwards, so that few rows are joined.
 * Rows have a count `n`, or each visitor once.
 */
function joinedClicks(
  names: readonly Name[],
  { time, where, rollups, visitors, rest = '', keys = [] }: Telling,
): string {
  const columns = [...new Set(names.map((name) => stored[name].column))]
  const kept = [...columns, ...keys, ...(visitors ? ['visitor'] : [])]
  const number = visitors ? [] : [`${rollups ? 'sum(n)' : 'count(*)'} AS n`]
  const keyed = `
    SELECT ${[...(time ? [`${time.key} AS bucket`] : []), ...kept, ...number].join(', ')}
    FROM (${clicks([...(time ? ['clicked_at'] : []), ...kept], where, rollups)})
    GROUP BY ${[...(time ? ['bucket'] : []), ...kept].join(', ')} ${rest}`
  return `FROM (${keyed}) keyed ${dictionaryJoins(names)}`
}

/** True when one key is one value, so no second grouping is needed after the join. */
function isPlain(dimension: Dimension, { scope, bucket }: MetricsQuery): boolean {
  if (dimension === 'time') return bucket?.unit !== 'month'
  if (dimension === 'address') return 'groupGuid' in scope
  return dimensions[dimension].part === 'click'
}

/**
 * With plain dimensions, looks up only the largest rows in the dictionary, which may be long. Keeps all ties, because
 * their values decide the order.
 */
function limitByCount(query: MetricsQuery, number: string): string {
  const { by, size, skip = 0, measure } = query
  if (size === undefined || measure === 'visitors' || !by.every((dimension) => isPlain(dimension, query))) return ''
  return `QUALIFY rank() OVER (ORDER BY ${number} DESC) <= ${wholeSize(skip) + wholeSize(size)}`
}

function wholeSize(size: number): number {
  return Math.max(0, Math.trunc(size))
}

/**
 * Columns: time, key, one value per dimension in the requested order. Few rows are taken from each table before the join.
 * The key includes the time, so that two clicks of a visitor have nothing in common.
 */
export function compileLast(query: LastQuery, scope: ScopeKeys): Statement {
  const { size, after } = query
  const parameters: string[] = []
  const where = [conditions(query, scope, parameters)]
  if (after) {
    const at = moment(after.at)
    where.push(`clicked_at <= ${at} AND (clicked_at < ${at} OR ${clickKey} <= ${BigInt(after.key)}::UBIGINT)`)
  }
  const skip = wholeSize(after?.skip ?? 0)
  const columns = [...new Set(query.by.map((name) => stored[name].column))]
  const order = 'ORDER BY clicked_at DESC, click_key DESC'
  const wanted = where.join(' AND ')
  const limit = `LIMIT ${skip + wholeSize(size)}`
  // Finds the times first: keys of all clicks would take three times as long.
  const since = (table: string) =>
    `SELECT min(clicked_at) FROM (SELECT clicked_at FROM ${table} WHERE ${wanted} ORDER BY clicked_at DESC ${limit})`
  const parts = clickTables.map(
    (table) => `(SELECT ${['clicked_at', `${clickKey} AS click_key`, ...columns].join(', ')} FROM ${table}
      WHERE ${wanted} AND clicked_at >= (${since(table)}) ${order} ${limit})`,
  )
  const sql = `SELECT ${['clicked_at', 'click_key', ...query.by.map((name) => stored[name].value)].join(', ')}
    FROM (SELECT * FROM (${parts.join(' UNION ALL ')}) ${order} LIMIT ${wholeSize(size)} OFFSET ${skip}) keyed
    ${dictionaryJoins(query.by)} ${order}`
  return { sql, parameters }
}

const clickKey = 'hash(clicked_at, address, group_key, destination, kind, nature, place, agent, referrer, visitor)'

export function compileFirstAt(query: Counted, scope: ScopeKeys, { rollups }: LogFacts): Statement {
  const parameters: string[] = []
  const where = conditions(query, scope, parameters)
  return { sql: `SELECT min(clicked_at) FROM (${clicks(['clicked_at'], where, rollups)})`, parameters }
}

/**
 * Selects only the needed columns of each table. A view over whole tables gives the same result but takes 1 ms more to
 * plan.
 */
function clicks(columns: readonly string[], where: string, rollups: boolean): string {
  const select = (table: string, n: readonly string[]) =>
    `SELECT ${[...columns, ...n].join(', ') || '1'} FROM ${table} WHERE ${where}`
  const one = rollups ? ['1::UINTEGER AS n'] : []
  return [
    ...clickTables.map((table) => select(table, one)),
    ...(rollups ? rollupTables.map((table) => select(table, ['n'])) : []),
  ].join(' UNION ALL ')
}

function ruleOf({ by, bucket }: MetricsQuery): BucketRule | undefined {
  if (!by.includes('time')) return undefined
  if (!bucket) throw new Error('a query split by time needs a bucket')
  return bucketRule(bucket)
}

function conditions(
  query: Omit<Counted, 'scope'> & Partial<Pick<MetricsQuery, 'from' | 'to'>>,
  scope: ScopeKeys,
  parameters: string[],
): string {
  const where = [
    ...scopeConditions(scope),
    ...someOf('kind', query.kinds),
    ...someOf('trafficClass', query.trafficClasses),
    ...filterConditions(query.filters, parameters),
  ]
  if (query.from !== undefined) where.push(`clicked_at >= ${moment(query.from)}`)
  if (query.to !== undefined) where.push(`clicked_at < ${moment(query.to)}`)
  return where.join(' AND ')
}

/** Also filters by the groups of the addresses: clicks are sorted by group first. */
function scopeConditions(scope: ScopeKeys): readonly string[] {
  if ('groups' in scope) return [oneOf('group_key', scope.groups)]
  const groups = [...new Set(scope.addresses.map(({ group }) => group))]
  return [
    oneOf('group_key', groups),
    oneOf(
      'address',
      scope.addresses.map(({ id }) => id),
    ),
  ]
}

/** Empty when all values are wanted: then DuckDB need not read the column. */
function someOf(name: 'kind' | 'trafficClass', wanted: readonly string[]): readonly string[] {
  const codes: readonly string[] = dimensions[name].codes
  if (new Set(wanted).size === codes.length) return []
  const numbers = wanted.map((code) => codes.indexOf(code))
  return [oneOf(stored[name].column, numbers)]
}

function oneOf(column: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return 'false'
  return numbers.length === 1 ? `${column} = ${numbers[0]}` : `${column} IN (${numbers.join(', ')})`
}

/**
 * Whole milliseconds, rounded up, because clicks have whole milliseconds. Infinite bounds become the limits of the
 * column.
 */
function moment(milliseconds: number): bigint {
  const limit = Number.MAX_SAFE_INTEGER
  return BigInt(Math.ceil(Math.min(Math.max(milliseconds, -limit), limit)))
}

interface Time {
  /** SQL for the bucket key of a click: a small number to group by. */
  readonly key: string
  /** SQL for the start of the bucket, computed from `bucket` after grouping. */
  readonly start: string
  readonly startOf: (start: number) => number
}

/** The bucket of a click, with the rules of core/values/zone-buckets.ts. */
function timeOf(query: MetricsQuery, { earliest }: LogFacts): Time | undefined {
  const rule = ruleOf(query)
  if (!rule) return undefined
  const { unit } = rule
  const pieces = piecesWithin(rule, Math.max(query.from ?? earliest, earliest), query.to)
  // Groups by days first, so that only days need date_trunc to find their month.
  const step = unit === 'month' ? length.day : length[unit]
  const origin = unit === 'week' ? firstMonday : 0
  // Integer division rounds towards 0, so times before 1970 are shifted above 0. A second division would cost half as
  // much again.
  const lift = Math.ceil(4e15 / step) * step - origin
  const [first] = pieces
  const shift = first?.shift ?? 0
  const onGrid = ({ shift: own, minKey }: Piece) =>
    own === shift && (minKey === undefined || (minKey - shift + lift) % step === 0)
  if (!pieces.every(onGrid)) {
    const key = choose(pieces, ({ offset, shift, minKey }) => {
      const start = `(clicked_at + ${offset + lift}) // ${step} * ${step} + ${shift - lift}`
      return minKey === undefined ? start : `greatest(${start}, ${minKey})`
    })
    return { key, start: 'bucket', startOf: rule.startOf }
  }
  // The number of steps since the shifted origin; the few result rows are converted to times later.
  const key = pieces.every(({ minKey }) => minKey === undefined)
    ? `(clicked_at + ${choose(pieces, ({ offset }) => String(offset + lift))}) // ${step}`
    : choose(pieces, ({ offset, minKey }) => {
        const steps = `(clicked_at + ${offset + lift}) // ${step}`
        return minKey === undefined ? steps : `greatest(${steps}, ${(minKey - shift + lift) / step})`
      })
  if (unit === 'month') {
    const start = `epoch_ms(date_trunc('month', epoch_ms(bucket * ${step} - ${lift})))`
    return { key, start, startOf: rule.startOf }
  }
  return { key, start: 'bucket', startOf: (steps) => rule.startOf(steps * step - lift + shift) }
}

/** Binary search as nested CASE expressions: the term of the piece that contains the click. */
function choose(pieces: readonly Piece[], term: (piece: Piece) => string): string {
  const [piece] = pieces
  if (!piece) throw new Error('a window without an offset')
  if (pieces.length === 1) return term(piece)
  const later = pieces.slice(pieces.length >> 1)
  const sooner = choose(pieces.slice(0, pieces.length >> 1), term)
  return `CASE WHEN clicked_at < ${later[0]?.from} THEN ${sooner} ELSE ${choose(later, term)} END`
}
