/**
 * A metrics query as SQL: the one place where this engine's dialect meets the query. There is nothing to bind: all that
 * comes from callers has become a number before, and with numbers in sight the engine leaves out what they exclude.
 */
import type { Counted, Dimension, MetricsQuery, Name, NestedQuery, SetsQuery } from '../../core/clicks/metrics-query.js'
import {
  type BucketRule,
  bucketRule,
  firstMonday,
  length,
  type Piece,
  piecesWithin,
} from '../../core/values/zone-buckets.js'
import type { AddressKey } from './dictionary.js'
import { clickTables, kindNumber, rollupTables, trafficClassNumber } from './schema.js'

/** A query's scope as the dictionaries know it; what they do not know has no clicks. */
export type ScopeKeys = { readonly addresses: readonly AddressKey[] } | { readonly group: number | undefined }

export interface Compiled {
  readonly sql: string
  /** The moment a bucket begins, from the first column of a row. */
  readonly startOf: (key: number) => number
}

/** What is known of the log besides the query. */
export interface LogFacts {
  /** No click is older; without it, a window with no beginning would compile all changes of an offset since 1970, for 40 ms. */
  readonly earliest: number
  /** Whether there may be rollups: where there can be none, their tables need not even be planned for. */
  readonly rollups: boolean
}

/** Columns: key of the bucket, one value per other dimension in the order asked for, count. */
export function compileCount(query: MetricsQuery, scope: ScopeKeys, facts: LogFacts): Compiled {
  const visitors = query.measure === 'visitors'
  // A total has no visitors: a row that only rollups are left of would have nobody in it.
  const rollups = facts.rollups && !visitors
  const where = conditions(query, scope)
  const time = timeOf(query, facts)
  const startOf = time ? time.startOf : () => 0
  if (query.by.length === 0) {
    const count = visitors ? 'count(DISTINCT visitor)' : rollups ? 'coalesce(sum(n), 0)::BIGINT' : 'count(*)'
    return { sql: `SELECT 0, ${count} FROM (${clicks(visitors ? ['visitor'] : [], where, rollups)})`, startOf }
  }
  const split = query.by.filter((dimension) => dimension !== 'time')
  const number = rollups ? 'sum(n)' : 'count(*)'
  const from = told(split, { time, where, rollups, visitors, rest: biggest(query, number) })
  const values = split.map((dimension, index) => `${said[dimension].value} AS v${index}`)
  const [count, together] = visitors
    ? ['count(DISTINCT visitor)', 'GROUP BY ALL']
    : query.by.every((dimension) => isPlain(dimension, query))
      ? ['n::BIGINT', '']
      : ['sum(n)::BIGINT', 'GROUP BY ALL']
  const order = ['total DESC', 'began', ...split.map((_, index) => `v${index}`)].join(', ')
  return {
    sql: `SELECT ${[`${time?.start ?? '0'} AS began`, ...values, `${count} AS total`].join(', ')}
      ${from} ${together} ORDER BY ${order} ${query.size === undefined ? '' : `LIMIT ${wholeSize(query.size)} OFFSET ${wholeSize(query.skip ?? 0)}`}`,
    startOf,
  }
}

/** Columns: value and count of a row, value and count of a part of it. In order, the parts of a row one after another. */
export function compileNested(query: NestedQuery, scope: ScopeKeys, facts: LogFacts): string {
  const visitors = query.measure === 'visitors'
  const where = conditions(query, scope)
  const from = told([query.by, query.parts.by], { where, rollups: facts.rollups && !visitors, visitors })
  const count = visitors ? 'count(DISTINCT visitor)' : 'sum(n)::BIGINT'
  const grouped = `
    SELECT row_value, part, grouping(part) AS is_row, ${count} AS total
    FROM (SELECT ${said[query.by].value} AS row_value, ${said[query.parts.by].value} AS part, ${visitors ? 'visitor' : 'n'} ${from})
    GROUP BY GROUPING SETS ((row_value), (row_value, part))`
  const parts = `
    SELECT *, row_number() OVER (PARTITION BY row_value ORDER BY is_row DESC, total DESC, part) AS place
    FROM (SELECT *, max(total) FILTER (is_row = 1) OVER (PARTITION BY row_value) AS row_total FROM (${grouped}))`
  const ranked = `SELECT *, dense_rank() OVER (ORDER BY row_total DESC, row_value) AS rank FROM (${parts})`
  return `SELECT row_value, row_total, part, total FROM (${ranked})
    WHERE is_row = 0 AND rank <= ${wholeSize(query.size)} AND place <= 1 + ${wholeSize(query.parts.size)}
    ORDER BY rank, place`
}

