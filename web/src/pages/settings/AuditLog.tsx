import { Button, Select } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { formatMoment } from '../../parts/format.js'
import page from '../../parts/page.module.css'
import { Rows, RowText } from '../../parts/Rows.js'
import { people } from '../../texts/people.js'
import { texts } from '../../texts/texts.js'
import { membersQuery } from './queries.js'
import styles from './settings.module.css'

const route = getRouteApi('/$group/settings')

/** Who did what, newest first; of everybody, or by and about one member. */
export function AuditLog({ guid }: { readonly guid: string }) {
  const { login } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: members = [] } = useQuery(membersQuery(guid))
  const log = useInfiniteQuery({
    queryKey: ['organizations', guid, 'audit_log', login],
    queryFn: ({ pageParam }) => {
      const query = { size: 50, ...(login && { login }), ...(pageParam && { search_after: pageParam }) }
      const params = { path: { organization_guid: guid }, query }
      return ask(api.GET('/v4/organizations/{organization_guid}/audit_log', { params }))
    },
    initialPageParam: '',
    getNextPageParam: ({ pagination }) => pagination.search_after || undefined,
  })
  const entries = log.data?.pages.flatMap(({ audit_log }) => audit_log)
  return (
    <Card
      title={people.settings.tabs.audit}
      actions={
        <Select
          className={styles.role}
          aria-label={people.settings.auditOf}
          placeholder={people.settings.everybody}
          data={members.map(({ login: value, name }) => ({ value, label: name || value }))}
          value={login ?? null}
          onChange={(chosen) => void navigate({ search: { tab: 'audit', login: chosen ?? undefined } })}
          clearable
          searchable
        />
      }
    >
      <Rows
        query={{ ...log, data: entries }}
        keyOf={(entry) => entry.guid}
        empty={<p className={page.hint}>{people.settings.noEntries}</p>}
        row={({ action, login, account, subject, created, ip_address }) => (
          <RowText title={`${actionName(action)}${subject ? `: ${subject}` : ''}`}>
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

function actionName(action: string): string {
  return people.settings.actions[action] ?? action.replaceAll('_', ' ')
}
