/** A marketing effort of a group; its channels say through what its links went out. */
export interface Campaign {
  readonly guid: string
  readonly groupGuid: string
  readonly name: string
  readonly description: string
  readonly createdBy: string
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A way links go out (a newsletter, a poster); it can serve several campaigns of its group. */
export interface Channel {
  readonly guid: string
  readonly groupGuid: string
  readonly name: string
  readonly createdAt: number
  readonly modifiedAt: number
}

/** A link that a channel carries for a campaign. */
export interface ChannelLink {
  readonly campaignGuid: string
  /** Any address of the link. */
  readonly address: string
}
