/** Campaigns: members of their group manage them, readers see them. */
import { type Actor, requireGroup, requireWriter } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import type { Domains } from '../domains/domains.js'
import { isGuid, newGuid } from '../guid.js'
import { type PlanCheckParts, requireFeature } from '../limits/plans.js'
import { requireDescription, requireName } from '../names.js'
import type { Campaign } from './campaign.js'
import type { CampaignChange, CampaignStore } from './campaign-store.js'
import { notFound, savedBy } from './misplaced.js'

export interface CampaignParts extends PlanCheckParts {
  readonly campaigns: CampaignStore
  readonly domains: Domains
  readonly clock: Clock
}

export interface CampaignWish extends CampaignChange {
  readonly groupGuid: string
}

export async function listCampaigns(
  parts: Pick<CampaignParts, 'campaigns' | 'plans'>,
  actor: Actor,
  groupGuid: string | undefined,
): Promise<readonly Campaign[]> {
  return parts.campaigns.campaigns(groupsWithCampaigns(parts, actor, groupGuid))
}

/** Like `readCampaign`, for somebody who wants to see it. */
export async function viewCampaign(
  parts: Pick<CampaignParts, 'campaigns' | 'plans'>,
  actor: Actor,
  guid: string,
): Promise<Campaign> {
  const campaign = await readCampaign(parts, actor, guid)
  requireCampaigns(parts, actor, campaign.groupGuid)
  return campaign
}

export async function readCampaign(
  parts: Pick<CampaignParts, 'campaigns'>,
  actor: Actor,
  guid: string,
): Promise<Campaign> {
  const campaign = isGuid(guid) ? await parts.campaigns.campaign(guid) : undefined
  if (!campaign) throw notFound('campaigns')
  requireGroup(actor, campaign.groupGuid)
  return campaign
}

/** Like `readCampaign`, for operations that change it. */
export async function writableCampaign(
  parts: Pick<CampaignParts, 'campaigns'>,
  actor: Actor,
  guid: string,
): Promise<Campaign> {
  const campaign = await readCampaign(parts, actor, guid)
  requireWriter(actor, campaign.groupGuid)
  return campaign
}

export async function createCampaign(parts: CampaignParts, actor: Actor, wish: CampaignWish): Promise<Campaign> {
  const { groupGuid, description = '', channelGuids = [], namedChannels } = wish
  requireWriter(actor, groupGuid)
  requireChannelGuids(channelGuids)
  const campaign = {
    guid: newGuid('campaign'),
    groupGuid,
    name: requireName(wish.name, 'campaigns'),
    description: requireDescription(description, 'campaigns'),
    createdBy: actor.login,
    channelGuids,
    namedChannels,
    at: parts.clock.now(),
  }
  requireCampaigns(parts, actor, groupGuid)
  return savedBy(parts, actor, await parts.campaigns.addCampaign(campaign), 'campaigns', 'channelGuids')
}

export async function changeCampaign(
  parts: CampaignParts,
  actor: Actor,
  guid: string,
  change: CampaignChange,
): Promise<Campaign> {
  const { groupGuid } = await writableCampaign(parts, actor, guid)
  if (change.groupGuid !== undefined) requireWriter(actor, change.groupGuid)
  if (change.name !== undefined) requireName(change.name, 'campaigns')
  if (change.description !== undefined) requireDescription(change.description, 'campaigns')
  requireChannelGuids(change.channelGuids ?? [])
  requireCampaigns(parts, actor, change.groupGuid ?? groupGuid)
  const answer = await parts.campaigns.changeCampaign(guid, change, parts.clock.now())
  return savedBy(parts, actor, answer, 'campaigns', 'channelGuids')
}

/** The group asked for, or all that the actor reaches, where the plan includes campaigns; 402 when none does. */
export function groupsWithCampaigns(
  parts: PlanCheckParts,
  actor: Actor,
  groupGuid: string | undefined,
): readonly string[] {
  const asked = groupGuid === undefined ? actor.groups : [requireGroup(actor, groupGuid)]
  const included = asked.filter(({ organizationGuid }) => parts.plans.of(organizationGuid).features.has('campaigns'))
  // Our choice: whoever is in several organizations sees what there is in those with a plan for it.
  if (included.length === 0 && asked[0]) requireCampaigns(parts, actor, asked[0].groupGuid)
  return included.map((membership) => membership.groupGuid)
}

/** Campaigns and their channels are not in every plan. */
export function requireCampaigns(parts: PlanCheckParts, actor: Actor, groupGuid: string): void {
  requireFeature(parts, requireGroup(actor, groupGuid).organizationGuid, 'campaigns')
}

function requireChannelGuids(guids: readonly string[]): void {
  if (!guids.every(isGuid)) throw notFound('channels')
}
