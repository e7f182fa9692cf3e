/** Lists the links of a group, newest first, in pages. */
import { type Actor, requireGroup } from '../accounts/actor.js'
import type { CampaignStore } from '../campaigns/campaign-store.js'
import { inPlan, readCampaign } from '../campaigns/campaigns.js'
import { readChannel } from '../campaigns/channels.js'
import type { Domains } from '../domains/domains.js'
import type { PlanCheckDeps } from '../limits/plans.js'
import type { Link } from './link.js'
import type { CountLimit, ItemCount, LinkFilter, LinkStore } from './link-store.js'
import {
  type ItemFilterInput,
  type ItemListDeps,
  type ItemListInput,
  itemFilter,
  type Listed,
  milliseconds,
  pageReader,
} from './paging.js'

export interface ListDeps extends PlanCheckDeps, ItemListDeps {
  readonly links: LinkStore
  readonly campaigns: CampaignStore
  readonly domains: Domains
}

export interface ListInput extends ItemListInput, LinkFilterInput {
  /** Whether to count the links that match. */
  readonly total?: boolean | undefined
}

export interface LinkFilterInput extends ItemFilterInput {
  readonly modifiedAfter?: number | undefined
  readonly private?: boolean | undefined
  readonly deeplinks?: boolean | undefined
  readonly domainDeeplinks?: boolean | undefined
  readonly customShortlink?: boolean | undefined
  readonly hasQrCodes?: boolean | undefined
  readonly campaignGuid?: string | undefined
  readonly channelGuid?: string | undefined
  readonly launchpadIds?: readonly string[] | undefined
  readonly encodingLogins?: readonly string[] | undefined
}

export interface ListedLinks extends Listed<Link> {
  readonly total?: ItemCount
}

export async function listLinks(
  deps: ListDeps,
  actor: Actor,
  groupGuid: string,
  input: ListInput,
): Promise<ListedLinks> {
  requireGroup(actor, groupGuid)
  const readPage = pageReader(input)
  const filter = await linkFilterOf(deps, actor, groupGuid, input)
  if (!filter) return { items: [], searchAfter: undefined, total: { count: 0, isExact: true } }
  const listed = await readPage((after, size) => deps.links.page({ groupGuid, filter, after, size }))
  return input.total ? { ...listed, total: await deps.links.count(groupGuid, filter, countLimit) } : listed
}

/** Takes either engine a second or two, in short steps. */
export const countLimit: CountLimit = { passed: 100_000, read: 10_000 }

/** Undefined when no link can match. */
export async function linkFilterOf(
  deps: Omit<ListDeps, 'links'>,
  actor: Actor,
  groupGuid: string,
  input: LinkFilterInput,
): Promise<LinkFilter | undefined> {
  // A channel overrides every other filter, also the default that hides archived links.
  if (input.channelGuid !== undefined) {
    const channel = inPlan(deps, actor, await readChannel(deps, actor, input.channelGuid))
    return channel.groupGuid === groupGuid ? { channelGuid: channel.guid } : undefined
  }
  const filter = itemFilter(deps, input)
  const campaign = input.campaignGuid === undefined ? undefined : await readCampaign(deps, actor, input.campaignGuid)
  if (campaign) inPlan(deps, actor, campaign)
  // A campaign only has links of its own group.
  if (campaign && campaign.groupGuid !== groupGuid) return undefined
  return {
    ...filter,
    modifiedAfter: milliseconds(input.modifiedAfter),
    private: input.private,
    deeplinks: input.deeplinks,
    domainDeeplinks: input.domainDeeplinks,
    keywords: input.customShortlink,
    qrCodes: input.hasQrCodes,
    siteGuids: input.launchpadIds?.length ? input.launchpadIds : undefined,
    campaignGuid: campaign?.guid,
    makers: input.encodingLogins,
  }
}
