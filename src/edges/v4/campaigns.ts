import { type Static, Type } from 'typebox'
import { type Actor, requireWriter } from '../../core/accounts/actor.js'
import type { Campaign as CoreCampaign } from '../../core/campaigns/campaign.js'
import {
  type CampaignDeps,
  changeCampaign,
  createCampaign,
  listCampaigns,
  viewCampaign,
  writableCampaign,
} from '../../core/campaigns/campaigns.js'
import { emptyRemoves } from '../http/json-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { textIn } from './access.js'
import { timestamp } from './present.js'
import { descriptionBounds, guidBounds, nameBounds } from './schemas/bounds.js'
import { Campaign, mostEntries } from './schemas/campaign.js'
import { refusals } from './schemas/error.js'
import { named } from './schemas/named.js'

export interface CampaignRouteDeps extends CampaignDeps {
  readonly config: { readonly baseUrl: string }
}

const fields = {
  description: Type.Optional(Type.String({ ...emptyRemoves, ...descriptionBounds })),
  channel_guids: Type.Optional(
    Type.Array(Type.String(guidBounds), { maxItems: mostEntries, description: 'Channels of the same group' }),
  ),
}

const NewCampaignBody = Type.Object({ group_guid: Type.String(), name: Type.String(nameBounds), ...fields })

const CampaignBody = Type.Object({
  group_guid: Type.Optional(Type.String({ description: 'Moves the campaign; its channels must be there' })),
  name: Type.Optional(Type.String(nameBounds)),
  ...fields,
})

const CampaignPath = Type.Object({ campaign_guid: Type.String({ description: 'Guid of the campaign' }) })

export function campaignRoutes(http: TypedFastify, deps: CampaignRouteDeps): void {
  const present = (campaign: CoreCampaign) => presentCampaign(campaign, deps.config.baseUrl)

  const list = {
    operationId: 'getCampaigns',
    tags: ['Campaigns'],
    summary: 'List campaigns',
    querystring: Type.Object({ group_guid: Type.Optional(Type.String({ description: 'All your groups by default' })) }),
    response: {
      200: Type.Object({ campaigns: Type.Array(named(Campaign, 'A campaign')) }, { description: 'Newest first' }),
      ...refusals(400, 402, 403),
    },
  }
  http.get('/v4/campaigns', { schema: list }, async (request) => {
    const campaigns = await listCampaigns(deps, request.actor, request.query.group_guid)
    return { campaigns: campaigns.map(present) }
  })

  const post = {
    operationId: 'createCampaign',
    tags: ['Campaigns'],
    summary: 'Make a campaign',
    body: NewCampaignBody,
    response: { 200: named(Campaign, 'The new campaign'), ...refusals(400, 402, 403, 404, 406, 413, 422) },
  }
  http.post('/v4/campaigns', { schema: post, preValidation: writersOnly }, async (request) => {
    const { group_guid, name, description, channel_guids } = request.body
    const input = { groupGuid: group_guid, name, description, channelGuids: channel_guids }
    return present(await createCampaign(deps, request.actor, input))
  })

  const get = {
    operationId: 'getCampaign',
    tags: ['Campaigns'],
    summary: 'Read a campaign',
    params: CampaignPath,
    response: { 200: named(Campaign, 'The campaign'), ...refusals(402, 403, 404) },
  }
  http.get('/v4/campaigns/:campaign_guid', { schema: get }, async (request) =>
    present(await viewCampaign(deps, request.actor, request.params.campaign_guid)),
  )

  const patch = {
    operationId: 'updateCampaign',
    tags: ['Campaigns'],
    summary: 'Change a campaign, or replace its channels',
    description: 'A channel that is no longer in the campaign drops the links it carried for it.',
    params: CampaignPath,
    body: CampaignBody,
    response: { 200: named(Campaign, 'The campaign as it is now'), ...refusals(400, 402, 403, 404, 406, 413, 422) },
  }
  // Who may not change the campaign is told so before what they sent is looked at.
  const mayWrite = async (request: { actor: Actor; params: Static<typeof CampaignPath> }) => {
    await writableCampaign(deps, request.actor, request.params.campaign_guid)
  }
  http.patch('/v4/campaigns/:campaign_guid', { schema: patch, preValidation: mayWrite }, async (request) => {
    const { group_guid, name, description, channel_guids } = request.body
    const change = { groupGuid: group_guid, name, description, channelGuids: channel_guids }
    return present(await changeCampaign(deps, request.actor, request.params.campaign_guid, change))
  })
}

/** A reader of the group is told so before the other fields are looked at, whose types are unchecked here. */
export async function writersOnly(request: { actor: Actor; body: unknown }): Promise<void> {
  const guid = textIn(request.body, 'group_guid')
  if (guid !== undefined) requireWriter(request.actor, guid)
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
