/** Campaigns: members of their group manage them, readers see them. */
import { type Actor, requireGroup, requireWriter } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import { isGuid, newGuid } from '../guid.js'
import { requireDescription, requireName } from '../names.js'
import type { Campaign } from './campaign.js'
import type { CampaignChange, CampaignStore } from './campaign-store.js'
import { notFound, savedBy } from './misplaced.js'

export interface CampaignParts {
  readonly campaigns: CampaignStore
  readonly clock: Clock
}

export interface CampaignWish extends CampaignChange {
  readonly groupGuid: string
}

export function listCampaigns(
  parts: Pick<CampaignParts, 'campaigns'>,
  actor: Actor,
  groupGuid: string | undefined,
): Promise<readonly Campaign[]> {
  return parts.campaigns.campaigns(groupsAsked(actor, groupGuid))
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
  const { groupGuid, description = '', channelGuids = [] } = wish
  requireWriter(actor, groupGuid)
  requireChannelGuids(channelGuids)
  const campaign = {
    guid: newGuid('campaign'),
    groupGuid,
    name: requireName(wish.name, 'campaigns'),
    description: requireDescription(description, 'campaigns'),
    createdBy: actor.login,
    channelGuids,
    at: parts.clock.now(),
  }
  return savedBy(actor, await parts.campaigns.addCampaign(campaign), 'campaigns', 'channelGuids')
}

export async function changeCampaign(
  parts: CampaignParts,
  actor: Actor,
  guid: string,
  change: CampaignChange,
): Promise<Campaign> {
  await writableCampaign(parts, actor, guid)
  if (change.groupGuid !== undefined) requireWriter(actor, change.groupGuid)
  if (change.name !== undefined) requireName(change.name, 'campaigns')
  if (change.description !== undefined) requireDescription(change.description, 'campaigns')
  requireChannelGuids(change.channelGuids ?? [])
  const answer = await parts.campaigns.changeCampaign(guid, change, parts.clock.now())
  return savedBy(actor, answer, 'campaigns', 'channelGuids')
}

/** The group asked for, or all that the actor reaches. */
export function groupsAsked(actor: Actor, groupGuid: string | undefined): readonly string[] {
  if (groupGuid === undefined) return actor.groups.map((membership) => membership.groupGuid)
  return [requireGroup(actor, groupGuid).groupGuid]
}

function requireChannelGuids(guids: readonly string[]): void {
  if (!guids.every(isGuid)) throw notFound('channels')
}
