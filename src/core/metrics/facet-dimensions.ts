import type { Dimension } from '../clicks/metrics-query.js'

/** The click log dimensions of each facet. */
export const facets = {
  countries: ['country'],
  devices: ['device'],
  // The name of the site, or `direct`; an unknown site has its domain as name.
  referrers: ['referrerName'],
  referrerUrls: ['referrer'],
  referrersWithDomains: ['referrerName', 'referrerDomain'],
  referringDomains: ['referrerDomain'],
  referringNetworks: ['referrerNetwork'],
  destinations: ['destination'],
} as const satisfies Readonly<Record<string, readonly Dimension[]>>

export type Facet = keyof typeof facets
