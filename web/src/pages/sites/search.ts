import { oneOf } from '../../parts/search-params.js'

export const siteTabs = ['content', 'look', 'share', 'statistics'] as const
export type SiteTab = (typeof siteTabs)[number]

/** The periods of the statistics, in days. */
export const ranges = ['7', '30', '90', '365'] as const
export type SiteRange = (typeof ranges)[number]

export interface SiteSearch {
  readonly tab?: SiteTab | undefined
  readonly range?: SiteRange | undefined
}

/** Of all sites together. */
export function readSitesSearch(raw: Record<string, unknown>): Pick<SiteSearch, 'range'> {
  return { range: readSiteSearch(raw).range }
}

export function readSiteSearch(raw: Record<string, unknown>): SiteSearch {
  return {
    tab: oneOf(siteTabs, raw.tab),
    // The router reads digits as a number.
    range: oneOf(ranges, String(raw.range)),
  }
}
