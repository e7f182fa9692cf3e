import { type Static, Type } from 'typebox'
import type { Campaign as CoreCampaign } from '../../core/campaigns/campaign-store.js'
import {
  type CampaignDeps,
  changeCampaign,
  createCampaign,
  listCampaigns,
  viewCampaign,
  writableCampaign,
} from '../../core/campaigns/campaigns.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { memberOfBody, memberOfQuery, writerOfNamedGroup } from './access.js'
import { timestamp } from './present.js'
import { route } from './route.js'
import { descriptionBounds, guidBounds, nameBounds } from './schemas/bounds.js'
import { Campaign, maxEntries } from './schemas/campaign.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/fields.js'

export interface CampaignRouteDeps extends CampaignDeps {
  readonly config: { readonly baseUrl: string }
}

const fields = {
  description: Type.Optional(Type.String({ ...emptyRemoves, ...descriptionBounds })),
  channel_guids: Type.Optional(
    Type.Array(Type.String(guidBounds), { maxItems: maxEntries, description: 'Channels of the same group' }),
  ),
}

const NewCampaignBody = Type.Object({ group_guid: Type.String(), name: Type.String(nameBounds), ...fields })

const CampaignBody = Type.Object({
  group_guid: Type.Optional(
    Type.String({ description: 'Moves the campaign to this group, which must own its channels' }),
  ),
  name: Type.Optional(Type.String(nameBounds)),
  ...fields,
})

const CampaignPath = Type.Object({ campaign_guid: Type.String({ description: 'Guid of the campaign' }) })

export function campaignRoutes(http: TypedFastify, deps: CampaignRouteDeps): void {
  const present = (campaign: CoreCampaign) => presentCampaign(campaign, deps.config.baseUrl)

  route(http, 'GET /v4/campaigns', {
    access: memberOfQuery,
    schema: {
      operationId: 'getCampaigns',
      tags: ['Campaigns'],
      summary: 'List campaigns',
      querystring: Type.Object({
        group_guid: Type.Optional(
          Type.String({ description: 'Only campaigns of this group; by default, of all your groups' }),
        ),
      }),
      response: {
        200: Type.Object({ campaigns: Type.Array(named(Campaign, 'A campaign')) }, { description: 'Newest first' }),
        ...refusals(400, 402, 403),
      },
    },
    answer: async (request) => {
      const campaigns = await listCampaigns(deps, request.actor, request.query.group_guid)
      return { campaigns: campaigns.map(present) }
    },
  })

  route(http, 'POST /v4/campaigns', {
    access: writerOfNamedGroup,
    schema: {
      operationId: 'createCampaign',
      tags: ['Campaigns'],
      summary: 'Create a campaign',
      body: NewCampaignBody,
      response: { 200: named(Campaign, 'The new campaign'), ...refusals(400, 402, 403, 404, 406, 413, 422) },
    },
    answer: async (request) => {
      const { group_guid, name, description, channel_guids } = request.body
      const input = { groupGuid: group_guid, name, description, channelGuids: channel_guids }
      return present(await createCampaign(deps, request.actor, input))
    },
  })

  route(http, 'GET /v4/campaigns/:campaign_guid', {
    access: ({ actor, params }) => viewCampaign(deps, actor, params.campaign_guid),
    schema: {
      operationId: 'getCampaign',
      tags: ['Campaigns'],
      summary: 'Get a campaign',
      params: CampaignPath,
      response: { 200: named(Campaign, 'The campaign'), ...refusals(402, 403, 404) },
    },
    answer: async (_request, campaign) => present(campaign),
  })

  route(http, 'PATCH /v4/campaigns/:campaign_guid', {
    access: (request) => {
      memberOfBody(request)
      return writableCampaign(deps, request.actor, request.params.campaign_guid)
    },
    schema: {
      operationId: 'updateCampaign',
      tags: ['Campaigns'],
      summary: 'Update a campaign',
      description:
        'Fields that are not sent stay unchanged; `channel_guids` replaces the channels. Removing a channel also removes its links from the campaign.',
      params: CampaignPath,
      body: CampaignBody,
      response: { 200: named(Campaign, 'The updated campaign'), ...refusals(400, 402, 403, 404, 406, 413, 422) },
    },
    answer: async ({ actor, body }, campaign) => {
      const { group_guid, name, description, channel_guids } = body
      const change = { groupGuid: group_guid, name, description, channelGuids: channel_guids }
      return present(await changeCampaign(deps, actor, campaign, change))
    },
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
