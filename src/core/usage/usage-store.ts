/**
 * How much was used: what is counted in the same transaction as the thing itself, by group, organization and UTC day.
 * Counting belongs to the stores that write the things; here it is read. Each method is one atomic step;
 * usage-store.contract.ts says what is promised.
 */
export interface UsageStore {
  /** Oldest first; days on which nothing was counted are left out. `from` is inclusive, `to` exclusive. */
  perDay(scope: UsageScope, counters: readonly Counter[], span: Span): Promise<readonly UsageDay[]>
  /** The groups of an organization that used something, the most first. */
  perGroup(organizationGuid: string, counter: Counter, span: Span): Promise<readonly UsageOfGroup[]>
  /** The first day on which something was counted. */
  firstDay(scope: UsageScope, counter: Counter): Promise<number | undefined>
  /** Links a group made, deleted ones too, by the minute, in order; minutes without any are left out. */
  linksPerMinute(groupGuid: string, span: Span): Promise<readonly LinksOfMinute[]>
  /** When the group made the first of its links that is not older than this. */
  firstLinkAt(groupGuid: string, from: number): Promise<number | undefined>
  /** Counts what is no record of its own, such as requests: all of them or none. Limits are not looked at here. */
  add(uses: readonly CountedUse[]): Promise<void>

  // Which organization has which plan.

  /** By organization; those that were never given one have the default and are left out. */
  planAssignments(): Promise<ReadonlyMap<string, string>>
  assignPlan(organizationGuid: string, plan: string, at: number): Promise<'assigned' | 'no-organization'>
  /** Another number after every change, whoever made it. */
  planVersion(): Promise<number>
}

/**
 * What is counted. `links`: links made. `branded_links`: those of them that are on a branded domain.
 * `custom_back_halves`: keywords added. `redirects`: destinations of links that were changed. `qr_codes`: codes made.
 * `api_requests`: requests of people whose default group it is.
 */
export type Counter = 'links' | 'branded_links' | 'custom_back_halves' | 'redirects' | 'qr_codes' | 'api_requests'

/** So much of something, used by a group while it belonged to an organization. */
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
