/**
 * Stores campaigns, channels and their links. A campaign, its channels and their links always belong to one group: a
 * write that would break this changes nothing and returns the offending object. Each method is one atomic step;
 * campaign-store.contract.ts defines the behaviour.
 */
export interface CampaignStore {
  campaign(guid: string): Promise<Campaign | undefined>
  /** The campaigns of the groups, newest first. */
  campaigns(groupGuids: readonly string[]): Promise<readonly Campaign[]>
  addCampaign(campaign: NewCampaign): Promise<Saved<Campaign>>
  /** Changes the given fields. A channel that is removed from the campaign also loses its links for it. */
  changeCampaign(guid: string, change: CampaignChange, at: number): Promise<Saved<Campaign>>

  /** Its channels and links stay, without their connections to it. False when there is no such campaign. */
  removeCampaign(guid: string): Promise<boolean>

  channel(guid: string): Promise<Channel | undefined>
  /** The channels of the groups, optionally of one campaign, newest first. */
  channels(groupGuids: readonly string[], campaignGuid: string | undefined): Promise<readonly Channel[]>
  /** Also adds the channel to the campaigns of its links. */
  addChannel(channel: NewChannel): Promise<Saved<Channel>>
  changeChannel(guid: string, change: ChannelChange, at: number): Promise<Saved<Channel>>

  /** Its campaigns and links stay, without their connections to it. False when there is no such channel. */
  removeChannel(guid: string): Promise<boolean>

  /** The channels of a campaign, newest first, with their links for it; without deleted links. */
  contents(campaignGuid: string): Promise<readonly ChannelContents[]>
  /** Number of distinct links per campaign; campaigns without links are left out. */
  linkCounts(campaignGuids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The distinct names of all channels with a campaign in the groups, in alphabetical order. */
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

/** Refers to a channel by name: the oldest channel of that name in the group, or a new one with this guid. */
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
  /** Added to the campaign's channels. */
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
  /** Replaces the channel's links, for all campaigns. */
  readonly links?: readonly ChannelLink[] | undefined
  /** Added to the channel's links. */
  readonly addLinks?: readonly ChannelLink[] | undefined
  /** Removed from the channel's links, before others are added; the channel stays in their campaigns. */
  readonly removeLinks?: readonly ChannelLink[] | undefined
}

export type Saved<Thing> =
  | { readonly outcome: 'saved'; readonly saved: Thing }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'invalid-reference'; readonly reference: InvalidReference }

/** The first object that belongs to another group. */
export interface InvalidReference {
  /** Whether the caller named it; otherwise it was connected before. */
  readonly named: boolean
  readonly kind: 'campaign' | 'channel' | 'link'
  readonly id: string
  /** The group it belongs to; undefined when it does not exist. */
  readonly groupGuid: string | undefined
}

/** A marketing campaign of a group. */
export interface Campaign {
  readonly guid: string
  readonly groupGuid: string
  readonly name: string
  readonly description: string
  readonly createdBy: string
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A medium for links, such as a newsletter or a poster. It can be part of several campaigns of its group. */
export interface Channel {
  readonly guid: string
  readonly groupGuid: string
  readonly name: string
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A link in a channel of a campaign. */
export interface ChannelLink {
  readonly campaignGuid: string
  /** Any address of the link. */
  readonly address: string
}
