import type { Deeplink, DeeplinkDraft } from './deeplink.js'
import type { RoutingRule } from './routing-rule.js'

/** A short link: `<domain>/<hash>`, made for one group by one user, with one destination. */
export interface Link {
  /** The stored address, `<key of the domain>/<hash>`; `Domains.shown` says how people see it. */
  readonly id: string
  /** The key of its domain. */
  readonly domain: string
  readonly hash: string
  readonly groupGuid: string
  readonly longUrl: string
  readonly title: string | undefined
  readonly archived: boolean
  readonly createdAt: number
  /** When its owners last changed it; when it was made if they never did. */
  readonly modifiedAt: number
  readonly createdBy: string
  readonly clientId: string | undefined
  readonly expiresAt: number | undefined
  readonly deletedAt: number | undefined
  /** Its destination was changed, or it got a keyword: it can no longer be deleted. */
  readonly edited: boolean
  /** Stored addresses that point at this link, most recent first. */
  readonly keywords: readonly string[]
  readonly tags: readonly string[]
  readonly deeplinks: readonly Deeplink[]
  readonly routing: readonly RoutingRule[]
  readonly campaignGuids: readonly string[]
  /** What its owners noted down about it. */
  readonly note: string | undefined
  /** Nobody else learns who made it. */
  readonly private: boolean
  /** When it was made as far as its owners are concerned; they may say so when they bring links from elsewhere. */
  readonly userTs: number | undefined
}

/** What a new link needs before it has a hash. */
export interface LinkDraft {
  readonly groupGuid: string
  /** The group's: what is used is counted for both. */
  readonly organizationGuid: string
  /** The key of its domain. */
  readonly domain: string
  /** The domain is a branded one, whose links are counted apart too. */
  readonly branded?: boolean
  readonly longUrl: string
  readonly createdBy: string
  readonly clientId: string | undefined
  readonly at: number
  /** A link of its own in any case, which is not the one that shortening the URL again returns. */
  readonly forceNew?: boolean
  /** A link that the group has for this URL is answered with the title and the tags that it has. */
  readonly keepKnown?: boolean
}

/** What a new link may have besides. */
export interface LinkDetails {
  readonly title: string | undefined
  readonly tags: readonly string[]
  readonly expiresAt: number | undefined
  readonly deeplinks: readonly DeeplinkDraft[]
  readonly routing: readonly RoutingRule[]
  /** A stored address. */
  readonly keyword: string | undefined
  readonly note?: string | undefined
  readonly private?: boolean | undefined
  readonly userTs?: number | undefined
}

/** What may change in a link. What is left out stays; null takes it away. Lists replace the ones there were. */
export interface LinkChange {
  readonly title?: string | null
  readonly archived?: boolean
  readonly longUrl?: string
  /** The long URL that the link has was sent again: that spends an allowance too. */
  readonly sameLongUrl?: boolean
  readonly expiresAt?: number | null
  readonly tags?: readonly string[]
  readonly deeplinks?: readonly DeeplinkDraft[]
  readonly routing?: readonly RoutingRule[]
  readonly note?: string | null
  readonly private?: boolean
  readonly userTs?: number
}

/** Who changes something, and when. */
export interface ChangeContext {
  readonly login: string
  readonly at: number
}

/** Where an address leads at this moment; kept in memory by the redirect path. */
export interface Target {
  /** The address used, as it is stored. */
  readonly address: string
  /** The hash link behind the address; undefined for a global hash, which nobody owns. */
  readonly linkId: string | undefined
  readonly groupGuid: string | undefined
  readonly longUrl: string
  readonly createdAt: number
  readonly expiresAt: number | undefined
  readonly deletedAt: number | undefined
  /** Undefined for the many links that lead everybody to one place: the redirect path looks no further. */
  readonly rules: TargetRules | undefined
}

export interface TargetRules {
  readonly deeplinks: readonly Deeplink[]
  readonly routing: readonly RoutingRule[]
}

/** A link that expires or does not lead everybody to its URL is not handed out again for the same long URL. */
export function isReusable({ expiresAt, deeplinks = [], routing = [] }: LinkChange | LinkDetails): boolean {
  return typeof expiresAt !== 'number' && deeplinks.length + routing.length === 0
}

/** Spends an encode: a destination was sent, be it the one that the link has. */
export function isRedirect({ longUrl, sameLongUrl = false }: LinkChange): boolean {
  return longUrl !== undefined || sameLongUrl
}
