import { type Static, Type } from 'typebox'
import type { AuditDeps } from '../../core/accounts/audit.js'
import type { Campaign as CoreCampaign, Channel as CoreChannel } from '../../core/campaigns/campaign-store.js'
import {
  type CampaignDeps,
  changeCampaign,
  createCampaign,
  inPlan,
  listCampaigns,
  readCampaign,
  removeCampaign,
  writable,
} from '../../core/campaigns/campaigns.js'
import {
  changeChannel,
  createChannel,
  listChannels,
  readChannel,
  removeChannel,
} from '../../core/campaigns/channels.js'
import { timestamp } from '../../core/values/time.js'
import { etagOf, sendTagged } from '../http/etag.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { memberOfBody, memberOfQuery, writerOfNamedGroup } from './access.js'
import { type BaseUrlDeps, route } from './route.js'
import { addressBounds, descriptionBounds, guidBounds, nameBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment, named, optionalText, tagged } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

const references = Type.Object({ group: Type.String() }, { description: 'URLs of related data' })

export const Campaign = Type.Object(
  {
    references,
    guid: Type.String(),
    group_guid: Type.String(),
    created_by: Type.String({ description: 'Login of the user who created it' }),
    name: Type.String(),
    description: Type.String(),
    created: moment(),
    modified: moment(),
  },
  { $id: 'Campaign' },
)

export const Channel = Type.Object(
  {
    references,
    name: Type.String(),
    guid: Type.String(),
    created: moment(),
    modified: moment(),
    group_guid: Type.String(),
  },
  { $id: 'Channel' },
)

// Enough for one call, and small enough for one transaction.
const maxEntries = 1000

export type CampaignRouteDeps = CampaignDeps & AuditDeps & BaseUrlDeps

const campaignFields = {
  description: Type.Optional(Type.String({ ...emptyRemoves, ...descriptionBounds })),
  channel_guids: Type.Optional(
    Type.Array(Type.String(guidBounds), { maxItems: maxEntries, description: 'Channels of the same group' }),
  ),
}

const NewCampaignBody = Type.Object({ group_guid: Type.String(), name: Type.String(nameBounds), ...campaignFields })

const CampaignBody = Type.Object({
  group_guid: optionalText('Moves the campaign to this group, which must own its channels'),
  name: Type.Optional(Type.String(nameBounds)),
  ...campaignFields,
})

export function campaignRoutes(http: TypedFastify, deps: CampaignRouteDeps): void {
  const present = (campaign: CoreCampaign) => presentCampaign(campaign, deps.config.baseUrl)
  const etag = (campaign: CoreCampaign) => etagOf([present(campaign), campaign.modifiedAt])
  const send = sendTagged(present, etag)

  route(http, 'Campaigns', 'listCampaigns: GET /v4/campaigns', {
    scope: 'links:read',
    list: { name: 'campaigns', by: 'guid' },
    access: memberOfQuery,
    summary: 'List campaigns',
    description: 'Of one group, or of all your groups.',
    querystring: Type.Object({
      group_guid: optionalText('Only campaigns of this group; by default, of all your groups'),
    }),
    response: { 200: listAnswer('campaigns', named(Campaign, 'A campaign'), 'Newest first'), ...refusals(402) },
    answer: async (request) => {
      const campaigns = await listCampaigns(deps, request.actor, request.query.group_guid)
      return { campaigns: campaigns.map(present) }
    },
  })

  route(http, 'Campaigns', 'createCampaign: POST /v4/campaigns', {
    scope: 'links:write',
    access: writerOfNamedGroup,
    summary: 'Create a campaign',
    description: 'With the channels that it uses, which belong to the same group.',
    body: NewCampaignBody,
    response: { 200: tagged(Campaign, 'The new campaign'), ...refusals(402, 404) },
    idempotent: true,
    answer: async (request, _group, reply) => {
      const { group_guid, name, description, channel_guids } = request.body
      const input = { groupGuid: group_guid, name, description, channelGuids: channel_guids }
      return send(reply, await createCampaign(deps, request.actor, input))
    },
  })

  route(http, 'Campaigns', 'getCampaign: GET /v4/campaigns/:campaign_guid', {
    scope: 'links:read',
    access: async ({ actor, params }) => inPlan(deps, actor, await readCampaign(deps, actor, params.campaign_guid)),
    summary: 'Get a campaign',
    description: 'Its channels are listed by `GET /v4/channels?campaign_guid=…`.',
    response: { 200: tagged(Campaign, 'The campaign'), ...refusals(402, 404) },
    etag,
    answer: async (_request, campaign) => present(campaign),
  })

  route(http, 'Campaigns', 'updateCampaign: PATCH /v4/campaigns/:campaign_guid', {
    scope: 'links:write',
    access: async (request) => {
      memberOfBody(request)
      return writable(request.actor, await readCampaign(deps, request.actor, request.params.campaign_guid))
    },
    summary: 'Update a campaign',
    description:
      'Fields that are not sent stay unchanged; `channel_guids` replaces the channels. Removing a channel also removes its links from the campaign.',
    body: CampaignBody,
    response: { 200: tagged(Campaign, 'The updated campaign'), ...refusals(402, 404) },
    etag,
    answer: async ({ actor, body }, campaign, reply) => {
      const { group_guid, name, description, channel_guids } = body
      const change = { groupGuid: group_guid, name, description, channelGuids: channel_guids }
      return send(reply, await changeCampaign(deps, actor, campaign, change))
    },
  })

  route(http, 'Campaigns', 'deleteCampaign: DELETE /v4/campaigns/:campaign_guid', {
    scope: 'links:write',
    access: async ({ actor, params }) => writable(actor, await readCampaign(deps, actor, params.campaign_guid)),
    summary: 'Delete a campaign',
    description: 'Its links and channels stay, without the campaign.',
    response: { 204: Type.Null({ description: 'The campaign was deleted' }), ...refusals(402, 404) },
    etag,
    answer: ({ actor }, campaign) => removeCampaign(deps, actor, campaign),
  })
}

