import type { Bucketing } from '../values/zone-buckets.js'
import type { EngagementKind, TrafficClass } from './click.js'

/**
 * One value that every metric of every interface parses into and that each click log compiles: what is counted, over
 * which time, split how. No edge writes its own query.
 */
export interface MetricsQuery {
  readonly scope: MetricsScope
  readonly kinds: readonly EngagementKind[]
  readonly trafficClasses: readonly TrafficClass[]
  /** Inclusive; undefined: from the beginning. */
  readonly from: number | undefined
  /** Exclusive. */
  readonly to: number
  /** What rows are split by, each dimension once; empty: one row in any case. */
  readonly by: readonly Dimension[]
  /** Needed when `by` names the time. */
  readonly bucket: Bucketing | undefined
  /** Only so many of the biggest rows; undefined: all of them. */
  readonly size: number | undefined
  /** With a size: so many of the biggest rows are left out before it counts. */
  readonly skip?: number
  /** Visitors: how many different ones each row has, by their daily hash. */
  readonly measure: 'events' | 'visitors'
}

/** The addresses used, or everything a group's links and codes received. */
export type MetricsScope = { readonly addresses: readonly string[] } | { readonly groupGuid: string }

export type Dimension =
  | 'time'
  | 'kind'
  | 'trafficClass'
  | 'address'
  | 'destination'
  | 'country'
  | 'region'
  | 'subregion'
  | 'city'
  /** `yes` or `no`. */
  | 'cityKnown'
  | 'device'
  | 'os'
  | 'browser'
  | 'referrer'
  | 'referrerDomain'
  | 'referrerName'
  | 'referrerNetwork'

/** Ordered by count, biggest first; equal counts by start and then by value, both ascending (values by their bytes). */
export interface MetricsRow {
  /** Start of the bucket in milliseconds when split by time, else 0. Buckets with no clicks are left out. */
  readonly start: number
  /** The other dimensions, in the order of `by`; empty texts where a click does not know. */
  readonly values: readonly string[]
  readonly count: number
}

/** Rows by one dimension, and of what each of them is made by another. */
export interface NestedQuery extends Counted, Pick<MetricsQuery, 'from' | 'to' | 'measure'> {
  readonly by: Name
  /** Only so many of the biggest rows. */
  readonly size: number
  readonly parts: { readonly by: Name /** Of each row. */; readonly size: number }
}

/** How much some addresses received together while they belonged to a group; asked for many such sets at once. */
export interface SetsQuery extends Pick<MetricsQuery, 'kinds' | 'trafficClasses' | 'from' | 'to' | 'measure'> {
  readonly groupGuid: string
  /** No address is in two of them. */
  readonly sets: readonly (readonly string[])[]
}

/** What can be told of a click besides its time. */
export type Name = Exclude<Dimension, 'time'>

/** Ordered as rows are, and so are the parts of each. */
export interface NestedRow {
  readonly value: string
  /** All of it, whether or not all parts are listed. */
  readonly count: number
  readonly parts: readonly { readonly value: string; readonly count: number }[]
}

/** What is counted, without a time. */
export type Counted = Pick<MetricsQuery, 'scope' | 'kinds' | 'trafficClasses'>

export interface MetricsLog {
  count(query: MetricsQuery): Promise<readonly MetricsRow[]>
  /** Rows and their parts are of one moment. */
  countNested(query: NestedQuery): Promise<readonly NestedRow[]>
  /** One number for each set, in their order. */
  countSets(query: SetsQuery): Promise<readonly number[]>
  /** When the scope's first click of these kinds and natures happened. */
  firstAt(query: Counted): Promise<number | undefined>
}
