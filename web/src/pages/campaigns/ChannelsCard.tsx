/** The channels of a campaign in one chart. */
import { Skeleton } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { CompareChart, maxSeries } from '../../charts/CompareChart.js'
import { Card } from '../../parts/Card.js'
import { Problem } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import { periodOf } from '../analytics/period.js'
import { rowsQuery, seriesQuery } from '../analytics/queries.js'
import type { Subject } from '../analytics/reports.js'
import type { AnalyticsSearch } from '../analytics/search.js'
import { bucketLabel, tickLabel } from '../analytics/span-label.js'
import { useZones } from '../analytics/use-zones.js'

interface ChannelsCardProps {
  readonly subject: Subject
  readonly search: AnalyticsSearch
}

export function ChannelsCard({ subject: given, search }: ChannelsCardProps) {
  const { zone } = useZones(search)
  const subject = { ...given, zone }
  // All channels side by side, also when the page is filtered by one.
  const asked = { ...search, channel: undefined, compare: 'off' as const }
  const channels = useQuery(rowsQuery(subject, 'channels', asked, maxSeries))
  const shown = channels.data?.slice(0, maxSeries) ?? []
  const found = useQueries({
    queries: shown.map(({ value }) => seriesQuery(subject, { ...asked, channel: `is:${value}` })),
  })
  const failed = found.find(({ isError }) => isError)
  const buckets = found.find(({ data }) => data)?.data ?? []
  const { interval } = periodOf(search, zone)
  if (channels.data && channels.data.length < 2) return null
  return (
    <Card title={texts.campaigns.compare}>
      {failed && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
      {buckets.length === 0 ? (
        <Skeleton height={272} />
      ) : (
        <CompareChart
          name={texts.campaigns.compare}
          labels={buckets.map(({ start, end }) => ({
            label: bucketLabel(start, end, interval, zone),
            tick: tickLabel(start, interval, buckets.length <= 25, zone),
          }))}
          series={shown.map(({ value, name = value }, place) => ({
            key: value,
            name,
            values: found[place]?.data?.map(({ count }) => count) ?? [],
          }))}
        />
      )}
    </Card>
  )
}
