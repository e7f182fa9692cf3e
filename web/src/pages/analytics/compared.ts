/** Several things over the same time, as the comparing chart takes them. */
import { useQueries } from '@tanstack/react-query'
import type { NamedSeries } from '../../charts/CompareChart.js'
import type { TimeLabel } from '../../charts/TimeChart.js'
import { periodOf } from './period.js'
import { seriesQuery } from './queries.js'
import type { Subject } from './reports.js'
import type { AnalyticsSearch } from './search.js'
import { bucketLabel, tickLabel } from './span-label.js'

export interface Compared {
  readonly key: string
  readonly name: string
  readonly subject: Subject
  /** Filters of this one. */
  readonly filters?: AnalyticsSearch
  /** How many periods earlier. */
  readonly back?: number
}

interface Comparison {
  readonly labels: readonly TimeLabel[]
  readonly series: readonly NamedSeries[]
  readonly isPending: boolean
  readonly error: unknown
}

export function useCompared(compared: readonly Compared[], search: AnalyticsSearch, zone: string): Comparison {
  const found = useQueries({
    queries: compared.map(({ subject, filters, back }) =>
      seriesQuery({ ...subject, zone }, { ...search, ...filters, compare: 'off' }, back),
    ),
  })
  const { interval, end } = periodOf(search, zone)
  const isOpen = end.getTime() > Date.now() - 60_000
  // All end at the same time. Of all of history, each begins with its own first click.
  const all = found.map(({ data = [] }) => data)
  const longest = all.reduce((one, other) => (other.length > one.length ? other : one), [])
  return {
    labels: longest.map(({ start, end }) => ({
      label: bucketLabel(start, end, interval, zone),
      tick: tickLabel(start, interval, longest.length <= 25, zone),
    })),
    series: compared.map(({ key, name, back }, place) => {
      const buckets = all[place] ?? []
      const before = Array.from({ length: longest.length - buckets.length }, () => 0)
      const values = [...before, ...buckets.map(({ count }) => count)]
      return { key, name, values, isLastOpen: isOpen && !back && values.length > 1 }
    }),
    isPending: found.some(({ isPending }) => isPending),
    error: found.find(({ isError }) => isError)?.error,
  }
}
