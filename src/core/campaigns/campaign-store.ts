import type { Campaign, Channel, ChannelLink } from './campaign.js'

/**
 * Where campaigns and channels are kept, and which links they carry. A campaign, its channels and their links are always
 * of one group: a write that would break this changes nothing and answers what is misplaced. Each method is one atomic
 * step; what they promise is written as tests in campaign-store.contract.ts.
 */
export interface CampaignStore {
  campaign(guid: string): Promise<Campaign | undefined>
  /** Those of the groups, newest first. */
  campaigns(groupGuids: readonly string[]): Promise<readonly Campaign[]>
  addCampaign(campaign: NewCampaign): Promise<Saved<Campaign>>
  /** Changes what is named. A channel that is no longer the campaign's also drops the links it carried for it. */
  changeCampaign(guid: string, change: CampaignChange, at: number): Promise<Saved<Campaign>>

  channel(guid: string): Promise<Channel | undefined>
  /** Those of the groups, or of one campaign in them, newest first. */
  channels(groupGuids: readonly string[], campaignGuid: string | undefined): Promise<readonly Channel[]>
  /** The channel's links also make it one of their campaigns' channels. */
  addChannel(channel: NewChannel): Promise<Saved<Channel>>
  changeChannel(guid: string, change: ChannelChange, at: number): Promise<Saved<Channel>>

  /** The channels of a campaign, newest first, with the links that each carries for it; deleted links are left out. */
  contents(campaignGuid: string): Promise<readonly ChannelContents[]>
  /** How many different links each of the campaigns has; one without any is left out. */
  linkCounts(campaignGuids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The names of the channels that serve a campaign of the groups, each once, in alphabetical order. */
  channelNames(groupGuids: readonly string[]): Promise<readonly string[]>
}

export interface NewCampaign {
  readonly guid: string
  readonly groupGuid: string
  readonly name: string
  readonly description: string
  readonly createdBy: string
  readonly channelGuids: readonly string[]
  readonly namedChannels?: readonly NamedChannel[] | undefined
  readonly at: number
}

/** A channel by its name: the group's oldest of that name, or a new one with this guid. */
export interface NamedChannel {
  readonly guid: string
  readonly name: string
}

export interface ChannelContents {
  readonly channel: Channel
  readonly linkIds: readonly string[]
}

export interface CampaignChange {
  readonly groupGuid?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** Replaces the campaign's channels. */
  readonly channelGuids?: readonly string[] | undefined
  /** Joins those that the campaign has then. */
  readonly namedChannels?: readonly NamedChannel[] | undefined
}

export interface NewChannel {
  readonly guid: string
  readonly groupGuid: string
  readonly name: string
  readonly links: readonly ChannelLink[]
  readonly at: number
}

export interface ChannelChange {
  readonly groupGuid?: string | undefined
  readonly name?: string | undefined
  /** Replaces the links that the channel carries, for all campaigns. */
  readonly links?: readonly ChannelLink[] | undefined
}

export type Saved<Thing> =
  | { readonly outcome: 'saved'; readonly saved: Thing }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'misplaced'; readonly what: Misplaced }

/** The first thing that is not in the group. */
export interface Misplaced {
  /** Named by the caller; else it is one that was connected before. */
  readonly named: boolean
  readonly kind: 'campaign' | 'channel' | 'link'
  readonly id: string
  /** Where it is instead; undefined when it does not exist. */
  readonly groupGuid: string | undefined
}
