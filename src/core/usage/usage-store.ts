/**
 * Usage counters per group, organization and UTC day. The stores of links, QR codes and so on increment them in the same
 * transaction as their own writes; this interface reads them. Each method is one atomic step; usage-store.contract.ts
 * defines the behaviour.
 */
export interface UsageStore {
  /** Oldest first, without empty days. `from` is inclusive, `to` exclusive. */
  perDay(scope: UsageScope, counters: readonly Counter[], span: Span): Promise<readonly UsageDay[]>
  /** The groups of an organization with usage, biggest first. */
  perGroup(organizationGuid: string, counter: Counter, span: Span): Promise<readonly UsageOfGroup[]>
  /** The first day with usage. */
  firstDay(scope: UsageScope, counter: Counter): Promise<number | undefined>
  /** Links that a group created (including deleted ones) per minute, oldest first, without empty minutes. */
  linksPerMinute(groupGuid: string, span: Span): Promise<readonly LinksOfMinute[]>
  /** Creation time of the group's first link created at or after `from`. */
  firstLinkAt(groupGuid: string, from: number): Promise<number | undefined>
  /** Counts usage without a record of its own, such as API requests: all or none. Does not check limits. */
  add(uses: readonly CountedUse[]): Promise<void>

  /** The assigned plan of each organization; organizations without one are left out. */
  planAssignments(): Promise<ReadonlyMap<string, string>>
  assignPlan(organizationGuid: string, plan: string, at: number): Promise<'assigned' | 'no-organization'>
  /** Changes with every assignment by any process. */
  planVersion(): Promise<number>
}

/**
 * `links`: links created. `branded_links`: those on a branded domain. `custom_back_halves`: keywords added.
 * `redirects`: destinations changed. `qr_codes`: QR codes created. `api_requests`: requests of users with this default
 * group.
 */
export type Counter = 'links' | 'branded_links' | 'custom_back_halves' | 'redirects' | 'qr_codes' | 'api_requests'

/** Usage by a group while it belonged to an organization. */
export interface CountedUse {
  readonly groupGuid: string
  readonly organizationGuid: string
  readonly counter: Counter
  readonly at: number
  readonly count: number
}

/** One group, one organization, or one group while it belonged to one organization. */
export type UsageScope =
  | { readonly groupGuid: string; readonly organizationGuid?: string }
  | { readonly groupGuid?: undefined; readonly organizationGuid: string }

/** From `from` (inclusive) to `to` (exclusive), in milliseconds. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface UsageDay {
  readonly counter: Counter
  /** Midnight UTC. */
  readonly day: number
  readonly count: number
}

export interface UsageOfGroup {
  readonly groupGuid: string
  readonly count: number
}

interface LinksOfMinute {
  readonly start: number
  readonly count: number
}

export const dayLength = 86_400_000
