/**
 * The history of an account, as the legacy interface calls it: the links of the caller's default group. It has one
 * preferred domain and one link for each long URL. Making and changing links is the same as everywhere else.
 */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import type { Campaign, Channel } from '../campaigns/campaign-store.js'
import { readCampaign } from '../campaigns/campaigns.js'
import { type NamedCampaignDeps, requireCampaignPlan } from '../campaigns/named-channels.js'
import type { Domains } from '../domains/domains.js'
import { invalid } from '../values/refusal.js'
import { type CreateDeps, type CreateInput, createLink } from './create.js'
import type { Link } from './link.js'
import type { LinkStore, Shortened } from './link-store.js'
import { parseDestination } from './search.js'

/** Whoever prefers a branded domain gets links there, whatever `domain` says (docs/api/v3.md#access). */
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

/** What else is sent about a link that the account has is not applied: v3 answers that it exists. */
export async function saveInAccount(deps: CreateDeps, actor: Actor, input: SaveInput): Promise<Shortened> {
  const group = requireWriter(actor, actor.defaultGroupGuid)
  return createLink(deps, actor, group, { ...input, keepKnown: true })
}

export interface AccountDeps {
  readonly links: Pick<LinkStore, 'groupLinkTo'>
  readonly domains: Domains
}

/** The account's link that leads to a long URL, which must be written as it is kept. */
export async function findInAccount(deps: AccountDeps, actor: Actor, longUrl: string): Promise<Link | undefined> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  return deps.links.groupLinkTo(groupGuid, deps.domains.preferredBy(groupGuid).key, longUrl)
}

export interface DestinationDeps {
  readonly links: Pick<LinkStore, 'page' | 'hosts'>
}

/** As many links as one report looks at. */
const mostLinks = 10_000
const pageSize = 500

/** Of the newest links, in alphabetical order. */
export async function destinationHosts(deps: DestinationDeps, actor: Actor): Promise<readonly string[]> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  return deps.links.hosts(groupGuid, mostLinks)
}

/** All that lead to the domain or to a subdomain of it, archived ones too. A report over some of them would be wrong. */
export async function linksTo(deps: DestinationDeps, actor: Actor, domain: string): Promise<readonly Link[]> {
  const { groupGuid } = requireGroup(actor, actor.defaultGroupGuid)
  const destination = parseDestination(domain)
  if (destination.host === '' || destination.path !== '') {
    throw invalid('domain', 'Send a domain name alone.', 'shortlinks')
  }
  const links: Link[] = []
  for (;;) {
    const input = { groupGuid, filter: { destination }, after: links.at(-1), size: pageSize }
    const page = await deps.links.page(input)
    links.push(...page.links)
    if (!page.more) return links
    if (links.length >= mostLinks) {
      throw invalid('domain', `More than ${mostLinks} links lead there. Ask for a subdomain.`, 'shortlinks')
    }
  }
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

/** Of each group, the newest links that are looked at. */
const newestOfGroup = 200

/** Newest first. Private and archived links, and the caller's own, are left out. */
export async function networkHistory(deps: NetworkDeps, actor: Actor): Promise<readonly NetworkEntry[]> {
  const saves: Link[] = []
  for (const { groupGuid } of actor.groups) {
    const input = { groupGuid, filter: { private: false, archived: false }, after: undefined, size: newestOfGroup }
    const { links } = await deps.links.page(input)
    saves.push(...links.filter((link) => link.createdBy !== actor.login))
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
  deps: Pick<NamedCampaignDeps, 'campaigns' | 'plans'> & { readonly links: Pick<LinkStore, 'behind'> },
  actor: Actor,
  guid: string,
): Promise<{ readonly campaign: Campaign; readonly channels: readonly FilledChannel[] }> {
  const campaign = await readCampaign(deps, actor, guid)
  requireCampaignPlan(deps, actor, campaign.groupGuid)
  const contents = await deps.campaigns.contents(guid)
  const ids = [...new Set(contents.flatMap(({ linkIds }) => linkIds))]
  const links = await deps.links.behind(campaign.groupGuid, ids)
  const channels = contents.map(({ channel, linkIds }) => ({
    channel,
    // One may have been deleted in between.
    links: linkIds.flatMap((id) => links.get(id) ?? []),
  }))
  return { campaign, channels }
}
