import { queryOptions, useQueries } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { operations } from '../../api/schema.js'
import { periodOf } from '../analytics/period.js'
import type { AnalyticsSearch } from '../analytics/search.js'

export type CampaignNumbers =
  operations['getMetricsOfCampaigns']['responses'][200]['content']['application/json']['campaigns'][number]

/** The API's limit of one read, and so many are shown at once. */
export const perRead = 50

/** How many links and channels a campaign has. The shortest window: its clicks are not asked for. */
export function contentsQuery(group_guid: string, campaign: string) {
  return queryOptions({
    queryKey: ['groups', group_guid, 'campaigns', campaign, 'contents'],
    queryFn: async () => {
      const query = { unit: 'day' as const, units: 1, campaign_guid: [campaign] }
      const params = { path: { group_guid }, query }
      return (await ask(api.GET('/v4/groups/{group_guid}/campaigns/metrics', { params }))).campaigns[0] ?? null
    },
  })
}

/** The numbers of all given campaigns in the chosen time, by guid. */
export function useNumbers(group_guid: string, guids: readonly string[], search: AnalyticsSearch, zone: string) {
  const { range, from, to } = search
  const parts = Array.from({ length: Math.ceil(guids.length / perRead) }, (_, part) =>
    guids.slice(part * perRead, (part + 1) * perRead),
  )
  return useQueries({
    queries: parts.map((campaign_guid) => ({
      queryKey: ['groups', group_guid, 'analytics', 'campaigns', campaign_guid, { range, from, to, zone }],
      queryFn: async () => {
        const query = { ...periodOf(search, zone).window, campaign_guid: [campaign_guid.join()] }
        const params = { path: { group_guid }, query }
        return (await ask(api.GET('/v4/groups/{group_guid}/campaigns/metrics', { params }))).campaigns
      },
    })),
    combine: together,
  })
}

interface Answers {
  readonly data: readonly CampaignNumbers[] | undefined
  readonly error: unknown
}

function together(answers: readonly Answers[]) {
  return {
    byGuid: new Map(answers.flatMap(({ data = [] }) => data).map((campaign) => [campaign.guid, campaign])),
    error: answers.find(({ error }) => error)?.error,
  }
}
