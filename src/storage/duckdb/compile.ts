/** A metrics query as SQL with bound parameters. The one place where this engine's dialect meets the query. */
import type { Counted, Dimension, MetricsQuery, MetricsScope, Unit } from '../../core/metrics/query.js'
import {
  type BucketRule,
  bucketRule,
  firstMonday,
  length,
  type Piece,
  piecesWithin,
} from '../../core/metrics/zone-buckets.js'
import { kindNumber, natureNumber } from './schema.js'

export interface Compiled {
  readonly sql: string
  readonly parameters: (bigint | number | string)[]
}

export interface CompiledCount extends Compiled {
  /** The moment a bucket begins, from the first column of a row. */
  readonly startOf: (key: number) => number
}

/** Columns: key of the bucket, one value per other dimension in the order asked for, count. */
export function compileCount(query: MetricsQuery): CompiledCount {
  const { where, parameters } = conditions(query)
  const rule = ruleOf(query)
  const key = rule ? bucketKey(rule.unit, piecesWithin(rule, query.from ?? Number.NEGATIVE_INFINITY, query.to)) : '0'
  const startOf = rule ? rule.startOf : () => 0
  const visitors = query.measure === 'visitors'
  const split = query.by.filter((dimension) => dimension !== 'time')
  if (query.by.length === 0) {
    const count = visitors ? 'count(DISTINCT visitor)' : 'count(*)'
    return { sql: `SELECT 0, ${count} FROM clicks WHERE ${where}`, parameters, startOf }
  }
  // First by the small keys, then by what they say: the dictionaries are joined to the few rows of the answer.
  const columns = new Set(split.map((dimension) => said[dimension].column))
  const keyed = [`${key} AS bucket`, ...columns, visitors ? 'visitor' : 'count(*) AS n'].join(', ')
  const joins = [...columns].flatMap((column) => {
    const table = dictionaryOf[column]
    return table ? [`JOIN ${table} ON ${table}.id = keyed.${column}`] : []
  })
  const values = split.map((dimension, index) => `${said[dimension].value} AS v${index}`)
  const count = visitors ? 'count(DISTINCT visitor)' : 'sum(n)::BIGINT'
  const order = ['total DESC', 'bucket', ...split.map((_, index) => `v${index}`)].join(', ')
  return {
    sql: `SELECT ${['bucket', ...values, `${count} AS total`].join(', ')}
      FROM (SELECT ${keyed} FROM clicks WHERE ${where} GROUP BY ALL) keyed ${joins.join(' ')}
      GROUP BY ALL ORDER BY ${order} ${query.size === undefined ? '' : `LIMIT ${Math.max(0, Math.trunc(query.size))}`}`,
    parameters,
    startOf,
  }
}

export function compileFirstAt(query: Counted): Compiled {
  const { where, parameters } = conditions(query)
  return { sql: `SELECT min(clicked_at) FROM clicks WHERE ${where}`, parameters }
}

function ruleOf({ by, bucket }: MetricsQuery): BucketRule | undefined {
  if (!by.includes('time')) return undefined
  if (!bucket) throw new Error('a query that is split by time must say into which buckets')
  return bucketRule(bucket)
}

function conditions(query: Counted & Partial<MetricsQuery>) {
  const parameters: Compiled['parameters'] = []
  const bind = (value: bigint | number | string) => `$${parameters.push(value)}`
  const oneOf = (column: string, numbers: readonly number[]) =>
    numbers.length === 0 ? 'false' : `${column} IN (${numbers.map(bind).join(', ')})`
  const where = [
    scopeCondition(query.scope, bind),
    oneOf(
      'kind',
      query.kinds.map((kind) => kindNumber[kind]),
    ),
    oneOf(
      'nature',
      query.natures.map((nature) => natureNumber[nature]),
    ),
  ]
  if (query.from !== undefined) where.push(`clicked_at >= ${bind(moment(query.from))}::BIGINT`)
  if (query.to !== undefined) where.push(`clicked_at < ${bind(moment(query.to))}::BIGINT`)
  return { where: where.join(' AND '), parameters }
}

/** An unknown address has no key, and nothing is in an empty list: it counts 0. */
function scopeCondition(scope: MetricsScope, bind: (value: string) => string): string {
  if ('groupGuid' in scope) return `group_key IN (SELECT id FROM groups WHERE value = ${bind(scope.groupGuid)})`
  if (scope.addresses.length === 0) return 'false'
  return `address IN (SELECT id FROM addresses WHERE value IN (${scope.addresses.map(bind).join(', ')}))`
}

/** Whole milliseconds, rounded up: no click lies between two of them. Endless windows end where the column does. */
function moment(milliseconds: number): bigint {
  const limit = Number.MAX_SAFE_INTEGER
  return BigInt(Math.ceil(Math.min(Math.max(milliseconds, -limit), limit)))
}

/** The key of a click's bucket (core/metrics/zone-buckets.ts): the half of the pieces that holds it, and so on. */
function bucketKey(unit: Unit, pieces: readonly Piece[]): string {
  const [piece] = pieces
  if (!piece) throw new Error('a window without an offset')
  if (pieces.length > 1) {
    const later = pieces.slice(pieces.length >> 1)
    const sooner = bucketKey(unit, pieces.slice(0, pieces.length >> 1))
    return `CASE WHEN clicked_at < ${later[0]?.from} THEN ${sooner} ELSE ${bucketKey(unit, later)} END`
  }
  const key = `${floorOf(unit, piece.offset)} + ${piece.shift}`
  return piece.least === undefined ? key : `greatest(${key}, ${piece.least})`
}

/** Integers all through, but for months, whose lengths the calendar knows. `%` keeps the sign of its left side. */
function floorOf(unit: Unit, offset: number): string {
  const local = `(clicked_at + ${offset})`
  if (unit === 'month') return `epoch_ms(date_trunc('month', epoch_ms(${local})))`
  const origin = unit === 'week' ? firstMonday : 0
  const rest = `(${local} - ${origin}) % ${length[unit]}`
  return `${local} - (${rest} + ${length[unit]}) % ${length[unit]}`
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
  referrer: { column: 'referrer', value: 'keyed.referrer' },
  referrerDomain: { column: 'site', value: 'sites.domain' },
  referrerName: { column: 'site', value: 'sites.name' },
  referrerNetwork: { column: 'site', value: 'sites.network' },
}

const dictionaryOf: Readonly<Record<string, string>> = {
  address: 'addresses',
  destination: 'destinations',
  place: 'places',
  agent: 'agents',
  site: 'sites',
}

function nameOf(column: string, numbers: Readonly<Record<string, number>>): string {
  const names = Object.entries(numbers).map(([name, number]) => `WHEN ${number} THEN '${name}'`)
  return `CASE keyed.${column} ${names.join(' ')} END`
}
