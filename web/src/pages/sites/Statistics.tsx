/** Who comes to the pages of sites, and what they press. */
import { SegmentedControl, Skeleton } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.layer.css'
import '@mantine/core/styles/SegmentedControl.layer.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { BarList } from '../../charts/BarList.js'
import { LineChart } from '../../charts/LineChart.js'
import { Card } from '../../parts/Card.js'
import { formatNumber, formatShare } from '../../parts/format.js'
import { errorText, Problem, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { CsvFileButton } from '../analytics/CsvButton.js'
import { valueLabel } from '../analytics/filters.js'
import { bucketLabel, tickLabel } from '../analytics/span-label.js'
import { ownZone } from '../analytics/zone.js'
import {
  type Counted,
  cardsQuery,
  type Facet,
  facetQuery,
  facets,
  overviewQuery,
  type SiteReport,
  sitesCsv,
  viewSeriesQuery,
} from './queries.js'
import { ranges, type SiteRange } from './search.js'
import styles from './sites.module.css'

interface StatisticsProps extends PartProps {
  readonly onRange: (range: SiteRange) => void
  /** Counts saved business cards even if there are none. */
  readonly hasCard?: boolean | undefined
  /** Instead of reports without any visitor. */
  readonly empty: ReactNode
  /** Cards about buttons and pages. */
  readonly children: ReactNode
}

export function Statistics({ counted, range, onRange, hasCard, empty, children }: StatisticsProps) {
  const overview = useQuery({ ...overviewQuery(counted, range), placeholderData: keepPreviousData })
  const { data: cards = 0 } = useQuery({ ...cardsQuery(counted, range), placeholderData: keepPreviousData })
  if (overview.isError) return <Problem error={overview.error} onRetry={() => void overview.refetch()} />
  const { views = 0, clicks = 0 } = overview.data ?? {}
  return (
    <div className={page.wide}>
      <SegmentedControl
        className={styles.ranges}
        aria-label={words.statistics.range}
        data={ranges.map((value) => ({ value, label: words.statistics.ranges[value] }))}
        value={range}
        onChange={(value) => onRange(value as SiteRange)}
      />
      {overview.data && views === 0 && clicks === 0 && cards === 0 ? (
        empty
      ) : (
        <>
          <ReportCard counted={counted} range={range} report="over_time" title={words.statistics.views}>
            <dl className={styles.figures}>
              <Figure label={words.statistics.total} value={overview.data && formatNumber(views)} />
              <Figure label={words.statistics.clicks} value={overview.data && formatNumber(clicks)} />
              <Figure
                label={words.statistics.rate}
                value={overview.data && (views === 0 ? '–' : formatShare(clicks / views))}
              />
              {(hasCard || cards > 0) && (
                <Figure label={words.statistics.cards} value={overview.data && formatNumber(cards)} />
              )}
            </dl>
            <Series counted={counted} range={range} />
          </ReportCard>
          <div className={styles.facets}>
            {children}
            {facets.map((facet) => (
              <FacetCard key={facet} counted={counted} range={range} facet={facet} total={views} />
            ))}
          </div>
        </>
      )}
    </div>
  )
}

interface PartProps {
  readonly counted: Counted
  readonly range: SiteRange
}

interface ReportCardProps extends PartProps {
  readonly report: SiteReport
  readonly title: string
  readonly children: ReactNode
}

/** With its file. */
function ReportCard({ counted, range, report, title, children }: ReportCardProps) {
  const read = () => sitesCsv(counted, report, range)
  const file = `site-${report === 'over_time' ? 'views' : report}`
  return (
    <Card title={title} actions={<CsvFileButton title={title} name={file} read={read} />}>
      {children}
    </Card>
  )
}

function Figure({ label, value }: { readonly label: string; readonly value: string | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="figures">{value ?? <Skeleton height={28} width={64} />}</dd>
    </div>
  )
}

function Series({ counted, range }: PartProps) {
  const { data, error } = useQuery({ ...viewSeriesQuery(counted, range), placeholderData: keepPreviousData })
  if (error) return <ProblemLine>{errorText(error)}</ProblemLine>
  if (!data) return <Skeleton height={260} />
  const points = data.map(({ date, views }) => ({
    label: bucketLabel(date, date, 'day', ownZone),
    tick: tickLabel(date, 'day', false, ownZone),
    value: views,
  }))
  return <LineChart name={words.statistics.views} points={points} isLastOpen />
}

interface FacetCardProps extends PartProps {
  readonly facet: Facet
  readonly total: number
}

const filterOf = { countries: 'country', referrers: 'referrer', cities: 'city', devices: 'device' } as const

function FacetCard({ counted, range, facet, total }: FacetCardProps) {
  const { data, error } = useQuery({ ...facetQuery(counted, facet, range), placeholderData: keepPreviousData })
  const rows = data?.map(({ value, views, region, country }) => ({
    key: [value, region, country].join(),
    label: valueLabel(filterOf[facet], value),
    hint: facet === 'cities' && country ? valueLabel('country', country) : undefined,
    value: views,
  }))
  return (
    <ReportCard counted={counted} range={range} report={facet} title={words.statistics.facets[facet]}>
      <Bars rows={rows} error={error} total={total} />
    </ReportCard>
  )
}

interface BarsProps {
  readonly rows: Parameters<typeof BarList>[0]['rows'] | undefined
  /** Such as that the plan leaves the report out. */
  readonly error: Error | null
  readonly total: number
}

export function Bars({ rows, error, total }: BarsProps) {
  if (error) return <p className={page.hint}>{errorText(error)}</p>
  if (!rows) return <Skeleton height={96} />
  const seen = rows.filter(({ value }) => value > 0)
  if (seen.length === 0) return <p className={page.hint}>{words.statistics.none}</p>
  return <BarList rows={seen.slice(0, 8)} total={total} />
}
