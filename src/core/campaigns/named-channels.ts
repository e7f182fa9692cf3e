/** Campaigns whose channels are given by name, as the v3 API does. The same rules apply. */
import { type Actor, requireWriter } from '../accounts/actor.js'
import { newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import type { Campaign, NamedChannel } from './campaign-store.js'
import {
  type CampaignDeps,
  changeCampaign,
  createCampaign,
  listCampaigns,
  readCampaign,
  requireCampaigns,
  writable,
} from './campaigns.js'

export interface NamedCampaign {
  readonly campaign: Campaign
  readonly channelNames: readonly string[]
}

export interface NamedCampaignInput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly channelNames: readonly string[]
}

/** Creates a campaign in the caller's default group. Existing channels of the group with these names are reused. */
export async function createNamedCampaign(
  deps: CampaignDeps,
  actor: Actor,
  { name, description, channelNames }: NamedCampaignInput,
): Promise<NamedCampaign> {
  // Check access before names.
  requireWriter(actor, actor.defaultGroupGuid)
  requireCampaigns(deps, actor, actor.defaultGroupGuid)
  const namedChannels = channelNames.map(namedChannel)
  const input = { groupGuid: actor.defaultGroupGuid, name, description, namedChannels }
  return withNames(deps, await createCampaign(deps, actor, input))
}

/** Adds the named channels; the existing ones stay, with their links. */
export async function changeNamedCampaign(
  deps: CampaignDeps,
  actor: Actor,
  guid: string,
  { name, description, channelNames }: NamedCampaignInput,
): Promise<NamedCampaign> {
  const campaign = writable(actor, await readCampaign(deps, actor, guid))
  requireCampaigns(deps, actor, campaign.groupGuid)
  const namedChannels = channelNames.map(namedChannel)
  return withNames(deps, await changeCampaign(deps, actor, campaign, { name, description, namedChannels }))
}

export interface CountedCampaign {
  readonly campaign: Campaign
  readonly linkCount: number
}

export async function countCampaigns(
  deps: Pick<CampaignDeps, 'campaigns' | 'plans'>,
  actor: Actor,
): Promise<readonly CountedCampaign[]> {
  requireCampaigns(deps, actor, actor.defaultGroupGuid)
  const campaigns = await listCampaigns(deps, actor, undefined)
  const counts = await deps.campaigns.linkCounts(campaigns.map(({ guid }) => guid))
  return campaigns.map((campaign) => ({ campaign, linkCount: counts.get(campaign.guid) ?? 0 }))
}

/** Channel names of all campaigns that the actor can see. */
export async function channelNames(
  deps: Pick<CampaignDeps, 'campaigns' | 'plans'>,
  actor: Actor,
): Promise<readonly string[]> {
  requireCampaigns(deps, actor, actor.defaultGroupGuid)
  return deps.campaigns.channelNames(actor.groups.map(({ groupGuid }) => groupGuid))
}

function namedChannel(name: string): NamedChannel {
  return { guid: newGuid('channel'), name: requireName(name, 'channels') }
}

async function withNames(deps: CampaignDeps, campaign: Campaign): Promise<NamedCampaign> {
  const channels = await deps.campaigns.channels([campaign.groupGuid], campaign.guid)
  return { campaign, channelNames: channels.map(({ name }) => name) }
}
