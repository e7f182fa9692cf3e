/** The channels of a campaign in one chart. */
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CompareChart, maxSeries } from '../../charts/CompareChart.js'
import { Card } from '../../parts/Card.js'
import { Problem } from '../../parts/Problem.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { useCompared } from '../analytics/compared.js'
import { rowsQuery } from '../analytics/queries.js'
import type { Subject } from '../analytics/reports.js'
import type { AnalyticsSearch } from '../analytics/search.js'
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
  const { labels, series, isPending, error } = useCompared(
    shown.map(({ value, name = value }) => ({ key: value, name, subject, filters: { channel: `is:${value}` } })),
    asked,
    zone,
  )
  if (channels.data && channels.data.length < 2) return null
  return (
    <Card title={campaignTexts.compare}>
      {error !== undefined && <Problem error={error} />}
      {isPending || channels.isPending ? (
        <Skeleton height={272} />
      ) : (
        <CompareChart name={campaignTexts.compare} labels={labels} series={series} />
      )}
    </Card>
  )
}
