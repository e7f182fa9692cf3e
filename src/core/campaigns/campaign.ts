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
