import type { Actor } from '../accounts/actor.js'
import type { Campaign, Channel } from '../campaigns/campaign.js'
import { readCampaign } from '../campaigns/campaigns.js'
import { type NamedCampaignDeps, requireCampaignPlan } from '../campaigns/named-channels.js'
import type { Link } from './link.js'
import type { LinkStore } from './link-store.js'

export interface FilledChannel {
  readonly channel: Channel
  readonly links: readonly Link[]
}

/** A campaign with the links of each of its channels. */
export async function openCampaign(
  deps: Pick<NamedCampaignDeps, 'campaigns' | 'plans'> & { readonly links: Pick<LinkStore, 'behind'> },
  actor: Actor,
  guid: string,
): Promise<{ readonly campaign: Campaign; readonly channels: readonly FilledChannel[] }> {
  const campaign = await readCampaign(deps, actor, guid)
  requireCampaignPlan(deps, actor, campaign.groupGuid)
  const contents = await deps.campaigns.contents(guid)
  const ids = [...new Set(contents.flatMap(({ linkIds }) => linkIds))]
  const links = await deps.links.behind(campaign.groupGuid, ids)
  const channels = contents.map(({ channel, linkIds }) => ({
    channel,
    // One may have been deleted in between.
    links: linkIds.flatMap((id) => links.get(id) ?? []),
  }))
  return { campaign, channels }
}