function presentCampaign(campaign: CoreCampaign, baseUrl: string): Static<typeof Campaign> {
  return {
    references: { group: `${baseUrl}/v4/groups/${campaign.groupGuid}` },
    guid: campaign.guid,
    group_guid: campaign.groupGuid,
    created_by: campaign.createdBy,
    name: campaign.name,
    description: campaign.description,
    created: timestamp(campaign.createdAt),
    modified: timestamp(campaign.modifiedAt),
  }
}

const channelLinks = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        {
          campaign_guid: Type.String(guidBounds),
          shortlink_id: Type.String({ ...addressBounds, description: '`<domain>/<hash>`' }),
        },
        { title: 'ChannelLink' },
      ),
      { maxItems: maxEntries, description },
    ),
  )

const channelFields = {
  guid: Type.Optional(Type.String({ description: 'Ignored: the service assigns the guid' })),
  shortlinks: channelLinks(
    'Links of the channel, each in a campaign of the same group. The channel joins these campaigns',
  ),
}

const NewChannelBody = Type.Object({ group_guid: Type.String(), name: Type.String(nameBounds), ...channelFields })

const ChannelBody = Type.Object({
  group_guid: optionalText('Moves the channel to this group, unless it belongs to a campaign'),
  name: Type.Optional(Type.String(nameBounds)),
  ...channelFields,
  // Additions to the public API.
  add_shortlinks: channelLinks('Links to add to those of the channel, instead of replacing them'),
  remove_shortlinks: channelLinks('Links to remove from the channel, before others are added'),
})

const ChannelLinksBody = Type.Object({
  campaign_guid: Type.String({ ...guidBounds, description: 'A campaign of the same group' }),
  shortlinks: Type.Array(Type.String({ ...addressBounds, examples: ['go.example.com/3xYz12A'] }), {
    minItems: 1,
    maxItems: maxEntries,
    description: 'Links of the same group',
  }),
})

const ChannelLinks = Type.Object(
  { channel_guid: Type.String(), campaign_guid: Type.String(), shortlinks: Type.Array(Type.String()) },
  { description: 'The links that were sent' },
)

const ListQuery = Type.Object({
  group_guid: optionalText('Only channels of this group; by default, of all your groups'),
  campaign_guid: Type.Optional(Type.String({ description: 'Only channels of this campaign' })),
})

