/**
 * Making a link: of a long URL alone, or with everything it can have from the start. It knows the rules, not how a link
 * and its details are written as one step.
 */
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { type DnsCheck, requireDns } from '../domains/dns-check.js'
import { type Domain, type Domains, domainFor } from '../domains/domains.js'
import type { Titles } from '../titles/titles.js'
import type { DrawHash } from '../values/address.js'
import { normaliseLongUrl } from '../values/long-url.js'
import type { Clock } from '../values/time.js'
import { type DeeplinkDeps, type DeeplinkInput, readDeeplinks, registerMobileApps } from './deeplink.js'
import { keywordTaken } from './keywords.js'
import { isReusable, type LinkDetails, type LinkDraft } from './link.js'
import {
  readExpiry,
  readKeyword,
  readNote,
  readTags,
  readTitle,
  readUserTs,
  tooManyTagsPerGroup,
  tooManyTagsPerLink,
} from './link-fields.js'
import type { LinkStore, Shortened } from './link-store.js'
import { type NewLinkDeps, requireExtras, requireRoomForLink } from './new-link-allowance.js'
import type { RedirectCache } from './redirect-cache.js'
import { type RoutingRule, readRouting } from './routing-rule.js'

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
  /** Make a new link even if the group has one for this URL. */
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

export interface NewLink extends Shortened {
  /** The DNS of its domain was right not long ago, and is not any more: what is wrong, for people. */
  readonly dnsWarning: string | undefined
}

/**
 * A new link, or the one the group has for this URL on this domain: that one gets the title and the tags beside those it
 * has. With a keyword or `forceNewLink` it is always a new one, and so it is with anything that makes the link lead
 * elsewhere than to this URL for everybody and for ever (docs/api/links.md#create).
 */
export async function createLink(
  deps: CreateDeps,
  actor: Actor,
  group: WriterMembership,
  input: CreateInput,
): Promise<NewLink> {
  const { groupGuid, organizationGuid } = group
  const longUrl = normaliseLongUrl(input.longUrl, deps.domains)
  const domain = domainFor(deps, groupGuid, input.domain)
  const at = deps.clock.now()
  // Most links are a long URL alone. They wait for nothing that they do not need, and many are written in one step.
  const details = hasDetails(input) ? await readDetails(deps, group, domain, at, input) : undefined
  const draft = {
    groupGuid,
    organizationGuid,
    domain: domain.key,
    branded: domain.branded,
    longUrl,
    createdBy: actor.login,
    clientId: actor.clientId,
    at,
    forceNew: input.forceNewLink === true || (details !== undefined && isAlwaysNew(details)),
    keepKnown: input.keepKnown === true,
  }
  if (deps.plans.limitsOf(organizationGuid)) await requireRoomForLink(deps, draft, details?.keyword)
  const dnsWarning = domain.branded ? await requireDns(deps, domain) : undefined
  const { link, created } = details
    ? await createWithDetails(deps, domain, draft, details)
    : await deps.links.findOrInsert(draft, deps.newHash)
  if (created) deps.titles.want(link)
  return { link, created, dnsWarning }
}

/** One that shortening the same long URL could not answer again. */
function isAlwaysNew(details: LinkDetails): boolean {
  return details.keyword !== undefined || !isReusable(details)
}

/** Whether anything is sent besides the long URL; an empty list or text is nothing. */
function hasDetails(input: CreateInput): boolean {
  const { title, tags, keyword, expirationAt, deeplinks, dynamicRouting, note, userTs } = input
  const lists = (tags?.length ?? 0) + (deeplinks?.length ?? 0) + (dynamicRouting?.length ?? 0)
  const texts = title || expirationAt || note
  return Boolean(lists || texts || input.private) || keyword !== undefined || userTs !== undefined
}

async function readDetails(
  deps: CreateDeps,
  { organizationGuid }: WriterMembership,
  domain: Domain,
  now: number,
  input: CreateInput,
): Promise<LinkDetails> {
  const keyword = input.keyword === undefined ? undefined : `${domain.key}/${readKeyword(input.keyword)}`
  const details: LinkDetails = {
    title: readTitle(input.title ?? ''),
    tags: readTags(input.tags ?? []),
    expiresAt: readExpiry(input.expirationAt ?? '', now),
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
  return details
}

async function createWithDetails(
  deps: CreateDeps,
  domain: Domain,
  draft: LinkDraft,
  details: LinkDetails,
): Promise<Shortened> {
  const deeplinks = await registerMobileApps(deps, draft.organizationGuid, details.deeplinks)
  const created = await deps.links.create(draft, { ...details, deeplinks }, deps.newHash)
  if (created.outcome === 'too-many-tags') throw created.on === 'link' ? tooManyTagsPerLink() : tooManyTagsPerGroup()
  if (created.outcome === 'taken') throw keywordTaken(domain, draft.groupGuid, created.holder)
  // Somebody may have visited the keyword before it was one, and its absence be remembered.
  if (details.keyword !== undefined) deps.redirectCache.forget(details.keyword)
  return { link: created.link, created: created.created }
}
