/**
 * Making a link with everything it can have from the start. Where nothing but the long URL is given it is the same as
 * shorten.ts. It knows the rules, not how a link and its details are written as one step.
 */

import { type Actor, requireWriter } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import { type DnsCheck, requireDns } from '../domains/dns-check.js'
import { type Domains, domainFor } from '../domains/domains.js'
import { type Titles, wantTitle } from '../titles/titles.js'
import type { DrawHash } from './address.js'
import { type DeeplinkParts, type DeeplinkWish, readDeeplinks, registerApps } from './deeplink.js'
import { readExpiry } from './expiry.js'
import { keywordTaken, readKeyword } from './keyword.js'
import { isOfItsOwn, type LinkDetails } from './link.js'
import type { LinkStore } from './link-store.js'
import { normaliseLongUrl } from './long-url.js'
import { type NewLinkParts, requireExtras, requireRoomForLink } from './new-link-allowance.js'
import { readNote, readUserTs } from './note.js'
import { type RoutingRule, readRouting } from './routing-rule.js'
import type { NewLink } from './shorten.js'
import { readTags, tooManyTagsPerGroup, tooManyTagsPerLink } from './tags.js'
import type { Targets } from './targets.js'
import { readTitle } from './title.js'

export interface CreateParts extends DeeplinkParts, NewLinkParts {
  readonly links: Pick<LinkStore, 'create' | 'findOrInsert' | 'findByLongUrl'>
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly targets: Pick<Targets, 'forget'>
  readonly titles: Pick<Titles, 'want'>
  readonly clock: Clock
  readonly newHash: DrawHash
}

export interface CreateWish {
  readonly longUrl: string
  readonly domain?: string | undefined
  readonly groupGuid?: string | undefined
  readonly forceNewLink?: boolean | undefined
  readonly title?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly keyword?: string | undefined
  readonly expirationAt?: string | undefined
  readonly deeplinks?: readonly DeeplinkWish[] | undefined
  readonly dynamicRouting?: readonly RoutingRule[] | undefined
  readonly note?: string | undefined
  readonly private?: boolean | undefined
  /** Epoch seconds. */
  readonly userTs?: number | undefined
  /** A link that the group has for this URL keeps its title and its tags. */
  readonly keepKnown?: boolean | undefined
}

/**
 * A new link, or the one the group has for this URL on this domain: that one gets the title and the tags beside those it
 * has. With a keyword or `forceNewLink` it is always a new one, and so it is with anything that makes the link lead
 * elsewhere than to this URL for everybody and for ever (docs/api/links.md).
 */
export async function createLink(parts: CreateParts, actor: Actor, wish: CreateWish): Promise<NewLink> {
  const { groupGuid, organizationGuid } = requireWriter(actor, wish.groupGuid ?? actor.defaultGroupGuid)
  const longUrl = normaliseLongUrl(wish.longUrl, parts.domains)
  const domain = domainFor(parts, groupGuid, wish.domain)
  const at = parts.clock.now()
  const keyword = wish.keyword === undefined ? undefined : `${domain.key}/${readKeyword(wish.keyword)}`
  const details: LinkDetails = {
    title: readTitle(wish.title ?? ''),
    tags: readTags(wish.tags ?? []),
    expiresAt: readExpiry(wish.expirationAt ?? '', at),
    deeplinks: await readDeeplinks(parts, organizationGuid, wish.deeplinks ?? []),
    routing: readRouting(wish.dynamicRouting ?? [], parts.domains),
    keyword,
    note: readNote(wish.note ?? ''),
    private: wish.private ?? false,
    userTs: wish.userTs === undefined ? undefined : readUserTs(wish.userTs),
  }
  requireExtras(parts, organizationGuid, {
    expires: details.expiresAt !== undefined,
    deeplinks: details.deeplinks.length,
    rules: details.routing.length,
    customLink: keyword !== undefined && domain.branded,
  })
  const draft = {
    groupGuid,
    organizationGuid,
    domain: domain.key,
    branded: domain.branded,
    longUrl,
    createdBy: actor.login,
    clientId: actor.clientId,
    at,
    forceNew: wish.forceNewLink === true || keyword !== undefined || isOfItsOwn(details),
    keepKnown: wish.keepKnown === true,
  }
  await requireRoomForLink(parts, draft, keyword)
  const dnsWarning = await requireDns(parts, domain)

  // Plain links are written many at once, which is several times cheaper.
  if (isPlain(details)) {
    return { ...wantTitle(parts, await parts.links.findOrInsert(draft, parts.newHash)), dnsWarning }
  }

  const deeplinks = await registerApps(parts, organizationGuid, details.deeplinks)
  const created = await parts.links.create(draft, { ...details, deeplinks }, parts.newHash)
  if (created.outcome === 'too-many-tags') throw created.on === 'link' ? tooManyTagsPerLink() : tooManyTagsPerGroup()
  if (created.outcome === 'taken') throw keywordTaken(domain, groupGuid, created.holder)
  // Somebody may have visited the keyword before it was one, and its absence be remembered.
  if (keyword !== undefined) parts.targets.forget(keyword)
  return { ...wantTitle(parts, { link: created.link, created: created.created }), dnsWarning }
}

function isPlain({ tags, deeplinks, routing, ...details }: LinkDetails): boolean {
  const lists = tags.length + deeplinks.length + routing.length
  return lists === 0 && Object.values(details).every((value) => value === undefined || value === false)
}
