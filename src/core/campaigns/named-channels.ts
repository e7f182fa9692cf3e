/** Campaigns whose channels are told by name, as the legacy interface does. The same campaigns, under the same rules. */
import { type Actor, requireGroup, requireWriter } from '../auth/actor.js'
import { newGuid } from '../guid.js'
import { type PlanCheckParts, requireFeature } from '../limits/plans.js'
import type { Link } from '../links/link.js'
import type { LinkListStore } from '../links/link-list-store.js'
import { requireName } from '../names.js'
import type { Campaign, Channel } from './campaign.js'
import type { NamedChannel } from './campaign-store.js'
import {
  type CampaignParts,
  changeCampaign,
  createCampaign,
  listCampaigns,
  readCampaign,
  writableCampaign,
} from './campaigns.js'

export type NamedCampaignParts = CampaignParts & PlanCheckParts

export interface NamedCampaign {
  readonly campaign: Campaign
  readonly channelNames: readonly string[]
}

export interface NamedCampaignWish {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly channelNames: readonly string[]
}

/** In the caller's default group. A channel that the group has under that name serves this campaign too. */
export async function createNamedCampaign(
  parts: NamedCampaignParts,
  actor: Actor,
  { name, description, channelNames }: NamedCampaignWish,
): Promise<NamedCampaign> {
  // Access before names.
  requireWriter(actor, actor.defaultGroupGuid)
  requirePlan(parts, actor, actor.defaultGroupGuid)
  const namedChannels = channelNames.map(namedChannel)
  const wish = { groupGuid: actor.defaultGroupGuid, name, description, namedChannels }
  return withNames(parts, await createCampaign(parts, actor, wish))
}

/** Our choice: channels that are named join the campaign; those it has stay, with all that they carry for it. */
export async function changeNamedCampaign(
  parts: NamedCampaignParts,
  actor: Actor,
  guid: string,
  { name, description, channelNames }: NamedCampaignWish,
): Promise<NamedCampaign> {
  const { groupGuid } = await writableCampaign(parts, actor, guid)
  requirePlan(parts, actor, groupGuid)
  const namedChannels = channelNames.map(namedChannel)
  return withNames(parts, await changeCampaign(parts, actor, guid, { name, description, namedChannels }))
}

export interface CountedCampaign {
  readonly campaign: Campaign
  readonly linkCount: number
}

export async function countCampaigns(
  parts: Pick<NamedCampaignParts, 'campaigns' | 'plans'>,
  actor: Actor,
): Promise<readonly CountedCampaign[]> {
  requirePlan(parts, actor, actor.defaultGroupGuid)
  const campaigns = await listCampaigns(parts, actor, undefined)
  const counts = await parts.campaigns.linkCounts(campaigns.map(({ guid }) => guid))
  return campaigns.map((campaign) => ({ campaign, linkCount: counts.get(campaign.guid) ?? 0 }))
}

/** Of all campaigns that the actor reaches. */
export async function channelNames(
  parts: Pick<NamedCampaignParts, 'campaigns' | 'plans'>,
  actor: Actor,
): Promise<readonly string[]> {
  requirePlan(parts, actor, actor.defaultGroupGuid)
  return parts.campaigns.channelNames(actor.groups.map(({ groupGuid }) => groupGuid))
}

export interface FilledChannel {
  readonly channel: Channel
  readonly links: readonly Link[]
}

export async function openCampaign(
  parts: Pick<NamedCampaignParts, 'campaigns' | 'plans'> & { readonly linkLists: Pick<LinkListStore, 'behind'> },
  actor: Actor,
  guid: string,
): Promise<{ readonly campaign: Campaign; readonly channels: readonly FilledChannel[] }> {
  const campaign = await readCampaign(parts, actor, guid)
  requirePlan(parts, actor, campaign.groupGuid)
  const contents = await parts.campaigns.contents(guid)
  const ids = [...new Set(contents.flatMap(({ linkIds }) => linkIds))]
  const links = await parts.linkLists.behind(campaign.groupGuid, ids)
  const channels = contents.map(({ channel, linkIds }) => ({
    channel,
    // One may have been deleted in between.
    links: linkIds.flatMap((id) => links.get(id) ?? []),
  }))
  return { campaign, channels }
}

/** v3 Enterprise campaigns: only in a plan that has them. */
function requirePlan(parts: PlanCheckParts, actor: Actor, groupGuid: string): void {
  requireFeature(parts, requireGroup(actor, groupGuid).organizationGuid, 'campaigns', 'campaigns')
}

function namedChannel(name: string): NamedChannel {
  return { guid: newGuid('channel'), name: requireName(name, 'channels') }
}

async function withNames(parts: CampaignParts, campaign: Campaign): Promise<NamedCampaign> {
  const channels = await parts.campaigns.channels([campaign.groupGuid], campaign.guid)
  return { campaign, channelNames: channels.map(({ name }) => name) }
}
