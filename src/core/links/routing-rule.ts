/**
 * Dynamic routing (docs/deep-links.md#dynamic-routing): rules that send some visitors elsewhere, and what may be
 * written down as one. The first rule that fits wins; choose-destination.ts tells which one does.
 */

import { normaliseLongUrl, type OwnDomains } from '../values/long-url.js'
import { invalid, quoted, type Refusal } from '../values/refusal.js'

/** Where the visitors go whom all of its conditions fit. */
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

// Our choice: every country could have a rule of its own.
export const mostRules = 250
export const mostValues = 250

export function readRouting(rules: readonly RoutingRule[], ownDomains: OwnDomains): readonly RoutingRule[] {
  if (rules.length > mostRules) throw refused(`A short link has at most ${mostRules} routing rules.`)
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

/** The condition in one spelling; none when it was not sent or is empty. */
function read(rule: Conditions, name: keyof Conditions, kind: Kind): Conditions {
  const values = rule[name] ?? []
  if (values.length > mostValues) throw refused(`A condition of a routing rule has at most ${mostValues} values.`)
  const wrong = values.find((value) => !kind.shape.test(value))
  if (wrong !== undefined) throw refused(`${quoted(wrong)} cannot be in a routing rule here: send ${kind.allowed}.`)
  return values.length === 0 ? {} : { [name]: [...new Set(values.map(kind.normal))] }
}

function refused(message: string): Refusal {
  return invalid('dynamicRouting', message, 'shortlinks')
}
