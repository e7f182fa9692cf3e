import { day, list, oneOf, text } from '../../parts/search-params.js'

/** The filters of the list of links, as they are in the URL. */
export interface LinkSearch {
  readonly q?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly domain?: string | undefined
  readonly campaign?: string | undefined
  readonly creator?: readonly string[] | undefined
  readonly archived?: Choice | undefined
  readonly expired?: Choice | undefined
  readonly custom?: Choice | undefined
  readonly qr?: Choice | undefined
  /** First and last day of creation, in the person's zone. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Newest first, unless set. */
  readonly sort?: 'clicks' | undefined
}

const choices = ['on', 'off', 'both'] as const
export type Choice = (typeof choices)[number]

export function readLinkSearch(raw: Record<string, unknown>): LinkSearch {
  return {
    q: text(raw.q),
    tags: list(raw.tags),
    domain: text(raw.domain),
    campaign: text(raw.campaign),
    creator: list(raw.creator),
    archived: oneOf(choices, raw.archived),
    expired: oneOf(choices, raw.expired),
    custom: oneOf(choices, raw.custom),
    qr: oneOf(choices, raw.qr),
    from: day(raw.from),
    to: day(raw.to),
    sort: oneOf(['clicks'], raw.sort),
  }
}

export function isFiltered(search: LinkSearch): boolean {
  return Object.values(search).some((value) => value !== undefined)
}
