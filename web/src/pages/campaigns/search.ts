/** What the pages of campaigns show, as it is in the URL. */
import { oneOf, text } from '../../parts/search-params.js'
import { type AnalyticsSearch, readAnalyticsSearch } from '../analytics/search.js'

/** By what the list is sorted; the newest first by default. */
const sorts = ['name', 'clicks', 'scans'] as const
export type Sort = (typeof sorts)[number]

export interface CampaignsSearch extends AnalyticsSearch {
  readonly q?: string | undefined
  readonly sort?: Sort | undefined
}

export function readCampaignsSearch(raw: Record<string, unknown>): CampaignsSearch {
  return { ...readAnalyticsSearch(raw), q: text(raw.q), sort: oneOf(sorts, raw.sort) }
}

export interface NewSearch {
  /** The guid of the campaign that gets the links; a new one by default. */
  readonly campaign?: string | undefined
}

export function readNewSearch(raw: Record<string, unknown>): NewSearch {
  return { campaign: text(raw.campaign) }
}
