import type { Dimension } from '../clicks/metrics-query.js'

/** What each facet tells apart. */
export const facets = {
  countries: ['country'],
  devices: ['device'],
  // The name of the site, or `direct`; a site without a known name keeps its domain.
  referrers: ['referrerName'],
  referrerUrls: ['referrer'],
  referrersWithDomains: ['referrerName', 'referrerDomain'],
  referringDomains: ['referrerDomain'],
  referringNetworks: ['referrerNetwork'],
  destinations: ['destination'],
} as const satisfies Readonly<Record<string, readonly Dimension[]>>

export type Facet = keyof typeof facets
