import { useQuery } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import type { Subject } from './reports.js'

/** Filters by channel have guids; people know names. */
export function useChannelNames({ group, campaign }: Subject): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({
    queryKey: ['groups', group, 'channels', campaign],
    queryFn: async () => {
      const query = { group_guid: group, ...(campaign !== undefined && { campaign_guid: campaign }) }
      return (await ask(api.GET('/v4/channels', { params: { query } }))).channels
    },
    enabled: campaign !== undefined,
  })
  return new Map(data.map(({ guid, name }) => [guid, name]))
}
