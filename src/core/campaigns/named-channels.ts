/**
 * Campaigns whose channels are told by name, as the legacy interface does. The same campaigns, under the same rules.
 */
import { type Actor, requireGroup, requireWriter } from '../accounts/actor.js'
import { type PlanCheckDeps, requireFeature } from '../limits/plans.js'
import { newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import type { Campaign } from './campaign.js'
import type { NamedChannel } from './campaign-store.js'
import { type CampaignDeps, changeCampaign, createCampaign, listCampaigns, writableCampaign } from './campaigns.js'

export type NamedCampaignDeps = CampaignDeps & PlanCheckDeps

export interface NamedCampaign {
  readonly campaign: Campaign
  readonly channelNames: readonly string[]
}

export interface NamedCampaignInput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly channelNames: readonly string[]
}

/** In the caller's default group. A channel that the group has under that name serves this campaign too. */
export async function createNamedCampaign(
  deps: NamedCampaignDeps,
  actor: Actor,
  { name, description, channelNames }: NamedCampaignInput,
): Promise<NamedCampaign> {
  // Access before names.
  requireWriter(actor, actor.defaultGroupGuid)
  requireCampaignPlan(deps, actor, actor.defaultGroupGuid)
  const namedChannels = channelNames.map(namedChannel)
  const input = { groupGuid: actor.defaultGroupGuid, name, description, namedChannels }
  return withNames(deps, await createCampaign(deps, actor, input))
}

/** Our choice: channels that are named join the campaign; those it has stay, with all that they carry for it. */
export async function changeNamedCampaign(
  deps: NamedCampaignDeps,
  actor: Actor,
  guid: string,
  { name, description, channelNames }: NamedCampaignInput,
): Promise<NamedCampaign> {
  const campaign = await writableCampaign(deps, actor, guid)
  requireCampaignPlan(deps, actor, campaign.groupGuid)
  const namedChannels = channelNames.map(namedChannel)
  return withNames(deps, await changeCampaign(deps, actor, campaign, { name, description, namedChannels }))
}

export interface CountedCampaign {
  readonly campaign: Campaign
  readonly linkCount: number
}

export async function countCampaigns(
  deps: Pick<NamedCampaignDeps, 'campaigns' | 'plans'>,
  actor: Actor,
): Promise<readonly CountedCampaign[]> {
  requireCampaignPlan(deps, actor, actor.defaultGroupGuid)
  const campaigns = await listCampaigns(deps, actor, undefined)
  const counts = await deps.campaigns.linkCounts(campaigns.map(({ guid }) => guid))
  return campaigns.map((campaign) => ({ campaign, linkCount: counts.get(campaign.guid) ?? 0 }))
}

/** Of all campaigns that the actor reaches. */
export async function channelNames(
  deps: Pick<NamedCampaignDeps, 'campaigns' | 'plans'>,
  actor: Actor,
): Promise<readonly string[]> {
  requireCampaignPlan(deps, actor, actor.defaultGroupGuid)
  return deps.campaigns.channelNames(actor.groups.map(({ groupGuid }) => groupGuid))
}

/** Only in a plan that has campaigns. */
export function requireCampaignPlan(deps: PlanCheckDeps, actor: Actor, groupGuid: string): void {
  requireFeature(deps, requireGroup(actor, groupGuid).organizationGuid, 'campaigns', 'campaigns')
}

function namedChannel(name: string): NamedChannel {
  return { guid: newGuid('channel'), name: requireName(name, 'channels') }
}

async function withNames(deps: CampaignDeps, campaign: Campaign): Promise<NamedCampaign> {
  const channels = await deps.campaigns.channels([campaign.groupGuid], campaign.guid)
  return { campaign, channelNames: channels.map(({ name }) => name) }
}
