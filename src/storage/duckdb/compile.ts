/** A metrics query as SQL with bound parameters. The one place where this engine's dialect meets the query. */
import type { MetricsQuery, MetricsScope, Unit } from '../../core/metrics/query.js'
import { kindNumber, natureNumber } from './schema.js'

export interface Compiled {
  readonly sql: string
  readonly parameters: (bigint | number | string)[]
}

export function compileCount(query: MetricsQuery): Compiled {
  const { split } = query
  const { where, parameters } = conditions(query)
  if (split.by === 'nothing') return { sql: `SELECT 0, count(*) FROM clicks WHERE ${where}`, parameters }
  const start = bucketStart(split.unit, Math.trunc(split.offsetMinutes) * minute)
  return {
    sql: `SELECT ${start} AS start, count(*) FROM clicks WHERE ${where} GROUP BY start ORDER BY start`,
    parameters,
  }
}

export function compileFirstAt(query: Pick<MetricsQuery, 'scope' | 'kinds' | 'natures'>): Compiled {
  const { where, parameters } = conditions(query)
  return { sql: `SELECT min(clicked_at) FROM clicks WHERE ${where}`, parameters }
}

function conditions(query: Pick<MetricsQuery, 'scope' | 'kinds' | 'natures'> & Partial<MetricsQuery>) {
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
  if ('address' in scope) return `address IN (SELECT id FROM addresses WHERE value = ${bind(scope.address)})`
  return `group_key IN (SELECT id FROM groups WHERE value = ${bind(scope.groupGuid)})`
}

/** Whole milliseconds, rounded up: no click lies between two of them. Endless windows end where the column does. */
function moment(milliseconds: number): bigint {
  const limit = Number.MAX_SAFE_INTEGER
  return BigInt(Math.ceil(Math.min(Math.max(milliseconds, -limit), limit)))
}

const minute = 60_000
const day = 1440 * minute

/**
 * The bucket a click falls into: shifted into the asked offset, rounded down, shifted back. Integers all through, but
 * for months, whose lengths the calendar knows. `%` keeps the sign of its left side, hence the two of them.
 */
function bucketStart(unit: Unit, offset: number): string {
  const local = `(clicked_at + ${offset})`
  if (unit === 'month') return `epoch_ms(date_trunc('month', epoch_ms(${local}))) - ${offset}`
  const { length, origin } = grid[unit]
  return `clicked_at - (((${local} - ${origin}) % ${length}) + ${length}) % ${length}`
}

/** 1970-01-01 was a Thursday; the first Monday came four days later. */
const grid: Readonly<Record<Exclude<Unit, 'month'>, { readonly length: number; readonly origin: number }>> = {
  minute: { length: minute, origin: 0 },
  hour: { length: 60 * minute, origin: 0 },
  day: { length: day, origin: 0 },
  week: { length: 7 * day, origin: 4 * day },
}
