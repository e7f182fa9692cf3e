/** Channels: members of their group manage them and say which links they carry for which campaign. */
import { type Actor, requireGroup, requireWriter } from '../auth/actor.js'
import { isGuid, newGuid } from '../guid.js'
import { parseAddress } from '../links/address.js'
import { requireName } from '../names.js'
import { invalid } from '../refusal.js'
import type { Channel, ChannelLink } from './campaign.js'
import type { ChannelChange } from './campaign-store.js'
import { type CampaignParts, groupsWithCampaigns, readCampaign, requireCampaigns } from './campaigns.js'
import { notFound, savedBy } from './misplaced.js'

export interface ChannelWish extends ChannelChange {
  readonly groupGuid: string
}

export async function listChannels(
  parts: Pick<CampaignParts, 'campaigns' | 'plans'>,
  actor: Actor,
  filter: { readonly groupGuid: string | undefined; readonly campaignGuid: string | undefined },
): Promise<readonly Channel[]> {
  const groupGuids = groupsWithCampaigns(parts, actor, filter.groupGuid)
  if (filter.campaignGuid !== undefined) await readCampaign(parts, actor, filter.campaignGuid)
  return parts.campaigns.channels(groupGuids, filter.campaignGuid)
}

export async function readChannel(
  parts: Pick<CampaignParts, 'campaigns'>,
  actor: Actor,
  guid: string,
): Promise<Channel> {
  const channel = isGuid(guid) ? await parts.campaigns.channel(guid) : undefined
  if (!channel) throw notFound('channels')
  requireGroup(actor, channel.groupGuid)
  return channel
}

/** Like `readChannel`, for somebody who wants to see it. */
export async function viewChannel(
  parts: Pick<CampaignParts, 'campaigns' | 'plans'>,
  actor: Actor,
  guid: string,
): Promise<Channel> {
  const channel = await readChannel(parts, actor, guid)
  requireCampaigns(parts, actor, channel.groupGuid)
  return channel
}

/** Like `readChannel`, for operations that change it. */
export async function writableChannel(
  parts: Pick<CampaignParts, 'campaigns'>,
  actor: Actor,
  guid: string,
): Promise<Channel> {
  const channel = await readChannel(parts, actor, guid)
  requireWriter(actor, channel.groupGuid)
  return channel
}

export async function createChannel(parts: CampaignParts, actor: Actor, wish: ChannelWish): Promise<Channel> {
  const { groupGuid, links = [] } = wish
  requireWriter(actor, groupGuid)
  const channel = {
    guid: newGuid('channel'),
    groupGuid,
    name: requireName(wish.name, 'channels'),
    links: links.map((link) => normalised(parts, link)),
    at: parts.clock.now(),
  }
  requireCampaigns(parts, actor, groupGuid)
  return savedBy(parts, actor, await parts.campaigns.addChannel(channel), 'channels', 'shortlinks')
}

export async function changeChannel(
  parts: CampaignParts,
  actor: Actor,
  guid: string,
  change: ChannelChange,
): Promise<Channel> {
  const { groupGuid } = await writableChannel(parts, actor, guid)
  if (change.groupGuid !== undefined) requireWriter(actor, change.groupGuid)
  if (change.name !== undefined) requireName(change.name, 'channels')
  const links = change.links?.map((link) => normalised(parts, link))
  requireCampaigns(parts, actor, change.groupGuid ?? groupGuid)
  const answer = await parts.campaigns.changeChannel(guid, { ...change, links }, parts.clock.now())
  return savedBy(parts, actor, answer, 'channels', 'shortlinks')
}

function normalised({ domains }: CampaignParts, { campaignGuid, address: text }: ChannelLink): ChannelLink {
  if (!isGuid(campaignGuid)) throw notFound('campaigns')
  const written = parseAddress(text)
  const address = written && domains.addressOf(written.domain, written.backHalf)
  if (address === undefined) throw invalid('shortlinks', 'Send each short link as <domain>/<hash>.', 'channels')
  return { campaignGuid, address }
}
