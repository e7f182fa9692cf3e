/**
 * How many links were made, over time. Counters by UTC day answer most of it. Where a bucket begins or ends within such
 * a day (hours, minutes, other time zones) the links of that day are looked at themselves, and of no other day.
 */
import { type Actor, requireGroup, requireOrganizationAdmin } from '../accounts/actor.js'
import type { Clock } from '../values/clock.js'
import { type Buckets, bucketsOf, type Window } from '../values/window.js'
import { type BucketRule, bucketAt, bucketRule, stepMonths } from '../values/zone-buckets.js'
import type { Span, UsageDay, UsageOfGroup, UsageScope, UsageStore } from './usage-store.js'
import { dayLength } from './usage-store.js'

export interface ShortenCountDeps {
  readonly usage: UsageStore
}

export interface MadeLinks {
  readonly start: number
  readonly count: number
}

/** Deleted links count too: they were made. Newest first, with zeroes. */
export async function groupShortenCounts(
  deps: ShortenCountDeps,
  actor: Actor,
  groupGuid: string,
  window: Window,
): Promise<readonly MadeLinks[]> {
  requireGroup(actor, groupGuid)
  return countLinks(deps, { groupGuid }, window)
}

/** What its groups made while they belonged to it. */
export async function organizationShortenCounts(
  deps: ShortenCountDeps,
  actor: Actor,
  organizationGuid: string,
  window: Window,
): Promise<readonly MadeLinks[]> {
  requireOrganizationAdmin(actor, organizationGuid)
  return countLinks(deps, { organizationGuid }, window)
}

/** The current month, UTC. Groups that made none are left out. */
export async function shortenCountsByGroup(
  deps: ShortenCountDeps & { readonly clock: Clock },
  actor: Actor,
  organizationGuid: string,
): Promise<readonly UsageOfGroup[]> {
  requireOrganizationAdmin(actor, organizationGuid)
  const now = deps.clock.now()
  return deps.usage.perGroup(organizationGuid, 'links', { from: stepMonths(now, 0), to: stepMonths(now, 1) })
}

async function countLinks(deps: ShortenCountDeps, scope: UsageScope, window: Window): Promise<readonly MadeLinks[]> {
  const buckets = bucketsOf(window, await earliest(deps, scope, window))
  const series = new Series(window, buckets)
  const span = { from: startOfDay(buckets.from), to: buckets.to }
  const split = series.addWholeDays(await deps.usage.perDay(scope, ['links'], span))
  if (split)
    for (const groupGuid of await groupsOf(deps, scope, span)) await addPartly(deps, series, scope, groupGuid, span)
  return series.counts()
}

/** One over everything begins with the first link; others end the search before it begins. */
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
 * Our choice: on a day on which a group changed its organization, both get all of that day's links where a bucket cuts
 * the day. Counters tell them apart, the links themselves do not.
 */
async function addPartly(
  deps: ShortenCountDeps,
  series: Series,
  scope: UsageScope,
  groupGuid: string,
  span: Span,
): Promise<void> {
  const days = await deps.usage.perDay({ ...scope, groupGuid }, ['links'], span)
  const cut = days.filter(({ day }) => series.cuts(day))
  for (const stretch of stretchesOf(cut)) series.addMinutes(await deps.usage.linksPerMinute(groupGuid, stretch))
}

// Our choice: what the embedded engine counts in a few milliseconds; the whole process waits for each statement.
const linksPerStretch = 20_000

/** Days that follow each other, as long as they have few links; a day that has many, by the hour. */
function stretchesOf(days: readonly UsageDay[]): readonly Span[] {
  const stretches: (Span & { readonly links: number })[] = []
  for (const { day, count } of days) {
    const last = stretches.at(-1)
    if (count > linksPerStretch) {
      for (let hour = 0; hour < 24; hour++) stretches.push(hourOf(day, hour))
    } else if (last?.to === day && last.links + count <= linksPerStretch) {
      stretches.splice(-1, 1, { from: last.from, to: day + dayLength, links: last.links + count })
    } else stretches.push({ from: day, to: day + dayLength, links: count })
  }
  return stretches
}

function hourOf(day: number, hour: number) {
  const length = dayLength / 24
  // Full already: nothing is to be added to it.
  return { from: day + hour * length, to: day + (hour + 1) * length, links: linksPerStretch }
}

/** Moments come in order, most of them many to a bucket: the last one that was found is asked first. */
class Series {
  readonly #rule: BucketRule
  readonly #buckets: Buckets
  readonly #counts = new Map<number, number>()
  #last = { start: Number.NaN, end: Number.NaN }

  constructor(window: Window, buckets: Buckets) {
    this.#rule = bucketRule(window)
    this.#buckets = buckets
  }

  /** True when there are others. */
  addWholeDays(days: readonly UsageDay[]): boolean {
    const whole = days.filter(({ day }) => !this.cuts(day))
    for (const { day, count } of whole) this.#add(day, count)
    return whole.length < days.length
  }

  addMinutes(minutes: readonly MadeLinks[]): void {
    for (const { start, count } of minutes) {
      if (start >= this.#buckets.from && start < this.#buckets.to) this.#add(start, count)
    }
  }

  /** Whether a bucket, or the window, begins or ends within the day. */
  cuts(day: number): boolean {
    const last = day + dayLength - 1
    if (day < this.#buckets.from || last >= this.#buckets.to) return true
    return this.#bucketOf(day) !== this.#bucketOf(last)
  }

  counts(): readonly MadeLinks[] {
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
