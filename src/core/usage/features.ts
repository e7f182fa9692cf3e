/** A group's usage of everything that a plan can limit: this month, and over time (docs/api/groups.md#usage). */
import { type Actor, requireGroup } from '../accounts/actor.js'
import { invalid } from '../values/refusal.js'
import { type Clock, parseTimestamp } from '../values/time.js'
import { floor, stepMonths } from '../values/zone-buckets.js'
import { type Counter, dayLength, type UsageDay, type UsageStore } from './usage-store.js'

export interface UsageDeps {
  readonly usage: UsageStore
  readonly clock: Clock
}

/** The limits by name (docs/api/limits.md#monthly-limits). */
export const features = {
  // A changed destination counts as an encode too.
  encodes: { description: 'Short links created and destinations changed', counters: ['links', 'redirects'] },
  branded_links: { description: 'Short links created on branded domains', counters: ['branded_links'] },
  custom_back_halves: { description: 'Custom back-halves added', counters: ['custom_back_halves'] },
  redirects: { description: 'Destinations of short links changed', counters: ['redirects'] },
  qr_codes: { description: 'QR codes created', counters: ['qr_codes'] },
  api_requests: { description: 'Requests to the API', counters: ['api_requests'] },
} as const satisfies Readonly<Record<string, { readonly description: string; readonly counters: readonly Counter[] }>>

export type FeatureName = keyof typeof features

export const featureNames = Object.keys(features) as readonly FeatureName[]

export interface FeatureUsage {
  readonly name: FeatureName
  readonly description: string
  readonly count: number
}

/** Usage of the current month, UTC, the period of monthly limits. */
export async function featureUsage(
  deps: UsageDeps,
  actor: Actor,
  groupGuid: string,
  names: readonly FeatureName[],
): Promise<readonly FeatureUsage[]> {
  requireGroup(actor, groupGuid)
  const now = deps.clock.now()
  const wanted = selected(names)
  const days = await deps.usage.perDay({ groupGuid }, countersOf(wanted), {
    from: stepMonths(now, 0),
    to: stepMonths(now, 1),
  })
  return wanted.map((name) => ({ name, description: features[name].description, count: sum(ofFeature(days, name)) }))
}

type UsageUnit = 'day' | 'week' | 'month'

export interface HistoryInput {
  readonly names: readonly FeatureName[]
  /** `YYYY-MM-DD`, both inclusive. */
  readonly startDate: string | undefined
  readonly endDate: string | undefined
  readonly unit: UsageUnit
}

export interface UsageHistory {
  readonly startDate: string
  readonly endDate: string
  readonly features: readonly { readonly name: FeatureName; readonly usage: readonly UsageOfUnit[] }[]
}

interface UsageOfUnit {
  readonly start: number
  readonly count: number
}

/**
 * Usage per unit, newest first, including zeroes. A unit that the dates cut keeps its own start and counts only the days
 * between the dates. The default is the last twelve months, including the current one.
 */
export async function historicalUsage(
  deps: UsageDeps,
  actor: Actor,
  groupGuid: string,
  input: HistoryInput,
): Promise<UsageHistory> {
  requireGroup(actor, groupGuid)
  const end = input.endDate ? dateOf(input.endDate, 'endDate') : floor('day', deps.clock.now())
  const start = input.startDate ? dateOf(input.startDate, 'startDate') : Math.max(0, stepMonths(end, -11))
  requireSpan(start, end)

  const names = selected(input.names)
  const days = await deps.usage.perDay({ groupGuid }, countersOf(names), { from: start, to: end + dayLength })
  const starts = unitsBetween(input.unit, start, end)
  const history = names.map((name) => {
    const counts = new Map<number, number>()
    for (const { day, count } of ofFeature(days, name)) {
      const unit = floor(input.unit, day)
      counts.set(unit, (counts.get(unit) ?? 0) + count)
    }
    return { name, usage: starts.map((unit) => ({ start: unit, count: counts.get(unit) ?? 0 })) }
  })
  return { startDate: formatDate(start), endDate: formatDate(end), features: history }
}

// Ten years of days are a response of half a megabyte.
const maxSpan = 3653 * dayLength

function requireSpan(start: number, end: number): void {
  if (start > end) throw invalid('startDate', 'The start date must not be after the end date.')
  if (end - start < maxSpan) return
  throw invalid('startDate', 'The dates must not be more than ten years apart. Request a shorter time.')
}

function dateOf(text: string, field: 'startDate' | 'endDate'): number {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined
  if (!date) throw invalid(field, 'Send a date between 1970 and 9999 as YYYY-MM-DD.')
  return date.at
}

function formatDate(at: number): string {
  return new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length)
}

function unitsBetween(unit: UsageUnit, start: number, end: number): readonly number[] {
  const starts: number[] = []
  for (let at = floor(unit, end); at >= floor(unit, start); at = floor(unit, at - 1)) starts.push(at)
  return starts
}

/** All features if none is named; without duplicates, in the order of the table. */
function selected(names: readonly FeatureName[]): readonly FeatureName[] {
  return names.length === 0 ? featureNames : featureNames.filter((name) => names.includes(name))
}

function countersOf(names: readonly FeatureName[]): readonly Counter[] {
  return [...new Set(names.flatMap((name): readonly Counter[] => features[name].counters))]
}

function ofFeature(days: readonly UsageDay[], name: FeatureName): readonly UsageDay[] {
  const counters: readonly Counter[] = features[name].counters
  return days.filter(({ counter }) => counters.includes(counter))
}

function sum(days: readonly UsageDay[]): number {
  return days.reduce((total, { count }) => total + count, 0)
}
