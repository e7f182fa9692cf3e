/** What the rows of cards can be, by the names of the API's reports. Part of the first load: knows names alone. */
import type { operations } from '../../api/schema.js'

export type Dimension = operations['getCampaignMetricsBy']['parameters']['path']['dimension']

interface DimensionChoice {
  /** The parameter that filters by it. */
  readonly filter?: string
  /** The card with a tab for it; others depend on what the page is about. */
  readonly card?: 'sources' | 'devices'
  /** The only traffic that has it. */
  readonly traffic?: 'agents'
}

const dimensions = {
  countries: { filter: 'country' },
  cities: { filter: 'city' },
  referrers: { filter: 'referrer', card: 'sources' },
  referring_domains: { filter: 'referring_domain', card: 'sources' },
  referring_networks: { filter: 'referring_network', card: 'sources' },
  devices: { filter: 'device', card: 'devices' },
  os: { filter: 'os', card: 'devices' },
  browsers: { filter: 'browser', card: 'devices' },
  agents: { filter: 'agent', card: 'devices', traffic: 'agents' },
  destinations: { filter: 'destination' },
  addresses: {},
  links: { filter: 'link' },
  channels: { filter: 'channel' },
} as const satisfies Readonly<Record<Dimension, DimensionChoice>>

type FilterOf<Choice> = Choice extends { readonly filter: infer Name } ? Name : never
/** Tags have no report of their own. */
export type FilterName = FilterOf<(typeof dimensions)[Dimension]> | 'tag'

export function choiceOf(dimension: Dimension): DimensionChoice & { readonly filter?: FilterName } {
  return dimensions[dimension]
}

export const dimensionNames = Object.keys(dimensions) as readonly Dimension[]

export const filterNames: readonly FilterName[] = [
  ...dimensionNames.flatMap((name) => choiceOf(name).filter ?? []),
  'tag',
]

export function dimensionsOf(card: 'sources' | 'devices'): readonly Dimension[] {
  return dimensionNames.filter((name) => choiceOf(name).card === card)
}
