import type { Deeplink, DeeplinkDraft } from './deeplink.js'
import { type LinkValueChange, type LinkValues, type TargetValues, targetFields } from './link-fields.js'
import type { RoutingRule } from './routing-rule.js'

/** A short link `<domain>/<hash>`: created by one user in one group, with one long URL. */
export interface Link extends LinkValues {
  /** The stored address, `<key of the domain>/<hash>`; `Domains.shown` turns it into the public one. */
  readonly id: string
  /** The key of its domain. */
  readonly domain: string
  readonly hash: string
  readonly groupGuid: string
  readonly longUrl: string
  readonly archived: boolean
  readonly createdAt: number
  /** The last change by its owners; the creation time if there was none. */
  readonly modifiedAt: number
  readonly createdBy: string
  readonly clientId: string | undefined
  readonly deletedAt: number | undefined
  /** Its long URL was changed or a keyword was added. Edited links cannot be deleted. */
  readonly edited: boolean
  /** Stored addresses, newest first. */
  readonly keywords: readonly string[]
  readonly tags: readonly string[]
  readonly deeplinks: readonly Deeplink[]
  readonly routing: readonly RoutingRule[]
  readonly campaignGuids: readonly string[]
  /** QR codes with an address of this link, newest first. */
  readonly qrCodeIds: readonly string[]
  /** Sites with a block that leads to this link, in their draft or for visitors. */
  readonly siteGuids: readonly string[]
  /** Belongs to a site, or to a stand-alone QR code until the two are coupled, and is not shown as a link. */
  readonly hidden: boolean
  /** The site that is shown at its addresses; such links are always hidden. */
  readonly siteGuid: string | undefined
}

/** A new link before it has a hash. */
export interface LinkDraft {
  readonly groupGuid: string
  /** The group's organization: usage is counted for both. */
  readonly organizationGuid: string
  /** The key of its domain. */
  readonly domain: string
  /** On a branded domain; such links also count as `branded_links`. */
  readonly branded?: boolean
  readonly longUrl: string
  readonly createdBy: string
  readonly clientId: string | undefined
  readonly at: number
  /** Always create a new link, and never reuse it for the same long URL. */
  readonly forceNew?: boolean
  /** Of a new link; an existing one changes only by `LinkDetails`. */
  readonly private?: boolean | undefined
  /** An existing link for this URL keeps its title and tags. */
  readonly keepExisting?: boolean
  /** An existing link for this URL stays archived. */
  readonly keepArchived?: boolean
  /** The link of a stand-alone QR code: not counted as a link until the two are coupled. Requires `forceNew`. */
  readonly hidden?: boolean
}

/** The optional fields of a new link. Without `private` it is as the draft says. */
export interface LinkDetails extends LinkValueChange {
  readonly tags: readonly string[]
  readonly deeplinks: readonly DeeplinkDraft[]
  readonly routing: readonly RoutingRule[]
  /** A stored address. */
  readonly keyword: string | undefined
}

export const noDetails: LinkDetails = {
  title: undefined,
  tags: [],
  expiresAt: undefined,
  deeplinks: [],
  routing: [],
  keyword: undefined,
}

/** A change to a link. Missing fields stay as they are, null removes a value, and lists replace the old ones. */
export interface LinkChange extends LinkValueChange {
  readonly archived?: boolean
  readonly longUrl?: string
  /** The current long URL was sent again, which also counts as a redirect. */
  readonly sameLongUrl?: boolean
  readonly tags?: readonly string[]
  /** Of the tags that the link has when it is changed. */
  readonly tagEdit?: TagEdit
  readonly deeplinks?: readonly DeeplinkDraft[]
  readonly routing?: readonly RoutingRule[]
}

/** Removes first, then adds: a tag in both lists is present afterwards. */
export interface TagEdit {
  readonly removeTags: readonly string[]
  readonly addTags: readonly string[]
}

/** Who makes a change, and when. */
export interface ChangeContext {
  readonly login: string
  /** The application that was used, if any. */
  readonly clientId?: string | undefined
  readonly at: number
}

/** The current target of an address, as the redirect cache holds it. */
export interface Target extends TargetValues {
  /** The stored address. */
  readonly address: string
  /** The id of the link at this address; undefined for a global hash, which nobody owns. */
  readonly linkId: string | undefined
  readonly groupGuid: string | undefined
  readonly longUrl: string
  readonly createdAt: number
  readonly deletedAt: number | undefined
  /** Undefined for links without deep links and routing rules, so that the fast path skips them. */
  readonly rules: TargetRules | undefined
}

export interface TargetRules {
  /** Guid of the site that is shown at this address; undefined for links that lead elsewhere. */
  readonly site: string | undefined
  readonly deeplinks: readonly Deeplink[]
  readonly routing: readonly RoutingRule[]
}

/** Whether shortening the same long URL may return this link again. */
export function isReusable(link: LinkChange | LinkDetails): boolean {
  if (link.deeplinks?.length || link.routing?.length) return false
  return targetFields.every((name) => !link[name])
}

/** Whether the change counts as a redirect: any long URL was sent, even the current one. */
export function isRedirect({ longUrl, sameLongUrl = false }: LinkChange): boolean {
  return longUrl !== undefined || sameLongUrl
}
