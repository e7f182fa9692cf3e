import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { formatMoment } from '../../parts/format.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'

/** Who did what, newest first. */
export function AuditLog({ guid }: { readonly guid: string }) {
  const log = useInfiniteQuery({
    queryKey: ['organizations', guid, 'audit_log'],
    queryFn: ({ pageParam }) => {
      const query = { size: 50, ...(pageParam && { search_after: pageParam }) }
      const params = { path: { organization_guid: guid }, query }
      return ask(api.GET('/v4/organizations/{organization_guid}/audit_log', { params }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
  const entries = log.data?.pages.flatMap(({ audit_log }) => audit_log)
  return (
    <Card title={people.settings.tabs.audit}>
      <Rows
        query={{ ...log, data: entries }}
        keyOf={(entry) => entry.guid}
        empty={null}
        row={({ action, login, account, subject, created, ip_address }) => (
          <RowText title={`${action.replaceAll('_', ' ')}${subject ? `: ${subject}` : ''}`}>
            {[formatMoment(created), login, account && `→ ${account}`, ip_address].filter(Boolean).join(' · ')}
          </RowText>
        )}
      />
      {log.hasNextPage && (
        <Button variant="default" fullWidth loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {texts.common.more}
        </Button>
      )}
    </Card>
  )
}
