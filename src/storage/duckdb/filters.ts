/**
 * Compiles the filters of a metrics query to conditions on the key columns of clicks. Texts are bind parameters; they
 * are compared with the dictionary, not with every click.
 */
import { dimensions } from '../../core/clicks/dimensions.js'
import type { DimensionFilter } from '../../core/clicks/metrics-query.js'
import { digestOf } from './dictionary.js'
import { stored } from './dimensions.js'

/** Appends the texts to `parameters`; the conditions refer to them by number. */
export function filterConditions(
  filters: readonly DimensionFilter[] | undefined,
  parameters: string[],
): readonly string[] {
  return (filters ?? []).map((filter) => {
    const isOne = condition(filter, parameters)
    return filter.operator === 'is' ? isOne : `NOT ${isOne}`
  })
}

function condition({ by, values, groupGuids }: DimensionFilter, parameters: string[]): string {
  const { column, table, text, codes } = stored[by]
  if (codes) return numbered(column, codes, values)
  if (values.length === 0) return '(false)'
  if (groupGuids) {
    const pairs = `$${parameters.push(JSON.stringify(values.map((value, at) => [groupGuids[at], value])))}`
    return `((group_key, ${column}) IN (SELECT (groups.id, ${table}.id)
      FROM (SELECT unnest(from_json(${pairs}, '[["VARCHAR"]]')) AS pair)
      JOIN groups ON groups.value = pair[1] JOIN ${table} ON ${table}.${text} = pair[2]))`
  }
  if (values.length > manyValues) {
    const list = `$${parameters.push(JSON.stringify(values))}`
    return `(${column} IN (SELECT id FROM ${table} WHERE ${text} IN (SELECT unnest(from_json(${list}, '["VARCHAR"]')))))`
  }
  const texts = values.map((value) => `$${parameters.push(value)}`).join(', ')
  // Tables of single texts may have millions of entries, which are found faster by their digests.
  const digests = dimensions[by].part === 'click' ? `digest IN (${values.map(digestOf).join(', ')}) AND ` : ''
  return `(${column} IN (SELECT id FROM ${table} WHERE ${digests}${text} IN (${texts})))`
}

// One parameter each takes DuckDB longer to plan than to read the whole dictionary.
const manyValues = 1_000

function numbered(column: string, codes: readonly string[], values: readonly string[]): string {
  const known = values.map((value) => codes.indexOf(value)).filter((number) => number >= 0)
  return known.length === 0 ? '(false)' : `(${column} IN (${known.join(', ')}))`
}
