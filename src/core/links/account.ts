/**
 * The v3 API knows accounts, not groups: an account's history is the list of links in the caller's default group. It
 * has one preferred domain and one link per long URL. Links are created and changed by the same rules as in v4.
 */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import type { Campaign, Channel } from '../campaigns/campaign-store.js'
import { type CampaignDeps, readCampaign, requireCampaigns } from '../campaigns/campaigns.js'
import type { Domains } from '../domains/domains.js'
import { invalid } from '../values/refusal.js'
import { type CreateDeps, type CreateInput, createLink } from './create.js'
import type { Link } from './link.js'
import type { LinkFilter, LinkStore, Page, Shortened } from './link-store.js'
import { type Destination, parseDestination } from './search.js'

/** A preferred branded domain wins over `domain` (docs/api/v3.md#access). */
export async function shortenInAccount(
  deps: CreateDeps,
  actor: Actor,
  { longUrl, domain }: { readonly longUrl: string; readonly domain: string | undefined },
): Promise<Shortened> {
  const group = requireWriter(actor, actor.defaultGroupGuid)
  const requested = deps.domains.preferredBy(group.groupGuid).branded ? undefined : domain
  return createLink(deps, actor, group, { longUrl, domain: requested })
}

export type SaveInput = Pick<CreateInput, 'longUrl' | 'title' | 'note' | 'private' | 'userTs'>

/** An existing link keeps its title and tags: v3 only answers that it exists. */
export async function saveInAccount(deps: CreateDeps, actor: Actor, input: SaveInput): Promise<Shortened> {
  const group = requireWriter(actor, actor.defaultGroupGuid)
  return createLink(deps, actor, group, { ...input, keepExisting: true })
}

export interface AccountDeps {
  readonly links: Pick<LinkStore, 'groupLinkTo'>
  readonly domains: Domains
}

/** The account's link to a long URL, which must already be normalised. */
export async function findInAccount(deps: AccountDeps, actor: Actor, longUrl: string): Promise<Link | undefined> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  return deps.links.groupLinkTo(groupGuid, deps.domains.preferredBy(groupGuid).key, longUrl)
}

export interface DestinationDeps {
  readonly links: Pick<LinkStore, 'page' | 'hosts'>
}

/** The most links that one report reads. */
const maxLinks = 10_000
const pageSize = 500

/** The hosts of the newest links, in alphabetical order. */
export async function destinationHosts(deps: DestinationDeps, actor: Actor): Promise<readonly string[]> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  return deps.links.hosts(groupGuid, maxLinks)
}

/** All links to the domains and their subdomains, including archived ones. Fails above the limit instead of truncating. */
export async function linksTo(
  deps: DestinationDeps,
  actor: Actor,
  domains: readonly string[],
): Promise<readonly Link[]> {
  const links = new Map<string, Link>()
  for (const destination of domains.map(domainAlone)) {
    const found = await newestLinks(deps, actor, { destination })
    for (const link of found.items) links.set(link.id, link)
    if (found.more || links.size > maxLinks) {
      throw invalid('domain', `More than ${maxLinks} links lead there. Ask for a subdomain.`, 'shortlinks')
    }
  }
  return [...links.values()]
}

function domainAlone(domain: string): Destination {
  const destination = parseDestination(domain, 'domain')
  if (destination.host === '' || destination.path !== '') {
    throw invalid('domain', 'Send a domain name alone.', 'shortlinks')
  }
  return destination
}

/** The newest links up to the limit, including archived ones. */
export async function newestLinks(deps: DestinationDeps, actor: Actor, filter: LinkFilter): Promise<Page<Link>> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  const links: Link[] = []
  for (;;) {
    const page = await deps.links.page({ groupGuid, filter, after: links.at(-1), size: pageSize })
    links.push(...page.items)
    if (!page.more || links.length >= maxLinks) return { items: links, more: page.more }
  }
}

export interface ShortenedPage {
  /** The newest one to the page. */
  readonly link: Link
  /** How many of the links lead to the page. */
  readonly count: number
}

/** The pages that most of these links lead to; of equal counts the one with the newest link first. */
export function mostShortened(links: readonly Link[], size: number): readonly ShortenedPage[] {
  const pages = new Map<string, ShortenedPage>()
  for (const link of links) {
    const page = pages.get(link.longUrl) ?? { link, count: 0 }
    const newest = link.createdAt > page.link.createdAt ? link : page.link
    pages.set(link.longUrl, { link: newest, count: page.count + 1 })
  }
  const inOrder = (one: ShortenedPage, other: ShortenedPage) =>
    other.count - one.count || other.link.createdAt - one.link.createdAt
  return [...pages.values()].sort(inOrder).slice(0, size)
}

export interface NetworkDeps {
  readonly links: Pick<LinkStore, 'page'>
}

/** The public links of colleagues to one page. */
export interface NetworkEntry {
  readonly longUrl: string
  /** Newest first. */
  readonly saves: readonly Link[]
}

/** How many of each group's newest links are read. */
const newestOfGroup = 200

/** Newest first, without private links, archived links and the caller's own. */
export async function networkHistory(deps: NetworkDeps, actor: Actor): Promise<readonly NetworkEntry[]> {
  const saves: Link[] = []
  for (const { groupGuid } of actor.groups) {
    const input = { groupGuid, filter: { private: false, archived: false }, after: undefined, size: newestOfGroup }
    const { items } = await deps.links.page(input)
    saves.push(...items.filter((link) => link.createdBy !== actor.login))
  }
  saves.sort((one, other) => other.createdAt - one.createdAt)
  const entries = new Map<string, Link[]>()
  for (const link of saves) entries.set(link.longUrl, [...(entries.get(link.longUrl) ?? []), link])
  return [...entries].map(([longUrl, each]) => ({ longUrl, saves: each }))
}

export interface FilledChannel {
  readonly channel: Channel
  readonly links: readonly Link[]
}

/** A campaign with the links of each of its channels. */
export async function openCampaign(
  deps: Pick<CampaignDeps, 'campaigns' | 'plans'> & { readonly links: Pick<LinkStore, 'linksAt'> },
  actor: Actor,
  guid: string,
): Promise<{ readonly campaign: Campaign; readonly channels: readonly FilledChannel[] }> {
  const campaign = await readCampaign(deps, actor, guid)
  requireCampaigns(deps, actor, campaign.groupGuid)
  const contents = await deps.campaigns.contents(guid)
  const ids = [...new Set(contents.flatMap(({ linkIds }) => linkIds))]
  const links = await deps.links.linksAt(campaign.groupGuid, ids)
  const channels = contents.map(({ channel, linkIds }) => ({
    channel,
    // A link may have been deleted between the two reads.
    links: linkIds.flatMap((id) => links.get(id) ?? []),
  }))
  return { campaign, channels }
}
