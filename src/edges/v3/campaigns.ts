/** Campaigns as v3 spells them: the same ones as v4's, with their channels by name (v3 Enterprise campaigns). */
import type { Campaign } from '../../core/campaigns/campaign.js'
import {
  changeNamedCampaign,
  channelNames,
  countCampaigns,
  createNamedCampaign,
  type FilledChannel,
  type NamedCampaignParts,
  openCampaign,
} from '../../core/campaigns/named-channels.js'
import type { Link } from '../../core/links/link.js'
import type { LinkListStore } from '../../core/links/link-list-store.js'
import type { Arguments } from './arguments.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch, type PresentParts, shortUrl } from './present.js'

export type CampaignParts = NamedCampaignParts & PresentParts & { readonly linkLists: LinkListStore }

export function campaignOperations(parts: CampaignParts): readonly Operation[] {
  return [
    { path: '/v3/campaigns', answer: (question) => list(parts, question) },
    { path: '/v3/campaigns/channel_names', answer: (question) => names(parts, question) },
    { path: '/v3/campaigns/create', answer: (question) => create(parts, question) },
    { path: '/v3/campaigns/get', answer: (question) => get(parts, question) },
    { path: '/v3/campaigns/update', answer: (question) => update(parts, question) },
  ]
}

async function list(parts: CampaignParts, { actor }: Question): Promise<Answer> {
  const campaigns = await countCampaigns(parts, actor)
  return {
    data: {
      campaigns: campaigns.map(({ campaign, linkCount }) => ({
        ...summary(campaign),
        modified: epoch(campaign.modifiedAt),
        bitlink_count: linkCount,
        login: campaign.createdBy,
      })),
      result_count: campaigns.length,
    },
  }
}

async function names(parts: CampaignParts, { actor }: Question): Promise<Answer> {
  return { data: { channel_names: await channelNames(parts, actor) } }
}

async function create(parts: CampaignParts, { actor, args }: Question): Promise<Answer> {
  const wish = { name: args.required('title'), description: args.text('description'), channelNames: channelsIn(args) }
  const { campaign, channelNames } = await createNamedCampaign(parts, actor, wish)
  const modified = epoch(campaign.modifiedAt)
  return {
    data: { campaign: { ...summary(campaign), modified, channel_names: channelNames, login: campaign.createdBy } },
  }
}

async function update(parts: CampaignParts, { actor, args }: Question): Promise<Answer> {
  // An empty description takes away the one there was.
  const wish = { name: args.text('title'), description: args.given('description'), channelNames: channelsIn(args) }
  const guid = args.required('campaign_id')
  const { campaign, channelNames } = await changeNamedCampaign(parts, actor, guid, wish)
  return { data: { campaign: { ...summary(campaign), channel_names: channelNames, login: campaign.createdBy } } }
}

async function get(parts: CampaignParts, { actor, args }: Question): Promise<Answer> {
  const { campaign, channels } = await openCampaign(parts, actor, args.required('campaign_id'))
  return {
    data: {
      campaign: {
        ...summary(campaign),
        has_deeplinks: channels.some(hasDeeplinks),
        channels: channels.map((filled) => ({
          name: filled.channel.name,
          modified: epoch(filled.channel.modifiedAt),
          has_deeplinks: hasDeeplinks(filled),
          links: filled.links.map((link) => presentLink(parts, link)),
        })),
      },
    },
  }
}

function channelsIn(args: Arguments): readonly string[] {
  return args.all('channel').map(({ value }) => value)
}

function summary({ guid, name, description }: Campaign) {
  return { campaign_id: guid, title: name, description }
}

function hasDeeplinks({ links }: FilledChannel): boolean {
  return links.some((link) => link.deeplinks.length > 0)
}

function presentLink(parts: CampaignParts, link: Link) {
  const [keyword] = link.keywords
  return {
    link: shortUrl(parts, link.id),
    long_url: link.longUrl,
    hash: link.hash,
    title: link.title ?? null,
    keyword_link: keyword === undefined ? null : shortUrl(parts, keyword),
  }
}
