/**
 * Making a link with everything it can have from the start. Where nothing but the long URL is given it is the same as
 * shorten.ts. It knows the rules, not how a link and its details are written as one step.
 */

import { type Actor, requireWriter } from '../accounts/actor.js'
import { type DnsCheck, requireDns } from '../domains/dns-check.js'
import { type Domains, domainFor } from '../domains/domains.js'
import { type Titles, wantTitle } from '../titles/titles.js'
import type { DrawHash } from '../values/address.js'
import type { Clock } from '../values/clock.js'
import { normaliseLongUrl } from '../values/long-url.js'
import { type DeeplinkDeps, type DeeplinkInput, readDeeplinks, registerMobileApps } from './deeplink.js'
import { readExpiry } from './expiry.js'
import { keywordTaken, readKeyword } from './keyword.js'
import { isReusable, type LinkDetails } from './link.js'
import type { LinkStore } from './link-store.js'
import { type NewLinkDeps, requireExtras, requireRoomForLink } from './new-link-allowance.js'
import { readNote, readUserTs } from './note.js'
import type { RedirectCache } from './redirect-cache.js'
import { type RoutingRule, readRouting } from './routing-rule.js'
import type { NewLink } from './shorten.js'
import { readTags, tooManyTagsPerGroup, tooManyTagsPerLink } from './tags.js'
import { readTitle } from './title.js'

export interface CreateDeps extends DeeplinkDeps, NewLinkDeps {
  readonly links: Pick<LinkStore, 'create' | 'findOrInsert' | 'findByLongUrl'>
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly titles: Pick<Titles, 'want'>
  readonly clock: Clock
  readonly newHash: DrawHash
}

export interface CreateInput {
  readonly longUrl: string
  readonly domain?: string | undefined
  readonly groupGuid?: string | undefined
  readonly forceNewLink?: boolean | undefined
  readonly title?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly keyword?: string | undefined
  readonly expirationAt?: string | undefined
  readonly deeplinks?: readonly DeeplinkInput[] | undefined
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
 * elsewhere than to this URL for everybody and for ever (docs/api/links.md#create).
 */
export async function createLink(deps: CreateDeps, actor: Actor, input: CreateInput): Promise<NewLink> {
  const { groupGuid, organizationGuid } = requireWriter(actor, input.groupGuid ?? actor.defaultGroupGuid)
  const longUrl = normaliseLongUrl(input.longUrl, deps.domains)
  const domain = domainFor(deps, groupGuid, input.domain)
  const at = deps.clock.now()
  const keyword = input.keyword === undefined ? undefined : `${domain.key}/${readKeyword(input.keyword)}`
  const details: LinkDetails = {
    title: readTitle(input.title ?? ''),
    tags: readTags(input.tags ?? []),
    expiresAt: readExpiry(input.expirationAt ?? '', at),
    deeplinks: await readDeeplinks(deps, organizationGuid, input.deeplinks ?? []),
    routing: readRouting(input.dynamicRouting ?? [], deps.domains),
    keyword,
    note: readNote(input.note ?? ''),
    private: input.private ?? false,
    userTs: input.userTs === undefined ? undefined : readUserTs(input.userTs),
  }
  requireExtras(deps, organizationGuid, {
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
    forceNew: input.forceNewLink === true || keyword !== undefined || !isReusable(details),
    keepKnown: input.keepKnown === true,
  }
  await requireRoomForLink(deps, draft, keyword)
  const dnsWarning = await requireDns(deps, domain)

  // Plain links are written many at once, which is several times cheaper.
  if (isPlain(details)) {
    return { ...wantTitle(deps, await deps.links.findOrInsert(draft, deps.newHash)), dnsWarning }
  }

  const deeplinks = await registerMobileApps(deps, organizationGuid, details.deeplinks)
  const created = await deps.links.create(draft, { ...details, deeplinks }, deps.newHash)
  if (created.outcome === 'too-many-tags') throw created.on === 'link' ? tooManyTagsPerLink() : tooManyTagsPerGroup()
  if (created.outcome === 'taken') throw keywordTaken(domain, groupGuid, created.holder)
  // Somebody may have visited the keyword before it was one, and its absence be remembered.
  if (keyword !== undefined) deps.redirectCache.forget(keyword)
  return { ...wantTitle(deps, { link: created.link, created: created.created }), dnsWarning }
}

function isPlain({ tags, deeplinks, routing, ...details }: LinkDetails): boolean {
  const lists = tags.length + deeplinks.length + routing.length
  return lists === 0 && Object.values(details).every((value) => value === undefined || value === false)
}
