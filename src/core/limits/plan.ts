/**
 * Plans: monthly limits and features of an organization. Operators define plans in a file; this file defines what a plan
 * can contain. It does not know which organization has which plan.
 */

import { type FeatureName, features } from '../usage/features.js'
import type { Counter } from '../usage/usage-store.js'
import { Refusal, type RefusalCode, type Resource } from '../values/refusal.js'
import { stepMonths } from '../values/zone-buckets.js'

export interface Plan {
  readonly name: string
  readonly displayName: string
  /** Monthly limits; a feature without a limit is unlimited. Undefined: nothing is limited. */
  readonly limits: PlanLimits | undefined
  readonly features: ReadonlySet<PlanFeature>
}

export type PlanLimits = Readonly<Partial<Record<FeatureName, number>>>

/** Features that a plan may leave out; requests for them then fail with UPGRADE_REQUIRED. */
export const planFeatures = [
  'campaigns',
  'cities',
  'custom_links',
  'deeplinks',
  'devices',
  'expiry',
  'exports',
  'group_clicks',
  'qr_codes',
  'routing',
  'site_containers',
  'sites',
  'webhooks',
] as const

export type PlanFeature = (typeof planFeatures)[number]

/** The built-in default: most self-hosted services need no limits. */
export const unlimited: Plan = {
  name: 'unlimited',
  displayName: 'Unlimited',
  limits: undefined,
  features: new Set(planFeatures),
}

/** The current month, UTC: `from` inclusive, `to` exclusive. */
export function monthOf(at: number): { readonly from: number; readonly to: number } {
  return { from: stepMonths(at, 0), to: stepMonths(at, 1) }
}

/** The limits that apply to some counters, most specific error code first; empty where none is limited. */
export function limitsOn(limits: PlanLimits, counters: ReadonlySet<Counter>): readonly FeatureName[] {
  return mostSpecificFirst.filter((name) => limits[name] !== undefined && features[name].counters.some(isIn(counters)))
}

/** Throws when the month's usage, including the current request, exceeds the plan. */
export function requireWithin(
  limits: PlanLimits,
  names: readonly FeatureName[],
  used: ReadonlyMap<Counter, number>,
  at: number,
): void {
  const refusal = refusalBeyond(limits, names, used, at)
  if (refusal) throw refusal
}

/** The refusal of one more of each counter; undefined if the plan allows it. */
export function refusalOfMore(
  limits: PlanLimits,
  counters: readonly Counter[],
  used: ReadonlyMap<Counter, number>,
  at: number,
): Refusal | undefined {
  const names = limitsOn(limits, new Set(counters))
  return names.length === 0 ? undefined : refusalBeyond(limits, names, withMore(used, counters), at)
}

/** With one more of each counter. */
export function withMore(used: ReadonlyMap<Counter, number>, counters: readonly Counter[]): Map<Counter, number> {
  const more = new Map(used)
  for (const counter of counters) more.set(counter, (more.get(counter) ?? 0) + 1)
  return more
}

function refusalBeyond(
  limits: PlanLimits,
  names: readonly FeatureName[],
  used: ReadonlyMap<Counter, number>,
  at: number,
): Refusal | undefined {
  for (const name of names) {
    const limit = limits[name]
    const total = features[name].counters.reduce((sum, counter) => sum + (used.get(counter) ?? 0), 0)
    if (limit !== undefined && total > limit) return limitReached(name, limit, at)
  }
  return undefined
}

export function limitReached(name: FeatureName, limit: number, at: number): Refusal {
  const { to: resetAt } = monthOf(at)
  const resetDate = new Date(resetAt).toISOString().slice(0, 'YYYY-MM-DD'.length)
  const message = `The monthly limit is reached (${name}: ${limit}). It resets on ${resetDate}, UTC; a higher plan allows more.`
  const rate = { reason: `monthly ${name}`, limit, remaining: 0, resetAt }
  return new Refusal(codes[name], message, { rate, retryAfter: secondsUntil(resetAt, at) })
}

export function upgradeRequired(feature: PlanFeature, resource?: Resource): Refusal {
  const message = `The plan of this organization does not include ${feature}. Ask for a higher plan.`
  return new Refusal('UPGRADE_REQUIRED', message, resource && { resource })
}

/** At least 1: `Retry-After: 0` would invite an immediate retry within the same window. */
export function secondsUntil(moment: number, now: number): number {
  return Math.max(1, Math.ceil((moment - now) / 1000))
}

/** Error codes (docs/api/limits.md#monthly-limits); limits without a code of their own share the general one. */
const codes: Readonly<Record<FeatureName, RefusalCode>> = {
  branded_links: 'BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED',
  custom_back_halves: 'KEYWORD_OVERRIDES_LIMIT_EXCEEDED',
  redirects: 'LIMIT_EXCEEDED_DESTINATION_OVERRIDES',
  encodes: 'MONTHLY_ENCODE_LIMIT_REACHED',
  qr_codes: 'MONTHLY_LIMIT_EXCEEDED',
  api_requests: 'API_USAGE_LIMIT_EXCEEDED',
}

// When several limits are reached, report the most specific one.
const mostSpecificFirst = Object.keys(codes) as readonly FeatureName[]

function isIn(counters: ReadonlySet<Counter>): (counter: Counter) => boolean {
  return (counter) => counters.has(counter)
}
