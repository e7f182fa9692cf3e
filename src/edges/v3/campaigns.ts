/** v3 campaigns: the same campaigns as in v4, with channels given by name. */
import { Type } from 'typebox'
import type { Campaign } from '../../core/campaigns/campaign-store.js'
import type { CampaignDeps as CoreDeps } from '../../core/campaigns/campaigns.js'
import {
  changeNamedCampaign,
  channelNames,
  countCampaigns,
  createNamedCampaign,
} from '../../core/campaigns/named-channels.js'
import { type FilledChannel, openCampaign } from '../../core/links/account.js'
import type { Link } from '../../core/links/link.js'
import type { LinkStore } from '../../core/links/link-store.js'
import { argument, optional, repeated } from './about.js'
import type { Arguments } from './arguments.js'
import type { Operations, V3Request, V3Result } from './operation.js'
import { epoch, type PresentDeps, shortUrl } from './present.js'

export type CampaignDeps = CoreDeps & PresentDeps & { readonly links: LinkStore }

const example = { campaign_id: 'Cq7Wd2Jh5Ng', title: 'Autumn sale', description: '' }
const campaignId = argument('Guid of the campaign', example.campaign_id)
const details = {
  description: optional('What it is for'),
  channel: Type.Optional(repeated('Names of channels', 'Newsletter')),
}

export function campaignOperations(deps: CampaignDeps): Operations {
  return {
    '/v3/campaigns': {
      scope: 'links:read',
      summary: 'List your campaigns',
      description: 'Each with the number of its links.',
      data: {
        campaigns: [{ ...example, modified: 1793611800, bitlink_count: 4, login: 'anna' }],
        result_count: 1,
      },
      run: (request) => list(deps, request),
    },
    '/v3/campaigns/channel_names': {
      scope: 'links:read',
      summary: 'List the names of your channels',
      description: 'In alphabetical order.',
      data: { channel_names: ['Newsletter'] },
      run: (request) => names(deps, request),
    },
    '/v3/campaigns/create': {
      scope: 'links:write',
      summary: 'Create a campaign',
      description: 'Channels are given by name, and created if they do not exist.',
      query: { title: argument('Name of the campaign', example.title), ...details },
      data: { campaign: { ...example, modified: 1793611800, channel_names: ['Newsletter'], login: 'anna' } },
      run: (request) => create(deps, request),
    },
    '/v3/campaigns/get': {
      scope: 'links:read',
      summary: 'Get a campaign with its channels and links',
      description: 'Each channel with its links.',
      query: { campaign_id: campaignId },
      data: {
        campaign: {
          ...example,
          has_deeplinks: false,
          channels: [
            {
              name: 'Newsletter',
              modified: 1793611800,
              has_deeplinks: false,
              links: [
                {
                  link: 'https://go.example.com/3xYz12A',
                  long_url: 'https://www.example.com/sale',
                  hash: '3xYz12A',
                  title: 'Autumn sale',
                  keyword_link: null,
                },
              ],
            },
          ],
        },
      },
      run: (request) => get(deps, request),
    },
    '/v3/campaigns/update': {
      scope: 'links:write',
      summary: 'Update a campaign',
      description: 'Named channels are added to the existing ones. An empty description removes it.',
      query: { campaign_id: campaignId, title: optional('The new name'), ...details },
      data: { campaign: { ...example, channel_names: ['Newsletter'], login: 'anna' } },
      run: (request) => update(deps, request),
    },
  }
}

async function list(deps: CampaignDeps, { actor }: V3Request): Promise<V3Result> {
  const campaigns = await countCampaigns(deps, actor)
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

async function names(deps: CampaignDeps, { actor }: V3Request): Promise<V3Result> {
  return { data: { channel_names: await channelNames(deps, actor) } }
}

async function create(deps: CampaignDeps, { actor, args }: V3Request): Promise<V3Result> {
  const input = { name: args.required('title'), description: args.text('description'), channelNames: channelsIn(args) }
  const { campaign, channelNames } = await createNamedCampaign(deps, actor, input)
  const modified = epoch(campaign.modifiedAt)
  return {
    data: { campaign: { ...summary(campaign), modified, channel_names: channelNames, login: campaign.createdBy } },
  }
}

async function update(deps: CampaignDeps, { actor, args }: V3Request): Promise<V3Result> {
  // An empty description removes the current one.
  const input = { name: args.text('title'), description: args.first('description'), channelNames: channelsIn(args) }
  const guid = args.required('campaign_id')
  const { campaign, channelNames } = await changeNamedCampaign(deps, actor, guid, input)
  return { data: { campaign: { ...summary(campaign), channel_names: channelNames, login: campaign.createdBy } } }
}

async function get(deps: CampaignDeps, { actor, args }: V3Request): Promise<V3Result> {
  const { campaign, channels } = await openCampaign(deps, actor, args.required('campaign_id'))
  return {
    data: {
      campaign: {
        ...summary(campaign),
        has_deeplinks: channels.some(hasDeeplinks),
        channels: channels.map((filled) => ({
          name: filled.channel.name,
          modified: epoch(filled.channel.modifiedAt),
          has_deeplinks: hasDeeplinks(filled),
          links: filled.links.map((link) => presentLink(deps, link)),
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

function presentLink(deps: CampaignDeps, link: Link) {
  const [keyword] = link.keywords
  return {
    link: shortUrl(deps, link.id),
    long_url: link.longUrl,
    hash: link.hash,
    title: link.title ?? null,
    keyword_link: keyword === undefined ? null : shortUrl(deps, keyword),
  }
}