/**
 * Columns: the place of a set, its count; sets without clicks are left out. Here there is something to bind: the digests
 * of the addresses, the addresses and the places of their sets, each as one text with spaces in between. As literals,
 * ten thousand of them would take the engine half a second to parse.
 */
export function compileSets(query: Omit<SetsQuery, 'sets'>, group: number, facts: LogFacts): string {
  const visitors = query.measure === 'visitors'
  const rollups = facts.rollups && !visitors
  const where = `${conditions(query, { group })} AND address IN (SELECT id FROM wanted)`
  return `
    WITH listed AS (
      SELECT unnest(string_split($1, ' ')::BIGINT[]) AS digest, unnest(string_split($2, ' ')) AS value,
        unnest(string_split($3, ' ')::INTEGER[]) AS place
    ), wanted AS (
      SELECT addresses.id, place FROM addresses JOIN listed USING (digest, value) WHERE addresses.group_key = ${group}
    )
    SELECT place, ${visitors ? 'count(DISTINCT visitor)' : 'sum(n)::BIGINT'}
    ${told([], { where, rollups, visitors, keys: ['address'] })} JOIN wanted ON wanted.id = keyed.address GROUP BY place`
}

interface Telling {
  readonly time?: Time | undefined
  readonly where: string
  readonly rollups: boolean
  readonly visitors: boolean
  /** What else the keys must be. */
  readonly rest?: string
  /** Others besides those of the names. */
  readonly keys?: readonly string[]
}

/**
 * Clicks with what tells these names beside them, and `n` of them or each visitor once: first by the small keys, then by
 * what they say, so that the dictionaries are joined to few rows.
 */
function told(names: readonly Name[], { time, where, rollups, visitors, rest = '', keys = [] }: Telling): string {
  const columns = [...new Set(names.map((name) => said[name].column))]
  const kept = [...columns, ...keys, ...(visitors ? ['visitor'] : [])]
  const number = visitors ? [] : [`${rollups ? 'sum(n)' : 'count(*)'} AS n`]
  const keyed = `
    SELECT ${[...(time ? [`${time.key} AS bucket`] : []), ...kept, ...number].join(', ')}
    FROM (${clicks([...(time ? ['clicked_at'] : []), ...kept], where, rollups)})
    GROUP BY ${[...(time ? ['bucket'] : []), ...kept].join(', ')} ${rest}`
  const joins = columns.flatMap((column) => {
    const table = dictionaryOf[column]
    return table ? [`JOIN ${table} ON ${table}.id = keyed.${column}`] : []
  })
  return `FROM (${keyed}) keyed ${joins.join(' ')}`
}

/** Where one key is one value, nothing need be gathered once the keys are. */
function isPlain(dimension: Dimension, { scope, bucket }: MetricsQuery): boolean {
  if (dimension === 'time') return bucket?.unit !== 'month'
  if (dimension === 'address') return 'groupGuid' in scope
  return ['kind', 'trafficClass', 'destination'].includes(dimension)
}

/**
 * Then also, only the biggest are looked up in the dictionary, which may be long; among equals all of them, because their
 * values decide.
 */
function biggest(query: MetricsQuery, number: string): string {
  const { by, size, skip = 0, measure } = query
  if (size === undefined || measure === 'visitors' || !by.every((dimension) => isPlain(dimension, query))) return ''
  return `QUALIFY rank() OVER (ORDER BY ${number} DESC) <= ${wholeSize(skip) + wholeSize(size)}`
}

function wholeSize(size: number): number {
  return Math.max(0, Math.trunc(size))
}

export function compileFirstAt(query: Counted, scope: ScopeKeys, { rollups }: LogFacts): string {
  return `SELECT min(clicked_at) FROM (${clicks(['clicked_at'], conditions(query, scope), rollups)})`
}

/**
 * What is counted, of each table what is asked for and nothing else: a view over whole tables says the same, and takes
 * the engine 1 ms more to plan.
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
  if (!bucket) throw new Error('a query that is split by time must say into which buckets')
  return bucketRule(bucket)
}

function conditions(
  query: Omit<Counted, 'scope'> & Partial<Pick<MetricsQuery, 'from' | 'to'>>,
  scope: ScopeKeys,
): string {
  const where = [
    ...scopeConditions(scope),
    ...someOf('kind', kindNumber, query.kinds),
    ...someOf('nature', trafficClassNumber, query.trafficClasses),
  ]
  if (query.from !== undefined) where.push(`clicked_at >= ${moment(query.from)}`)
  if (query.to !== undefined) where.push(`clicked_at < ${moment(query.to)}`)
  return where.join(' AND ')
}

/** The groups of addresses are named too: clicks are sorted by group first. */
function scopeConditions(scope: ScopeKeys): readonly string[] {
  if ('group' in scope) return [oneOf('group_key', scope.group === undefined ? [] : [scope.group])]
  const groups = [...new Set(scope.addresses.map(({ group }) => group))]
  return [
    oneOf('group_key', groups),
    oneOf(
      'address',
      scope.addresses.map(({ id }) => id),
    ),
  ]
}

