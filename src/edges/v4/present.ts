/** Core values in v4's spelling: wire names, timestamps, absolute URLs. */

import type { Static } from 'typebox'
import type { Domains, ShownAddress } from '../../core/domains/domains.js'
import type { Deeplink } from '../../core/links/deeplink.js'
import type { Link, Target } from '../../core/links/link.js'
import type { KeywordEntry, KeywordRecord } from '../../core/links/link-store.js'
import type { RoutingRule } from '../../core/links/routing-rule.js'
import { timestamp } from '../../core/values/time.js'
import { etagOf } from '../http/etag.js'
import { presentLinkFields } from './schemas/link-fields.js'
import type {
  CustomShortLink,
  KeywordEntry as KeywordEntrySchema,
  RoutingRule as RoutingRuleSchema,
  ShortenedLink,
  ShortLink,
} from './schemas/short-link.js'

export interface PresentDeps {
  readonly config: { readonly baseUrl: string }
  readonly domains: Domains
}

/** The subset that shortening answers. */
export function presentShortened(link: Link, deps: PresentDeps): Static<typeof ShortenedLink> {
  return {
    references: { group: `${deps.config.baseUrl}/v4/groups/${link.groupGuid}` },
    link: shortUrl(link.id, deps),
    id: deps.domains.shown(link.id),
    long_url: link.longUrl,
    archived: link.archived,
    created_at: timestamp(link.createdAt),
    custom_shortlinks: link.keywords.map((address) => shortUrl(address, deps)),
    tags: [...link.tags],
    deeplinks: link.deeplinks.map((deeplink) => presentDeeplink(deeplink, deps)),
  }
}

export function presentLink(link: Link, deps: PresentDeps): Static<typeof ShortLink> {
  return {
    ...presentShortened(link, deps),
    ...presentLinkFields(link),
    created_by: link.createdBy,
    ...(link.clientId !== undefined && { client_id: link.clientId }),
    launchpad_ids: [...link.siteGuids],
    qr_code_ids: [...link.qrCodeIds],
    campaign_ids: [...link.campaignGuids],
    is_deleted: link.deletedAt !== undefined,
    ...(link.routing.length > 0 && { dynamic_routing: link.routing.map(presentRule) }),
  }
}

/** Of the link as it is shown, whichever word the client uses for it. */
export function linkEtag(link: Link, deps: PresentDeps): string {
  return etagOf(presentLink(link, deps))
}

export function presentKeyword(record: KeywordRecord, deps: PresentDeps): Static<typeof CustomShortLink> {
  return {
    custom_shortlink: deps.domains.shown(record.address),
    shortlink: presentLink(record.link, deps),
    shortlink_history: record.history.map((entry) => presentKeywordEntry(record.address, entry, deps)),
  }
}

export function presentKeywordEntry(
  address: string,
  entry: KeywordEntry,
  deps: Pick<PresentDeps, 'domains'>,
): Static<typeof KeywordEntrySchema> {
  const { domain: bsd, backHalf: keyword } = halvesOf(deps.domains.shown(address))
  return {
    group_guid: entry.groupGuid,
    keyword,
    bsd,
    hash: halvesOf(entry.linkId).backHalf,
    login: entry.login,
    long_url: entry.longUrl,
    created: timestamp(entry.createdAt),
    first_created: timestamp(entry.firstCreatedAt),
    deactivated: entry.deactivatedAt === undefined ? '' : timestamp(entry.deactivatedAt),
    is_active: entry.deactivatedAt === undefined,
  }
}

export function presentExpanded(target: Target, deps: PresentDeps): ExpandedLink {
  return {
    link: shortUrl(target.address, deps),
    id: deps.domains.shown(target.address),
    long_url: target.longUrl,
    long_urls: [...new Set([target.longUrl, ...(target.rules?.routing ?? []).map((rule) => rule.longUrl)])],
    created_at: timestamp(target.createdAt),
  }
}

export interface ExpandedLink {
  link: string
  id: ShownAddress
  long_url: string
  long_urls: string[]
  created_at: string
}

function presentDeeplink(deeplink: Deeplink, { domains }: PresentDeps) {
  return {
    guid: deeplink.guid,
    shortlink: domains.shown(deeplink.linkId),
    app_uri_path: deeplink.appUriPath,
    install_url: deeplink.installUrl,
    app_guid: deeplink.appGuid,
    os: deeplink.os,
    install_type: deeplink.installType,
    created: timestamp(deeplink.createdAt),
    modified: timestamp(deeplink.modifiedAt),
    brand_guid: deeplink.brandGuid,
  }
}

export function presentRule(rule: RoutingRule): Static<typeof RoutingRuleSchema> {
  return {
    long_url: rule.longUrl,
    ...(rule.countryMatch && { country_match: [...rule.countryMatch] }),
    ...(rule.countryExclude && { country_exclude: [...rule.countryExclude] }),
    ...(rule.regionMatch && { region_match: [...rule.regionMatch] }),
    ...(rule.regionExclude && { region_exclude: [...rule.regionExclude] }),
    ...(rule.deviceMatch && { device_match: [...rule.deviceMatch] }),
    ...(rule.deviceExclude && { device_exclude: [...rule.deviceExclude] }),
    ...(rule.osMatch && { os_match: [...rule.osMatch] }),
    ...(rule.osExclude && { os_exclude: [...rule.osExclude] }),
  }
}

function halvesOf(address: string): { domain: string; backHalf: string } {
  const at = address.indexOf('/')
  return { domain: address.slice(0, at), backHalf: address.slice(at + 1) }
}

export function shortUrl(address: string, { config: { baseUrl }, domains }: PresentDeps): string {
  return domains.urlOf(address, baseUrl)
}
