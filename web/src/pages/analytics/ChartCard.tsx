/** Everything that is counted as tabs, and the chosen one over time. A point of the chart narrows the time to it. */
import { ActionIcon, Skeleton, Tooltip } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { MessageSquarePlus } from 'lucide-react'
import { useState } from 'react'
import { LineChart } from '../../charts/LineChart.js'
import { Card } from '../../parts/Card.js'
import { formatCompact, formatNumber, formatShare } from '../../parts/format.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { Problem } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import { annotationsQuery } from './annotations.js'
import { CardTabs } from './CardTabs.js'
import styles from './ChartCard.module.css'
import { CsvButton } from './CsvButton.js'
import { useCounter } from './live.js'
import { type Bucket, isoDay, isoHour, isUnfinished, notesAt, periodOf } from './period.js'
import { measureIn, seriesQuery, totalsQuery } from './queries.js'
import { type AnalyticsSearch, type Interval, type Measure, measures } from './search.js'
import { bucketLabel, tickLabel } from './span-label.js'
import { useZones } from './use-zones.js'
import { ownZone } from './zone.js'

const AnnotationsDialog = lazyPart(() => import('./AnnotationsDialog.js'), 'AnnotationsDialog')

const visitorHint = 'what-a-visitor-is'

/** `isLive`: events tell of new clicks. */
export function ChartCard({ isLive = false, ...given }: AnalyticsProps & { readonly isLive?: boolean }) {
  const { search, onChange } = given
  const { zone } = useZones(search)
  const subject = { ...given.subject, zone }
  const props = { ...given, subject }
  const series = useQuery({ ...seriesQuery(subject, search), placeholderData: keepPreviousData })
  const measure = measureIn(subject, search)
  const { interval, intervals, end } = periodOf(search, zone)
  const buckets = series.data ?? []
  const isWithinDay = buckets.length <= 25
  const { data: annotations = [] } = useQuery(annotationsQuery(subject.group))
  const notes = notesAt(buckets, end, annotations)
  const { data: totals } = useQuery(totalsQuery(subject, search))
  // Without any clicks or scans, a line along the bottom says less than the figures above it.
  const isEmpty = totals?.now.engagements === 0 && buckets.every(({ before }) => !before)
  return (
    <Card>
      <div className={styles.top}>
        <Figures {...props} measure={measure} />
        <Live subject={subject} search={search} isLive={isLive} />
      </div>
      {series.isError && <Problem error={series.error} onRetry={() => void series.refetch()} />}
      {series.isPending && <Skeleton height={280} />}
      {series.data && !isEmpty && (
        <div className={styles.chart} aria-busy={series.isPlaceholderData}>
          <LineChart
            name={texts.analytics.measures[measure]}
            beforeName={buckets.some(({ before }) => before) ? texts.analytics.before : undefined}
            height={280}
            isLastOpen={buckets.length > 1 && isUnfinished(end)}
            points={buckets.map((bucket, index) => ({
              label: bucketLabel(bucket.start, bucket.end, interval, zone),
              tick: tickLabel(bucket.start, interval, isWithinDay, zone),
              value: bucket.count,
              before: bucket.before,
              notes: notes[index],
            }))}
            onChoose={(index) => {
              const bucket = buckets[index]
              if (bucket && buckets.length > 1) onChange(narrowTo(search, bucket, interval, zone))
            }}
          />
        </div>
      )}
      <div className={styles.foot}>
        <CardTabs
          label={texts.analytics.interval}
          tabs={intervals.map((value) => ({ value, label: texts.analytics.intervals[value] }))}
          chosen={interval}
          onChoose={(chosen) => onChange({ ...search, interval: chosen }, true)}
        />
        <p id={visitorHint} className={styles.hint}>
          {texts.analytics.visitorHint}
        </p>
        <div className={styles.zone}>
          <ZoneChoice search={search} onChange={onChange} />
          <AnnotationsButton group={subject.group} />
          <CsvButton {...props} dimension="over_time" />
        </div>
      </div>
    </Card>
  )
}

function AnnotationsButton({ group }: { readonly group: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const { title } = texts.analytics.annotations
  return (
    <>
      <Tooltip label={title}>
        <ActionIcon size="md" aria-label={title} onClick={() => setIsOpen(true)}>
          <MessageSquarePlus size={15} />
        </ActionIcon>
      </Tooltip>
      {isOpen && <AnnotationsDialog group={group} onClose={() => setIsOpen(false)} />}
    </>
  )
}

/** The time of one point; the interval is chosen anew. */
function narrowTo(search: AnalyticsSearch, { start, end }: Bucket, interval: Interval, zone: string): AnalyticsSearch {
  const write = interval === 'hour' ? isoHour : isoDay
  return { ...search, interval: undefined, from: write(start, zone), to: write(end, zone) }
}

/** The zone in which days begin; a choice where the group has another than the person. */
function ZoneChoice({ search, onChange }: Pick<AnalyticsProps, 'search' | 'onChange'>) {
  const { zone, groupZone } = useZones(search)
  const { analytics } = texts
  const named = (name: string) => name.replaceAll('_', ' ')
  if (groupZone === undefined) return <span>{analytics.zone(named(zone))}</span>
  return (
    <CardTabs
      label={analytics.zoneChoice}
      tabs={[
        { value: 'group', label: analytics.groupZone(named(groupZone)) },
        { value: 'own', label: analytics.ownZone(named(ownZone)) },
      ]}
      chosen={search.zone ?? 'group'}
      onChoose={(chosen) => onChange({ ...search, zone: chosen === 'own' ? 'own' : undefined }, true)}
    />
  )
}

function Figures({ subject, search, onChange, measure }: AnalyticsProps & { readonly measure: Measure }) {
  const totals = useQuery({ ...totalsQuery(subject, search), placeholderData: keepPreviousData })
  return (
    <fieldset className={styles.figures} aria-label={texts.analytics.measure} aria-busy={totals.isPlaceholderData}>
      {measures.map((each) => {
        const [now, before] = [totals.data?.now[each], totals.data?.before?.[each]]
        return (
          <button
            key={each}
            type="button"
            className={styles.figure}
            aria-pressed={each === measure}
            aria-describedby={each === 'visitors' ? visitorHint : undefined}
            onClick={() => onChange({ ...search, measure: each }, true)}
          >
            <span className={styles.name}>{texts.analytics.measures[each]}</span>
            <strong className="figures" title={now === undefined ? undefined : formatNumber(now)}>
              {now === undefined ? '–' : formatCompact(now)}
            </strong>
            <Change now={now} before={before} />
          </button>
        )
      })}
    </fieldset>
  )
}

interface ChangeProps {
  readonly now: number | undefined
  readonly before: number | undefined
}

/** How much more or less than in the period before. */
export function Change({ now, before }: ChangeProps) {
  if (now === undefined || before === undefined || before === 0) return <span className={styles.change} />
  const share = (now - before) / before
  const title = texts.analytics.comparedWith(formatNumber(before))
  return (
    <span className={styles.change} data-up={share >= 0} title={title}>
      {share >= 0 ? '↑' : '↓'} {formatShare(Math.abs(share))}
      <span className="visually-hidden">{title}</span>
    </span>
  )
}

function Live({ subject, search, isLive }: Pick<AnalyticsProps, 'subject' | 'search'> & { readonly isLive: boolean }) {
  const count = useCounter(subject, search, isLive)
  if (count === undefined) return null
  return (
    <span className={styles.live} data-quiet={count === 0}>
      {texts.analytics.live(count)}
    </span>
  )
}