/** Nothing where all are wanted: then the column need not be read. */
function someOf<Name extends string>(column: string, numbers: Readonly<Record<Name, number>>, wanted: readonly Name[]) {
  if (new Set(wanted).size === Object.keys(numbers).length) return []
  return [
    oneOf(
      column,
      wanted.map((name) => numbers[name]),
    ),
  ]
}

function oneOf(column: string, numbers: readonly number[]): string {
  if (numbers.length === 0) return 'false'
  return numbers.length === 1 ? `${column} = ${numbers[0]}` : `${column} IN (${numbers.join(', ')})`
}

/** Whole milliseconds, rounded up: no click lies between two of them. Endless windows end where the column does. */
function moment(milliseconds: number): bigint {
  const limit = Number.MAX_SAFE_INTEGER
  return BigInt(Math.ceil(Math.min(Math.max(milliseconds, -limit), limit)))
}

interface Time {
  /** Of a click, small enough to group many clicks by. */
  readonly key: string
  /** What tells the bucket, once clicks are grouped by `bucket`, which is the key. */
  readonly start: string
  readonly startOf: (start: number) => number
}

/** The bucket of a click, as core/values/zone-buckets.ts puts it. */
function timeOf(query: MetricsQuery, { earliest }: LogFacts): Time | undefined {
  const rule = ruleOf(query)
  if (!rule) return undefined
  const { unit } = rule
  const pieces = piecesWithin(rule, Math.max(query.from ?? earliest, earliest), query.to)
  // By days first: only they need ask the calendar which month they are in.
  const step = unit === 'month' ? length.day : length[unit]
  const origin = unit === 'week' ? firstMonday : 0
  // Division rounds towards 0, so moments before 1970 are lifted above it; a second division would cost half as much again.
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
  // How many steps since the lifted beginning: what that means is worked out for the few rows of the answer.
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

/** What holds in the piece a click lies in: looks into the right half, and there into the right half. */
function choose(pieces: readonly Piece[], term: (piece: Piece) => string): string {
  const [piece] = pieces
  if (!piece) throw new Error('a window without an offset')
  if (pieces.length === 1) return term(piece)
  const later = pieces.slice(pieces.length >> 1)
  const sooner = choose(pieces.slice(0, pieces.length >> 1), term)
  return `CASE WHEN clicked_at < ${later[0]?.from} THEN ${sooner} ELSE ${choose(later, term)} END`
}

/** Which column of a click tells a dimension, and how it reads once its dictionary is joined. */
const said: Readonly<Record<Name, { readonly column: string; readonly value: string }>> = {
  kind: { column: 'kind', value: nameOf('kind', kindNumber) },
  trafficClass: { column: 'nature', value: nameOf('nature', trafficClassNumber) },
  address: { column: 'address', value: 'addresses.value' },
  destination: { column: 'destination', value: 'destinations.value' },
  country: { column: 'place', value: 'places.country' },
  region: { column: 'place', value: 'places.region' },
  subregion: { column: 'place', value: 'places.subregion' },
  city: { column: 'place', value: 'places.city' },
  cityKnown: { column: 'place', value: "CASE places.city WHEN '' THEN 'no' ELSE 'yes' END" },
  device: { column: 'agent', value: 'agents.device' },
  os: { column: 'agent', value: 'agents.os' },
  browser: { column: 'agent', value: 'agents.browser' },
  referrer: { column: 'referrer', value: 'referrers.value' },
  referrerDomain: { column: 'referrer', value: 'referrers.domain' },
  referrerName: { column: 'referrer', value: 'referrers.name' },
  referrerNetwork: { column: 'referrer', value: 'referrers.network' },
}

const dictionaryOf: Readonly<Record<string, string>> = {
  address: 'addresses',
  destination: 'destinations',
  place: 'places',
  agent: 'agents',
  referrer: 'referrers',
}

function nameOf(column: string, numbers: Readonly<Record<string, number>>): string {
  const names = Object.entries(numbers).map(([name, number]) => `WHEN ${number} THEN '${name}'`)
  return `CASE keyed.${column} ${names.join(' ')} END`
}
