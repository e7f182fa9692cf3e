import type { EngagementKind, Nature } from '../clicks/click.js'

/**
 * One value that every metric of every interface parses into and that each click log compiles: what is counted, over
 * which time, split how. No edge writes its own query.
 */
export interface MetricsQuery {
  readonly scope: MetricsScope
  readonly kinds: readonly EngagementKind[]
  readonly natures: readonly Nature[]
  /** Inclusive; undefined: from the beginning. */
  readonly from: number | undefined
  /** Exclusive. */
  readonly to: number
  readonly split: MetricsSplit
}

export type MetricsScope = { readonly address: string } | { readonly groupGuid: string }

export type MetricsSplit =
  | { readonly by: 'nothing' }
  | { readonly by: 'time'; readonly unit: Unit; readonly offsetMinutes: number }

export type Unit = 'minute' | 'hour' | 'day' | 'week' | 'month'

export interface MetricsRow {
  /** Start of the bucket in milliseconds when split by time, else 0. Buckets with no clicks are left out. */
  readonly start: number
  readonly count: number
}

export interface MetricsLog {
  count(query: MetricsQuery): Promise<readonly MetricsRow[]>
  /** When the scope's first click of these kinds and natures happened. */
  firstAt(query: Pick<MetricsQuery, 'scope' | 'kinds' | 'natures'>): Promise<number | undefined>
}
