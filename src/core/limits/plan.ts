/**
 * What a plan allows an organization: so much of some things in a month, and some features not at all. Plans are the
 * operator's own words, read from a file; here is only what they can say. It does not know who has which plan.
 */

import { type FeatureName, features } from '../usage/features.js'
import type { Counter } from '../usage/usage-store.js'
import { Refusal, type RefusalCode, type Resource } from '../values/refusal.js'
import { stepMonths } from '../values/zone-buckets.js'

export interface Plan {
  readonly name: string
  readonly displayName: string
  /** How much of what in a month; what is left out is not limited. Undefined: nothing is, and nobody looks further. */
  readonly limits: PlanLimits | undefined
  readonly features: ReadonlySet<PlanFeature>
}

export type PlanLimits = Readonly<Partial<Record<FeatureName, number>>>

/** What a plan may leave out; asking for it is then answered UPGRADE_REQUIRED. Our choice: the names. */
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
  'webhooks',
] as const

export type PlanFeature = (typeof planFeatures)[number]

/** Built in, and the default: whoever runs the service for themselves has no use for limits. */
export const unlimited: Plan = {
  name: 'unlimited',
  displayName: 'Unlimited',
  limits: undefined,
  features: new Set(planFeatures),
}

/** From the first of the month, UTC, up to the next one. */
export function monthOf(at: number): { readonly from: number; readonly to: number } {
  return { from: stepMonths(at, 0), to: stepMonths(at, 1) }
}

/** The limits that have to do with some counters, strictest code first; empty where none of them is limited. */
export function limitsOn(limits: PlanLimits, counters: ReadonlySet<Counter>): readonly FeatureName[] {
  return strictestFirst.filter((name) => limits[name] !== undefined && features[name].counters.some(isIn(counters)))
}

/** Refuses when what was used this month, with what is being used now, is more than a plan allows. */
export function requireWithin(
  limits: PlanLimits,
  names: readonly FeatureName[],
  used: ReadonlyMap<Counter, number>,
  at: number,
): void {
  for (const name of names) {
    const limit = limits[name]
    const total = features[name].counters.reduce((sum, counter) => sum + (used.get(counter) ?? 0), 0)
    if (limit !== undefined && total > limit) throw limitReached(name, limit, at)
  }
}

export function limitReached(name: FeatureName, limit: number, at: number): Refusal {
  const { to: resetAt } = monthOf(at)
  const when = new Date(resetAt).toISOString().slice(0, 'YYYY-MM-DD'.length)
  const message = `This month's allowance is used up (${name}: ${limit}). It begins again on ${when}, UTC; a higher plan has more.`
  const rate = { reason: `monthly ${name}`, limit, remaining: 0, resetAt }
  return new Refusal(codes[name], message, { rate, retryAfter: secondsUntil(resetAt, at) })
}

export function upgradeRequired(feature: PlanFeature, resource?: Resource): Refusal {
  const message = `The plan of this organization does not include ${feature}. Ask for a higher plan.`
  return new Refusal('UPGRADE_REQUIRED', message, resource && { resource })
}

/** At least one: `Retry-After: 0` would invite the caller to ask again in the same window. */
export function secondsUntil(moment: number, now: number): number {
  return Math.max(1, Math.ceil((moment - now) / 1000))
}

/** docs/api/limits.md#monthly-limits; a limit without a code of its own has the general one. */
const codes: Readonly<Record<FeatureName, RefusalCode>> = {
  branded_links: 'BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED',
  custom_back_halves: 'KEYWORD_OVERRIDES_LIMIT_EXCEEDED',
  redirects: 'LIMIT_EXCEEDED_DESTINATION_OVERRIDES',
  encodes: 'MONTHLY_ENCODE_LIMIT_REACHED',
  qr_codes: 'MONTHLY_LIMIT_EXCEEDED',
  api_requests: 'API_USAGE_LIMIT_EXCEEDED',
}

// Our choice: where several are used up, the one that says most about what was asked for.
const strictestFirst = Object.keys(codes) as readonly FeatureName[]

function isIn(counters: ReadonlySet<Counter>): (counter: Counter) => boolean {
  return (counter) => counters.has(counter)
}
