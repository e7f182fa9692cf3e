/** Filters are kept as the API takes them; here they are read, written and changed. */
import { countryName } from '../../parts/format.js'
import { texts } from '../../texts/texts.js'
import { type FilterName, filterNames } from './dimensions.js'
import type { AnalyticsSearch, Filters } from './search.js'

export interface Filter {
  readonly isNot: boolean
  readonly values: readonly string[]
}

export function readFilter(written: string | undefined): Filter | undefined {
  if (written === undefined) return undefined
  const isNot = written.startsWith('is_not:')
  const values = ['']
  // A backslash makes a comma part of the value.
  for (const [part] of written.slice(isNot ? 7 : 3).matchAll(/\\[\\,]|./gs)) {
    if (part === ',') values.push('')
    else values.push(`${values.pop()}${part.length > 1 ? part.slice(1) : part}`)
  }
  return { isNot, values }
}

export function writeFilter({ isNot, values }: Filter): string | undefined {
  if (values.length === 0) return undefined
  return `${isNot ? 'is_not' : 'is'}:${values.map((value) => value.replace(/[\\,]/g, '\\$&')).join(',')}`
}

/** Adds the value to the filter, or takes it away. */
export function toggleValue(search: AnalyticsSearch, name: FilterName, value: string): AnalyticsSearch {
  const filter = readFilter(search[name]) ?? { isNot: false, values: [] }
  const values = filter.values.includes(value)
    ? filter.values.filter((each) => each !== value)
    : [...filter.values, value]
  return withValues(search, name, values)
}

/** `is` or `is not` stays. */
function withValues(search: AnalyticsSearch, name: FilterName, values: readonly string[]): AnalyticsSearch {
  const isNot = readFilter(search[name])?.isNot ?? false
  return { ...search, [name]: writeFilter({ isNot, values }) }
}

export function flipFilter(search: AnalyticsSearch, name: FilterName): AnalyticsSearch {
  const filter = readFilter(search[name])
  return filter ? { ...search, [name]: writeFilter({ ...filter, isNot: !filter.isNot }) } : search
}

export function filtersIn(search: AnalyticsSearch): Filters {
  return Object.fromEntries(filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])))
}

export function withoutFilters(search: AnalyticsSearch): AnalyticsSearch {
  const { from: _, to: __, ...rest } = search
  return { ...rest, ...Object.fromEntries(filterNames.map((name) => [name, undefined])) }
}

/** How a value is shown. */
export function valueLabel(name: FilterName, value: string): string {
  if (value === '') return texts.analytics.unknown
  if (name === 'country') return countryName(value)
  if (value === 'direct' && name.startsWith('referr')) return texts.analytics.direct
  return name === 'destination' ? value.replace(/^https?:\/\/(www\.)?/, '') : value
}
