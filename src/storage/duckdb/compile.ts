/**
 * A metrics query as SQL: the one place where this engine's dialect meets the query. There is nothing to bind: all that
 * comes from callers has become a number before, and with numbers in sight the engine leaves out what they exclude.
 */
import type { Counted, Dimension, MetricsQuery, Unit } from '../../core/metrics/query.js'
import {
  type BucketRule,
  bucketRule,
  firstMonday,
  length,
  type Piece,
  piecesWithin,
} from '../../core/metrics/zone-buckets.js'
import type { AddressKey } from './dictionary.js'
import { kindNumber, natureNumber } from './schema.js'

/** A query's scope as the dictionaries know it; what they do not know has no clicks. */
export type ScopeKeys = { readonly addresses: readonly AddressKey[] } | { readonly group: number | undefined }

export interface Compiled {
  readonly sql: string
  /** The moment a bucket begins, from the first column of a row. */
  readonly startOf: (key: number) => number
}

/**
 * Columns: key of the bucket, one value per other dimension in the order asked for, count. `earliest`: no click is older;
 * without it, a window with no beginning would compile all changes of a zone's offset since 1970, for 40 ms.
 */
export function compileCount(query: MetricsQuery, scope: ScopeKeys, earliest: number): Compiled {
  const where = conditions(query, scope)
  const rule = ruleOf(query)
  const key = rule
    ? bucketKey(rule.unit, piecesWithin(rule, Math.max(query.from ?? earliest, earliest), query.to))
    : '0'
  const startOf = rule ? rule.startOf : () => 0
  const visitors = query.measure === 'visitors'
  const split = query.by.filter((dimension) => dimension !== 'time')
  if (query.by.length === 0) {
    const count = visitors ? 'count(DISTINCT visitor)' : 'coalesce(sum(n), 0)::BIGINT'
    return { sql: `SELECT 0, ${count} FROM clicks WHERE ${where}`, startOf }
  }
  // First by the small keys, then by what they say: the dictionaries are joined to the few rows of the answer.
  const columns = new Set(split.map((dimension) => said[dimension].column))
  const keyed = [`${key} AS bucket`, ...columns, visitors ? 'visitor' : 'sum(n) AS n'].join(', ')
  const grouped = ['bucket', ...columns, ...(visitors ? ['visitor'] : [])].join(', ')
  const joins = [...columns].flatMap((column) => {
    const table = dictionaryOf[column]
    return table ? [`JOIN ${table} ON ${table}.id = keyed.${column}`] : []
  })
  const values = split.map((dimension, index) => `${said[dimension].value} AS v${index}`)
  const count = visitors ? 'count(DISTINCT visitor)' : 'sum(n)::BIGINT'
  const order = ['total DESC', 'bucket', ...split.map((_, index) => `v${index}`)].join(', ')
  return {
    sql: `SELECT ${['bucket', ...values, `${count} AS total`].join(', ')}
      FROM (SELECT ${keyed} FROM clicks WHERE ${where} GROUP BY ${grouped} ${biggest(query)}) keyed ${joins.join(' ')}
      GROUP BY ALL ORDER BY ${order} ${query.size === undefined ? '' : `LIMIT ${wholeSize(query.size)}`}`,
    startOf,
  }
}

/**
 * Where one key is one value, only the biggest are looked up in the dictionary, which may be long; among equals all of
 * them, because their values decide.
 */
function biggest({ by, scope, size, measure }: MetricsQuery): string {
  const isPlain = (dimension: Dimension) =>
    ['time', 'kind', 'nature', 'destination'].includes(dimension) || (dimension === 'address' && 'groupGuid' in scope)
  if (size === undefined || measure === 'visitors' || !by.every(isPlain)) return ''
  return `QUALIFY rank() OVER (ORDER BY sum(n) DESC) <= ${wholeSize(size)}`
}

function wholeSize(size: number): number {
  return Math.max(0, Math.trunc(size))
}

export function compileFirstAt(query: Counted, scope: ScopeKeys): string {
  return `SELECT min(clicked_at) FROM clicks WHERE ${conditions(query, scope)}`
}

function ruleOf({ by, bucket }: MetricsQuery): BucketRule | undefined {
  if (!by.includes('time')) return undefined
  if (!bucket) throw new Error('a query that is split by time must say into which buckets')
  return bucketRule(bucket)
}

function conditions(query: Counted & Partial<MetricsQuery>, scope: ScopeKeys): string {
  const where = [
    ...scopeConditions(scope),
    ...someOf('kind', kindNumber, query.kinds),
    ...someOf('nature', natureNumber, query.natures),
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

/** The key of a click's bucket, as core/metrics/zone-buckets.ts puts it. */
function bucketKey(unit: Unit, pieces: readonly Piece[]): string {
  // Calendars: one division for all, after the offset was chosen.
  if (pieces.every(({ shift, least }) => shift === 0 && least === undefined)) {
    return floorOf(unit, `clicked_at + ${choose(pieces, ({ offset }) => String(offset))}`)
  }
  return choose(pieces, ({ offset, shift, least }) => {
    const key = `${floorOf(unit, `clicked_at + ${offset}`)} + ${shift}`
    return least === undefined ? key : `greatest(${key}, ${least})`
  })
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

/**
 * Integers all through, but for months, whose lengths the calendar knows. Division rounds towards 0, so moments before
 * 1970 are lifted above it first; a second division instead would cost half as much again.
 */
function floorOf(unit: Unit, local: string): string {
  if (unit === 'month') return `epoch_ms(date_trunc('month', epoch_ms(${local})))`
  const origin = unit === 'week' ? firstMonday : 0
  const lift = Math.ceil(4e15 / length[unit]) * length[unit] - origin
  return `(${local} + ${lift}) // ${length[unit]} * ${length[unit]} - ${lift}`
}

/** Which column of a click tells a dimension, and how it reads once its dictionary is joined. */
const said: Readonly<Record<Exclude<Dimension, 'time'>, { readonly column: string; readonly value: string }>> = {
  kind: { column: 'kind', value: nameOf('kind', kindNumber) },
  nature: { column: 'nature', value: nameOf('nature', natureNumber) },
  address: { column: 'address', value: 'addresses.value' },
  destination: { column: 'destination', value: 'destinations.value' },
  country: { column: 'place', value: 'places.country' },
  region: { column: 'place', value: 'places.region' },
  subregion: { column: 'place', value: 'places.subregion' },
  city: { column: 'place', value: 'places.city' },
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
