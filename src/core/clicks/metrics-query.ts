import type { Bucketing } from '../values/zone-buckets.js'
import type { Name, TrafficClass, VisitKind } from './dimensions.js'

/**
 * A query for the click log: what to count, over which time, split by which dimensions. All metrics of all APIs are
 * expressed as such queries, which each click log compiles.
 */
export interface MetricsQuery {
  readonly scope: MetricsScope
  readonly kinds: readonly VisitKind[]
  readonly trafficClasses: readonly TrafficClass[]
  /** Only clicks that match all of them. */
  readonly filters?: readonly DimensionFilter[]
  /** Inclusive; undefined: all of history. */
  readonly from: number | undefined
  /** Exclusive. */
  readonly to: number
  /** Dimensions to split by, without duplicates; empty: always one row. */
  readonly by: readonly Dimension[]
  /** Required when `by` contains `time`. */
  readonly bucket: Bucketing | undefined
  /** Maximum number of rows, biggest first; undefined: all. */
  readonly size: number | undefined
  /** With a size: skip this many of the biggest rows. */
  readonly skip?: number
  /** `visitors`: distinct visitors per row, by daily hash. */
  readonly measure: 'events' | 'visitors'
}

/** Compares a dimension with texts, by bytes; the empty string is the unknown value. */
export interface DimensionFilter {
  readonly by: Name
  /** Whether matching clicks have one of the values, or none of them. */
  readonly operator: 'is' | 'is_not'
  readonly values: readonly string[]
  /** Each value matches only in the group at its place. */
  readonly groupGuids?: readonly string[]
}

/** Some addresses, or all addresses of the links of a group or of several. */
export type MetricsScope =
  | { readonly addresses: readonly string[] }
  | { readonly groupGuid: string }
  | { readonly groupGuids: readonly string[] }

export type Dimension = 'time' | Name

/** Sorted by count, biggest first; equal counts by start, then by value, both ascending (values by bytes). */
export interface MetricsRow {
  /** Start of the bucket in milliseconds when split by time, else 0. Empty buckets are left out. */
  readonly start: number
  /** The other dimensions, in the order of `by`; empty strings where unknown. */
  readonly values: readonly string[]
  readonly count: number
}

/** Rows by one dimension, each split by another one. */
export interface NestedQuery extends Counted, Pick<MetricsQuery, 'from' | 'to' | 'measure'> {
  readonly by: Name
  /** Maximum number of rows, biggest first. */
  readonly size: number
  readonly parts: { readonly by: Name /** Of each row. */; readonly size: number }
}

/** Counts per set of addresses while they belonged to a group; for many sets at once. */
export interface SetsQuery extends Omit<Counted, 'scope'>, Pick<MetricsQuery, 'from' | 'to' | 'measure'> {
  readonly groupGuid: string
  /** The sets are disjoint. */
  readonly sets: readonly (readonly string[])[]
}

/** The newest single clicks; those past the retention are no longer single. */
export interface LastQuery extends Counted, Pick<MetricsQuery, 'from' | 'to'> {
  readonly by: readonly Name[]
  readonly size: number
  /** Only clicks after this place in the order of the answer. */
  readonly after?: ClickPlace
}

/** Clicks are ordered by time and then by key, newest and highest first. Clicks that differ in nothing share a key. */
export interface ClickPlace {
  readonly at: number
  readonly key: string
  /** How many clicks with this time and key come before the place. */
  readonly skip: number
}

export interface LastClick {
  readonly at: number
  /** A number of 64 bits that the log computes: it lasts, and tells nothing about the visitor. */
  readonly key: string
  /** In the order of `by`; empty strings where unknown. */
  readonly values: readonly string[]
}

/** Rows and their parts are sorted like `MetricsRow`. */
export interface NestedRow {
  readonly value: string
  /** The total, including parts that are not listed. */
  readonly count: number
  readonly parts: readonly { readonly value: string; readonly count: number }[]
}

/** What is counted, without time. */
export type Counted = Pick<MetricsQuery, 'scope' | 'kinds' | 'trafficClasses' | 'filters'>

export interface MetricsLog {
  count(query: MetricsQuery): Promise<readonly MetricsRow[]>
  /** Rows and parts are from one snapshot. */
  countNested(query: NestedQuery): Promise<readonly NestedRow[]>
  /** One count per set, in order. */
  countSets(query: SetsQuery): Promise<readonly number[]>
  /** Newest first. Clicks that arrive meanwhile change nothing after a place, unless they belong there. */
  last(query: LastQuery): Promise<readonly LastClick[]>
  /** Time of the scope's first click of these kinds and traffic classes that matches the filters. */
  firstAt(query: Counted): Promise<number | undefined>
}

/** Groups the flat rows that click logs return: value and count of a row, value and count of one of its parts. */
export function nestRows(flat: readonly (readonly unknown[])[]): readonly NestedRow[] {
  const rows = new Map<string, { count: number; parts: { value: string; count: number }[] }>()
  for (const [value, count, part, partCount] of flat) {
    const row = rows.get(String(value)) ?? { count: Number(count), parts: [] }
    row.parts.push({ value: String(part), count: Number(partCount) })
    rows.set(String(value), row)
  }
  return [...rows].map(([value, row]) => ({ value, ...row }))
}
