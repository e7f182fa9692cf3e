/** The numbers of a link or of a whole group, in one shape for the same cards. */
import { queryOptions } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { BarRow } from '../../charts/BarList.js'
import { type Window, windowBefore, windowOf } from '../../charts/range.js'
import { asDate, countryName } from '../../parts/format.js'
import { texts } from '../../texts/texts.js'
import { type NumbersSearch, standardRange } from './search.js'

/** A link of the group, or all of them. */
export interface Subject {
  readonly group: string
  readonly link?: { readonly domain: string; readonly hash: string }
}

export const facets = ['countries', 'cities', 'referrers', 'devices'] as const
export type Facet = (typeof facets)[number]

export interface Series {
  readonly unit: Window['unit']
  /** Oldest first. */
  readonly buckets: readonly { readonly start: Date; readonly count: number; readonly before?: number | undefined }[]
  readonly total: number
  readonly totalBefore: number | undefined
}

export function seriesQuery(subject: Subject, search: NumbersSearch) {
  return queryOptions({
    queryKey: [...keyOf(subject), 'series', search],
    queryFn: async (): Promise<Series> => {
      const range = search.range ?? standardRange
      const window = windowOf(range)
      const earlier = windowBefore(range)
      const [now, before] = await Promise.all([
        series(subject, { ...window, ...countedIn(search) }),
        earlier && series(subject, { ...earlier, ...countedIn(search) }),
      ])
      const buckets = now.map((bucket, index) => ({ ...bucket, before: before?.[index]?.count }))
      return { unit: window.unit, buckets, total: sum(now), totalBefore: before && sum(before) }
    },
  })
}

export function facetQuery(subject: Subject, facet: Facet, search: NumbersSearch) {
  return queryOptions({
    queryKey: [...keyOf(subject), facet, search],
    queryFn: () =>
      rowsOf(subject, facet, { ...windowOf(search.range ?? standardRange), ...countedIn(search), size: 100 }),
  })
}

function keyOf({ group, link }: Subject): readonly string[] {
  return link ? ['groups', group, 'numbers', link.domain, link.hash] : ['groups', group, 'numbers']
}

function countedIn({ traffic, measure }: NumbersSearch) {
  return { ...(traffic && { traffic }), ...(measure && { measure }) }
}

interface Query extends Window {
  readonly unit_reference?: string
}

async function series({ group, link }: Subject, query: Query) {
  if (link) {
    const { link_clicks } = await ask(
      api.GET('/v4/shortlinks/{domain}/{hash}/clicks', { params: { path: link, query } }),
    )
    return link_clicks.map(({ date, clicks }) => ({ start: asDate(date), count: clicks })).reverse()
  }
  const { data } = await ask(
    api.GET('/v4/groups/{group_guid}/clicks', { params: { path: { group_guid: group }, query } }),
  )
  return data.map(({ ts, count }) => ({ start: asDate(ts), count })).reverse()
}

async function rowsOf({ group, link }: Subject, facet: Facet, query: Query & { readonly size: number }) {
  const answer = link
    ? await ask(api.GET(`/v4/shortlinks/{domain}/{hash}/${facet}`, { params: { path: link, query } }))
    : await ask(api.GET(`/v4/groups/{group_guid}/${facet}`, { params: { path: { group_guid: group }, query } }))
  return answer.metrics.map(rowOf)
}

type Metric =
  | { readonly value: string; readonly clicks: number }
  | { readonly city: string; readonly region: string; readonly country: string; readonly clicks: number }
  | { readonly device_type: string; readonly clicks: number }

function rowOf(metric: Metric): BarRow {
  const { clicks } = metric
  if ('city' in metric) {
    const { city, region, country } = metric
    const label = [city, region, country].filter(Boolean).join(', ') || texts.numbers.unknown
    return { key: `${country}/${region}/${city}`, label, value: clicks }
  }
  if ('device_type' in metric) return { key: metric.device_type, label: metric.device_type, value: clicks }
  const { value } = metric
  return { key: value, label: labelOf(value), value: clicks }
}

function labelOf(value: string): string {
  if (value === '') return texts.numbers.unknown
  if (value === 'direct') return texts.numbers.direct
  return /^[A-Z]{2}$/.test(value) ? countryName(value) : value
}

function sum(buckets: readonly { readonly count: number }[]): number {
  return buckets.reduce((total, { count }) => total + count, 0)
}
