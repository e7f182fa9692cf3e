/** Who comes to the page, and what they press. */
import { Button, SegmentedControl, Skeleton } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.layer.css'
import '@mantine/core/styles/SegmentedControl.layer.css'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { BarList } from '../../charts/BarList.js'
import { LineChart } from '../../charts/LineChart.js'
import { Card } from '../../parts/Card.js'
import { Empty } from '../../parts/Empty.js'
import { formatNumber, formatShare, formatShortDay } from '../../parts/format.js'
import { errorText, Problem, ProblemLine } from '../../parts/Problem.js'
import page from '../../parts/page.module.css'
import { siteTexts as words } from '../../texts/sites.js'
import { CsvFileButton } from '../analytics/CsvButton.js'
import { valueLabel } from '../analytics/filters.js'
import type { Site } from './model.js'
import {
  cardsQuery,
  type Facet,
  facetQuery,
  facets,
  overviewQuery,
  performanceQuery,
  type SiteReport,
  siteCsv,
  viewSeriesQuery,
} from './queries.js'
import { ranges, type SiteRange } from './search.js'
import styles from './sites.module.css'

interface StatisticsTabProps extends PartProps {
  readonly onRange: (range: SiteRange) => void
}

export function StatisticsTab({ site, range, onRange }: StatisticsTabProps) {
  const overview = useQuery({ ...overviewQuery(site, range), placeholderData: keepPreviousData })
  const { data: cards = 0 } = useQuery({ ...cardsQuery(site, range), placeholderData: keepPreviousData })
  if (overview.isError) return <Problem error={overview.error} onRetry={() => void overview.refetch()} />
  const { views = 0, clicks = 0 } = overview.data ?? {}
  const hasCard = cards > 0 || site.blocks?.some(({ type }) => type === 'digital_business_card')
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
        <Nobody site={site} />
      ) : (
        <>
          <ReportCard site={site} range={range} report="views" title={words.statistics.views}>
            <dl className={styles.figures}>
              <Figure label={words.statistics.total} value={overview.data && formatNumber(views)} />
              <Figure label={words.statistics.clicks} value={overview.data && formatNumber(clicks)} />
              <Figure
                label={words.statistics.rate}
                value={overview.data && (views === 0 ? '–' : formatShare(clicks / views))}
              />
              {hasCard && <Figure label={words.statistics.cards} value={overview.data && formatNumber(cards)} />}
            </dl>
            <Series site={site} range={range} />
          </ReportCard>
          <Buttons site={site} range={range} />
          <div className={styles.facets}>
            {facets.map((facet) => (
              <FacetCard key={facet} site={site} range={range} facet={facet} total={views} />
            ))}
          </div>
        </>
      )}
    </div>
  )
}

/** What to do about it. */
function Nobody({ site }: { readonly site: Site }) {
  const isLive = site.last_published !== undefined && site.status === 'active'
  const params = { group: site.group_guid, site: site.site_guid }
  return (
    <Card>
      <Empty
        drawing="clicks"
        title={words.statistics.nobody}
        action={
          isLive && (
            <Button
              renderRoot={(props) => (
                <Link {...props} to="/$group/sites/$site" params={params} search={{ tab: 'share' }} />
              )}
            >
              {words.statistics.share}
            </Button>
          )
        }
      >
        {isLive ? words.statistics.nobodyHint : words.notYet}
      </Empty>
    </Card>
  )
}

interface PartProps {
  readonly site: Site
  readonly range: SiteRange
}

interface ReportCardProps extends PartProps {
  readonly report: SiteReport
  readonly title: string
  readonly children: ReactNode
}

/** With its file. */
function ReportCard({ site, range, report, title, children }: ReportCardProps) {
  const file = `site-${report.replace('_', '-')}`
  return (
    <Card title={title} actions={<CsvFileButton title={title} name={file} read={() => siteCsv(site, report, range)} />}>
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

function Series({ site, range }: PartProps) {
  const { data, error } = useQuery({ ...viewSeriesQuery(site, range), placeholderData: keepPreviousData })
  if (error) return <ProblemLine>{errorText(error)}</ProblemLine>
  if (!data) return <Skeleton height={260} />
  const points = data.map(({ date, count }) => ({ label: formatShortDay(date), value: count }))
  return <LineChart name={words.statistics.views} points={points} isLastOpen />
}

function Buttons({ site, range }: PartProps) {
  const { data, error } = useQuery({ ...performanceQuery(site, range), placeholderData: keepPreviousData })
  const rows = data?.map(({ shortlink_id, title, long_url, clicks }) => ({
    key: shortlink_id,
    label: title || long_url.replace(/^https?:\/\//, ''),
    value: clicks,
  }))
  return (
    <ReportCard site={site} range={range} report="link_performance" title={words.statistics.buttons}>
      <Bars rows={rows} error={error} total={data?.reduce((sum, { clicks }) => sum + clicks, 0) ?? 0} />
    </ReportCard>
  )
}

interface FacetCardProps extends PartProps {
  readonly facet: Facet
  readonly total: number
}

const filterOf = { countries: 'country', referrers: 'referrer', cities: 'city', devices: 'device' } as const

function FacetCard({ site, range, facet, total }: FacetCardProps) {
  const { data, error } = useQuery({ ...facetQuery(site, facet, range), placeholderData: keepPreviousData })
  const rows = data?.map(({ value, views, region, country }) => ({
    key: [value, region, country].join(),
    label: valueLabel(filterOf[facet], value),
    hint: facet === 'cities' && country ? valueLabel('country', country) : undefined,
    value: views,
  }))
  return (
    <ReportCard site={site} range={range} report={facet} title={words.statistics.facets[facet]}>
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

function Bars({ rows, error, total }: BarsProps) {
  if (error) return <p className={page.hint}>{errorText(error)}</p>
  if (!rows) return <Skeleton height={96} />
  const seen = rows.filter(({ value }) => value > 0)
  if (seen.length === 0) return <p className={page.hint}>{words.statistics.none}</p>
  return <BarList rows={seen.slice(0, 8)} total={total} />
}
