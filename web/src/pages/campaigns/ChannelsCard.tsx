/** The channels of a campaign in one chart and one table. A channel that is chosen filters the page. */
import { Skeleton } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { CompareChart } from '../../charts/CompareChart.js'
import { maxSeries } from '../../charts/max-series.js'
import { Card } from '../../parts/Card.js'
import { Problem } from '../../parts/Problem.js'
import { campaignTexts } from '../../texts/campaigns.js'
import type { AnalyticsProps } from '../analytics/Analytics.js'
import { useCompared, useRetry } from '../analytics/compared.js'
import { readFilter, toggleValue } from '../analytics/filters.js'
import { NumbersTable } from '../analytics/NumbersTable.js'
import styles from '../analytics/NumbersTable.module.css'
import { rowsQuery, totalsQuery } from '../analytics/queries.js'
import { type Measure, measures } from '../analytics/search.js'
import { useZones } from '../analytics/use-zones.js'

export function ChannelsCard({ subject: given, search, onChange }: AnalyticsProps) {
  const { zone } = useZones(search)
  const retry = useRetry()
  const subject = { ...given, zone }
  // All channels side by side, also when the page is filtered by one.
  const asked = { ...search, channel: undefined, compare: 'off' as const }
  const counts = useQueries({
    queries: measures.map((measure) => rowsQuery(subject, 'channels', { ...asked, measure }, 1000)),
  })
  const totals = useQuery(totalsQuery(subject, asked))
  const countOf = (guid: string, measure: Measure) =>
    counts[measures.indexOf(measure)]?.data?.find(({ value }) => value === guid)?.count ?? 0
  const [engagements] = counts
  const channels = engagements?.data ?? []
  const { labels, series, notes, isPending, error } = useCompared(
    subject.group,
    channels
      .slice(0, maxSeries)
      .map(({ value, name = value }) => ({ key: value, name, subject, filters: { channel: `is:${value}` } })),
    asked,
    zone,
  )
  const failed = counts.find(({ isError }) => isError)
  const chosen = readFilter(search.channel)?.values ?? []
  if (engagements?.data?.length === 0) return null
  return (
    <Card title={campaignTexts.compare}>
      {(error ?? failed?.error) !== undefined && <Problem error={error ?? failed?.error} onRetry={retry} />}
      {isPending || engagements?.isPending ? (
        <Skeleton height={272} />
      ) : (
        <CompareChart name={campaignTexts.compare} labels={labels} series={series} notes={notes} />
      )}
      <NumbersTable
        caption={campaignTexts.compare}
        title={campaignTexts.channel}
        total={totals.data?.now.engagements ?? 0}
        rows={channels.map(({ value, name = value }) => ({
          key: value,
          name: (
            <button
              type="button"
              className={styles.choose}
              aria-pressed={chosen.includes(value)}
              onClick={() => onChange(toggleValue(search, 'channel', value))}
            >
              {name}
            </button>
          ),
          numbers: counts.every(({ data }) => data)
            ? {
                engagements: countOf(value, 'engagements'),
                clicks: countOf(value, 'clicks'),
                scans: countOf(value, 'scans'),
                visitors: countOf(value, 'visitors'),
              }
            : undefined,
        }))}
      />
    </Card>
  )
}
