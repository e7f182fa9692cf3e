/**
 * Where a link with rules leads one visitor: the first routing rule that fits picks the web page, and a deep link for
 * the visitor's phone, if there is one, comes before it. Pure; what a browser is sent then is the redirect path's.
 */
import type { Deeplink, DeeplinkOs } from './deeplink.js'
import type { TargetRules } from './link.js'
import { regionSpellings } from './region-codes.js'
import type { RoutingRule } from './routing-rule.js'

/** The device type, as detected from the user agent. */
export type Device = 'Desktop' | 'Mobile' | 'Tablet' | 'Other'

export interface Visitor {
  readonly device: Device
  /** A family as core/clicks/user-agent.ts names it: `iOS`, `Android`, `Windows`, ... */
  readonly os: string
  /** Two letters, or empty when it is unknown or no rule asks for it; likewise the region, by code or English name. */
  readonly country: string
  readonly region: string
  /** A crawler or a preview is shown the page; only a person has an application to open. */
  readonly person: boolean
}

export interface Destination {
  /** The web page: where the visitor goes unless an application takes over. */
  readonly longUrl: string
  readonly deeplink: Deeplink | undefined
}

export function chooseDestination(longUrl: string, rules: TargetRules, visitor: Visitor): Destination {
  const facts = factsOf(visitor)
  const rule = rules.routing.find((candidate) => fits(candidate, facts))
  return { longUrl: rule?.longUrl ?? longUrl, deeplink: deeplinkFor(rules.deeplinks, visitor) }
}

/** Whether any rule asks where the visitor is: finding that out costs memory that other links need not pay for. */
export function asksForPlace({ routing }: TargetRules): boolean {
  return routing.some((rule) =>
    [rule.countryMatch, rule.countryExclude, rule.regionMatch, rule.regionExclude].some(isAsked),
  )
}

/** What a visitor is, in the words that rules use; a visitor of whom nothing is known has none. */
interface Facts {
  readonly country: readonly string[]
  readonly region: readonly string[]
  readonly device: readonly string[]
  readonly os: readonly string[]
}

function factsOf({ country, region, device, os }: Visitor): Facts {
  return {
    country: country === '' ? [] : [country.toUpperCase()],
    region: regionSpellings(country.toUpperCase(), region),
    device: [device.toUpperCase()],
    os: [os.toUpperCase()],
  }
}

/** Every condition must hold. A rule without conditions fits everybody. */
function fits(rule: RoutingRule, facts: Facts): boolean {
  return (
    holds(rule.countryMatch, rule.countryExclude, facts.country) &&
    holds(rule.regionMatch, rule.regionExclude, facts.region) &&
    holds(rule.deviceMatch, rule.deviceExclude, facts.device) &&
    holds(rule.osMatch, rule.osExclude, facts.os)
  )
}

/** Our choice: what is unknown matches nothing and is excluded by nothing. */
function holds(match: Condition, exclude: Condition, facts: readonly string[]): boolean {
  const named = (values: readonly string[]) => values.some((value) => facts.includes(value.toUpperCase()))
  return (!isAsked(match) || named(match)) && !(isAsked(exclude) && named(exclude))
}

type Condition = readonly string[] | undefined

function isAsked(condition: Condition): condition is readonly string[] {
  return condition !== undefined && condition.length > 0
}

function deeplinkFor(deeplinks: readonly Deeplink[], visitor: Visitor): Deeplink | undefined {
  const os = systems[visitor.os]
  const handheld = visitor.device === 'Mobile' || visitor.device === 'Tablet'
  return visitor.person && handheld ? deeplinks.find((deeplink) => deeplink.os === os) : undefined
}

const systems: Readonly<Record<string, DeeplinkOs>> = { iOS: 'ios', Android: 'android' }
