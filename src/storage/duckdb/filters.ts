/**
 * Compiles the filters of a metrics query to conditions on the key columns of clicks. Texts are bind parameters; they
 * are compared with the dictionary, not with every click.
 */
import type { DimensionFilter } from '../../core/clicks/metrics-query.js'
import { digestOf } from './dictionary.js'
import { dictionaryOf, expressions } from './dimensions.js'
import { kindNumber, trafficClassNumber } from './schema.js'

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

function condition({ by, values }: DimensionFilter, parameters: string[]): string {
  if (values.length === 0) return '(false)'
  if (by === 'kind') return numbered('kind', kindNumber, values)
  if (by === 'trafficClass') return numbered('nature', trafficClassNumber, values)
  const { column, value } = expressions[by]
  const texts = values.map((text) => `$${parameters.push(text)}`).join(', ')
  // These two may have millions of entries, which are found faster by their digests.
  const digests = by === 'address' || by === 'destination' ? `digest IN (${values.map(digestOf).join(', ')}) AND ` : ''
  return `(${column} IN (SELECT id FROM ${dictionaryOf[column]} WHERE ${digests}${value} IN (${texts})))`
}

function numbered(column: string, numbers: Readonly<Record<string, number>>, values: readonly string[]): string {
  const known = values.flatMap((value) => (Object.hasOwn(numbers, value) ? [numbers[value]] : []))
  return known.length === 0 ? '(false)' : `(${column} IN (${known.join(', ')}))`
}
