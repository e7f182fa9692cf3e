/**
 * Dynamic routing (docs/deep-links.md#dynamic-routing): rules that send some visitors to another URL, and validation of
 * the input. choose-destination.ts picks the first rule that matches.
 */

import { normaliseLongUrl, type OwnDomains } from '../values/long-url.js'
import { invalid, quoted, type Refusal } from '../values/refusal.js'

/** Visitors who meet all conditions go to `longUrl`. */
export interface RoutingRule extends Conditions {
  readonly longUrl: string
}

interface Conditions {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly countryMatch?: readonly string[] | undefined
  readonly countryExclude?: readonly string[] | undefined
  /** ISO 3166-2 such as `US-CA`, upper case. */
  readonly regionMatch?: readonly string[] | undefined
  readonly regionExclude?: readonly string[] | undefined
  /** `mobile`, `tablet` or `desktop` */
  readonly deviceMatch?: readonly string[] | undefined
  readonly deviceExclude?: readonly string[] | undefined
  /** `ios` or `android` */
  readonly osMatch?: readonly string[] | undefined
  readonly osExclude?: readonly string[] | undefined
}

// One rule, and one value, for every country.
export const maxRoutingRules = 250
export const maxRoutingValues = 250

export function readRouting(rules: readonly RoutingRule[], ownDomains: OwnDomains): readonly RoutingRule[] {
  if (rules.length > maxRoutingRules) throw refused(`A short link has at most ${maxRoutingRules} routing rules.`)
  return rules.map((rule) => ({
    longUrl: normaliseLongUrl(rule.longUrl, ownDomains, 'dynamicRouting'),
    ...read(rule, 'countryMatch', country),
    ...read(rule, 'countryExclude', country),
    ...read(rule, 'regionMatch', region),
    ...read(rule, 'regionExclude', region),
    ...read(rule, 'deviceMatch', device),
    ...read(rule, 'deviceExclude', device),
    ...read(rule, 'osMatch', os),
    ...read(rule, 'osExclude', os),
  }))
}

interface Kind {
  readonly shape: RegExp
  readonly allowed: string
  normal(value: string): string
}

const upper = (value: string) => value.toUpperCase()
const lower = (value: string) => value.toLowerCase()

const country: Kind = { shape: /^[A-Z]{2}$/i, allowed: 'a country of two letters (ISO 3166-1)', normal: upper }
const region: Kind = {
  shape: /^[A-Z]{2}-[A-Z0-9]{1,3}$/i,
  allowed: 'a region such as US-CA (ISO 3166-2)',
  normal: upper,
}
const device: Kind = { shape: /^(?:mobile|tablet|desktop)$/i, allowed: 'mobile, tablet or desktop', normal: lower }
const os: Kind = { shape: /^(?:ios|android)$/i, allowed: 'ios or android', normal: lower }

/** The normalised condition; left out when it was not sent or is empty. */
function read(rule: Conditions, name: keyof Conditions, kind: Kind): Conditions {
  const values = rule[name] ?? []
  if (values.length > maxRoutingValues)
    throw refused(`A condition of a routing rule has at most ${maxRoutingValues} values.`)
  const wrong = values.find((value) => !kind.shape.test(value))
  if (wrong !== undefined)
    throw refused(`${quoted(wrong)} is not a valid value in a routing rule. Send ${kind.allowed}.`)
  return values.length === 0 ? {} : { [name]: [...new Set(values.map(kind.normal))] }
}

function refused(message: string): Refusal {
  return invalid('dynamicRouting', message)
}
