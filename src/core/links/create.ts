/**
 * Creates links, from a long URL alone or with details (title, tags, keyword, deep links, routing rules). Checks input,
 * plan limits and DNS; the store writes the link and its details in one transaction.
 */
import type { Actor, WriterMembership } from '../accounts/actor.js'
import { hasScope } from '../accounts/scopes.js'
import { type DnsCheck, requireDns } from '../domains/dns-check.js'
import { type Domain, type Domains, domainFor } from '../domains/domains.js'
import type { Titles } from '../titles/titles.js'
import { normaliseLongUrl } from '../values/long-url.js'
import type { DrawHash } from '../values/random.js'
import type { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { type DeeplinkDeps, type DeeplinkInput, readDeeplinks, registerMobileApps } from './deeplink.js'
import { keywordTaken } from './keywords.js'
import { isReusable, type LinkDetails, type LinkDraft } from './link.js'
import { type LinkInput, linkFieldNames, readKeyword, readLinkFields } from './link-fields.js'
import type { Created, LinkStore, Shortened } from './link-store.js'
import { type NewLinkDeps, requireExtras, requireRoomForLink } from './new-link-allowance.js'
import type { RedirectCache } from './redirect-cache.js'
import { type RoutingRule, readRouting } from './routing-rule.js'
import { readTags, tooManyTagsPerGroup, tooManyTagsPerLink } from './tags.js'

export interface CreateDeps extends DeeplinkDeps, NewLinkDeps {
  readonly links: Pick<LinkStore, 'create' | 'findOrInsert' | 'findByLongUrl'>
  readonly domains: Domains
  readonly dns: DnsCheck
  readonly redirectCache: Pick<RedirectCache, 'forget'>
  readonly titles: Pick<Titles, 'enqueue'>
  readonly clock: Clock
  readonly newHash: DrawHash
}

/** Without `private` the link is as the caller chose for new ones. */
export interface CreateInput extends LinkInput {
  readonly longUrl: string
  readonly domain?: string | undefined
  /** Create a new link even if the group has one for this URL. */
  readonly forceNewLink?: boolean | undefined
  readonly tags?: readonly string[] | undefined
  readonly keyword?: string | undefined
  readonly deeplinks?: readonly DeeplinkInput[] | undefined
  readonly dynamicRouting?: readonly RoutingRule[] | undefined
  /** An existing link for this URL keeps its title and tags. */
  readonly keepExisting?: boolean | undefined
}

export interface NewLink extends Shortened {
  /** Set when the domain's DNS was right recently but is wrong now: what is wrong, in plain English. */
  readonly dnsWarning: string | undefined
}

/**
 * Returns the group's link for this URL on this domain, or creates one. An existing link gets the new title and privacy,
 * and the tags are added to its own. A keyword, `forceNewLink`, an expiry, deep links or routing rules always create a new link
 * (docs/api/links.md#create).
 */
export async function createLink(
  deps: CreateDeps,
  actor: Actor,
  group: WriterMembership,
  input: CreateInput,
): Promise<NewLink> {
  const { domain, draft, details } = await readNewLink(deps, actor, group, input)
  if (deps.plans.limitsOf(group.organizationGuid)) await requireRoomForLink(deps, draft, details?.keyword)
  const dnsWarning = domain.branded ? await requireDns(deps, domain) : undefined
  const { link, created } = details
    ? await createWithDetails(deps, domain, draft, details)
    : await deps.links.findOrInsert(draft, deps.newHash)
  if (created) deps.titles.enqueue(link)
  return { link, created, dnsWarning }
}

/** What a caller wants to create, after all checks that concern only its own fields. */
export interface CheckedLink {
  readonly domain: Domain
  readonly draft: LinkDraft
  /** Undefined for a long URL alone. */
  readonly details: LinkDetails | undefined
}

export async function readNewLink(
  deps: CreateDeps,
  actor: Actor,
  group: WriterMembership,
  input: CreateInput,
): Promise<CheckedLink> {
  const { groupGuid, organizationGuid } = group
  const longUrl = normaliseLongUrl(input.longUrl, deps.domains)
  const domain = domainFor(deps, groupGuid, input.domain)
  const at = deps.clock.now()
  // Fast path: most links are a long URL alone. They skip the checks of details, and the store writes them in batches.
  const details = hasDetails(input) ? await readDetails(deps, actor, group, domain, at, input) : undefined
  const mayChange = hasScope(actor, 'links:write')
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
    keepExisting: input.keepExisting === true || !mayChange,
    keepArchived: !mayChange,
    private: input.private ?? actor.defaultLinkPrivacy === 'private',
  }
  return { domain, draft, details }
}

/** Links that are never reused for the same long URL. */
function isAlwaysNew(details: LinkDetails): boolean {
  return details.keyword !== undefined || !isReusable(details)
}

/** Whether anything besides the long URL was sent; empty lists and strings do not count. */
function hasDetails(input: CreateInput): boolean {
  if (input.tags?.length || input.deeplinks?.length || input.dynamicRouting?.length) return true
  return input.keyword !== undefined || linkFieldNames.some((name) => (input[name] ?? '') !== '')
}

async function readDetails(
  deps: CreateDeps,
  actor: Actor,
  { organizationGuid }: WriterMembership,
  domain: Domain,
  now: number,
  input: CreateInput,
): Promise<LinkDetails> {
  const keyword = input.keyword === undefined ? undefined : `${domain.key}/${readKeyword(input.keyword)}`
  const details: LinkDetails = {
    ...readLinkFields(input, now),
    tags: readTags(input.tags ?? []),
    deeplinks: await readDeeplinks(deps, actor, organizationGuid, input.deeplinks ?? []),
    routing: readRouting(input.dynamicRouting ?? [], deps.domains),
    keyword,
  }
  requireExtras(deps, organizationGuid, {
    expires: typeof details.expiresAt === 'number',
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
  if (created.outcome !== 'done') throw notCreated(domain, draft, created)
  // An earlier visit may have cached that this address does not exist.
  if (details.keyword !== undefined) deps.redirectCache.forget(details.keyword)
  return { link: created.link, created: created.created }
}

/** Why the store created nothing. */
export function notCreated(
  domain: Domain,
  { groupGuid }: LinkDraft,
  created: Exclude<Created, { readonly outcome: 'done' }>,
): Refusal {
  if (created.outcome === 'taken') return keywordTaken(domain, groupGuid, created.holder)
  return created.on === 'link' ? tooManyTagsPerLink() : tooManyTagsPerGroup()
}
