/** The dimensions of metrics in the tables of the click log. */
import type { Name } from '../../core/clicks/metrics-query.js'
import { kindNumber, trafficClassNumber } from './schema.js'

/** The column of a dimension, and its SQL expression after the dictionary is joined. */
export const expressions: Readonly<Record<Name, { readonly column: string; readonly value: string }>> = {
  kind: { column: 'kind', value: nameOf('kind', kindNumber) },
  trafficClass: { column: 'nature', value: nameOf('nature', trafficClassNumber) },
  address: { column: 'address', value: 'addresses.value' },
  destination: { column: 'destination', value: 'destinations.value' },
  country: { column: 'place', value: 'places.country' },
  region: { column: 'place', value: 'places.region' },
  subregion: { column: 'place', value: 'places.subregion' },
  city: { column: 'place', value: 'places.city' },
  cityKnown: { column: 'place', value: "CASE places.city WHEN '' THEN 'no' ELSE 'yes' END" },
  device: { column: 'agent', value: 'agents.device' },
  os: { column: 'agent', value: 'agents.os' },
  browser: { column: 'agent', value: 'agents.browser' },
  referrer: { column: 'referrer', value: 'referrers.value' },
  referrerDomain: { column: 'referrer', value: 'referrers.domain' },
  referrerName: { column: 'referrer', value: 'referrers.name' },
  referrerNetwork: { column: 'referrer', value: 'referrers.network' },
}

/** The dictionary table of a column. */
export const dictionaryOf: Readonly<Record<string, string>> = {
  address: 'addresses',
  destination: 'destinations',
  place: 'places',
  agent: 'agents',
  referrer: 'referrers',
}

/** The name of a number in a column of `keyed`. */
export function nameOf(column: string, numbers: Readonly<Record<string, number>>): string {
  const names = Object.entries(numbers).map(([name, number]) => `WHEN ${number} THEN '${name}'`)
  return `CASE keyed.${column} ${names.join(' ')} END`
}
