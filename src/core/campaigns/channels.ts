/** Channels: writers of a group manage them and assign links to them, per campaign. */
import { type Actor, requireWriter } from '../accounts/actor.js'
import type { AuditDeps } from '../accounts/audit.js'
import { parseAddress } from '../values/address.js'
import { isGuid, newGuid } from '../values/guid.js'
import { requireName } from '../values/names.js'
import { invalid } from '../values/refusal.js'
import type { Channel, ChannelChange, ChannelLink } from './campaign-store.js'
import {
  type CampaignDeps,
  groupsWithCampaigns,
  noteRemoved,
  notFound,
  ofGroup,
  readCampaign,
  requireCampaigns,
  savedOrThrow,
} from './campaigns.js'

export interface ChannelInput extends ChannelChange {
  readonly groupGuid: string
}

export async function listChannels(
  deps: Pick<CampaignDeps, 'campaigns' | 'plans'>,
  actor: Actor,
  filter: { readonly groupGuid: string | undefined; readonly campaignGuid: string | undefined },
): Promise<readonly Channel[]> {
  const groupGuids = groupsWithCampaigns(deps, actor, filter.groupGuid)
  if (filter.campaignGuid !== undefined) await readCampaign(deps, actor, filter.campaignGuid)
  return deps.campaigns.channels(groupGuids, filter.campaignGuid)
}

export async function readChannel(deps: Pick<CampaignDeps, 'campaigns'>, actor: Actor, guid: string): Promise<Channel> {
  return ofGroup(actor, isGuid(guid) ? await deps.campaigns.channel(guid) : undefined, 'channels')
}

/** Its links and campaigns stay. The caller has checked that the actor may change it. */
export async function removeChannel(deps: CampaignDeps & AuditDeps, actor: Actor, channel: Channel): Promise<void> {
  requireCampaigns(deps, actor, channel.groupGuid)
  if (!(await deps.campaigns.removeChannel(channel.guid))) throw notFound('channels')
  await noteRemoved(deps, actor, 'channel_removed', channel)
}

export async function createChannel(deps: CampaignDeps, actor: Actor, input: ChannelInput): Promise<Channel> {
  const { groupGuid, links = [] } = input
  requireWriter(actor, groupGuid)
  const channel = {
    guid: newGuid('channel'),
    groupGuid,
    name: requireName(input.name, 'channels'),
    links: links.map((link) => normalised(deps, link)),
    at: deps.clock.now(),
  }
  requireCampaigns(deps, actor, groupGuid)
  return savedOrThrow(deps, actor, await deps.campaigns.addChannel(channel), 'channels', 'shortlinks')
}

export async function changeChannel(
  deps: CampaignDeps,
  actor: Actor,
  { guid, groupGuid }: Channel,
  change: ChannelChange,
): Promise<Channel> {
  requireWriter(actor, groupGuid)
  if (change.groupGuid !== undefined) requireWriter(actor, change.groupGuid)
  if (change.name !== undefined) requireName(change.name, 'channels')
  const links = change.links?.map((link) => normalised(deps, link))
  const addLinks = change.addLinks?.map((link) => normalised(deps, link))
  const removeLinks = change.removeLinks?.map((link) => normalised(deps, link))
  requireCampaigns(deps, actor, change.groupGuid ?? groupGuid)
  const changed = { ...change, links, addLinks, removeLinks }
  const answer = await deps.campaigns.changeChannel(guid, changed, deps.clock.now())
  return savedOrThrow(deps, actor, answer, 'channels', 'shortlinks')
}

function normalised({ domains }: CampaignDeps, { campaignGuid, address: text }: ChannelLink): ChannelLink {
  if (!isGuid(campaignGuid)) throw notFound('campaigns')
  const written = parseAddress(text)
  const address = written && domains.addressOf(written.domain, written.backHalf)
  if (address === undefined) throw invalid('shortlinks', 'Send each short link as <domain>/<hash>.', 'channels')
  return { campaignGuid, address }
}
