/** Routing rules: what the form edits, and what a rule means in plain words. */
import type { components } from '../../api/schema.js'
import { countryName } from '../../parts/format.js'
import { plainUrl } from '../../parts/with-scheme.js'
import { texts } from '../../texts/texts.js'

export type Rule = components['schemas']['RoutingRule']

export const kinds = ['country', 'device', 'os'] as const
export type Kind = (typeof kinds)[number]

export interface Condition {
  readonly isExcluded: boolean
  readonly values: readonly string[]
}

export function conditionOf(rule: Rule, kind: Kind): Condition {
  const excluded = listOf(rule[`${kind}_exclude`])
  return excluded.length > 0
    ? { isExcluded: true, values: excluded }
    : { isExcluded: false, values: listOf(rule[`${kind}_match`]) }
}

export function withCondition(rule: Rule, kind: Kind, { isExcluded, values }: Condition): Rule {
  const { [`${kind}_match` as const]: _, [`${kind}_exclude` as const]: __, ...others } = rule
  if (values.length === 0) return others
  return { ...others, [isExcluded ? `${kind}_exclude` : `${kind}_match`]: [...values] }
}

/** Visitors in Germany on a phone go to example.de. */
export function sentenceOf(rule: Rule): string {
  const { routing } = texts.create
  const where = [
    said(listOf(rule.country_match).map(countryName), routing.in),
    said(listOf(rule.country_exclude).map(countryName), routing.notIn),
    said(listOf(rule.region_match), routing.in),
    said(listOf(rule.region_exclude), routing.notIn),
    said(listOf(rule.device_match).map(deviceName), routing.on),
    said(listOf(rule.device_exclude).map(deviceName), routing.notOn),
    said(listOf(rule.os_match).map(systemName), routing.with),
    said(listOf(rule.os_exclude).map(systemName), routing.notWith),
  ].filter((part) => part !== '')
  return routing.sentence(where.join(' '), plainUrl(rule.long_url))
}

export function deviceName(device: string): string {
  return texts.create.routing.devices[device as keyof typeof texts.create.routing.devices] ?? device
}

export function systemName(system: string): string {
  return { ios: 'iOS', android: 'Android' }[system] ?? system
}

function said(names: readonly string[], say: (names: string) => string): string {
  return names.length === 0 ? '' : say(texts.create.routing.or(names))
}

function listOf(values: readonly string[] | string | null | undefined): readonly string[] {
  return Array.isArray(values) ? values : []
}
