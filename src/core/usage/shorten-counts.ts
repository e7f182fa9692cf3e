/**
 * Numbers of created links over time. Counters per UTC day provide most of it. Only for days that a bucket boundary cuts
 * (hours, minutes, other time zones) are the links themselves read.
 */
import { type Actor, requireGroup, requireOrganizationAuditor } from '../accounts/actor.js'
import type { Clock } from '../values/time.js'
import { type Buckets, bucketsOf, type Window } from '../values/window.js'
import { type BucketRule, bucketAt, bucketRule, stepMonths } from '../values/zone-buckets.js'
import {
  dayLength,
  type Span,
  type UsageDay,
  type UsageOfGroup,
  type UsageScope,
  type UsageStore,
} from './usage-store.js'

export interface ShortenCountDeps {
  readonly usage: UsageStore
}

export interface ShortenCount {
  readonly start: number
  readonly count: number
}

/**
 * Of a group, or of an organization: links that its groups created while they belonged to it. Includes links that were
 * deleted later. Newest first, including zeroes.
 */
export async function shortenCounts(
  deps: ShortenCountDeps,
  actor: Actor,
  scope: UsageScope,
  window: Window,
): Promise<readonly ShortenCount[]> {
  if (scope.groupGuid === undefined) requireOrganizationAuditor(actor, scope.organizationGuid)
  else requireGroup(actor, scope.groupGuid)
  return countLinks(deps, scope, window)
}

/** The current month, UTC. Groups without new links are left out. */
export async function shortenCountsByGroup(
  deps: ShortenCountDeps & { readonly clock: Clock },
  actor: Actor,
  organizationGuid: string,
): Promise<readonly UsageOfGroup[]> {
  requireOrganizationAuditor(actor, organizationGuid)
  const now = deps.clock.now()
  return deps.usage.perGroup(organizationGuid, 'links', { from: stepMonths(now, 0), to: stepMonths(now, 1) })
}

async function countLinks(deps: ShortenCountDeps, scope: UsageScope, window: Window): Promise<readonly ShortenCount[]> {
  const buckets = bucketsOf(window, await earliest(deps, scope, window))
  const series = new Series(window, buckets)
  const span = { from: startOfDay(buckets.from), to: buckets.to }
  const hasCutDays = series.addWholeDays(await deps.usage.perDay(scope, ['links'], span))
  if (hasCutDays)
    for (const groupGuid of await groupsOf(deps, scope, span)) await addCutDays(deps, series, scope, groupGuid, span)
  return series.counts()
}

/** With `units` -1 the series starts at the first link. */
async function earliest(deps: ShortenCountDeps, scope: UsageScope, window: Window): Promise<number> {
  if (window.units !== -1) return window.reference
  const day = await deps.usage.firstDay(scope, 'links')
  if (day === undefined) return window.reference
  const groups = await groupsOf(deps, scope, { from: day, to: day + dayLength })
  const firsts = await Promise.all(groups.map((groupGuid) => deps.usage.firstLinkAt(groupGuid, day)))
  return Math.min(...firsts.map((first) => first ?? Number.POSITIVE_INFINITY), day + dayLength - 1)
}

async function groupsOf(deps: ShortenCountDeps, scope: UsageScope, span: Span): Promise<readonly string[]> {
  if (scope.groupGuid !== undefined) return [scope.groupGuid]
  const used = await deps.usage.perGroup(scope.organizationGuid, 'links', span)
  return used.map(({ groupGuid }) => groupGuid)
}

/**
 * On the day a group moves between organizations, both count all of that day's links if a bucket boundary cuts the day:
 * the counters tell the organizations apart, the links do not.
 */
async function addCutDays(
  deps: ShortenCountDeps,
  series: Series,
  scope: UsageScope,
  groupGuid: string,
  span: Span,
): Promise<void> {
  const days = await deps.usage.perDay({ ...scope, groupGuid }, ['links'], span)
  const cut = days.filter(({ day }) => series.cuts(day))
  for (const querySpan of querySpans(cut)) series.addMinutes(await deps.usage.linksPerMinute(groupGuid, querySpan))
}

// SQLite counts this many in a few milliseconds; each statement blocks the whole process.
const linksPerQuery = 20_000

/** Splits days into queries: consecutive days with few links are one query, a day with many links is one per hour. */
function querySpans(days: readonly UsageDay[]): readonly Span[] {
  const spans: (Span & { readonly links: number })[] = []
  for (const { day, count } of days) {
    const last = spans.at(-1)
    if (count > linksPerQuery) {
      for (let hour = 0; hour < 24; hour++) spans.push(hourOf(day, hour))
    } else if (last?.to === day && last.links + count <= linksPerQuery) {
      spans.splice(-1, 1, { from: last.from, to: day + dayLength, links: last.links + count })
    } else spans.push({ from: day, to: day + dayLength, links: count })
  }
  return spans
}

function hourOf(day: number, hour: number) {
  const length = dayLength / 24
  // Counts as full, so no day is added to it.
  return { from: day + hour * length, to: day + (hour + 1) * length, links: linksPerQuery }
}

/** Counts per bucket. Caches the last bucket, because timestamps come in order. */
class Series {
  readonly #rule: BucketRule
  readonly #buckets: Buckets
  readonly #counts = new Map<number, number>()
  #last = { start: Number.NaN, end: Number.NaN }

  constructor(window: Window, buckets: Buckets) {
    this.#rule = bucketRule(window)
    this.#buckets = buckets
  }

  /** Adds the days that no bucket boundary cuts; true when there are others. */
  addWholeDays(days: readonly UsageDay[]): boolean {
    const whole = days.filter(({ day }) => !this.cuts(day))
    for (const { day, count } of whole) this.#add(day, count)
    return whole.length < days.length
  }

  addMinutes(minutes: readonly ShortenCount[]): void {
    for (const { start, count } of minutes) {
      if (start >= this.#buckets.from && start < this.#buckets.to) this.#add(start, count)
    }
  }

  /** Whether a bucket boundary, or an end of the window, lies within the day. */
  cuts(day: number): boolean {
    const last = day + dayLength - 1
    if (day < this.#buckets.from || last >= this.#buckets.to) return true
    return this.#bucketOf(day) !== this.#bucketOf(last)
  }

  counts(): readonly ShortenCount[] {
    return this.#buckets.starts.map((start) => ({ start, count: this.#counts.get(start) ?? 0 }))
  }

  #add(at: number, count: number): void {
    const bucket = this.#bucketOf(at)
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count)
  }

  #bucketOf(at: number): number {
    if (!(at >= this.#last.start && at < this.#last.end)) this.#last = bucketAt(this.#rule, at)
    return this.#last.start
  }
}

function startOfDay(at: number): number {
  return Math.floor(at / dayLength) * dayLength
}