export function channelRoutes(http: TypedFastify, deps: CampaignRouteDeps): void {
  const present = (channel: CoreChannel) => presentChannel(channel, deps.config.baseUrl)
  const etag = (channel: CoreChannel) => etagOf([present(channel), channel.modifiedAt])
  const send = sendTagged(present, etag)

  route(http, 'Channels', 'listChannels: GET /v4/channels', {
    scope: 'links:read',
    list: { name: 'channels', by: 'guid' },
    access: memberOfQuery,
    summary: 'List channels',
    description: 'Of one group, of one campaign, or of all your groups.',
    querystring: ListQuery,
    response: { 200: listAnswer('channels', named(Channel, 'A channel'), 'Newest first'), ...refusals(402, 404) },
    answer: async (request) => {
      const { group_guid, campaign_guid } = request.query
      const filter = { groupGuid: group_guid, campaignGuid: campaign_guid }
      return { channels: (await listChannels(deps, request.actor, filter)).map(present) }
    },
  })

  route(http, 'Channels', 'createChannel: POST /v4/channels', {
    scope: 'links:write',
    access: writerOfNamedGroup,
    summary: 'Create a channel',
    description: 'With the links that go out through it, each in a campaign of the same group.',
    body: NewChannelBody,
    response: { 200: tagged(Channel, 'The new channel'), ...refusals(402, 404) },
    idempotent: true,
    answer: async (request, _group, reply) => {
      const { group_guid, name, shortlinks } = request.body
      const input = { groupGuid: group_guid, name, links: shortlinks?.map(linkFrom) }
      return send(reply, await createChannel(deps, request.actor, input))
    },
  })

  route(http, 'Channels', 'getChannel: GET /v4/channels/:channel_guid', {
    scope: 'links:read',
    access: async ({ actor, params }) => inPlan(deps, actor, await readChannel(deps, actor, params.channel_guid)),
    summary: 'Get a channel',
    description: 'Its links are listed by `GET /v4/groups/{group_guid}/shortlinks?channel_guid=…`.',
    response: { 200: tagged(Channel, 'The channel'), ...refusals(402, 404) },
    etag,
    answer: async (_request, channel) => present(channel),
  })

  route(http, 'Channels', 'updateChannel: PATCH /v4/channels/:channel_guid', {
    scope: 'links:write',
    access: async (request) => {
      memberOfBody(request)
      return writable(request.actor, await readChannel(deps, request.actor, request.params.channel_guid))
    },
    summary: 'Update a channel',
    description:
      'Fields that are not sent stay unchanged; `shortlinks` replaces the links of the channel, `add_shortlinks` and `remove_shortlinks` change some of them.',
    body: ChannelBody,
    response: { 200: tagged(Channel, 'The updated channel'), ...refusals(402, 404) },
    etag,
    answer: async ({ actor, body }, channel, reply) => {
      const change = {
        groupGuid: body.group_guid,
        name: body.name,
        links: body.shortlinks?.map(linkFrom),
        addLinks: body.add_shortlinks?.map(linkFrom),
        removeLinks: body.remove_shortlinks?.map(linkFrom),
      }
      return send(reply, await changeChannel(deps, actor, channel, change))
    },
  })

  route(http, 'Channels', 'addChannelShortlinks: POST /v4/channels/:channel_guid/shortlinks', {
    scope: 'links:write',
    access: async ({ actor, params }) => writable(actor, await readChannel(deps, actor, params.channel_guid)),
    summary: 'Add short links to a channel of a campaign',
    description:
      'The others stay, and the channel joins the campaign. All or nothing: if one link cannot be added, none is.',
    body: ChannelLinksBody,
    response: { 200: ChannelLinks, ...refusals(402, 404) },
    answer: async ({ actor, body }, channel) => {
      const { campaign_guid, shortlinks } = body
      const addLinks = shortlinks.map((address) => ({ campaignGuid: campaign_guid, address }))
      await changeChannel(deps, actor, channel, { addLinks })
      return { channel_guid: channel.guid, campaign_guid, shortlinks }
    },
  })

  route(http, 'Channels', 'deleteChannel: DELETE /v4/channels/:channel_guid', {
    scope: 'links:write',
    access: async ({ actor, params }) => writable(actor, await readChannel(deps, actor, params.channel_guid)),
    summary: 'Delete a channel',
    description: 'Its links and campaigns stay, without the channel.',
    response: { 204: Type.Null({ description: 'The channel was deleted' }), ...refusals(402, 404) },
    etag,
    answer: ({ actor }, channel) => removeChannel(deps, actor, channel),
  })
}

function linkFrom({ campaign_guid, shortlink_id }: { campaign_guid: string; shortlink_id: string }) {
  return { campaignGuid: campaign_guid, address: shortlink_id }
}

function presentChannel(channel: CoreChannel, baseUrl: string): Static<typeof Channel> {
  return {
    references: { group: `${baseUrl}/v4/groups/${channel.groupGuid}` },
    name: channel.name,
    guid: channel.guid,
    created: timestamp(channel.createdAt),
    modified: timestamp(channel.modifiedAt),
    group_guid: channel.groupGuid,
  }
}
