/** The numbers of several campaigns in one request, for lists and comparisons. An addition to the public API. */
import { Type } from 'typebox'
import {
  type CampaignReportDeps,
  maxCampaignUnits,
  maxCountedCampaigns,
  reportCampaigns,
} from '../../core/metrics/campaign-report.js'
import { parseFilter, type TagFilterDeps, tagFilter } from '../../core/metrics/filters.js'
import type { Clock } from '../../core/values/time.js'
import { parseWindow } from '../../core/values/window.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember } from './access.js'
import { echo } from './metric-answers.js'
import { filterParameter, trafficQuery } from './metric-operation.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { joinedTexts, separated } from './schemas/lists.js'
import { windowFields } from './schemas/metrics.js'

export type CampaignsMetricsRouteDeps = CampaignReportDeps & TagFilterDeps & { readonly clock: Clock }

const Query = Type.Object({
  ...trafficQuery,
  campaign_guid: joinedTexts(`A campaign of the group; repeat it for up to ${maxCountedCampaigns}`),
  tag: filterParameter('autumn'),
})

const Answer = Type.Object(
  {
    campaigns: Type.Array(
      Type.Object({
        guid: Type.String(),
        links: Type.Integer({ description: 'Number of its links' }),
        channels: Type.Integer({ description: 'Number of its channels' }),
        engagements: Type.Integer({ description: 'Clicks, scans and button clicks together' }),
        clicks: Type.Integer(),
        scans: Type.Integer(),
        button_clicks: Type.Integer(),
        counts: Type.Array(Type.Integer(), {
          description: `Engagements per unit, newest first; empty if \`units\` is -1 or more than ${maxCampaignUnits}`,
        }),
      }),
      { description: 'In the order of the request. Campaigns that are unknown or of another group are left out' },
    ),
    ...windowFields,
  },
  { description: 'The numbers of each campaign' },
)

export function campaignsMetricsRoutes(http: TypedFastify, deps: CampaignsMetricsRouteDeps): void {
  route(http, 'Metrics', 'getMetricsOfCampaigns: GET /v4/groups/:group_guid/campaigns/metrics', {
    scope: 'analytics:read',
    access: groupMember,
    summary: 'Get the engagements of several campaigns',
    description:
      'For lists of campaigns: totals, and counts over time for windows of up to a year of days. Each campaign counts as in its own report, so a link in two campaigns counts in both.',
    querystring: Query,
    response: { 200: Answer, ...refusals(402) },
    answer: async ({ actor, params, query }) => {
      const { unit, units, unit_reference: unitReference, zone, traffic = 'human' } = query
      const window = parseWindow({ unit, units, unitReference, zone }, deps.clock.now())
      const guids = separated(query.campaign_guid)
      const { group_guid } = params
      const tag = query.tag === undefined ? undefined : parseFilter('tag', query.tag)
      const filters = tag ? [await tagFilter(deps, group_guid, tag)] : []
      const found = await reportCampaigns(deps, actor, group_guid, guids, { window, traffic, filters })
      return {
        campaigns: found.map(({ byKind, counts, ...campaign }) => ({
          ...campaign,
          clicks: byKind.click,
          scans: byKind.scan,
          button_clicks: byKind.button,
          counts: [...counts],
        })),
        ...echo({ window }),
      }
    },
  })
}
