import { type Static, Type } from 'typebox'
import type { Channel as CoreChannel } from '../../core/campaigns/campaign-store.js'
import {
  changeChannel,
  createChannel,
  listChannels,
  viewChannel,
  writableChannel,
} from '../../core/campaigns/channels.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { memberOfBody, memberOfQuery, writerOfNamedGroup } from './access.js'
import type { CampaignRouteDeps } from './campaigns.js'
import { timestamp } from './present.js'
import { route } from './route.js'
import { addressBounds, guidBounds, nameBounds } from './schemas/bounds.js'
import { Channel, maxEntries } from './schemas/campaign.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'

const fields = {
  guid: Type.Optional(Type.String({ description: 'Ignored: the service assigns the guid' })),
  shortlinks: Type.Optional(
    Type.Array(
      Type.Object({
        campaign_guid: Type.String(guidBounds),
        shortlink_id: Type.String({ ...addressBounds, description: '`<domain>/<hash>`' }),
      }),
      {
        maxItems: maxEntries,
        description: 'Links of the channel, each in a campaign of the same group. The channel joins these campaigns',
      },
    ),
  ),
}

const NewChannelBody = Type.Object({ group_guid: Type.String(), name: Type.String(nameBounds), ...fields })

const ChannelBody = Type.Object({
  group_guid: Type.Optional(
    Type.String({ description: 'Moves the channel to this group, unless it belongs to a campaign' }),
  ),
  name: Type.Optional(Type.String(nameBounds)),
  ...fields,
})

const ChannelPath = Type.Object({ channel_guid: Type.String({ description: 'Guid of the channel' }) })

const ListQuery = Type.Object({
  group_guid: Type.Optional(
    Type.String({ description: 'Only channels of this group; by default, of all your groups' }),
  ),
  campaign_guid: Type.Optional(Type.String({ description: 'Only channels of this campaign' })),
})

export function channelRoutes(http: TypedFastify, deps: CampaignRouteDeps): void {
  const present = (channel: CoreChannel) => presentChannel(channel, deps.config.baseUrl)

  route(http, 'GET /v4/channels', {
    access: memberOfQuery,
    schema: {
      operationId: 'getChannels',
      tags: ['Channels'],
      summary: 'List channels',
      querystring: ListQuery,
      response: {
        200: Type.Object({ channels: Type.Array(named(Channel, 'A channel')) }, { description: 'Newest first' }),
        ...refusals(400, 402, 403, 404),
      },
    },
    answer: async (request) => {
      const { group_guid, campaign_guid } = request.query
      const filter = { groupGuid: group_guid, campaignGuid: campaign_guid }
      return { channels: (await listChannels(deps, request.actor, filter)).map(present) }
    },
  })

  route(http, 'POST /v4/channels', {
    access: writerOfNamedGroup,
    schema: {
      operationId: 'createChannel',
      tags: ['Channels'],
      summary: 'Create a channel',
      body: NewChannelBody,
      response: { 200: named(Channel, 'The new channel'), ...refusals(400, 402, 403, 404, 406, 413, 422) },
    },
    answer: async (request) => {
      const { group_guid, name, shortlinks } = request.body
      const input = { groupGuid: group_guid, name, links: shortlinks?.map(linkFrom) }
      return present(await createChannel(deps, request.actor, input))
    },
  })

  route(http, 'GET /v4/channels/:channel_guid', {
    access: ({ actor, params }) => viewChannel(deps, actor, params.channel_guid),
    schema: {
      operationId: 'getChannel',
      tags: ['Channels'],
      summary: 'Get a channel',
      params: ChannelPath,
      response: { 200: named(Channel, 'The channel'), ...refusals(402, 403, 404) },
    },
    answer: async (_request, channel) => present(channel),
  })

  route(http, 'PATCH /v4/channels/:channel_guid', {
    access: (request) => {
      memberOfBody(request)
      return writableChannel(deps, request.actor, request.params.channel_guid)
    },
    schema: {
      operationId: 'updateChannel',
      tags: ['Channels'],
      summary: 'Update a channel',
      params: ChannelPath,
      body: ChannelBody,
      response: { 200: named(Channel, 'The updated channel'), ...refusals(400, 402, 403, 404, 406, 413, 422) },
    },
    answer: async ({ actor, body }, channel) => {
      const { group_guid, name, shortlinks } = body
      const change = { groupGuid: group_guid, name, links: shortlinks?.map(linkFrom) }
      return present(await changeChannel(deps, actor, channel, change))
    },
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
