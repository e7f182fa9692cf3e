/** The analytics of a link, a group, a campaign or a QR code: the same three reports of the API for each. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Dimension } from './dimensions.js'
import { filtersIn } from './filters.js'
import { gather, periodOf, shift } from './period.js'
import { type CsvName, csv, exportLatest, hoursOfWeek, latest, rows, type Subject, series, totals } from './reports.js'
import type { AnalyticsSearch, Measure } from './search.js'
import { ownZone } from './zone.js'

/** What is counted in a tab. */
const counted = {
  engagements: {},
  clicks: { kind: 'click' },
  scans: { kind: 'scan' },
  visitors: { measure: 'visitors' },
} as const satisfies Readonly<Record<Measure, object>>

export function measureIn(subject: Subject, { measure }: AnalyticsSearch): Measure {
  return measure ?? (subject.code === undefined ? 'engagements' : 'scans')
}

/** Every measure of the period, or of one so many periods `back`; and of the one before. */
export function totalsQuery(subject: Subject, search: AnalyticsSearch, back = 0) {
  return queryOptions({
    queryKey: [...keyOf(subject), 'totals', back, narrowed(subject, search)],
    queryFn: async () => {
      const { window, before } = periodOf(search, zoneOf(subject), undefined, back)
      const [now, then] = await Promise.all([
        totals(subject, { ...window, ...filtered(search) }),
        search.compare === 'off' || !before ? undefined : totals(subject, { ...before, ...filtered(search) }),
      ])
      return { now, before: then }
    },
  })
}

export function seriesQuery(subject: Subject, search: AnalyticsSearch, back = 0) {
  const measure = measureIn(subject, search)
  const zone = zoneOf(subject)
  const { interval } = periodOf(search, zone)
  return queryOptions({
    queryKey: [...keyOf(subject), 'series', measure, interval, back, narrowed(subject, search)],
    queryFn: async () => {
      const { chart, chartBefore } = periodOf(search, zone, undefined, back)
      const shared = { ...counted[measure], ...filtered(search) }
      const [now, before] = await Promise.all([
        series(subject, { ...chart, ...shared }),
        search.compare === 'off' || !chartBefore ? undefined : series(subject, { ...chartBefore, ...shared }),
      ])
      // Days of an earlier period go to the weeks and months of this one.
      const days = chart.unit === 'day' ? back * chart.units : 0
      const placed = now.map(({ start, count }) => ({ start: shift(start, days, zone), count }))
      return gather(days === 0 ? now : placed, before, interval, zone)
    },
  })
}

export const allRows = 1000

export function rowsQuery(subject: Subject, dimension: Dimension, search: AnalyticsSearch, size: number) {
  const measure = measureIn(subject, search)
  return queryOptions({
    queryKey: [...keyOf(subject), dimension, measure, size, narrowed(subject, search)],
    queryFn: async () => {
      const query = { ...periodOf(search, zoneOf(subject)).window, ...counted[measure], ...filtered(search), size }
      return (await rows(subject, dimension, query)).metrics
    },
  })
}

export const shownClicks = 8

/** The last engagements of a month, one by one. */
export function latestQuery(subject: Subject, search: AnalyticsSearch) {
  return queryOptions({
    queryKey: [...keyOf(subject), 'latest', filtered(search)],
    queryFn: async () => {
      const query = { unit: 'day', units: 30, zone: ownZone, size: shownClicks, ...filtered(search) } as const
      return (await latest(subject, query)).engagements
    },
  })
}

export function hoursQuery(subject: Subject, search: AnalyticsSearch) {
  const measure = measureIn(subject, search)
  return queryOptions({
    queryKey: [...keyOf(subject), 'hours', measure, narrowed(subject, search)],
    queryFn: () => {
      const { window } = periodOf(search, zoneOf(subject))
      return hoursOfWeek(subject, { ...window, ...counted[measure], ...filtered(search) })
    },
  })
}

/** Single engagements of the period, a page after the other. */
export function eventsQuery(subject: Subject, search: AnalyticsSearch) {
  const measure = measureIn(subject, search)
  return infiniteQueryOptions({
    queryKey: [...keyOf(subject), 'events', measure, narrowed(subject, search)],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      latest(subject, {
        ...periodOf(search, zoneOf(subject)).window,
        ...kindOf(measure),
        ...filtered(search),
        size: 50,
        ...(pageParam && { search_after: pageParam }),
      }),
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
    // All pages would be read again, and rows would move under the reader.
    refetchOnWindowFocus: false,
  })
}

/** Single engagements have no visitors. */
function kindOf(measure: Measure) {
  return measure === 'visitors' ? {} : counted[measure]
}

/** Engagements of the last half hour. */
export function liveQuery(subject: Subject, search: AnalyticsSearch) {
  return queryOptions({
    queryKey: [...keyOf(subject), 'live', filtered(search)],
    queryFn: async () => {
      const found = await series(subject, { unit: 'minute', units: 30, zone: ownZone, ...filtered(search) })
      return found.reduce((sum, { count }) => sum + count, 0)
    },
    staleTime: 5_000,
  })
}

/** The queries of the figures and the chart, or those of the rows below them. */
export function queriesOf(subject: Subject, part: 'figures' | 'rows') {
  const queryKey = keyOf(subject)
  return {
    queryKey,
    predicate: (query: { readonly queryKey: readonly unknown[] }) => {
      const name = query.queryKey[queryKey.length]
      const isFigure = name === 'totals' || name === 'series'
      return part === 'figures' ? isFigure : !isFigure && name !== 'live'
    },
  }
}

/** Of the period, as a file. */
export function exportEvents(subject: Subject, search: AnalyticsSearch) {
  const { window } = periodOf(search, zoneOf(subject))
  return exportLatest(subject, { ...window, ...kindOf(measureIn(subject, search)), ...filtered(search) })
}

/** The rows of a card as a file. */
export function csvOf(subject: Subject, dimension: CsvName, search: AnalyticsSearch): Promise<Blob> {
  const { window, chart } = periodOf(search, zoneOf(subject))
  const measure = measureIn(subject, search)
  const shared = { ...counted[measure], ...filtered(search) }
  if (dimension === 'hours_of_week') return csv(subject, dimension, { ...window, ...shared })
  return dimension === 'over_time'
    ? csv(subject, 'over_time', { ...chart, ...shared })
    : csv(subject, dimension, { ...window, ...shared, size: allRows })
}

function keyOf({ group, link, campaign, code }: Subject): readonly string[] {
  const part = link ? [link.domain, link.hash] : campaign ? ['campaigns', campaign] : code ? ['qr-codes', code] : []
  return ['groups', group, 'analytics', ...part]
}

/** The part of the URL that decides what is counted. */
function narrowed(subject: Subject, search: AnalyticsSearch) {
  const { range, from, to, compare } = search
  return { range, from, to, compare, zone: zoneOf(subject), ...filtered(search) }
}

function zoneOf({ zone = ownZone }: Subject): string {
  return zone
}

function filtered(search: AnalyticsSearch) {
  return { ...filtersIn(search), ...(search.traffic && { traffic: search.traffic }) }
}
