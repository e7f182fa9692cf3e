import { Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask } from '../../api/client.js'
import { Card } from '../../parts/Card.js'
import { formatDay } from '../../parts/format.js'
import { Rows, RowText } from '../../parts/Rows.js'
import { LetterMark } from '../../parts/SiteMark.js'
import { showDone, showError } from '../../parts/toasts.js'
import { people } from '../../texts/people.js'
import { serviceQuery } from './queries.js'
import styles from './settings.module.css'

/** For those who run the service: its organizations and their plans. */
export function ServiceCard() {
  const client = useQueryClient()
  const service = useQuery(serviceQuery)
  const plans = service.data?.plans ?? []
  const { settings } = people
  const change = useMutation({
    mutationFn: ({ guid, plan }: { guid: string; name: string; plan: string }) => {
      const params = { path: { organization_guid: guid } }
      return ask(api.PATCH('/v4/organizations/{organization_guid}/plan', { params, body: { plan } }))
    },
    onSuccess: ({ plan_display_name }, { name }) => showDone(settings.planChanged(name, plan_display_name)),
    onError: showError,
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: serviceQuery.queryKey })
      await client.invalidateQueries({ queryKey: ['organizations'] })
    },
  })
  return (
    <Card title={settings.service} hint={settings.serviceHint}>
      <Rows
        query={{ ...service, data: service.data?.organizations }}
        keyOf={({ guid }) => guid}
        empty={null}
        row={({ guid, name, created, bsds, plan }) => (
          <>
            <LetterMark name={name} />
            <RowText title={name}>{[guid, `${settings.since} ${formatDay(created)}`, ...bsds].join(' · ')}</RowText>
            <Select
              className={styles.role}
              aria-label={settings.planOf(name)}
              data={plans.map((each) => ({ value: each.name, label: each.display_name }))}
              value={plan}
              onChange={(chosen) => chosen && change.mutate({ guid, name, plan: chosen })}
              allowDeselect={false}
            />
          </>
        )}
      />
    </Card>
  )
}
