/** What the numbers of a page show, as it is in the URL. Part of the first load: only reads, and knows no window. */
import { list, oneOf, text } from '../../parts/search-params.js'
import { type FilterName, filterNames } from './dimensions.js'

export const ranges = [
  'today',
  'yesterday',
  '24h',
  '7d',
  '28d',
  '91d',
  'month',
  'last_month',
  'year',
  '12m',
  'all',
] as const
export type Range = (typeof ranges)[number]
const intervals = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof intervals)[number]
/** Clicks and scans are the parts of engagements; visitors have the same base. */
export const measures = ['engagements', 'clicks', 'scans', 'visitors'] as const
export type Measure = (typeof measures)[number]
export const traffics = ['human', 'bots', 'agents', 'all'] as const
type Traffic = (typeof traffics)[number]

/** As the API takes them, such as `is:DE,FR`. */
export type Filters = { readonly [Name in FilterName]?: string | undefined }

export interface AnalyticsSearch extends Filters {
  readonly range?: Range | undefined
  /** A day, or an hour of one, as `2026-03-18` or `2026-03-18T14`; with `to`, instead of the range. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly interval?: Interval | undefined
  readonly compare?: 'off' | undefined
  /** Single clicks instead of charts. */
  readonly view?: 'events' | undefined
  /** The person's zone, where the group has another. */
  readonly zone?: 'own' | undefined
  readonly measure?: Measure | undefined
  readonly traffic?: Traffic | undefined
  /** The chosen tabs of the cards. */
  readonly places?: string | undefined
  readonly sources?: string | undefined
  readonly devices?: string | undefined
  readonly targets?: string | undefined
}

export function readAnalyticsSearch(raw: Record<string, unknown>): AnalyticsSearch {
  const [from, to] = [moment(raw.from), moment(raw.to)]
  const isSpan = from !== undefined && to !== undefined && from <= to && from.length === to.length
  return {
    ...Object.fromEntries(filterNames.map((name) => [name, filter(raw[name])])),
    range: oneOf(ranges, raw.range),
    from: isSpan ? from : undefined,
    to: isSpan ? to : undefined,
    interval: oneOf(intervals, raw.interval),
    compare: oneOf(['off'] as const, raw.compare),
    view: oneOf(['events'] as const, raw.view),
    zone: oneOf(['own'] as const, raw.zone),
    measure: oneOf(measures, raw.measure),
    traffic: oneOf(traffics, raw.traffic),
    places: text(raw.places),
    sources: text(raw.sources),
    devices: text(raw.devices),
    targets: text(raw.targets),
  }
}

const comparedKinds = ['links', 'tags', 'campaigns', 'channels', 'periods'] as const
export type ComparedKind = (typeof comparedKinds)[number]

export interface CompareSearch extends AnalyticsSearch {
  /** Links by default. */
  readonly kind?: ComparedKind | undefined
  /** Ids of links, guids, names of tags, or how many periods back. */
  readonly ids?: readonly string[] | undefined
}

/** Channels are those of one campaign, so they are no filter here. */
export function readCompareSearch(raw: Record<string, unknown>): CompareSearch {
  const search = { ...readAnalyticsSearch(raw), channel: undefined, compare: undefined, view: undefined }
  return { ...search, kind: oneOf(comparedKinds, raw.kind), ids: list(raw.ids) }
}

function moment(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d(T\d\d)?$/.test(value) ? value : undefined
}

function filter(value: unknown): string | undefined {
  return typeof value === 'string' && /^is(_not)?:/.test(value) ? value : undefined
}
