/** At which hours of the week people click, in the zone of the page. */
import { Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { HeatMap, momentLabel } from '../../charts/HeatMap.js'
import { Card } from '../../parts/Card.js'
import { formatNumber } from '../../parts/format.js'
import { Problem } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import { CsvButton } from './CsvButton.js'
import { hoursQuery } from './queries.js'

export function HoursCard({ subject, search }: Pick<AnalyticsProps, 'subject' | 'search'>) {
  const found = useQuery({ ...hoursQuery(subject, search), placeholderData: keepPreviousData })
  const { hours } = texts.analytics
  const values = found.data ?? []
  const highest = Math.max(0, ...values)
  return (
    <Card title={hours.title} actions={<CsvButton subject={subject} search={search} dimension="hours_of_week" />}>
      {found.isPending && <Skeleton height={230} />}
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {found.data && (
        <>
          <p className={page.hint}>
            {highest === 0
              ? texts.analytics.none
              : hours.most(momentLabel(values.indexOf(highest)), formatNumber(highest))}
          </p>
          <HeatMap name={hours.title} values={values} less={hours.less} more={hours.more} />
        </>
      )}
    </Card>
  )
}
