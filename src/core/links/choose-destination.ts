/**
 * Picks the destination of a link with rules for one visitor: the first matching routing rule decides the web page, and
 * a deep link for the visitor's phone comes before the web page. Pure; edges/redirect builds the response.
 */
import type { Deeplink, DeeplinkOs } from './deeplink.js'
import type { TargetRules } from './link.js'
import { regionSpellings } from './region-codes.js'
import type { RoutingRule } from './routing-rule.js'

/** The device type, as detected from the user agent. */
export type Device = 'Desktop' | 'Mobile' | 'Tablet' | 'Other'

export interface Visitor {
  readonly device: Device
  /** An OS family of core/clicks/user-agent.ts: `iOS`, `Android`, `Windows`, ... */
  readonly os: string
  /** Two letters. Empty when unknown, or when `needsLocation` is false. */
  readonly country: string
  /** A code or an English name; empty like the country. */
  readonly region: string
  /** False for crawlers and link previews, which always get the web page. */
  readonly person: boolean
}

export interface Destination {
  /** The web page, for visitors without the app. */
  readonly longUrl: string
  readonly deeplink: Deeplink | undefined
}

export function chooseDestination(longUrl: string, rules: TargetRules, visitor: Visitor): Destination {
  const facts = factsOf(visitor)
  const rule = rules.routing.find((candidate) => matches(candidate, facts))
  return { longUrl: rule?.longUrl ?? longUrl, deeplink: deeplinkFor(rules.deeplinks, visitor) }
}

/** Whether any rule depends on the visitor's country or region: the first lookup loads the geography into memory. */
export function needsLocation({ routing }: TargetRules): boolean {
  return routing.some((rule) =>
    [rule.countryMatch, rule.countryExclude, rule.regionMatch, rule.regionExclude].some(isSet),
  )
}

/** A visitor's values for each condition, upper case; empty lists for unknown ones. */
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

/** All conditions must hold. A rule without conditions matches every visitor. */
function matches(rule: RoutingRule, facts: Facts): boolean {
  return (
    holds(rule.countryMatch, rule.countryExclude, facts.country) &&
    holds(rule.regionMatch, rule.regionExclude, facts.region) &&
    holds(rule.deviceMatch, rule.deviceExclude, facts.device) &&
    holds(rule.osMatch, rule.osExclude, facts.os)
  )
}

/** An unknown value is never matched and never excluded. */
function holds(match: Condition, exclude: Condition, facts: readonly string[]): boolean {
  const named = (values: readonly string[]) => values.some((value) => facts.includes(value.toUpperCase()))
  return (!isSet(match) || named(match)) && !(isSet(exclude) && named(exclude))
}

type Condition = readonly string[] | undefined

function isSet(condition: Condition): condition is readonly string[] {
  return condition !== undefined && condition.length > 0
}

function deeplinkFor(deeplinks: readonly Deeplink[], visitor: Visitor): Deeplink | undefined {
  const os = systems[visitor.os]
  const handheld = visitor.device === 'Mobile' || visitor.device === 'Tablet'
  return visitor.person && handheld ? deeplinks.find((deeplink) => deeplink.os === os) : undefined
}

const systems: Readonly<Record<string, DeeplinkOs>> = { iOS: 'ios', Android: 'android' }
