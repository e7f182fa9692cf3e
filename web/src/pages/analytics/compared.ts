/** Several things over the same time, as the comparing chart takes them. */
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { NamedSeries } from '../../charts/CompareChart.js'
import type { TimeLabel } from '../../charts/TimeChart.js'
import { annotationsQuery } from './annotations.js'
import { isUnfinished, notesAt, periodOf } from './period.js'
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
  /** Of the group, one list per label. */
  readonly notes: readonly (readonly string[])[]
  readonly series: readonly NamedSeries[]
  readonly isPending: boolean
  readonly error: unknown
}

export function useCompared(
  group: string,
  compared: readonly Compared[],
  search: AnalyticsSearch,
  zone: string,
): Comparison {
  const found = useQueries({
    queries: compared.map(({ subject, filters, back }) =>
      seriesQuery({ ...subject, zone }, { ...search, ...filters, compare: 'off' }, back),
    ),
  })
  const { interval, end } = periodOf(search, zone)
  const { data: annotations = [] } = useQuery(annotationsQuery(group))
  // The labels are those of the latest period. An earlier one may have an hour more or less, where the clock changes.
  const [{ data: labelled = [] } = {}] = found
    .map(({ data = [] }, place) => ({ data, back: compared[place]?.back ?? 0 }))
    .filter(({ data }) => data.length > 0)
    .sort((one, other) => one.back - other.back || other.data.length - one.data.length)
  return {
    notes: notesAt(labelled, end, annotations),
    labels: labelled.map(({ start, end }) => ({
      label: bucketLabel(start, end, interval, zone),
      tick: tickLabel(start, interval, labelled.length <= 25, zone),
    })),
    series: compared.map(({ key, name, back }, place) => {
      const buckets = found[place]?.data
      // Periods begin together. Of all of history, each begins with its own first click, and all end together.
      const first = buckets && back === undefined ? buckets.length - labelled.length : 0
      const values = buckets && labelled.map((_, index) => buckets[first + index]?.count ?? 0)
      return { key, name, values, isLastOpen: isUnfinished(end) && !back && labelled.length > 1 }
    }),
    isPending: found.some(({ isPending }) => isPending),
    error: found.find(({ isError }) => isError)?.error,
  }
}

/** Asks again for all of the page that failed. */
export function useRetry(): () => void {
  const client = useQueryClient()
  return () => void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
}
