/** One chart, and cards that split its total. For a link or a whole group; what is shown is in the URL. */
import { SegmentedControl, Select, Skeleton } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.layer.css'
import '@mantine/core/styles/SegmentedControl.layer.css'
import { useQuery } from '@tanstack/react-query'
import { BarList } from '../../charts/BarList.js'
import { LineChart } from '../../charts/LineChart.js'
import { bucketLabel, type Range, ranges } from '../../charts/range.js'
import { Card } from '../../parts/Card.js'
import { formatNumber, formatShare } from '../../parts/format.js'
import { Problem } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import styles from './Numbers.module.css'
import { type Facet, facetQuery, facets, type Subject, seriesQuery } from './queries.js'
import { type Measure, measures, type NumbersSearch, standardRange, type Traffic, traffics } from './search.js'

interface NumbersProps {
  readonly subject: Subject
  readonly search: NumbersSearch
  readonly onChange: (search: NumbersSearch) => void
}

export function Numbers({ subject, search, onChange }: NumbersProps) {
  const series = useQuery(seriesQuery(subject, search))
  return (
    <div className={styles.numbers}>
      <Controls search={search} onChange={onChange} />
      <Card>
        <Total total={series.data?.total} before={series.data?.totalBefore} measure={search.measure ?? 'clicks'} />
        {series.isError && <Problem error={series.error} onRetry={() => void series.refetch()} />}
        {series.isPending && <Skeleton height={260} />}
        {series.data && (
          <LineChart
            name={texts.numbers.measures[search.measure ?? 'clicks']}
            beforeName={series.data.totalBefore === undefined ? undefined : texts.numbers.before}
            points={series.data.buckets.map(({ start, count, before }) => ({
              label: bucketLabel(start, series.data.unit),
              value: count,
              before,
            }))}
          />
        )}
      </Card>
      <div className={styles.cards}>
        {facets.map((facet) => (
          <FacetCard key={facet} subject={subject} facet={facet} search={search} />
        ))}
      </div>
    </div>
  )
}

function Controls({ search, onChange }: Pick<NumbersProps, 'search' | 'onChange'>) {
  const { numbers } = texts
  return (
    <div className={styles.controls}>
      <div className={styles.ranges}>
        <SegmentedControl
          aria-label={numbers.range}
          data={ranges.map((range) => ({ value: range, label: numbers.ranges[range] }))}
          value={search.range ?? standardRange}
          onChange={(range) => onChange({ ...search, range: range as Range })}
        />
      </div>
      <Select
        aria-label={numbers.measure}
        className={styles.choice}
        data={measures.map((measure) => ({ value: measure, label: numbers.measures[measure] }))}
        value={search.measure ?? 'clicks'}
        onChange={(measure) => onChange({ ...search, measure: measure as Measure })}
        allowDeselect={false}
      />
      <Select
        aria-label={numbers.traffic}
        className={styles.choice}
        data={traffics.map((traffic) => ({ value: traffic, label: numbers.traffics[traffic] }))}
        value={search.traffic ?? 'human'}
        onChange={(traffic) => onChange({ ...search, traffic: traffic as Traffic })}
        allowDeselect={false}
      />
    </div>
  )
}

interface TotalProps {
  readonly total: number | undefined
  readonly before: number | undefined
  readonly measure: Measure
}

function Total({ total, before, measure }: TotalProps) {
  const change = total === undefined || !before ? undefined : (total - before) / before
  return (
    <div className={styles.total}>
      <strong className="figures">{total === undefined ? '–' : formatNumber(total)}</strong>
      <span>{texts.numbers.measures[measure]}</span>
      {change !== undefined && (
        <span className={styles.change} data-up={change >= 0} title={texts.numbers.comparedWith}>
          {change >= 0 ? '↑' : '↓'} {formatShare(Math.abs(change))}
        </span>
      )}
    </div>
  )
}

interface FacetCardProps {
  readonly subject: Subject
  readonly facet: Facet
  readonly search: NumbersSearch
}

const shownRows = 7

function FacetCard({ subject, facet, search }: FacetCardProps) {
  const { data, isPending, isError, error, refetch } = useQuery(facetQuery(subject, facet, search))
  const total = data?.reduce((sum, { value }) => sum + value, 0) ?? 0
  return (
    <Card title={texts.numbers.facets[facet]}>
      <div className={styles.rows}>
        {isPending && Array.from({ length: 4 }, (_, row) => <Skeleton key={`${facet}-${row}`} height={28} mb={6} />)}
        {isError && <Problem error={error} onRetry={() => void refetch()} />}
        {data?.length === 0 && <p className={styles.none}>{texts.numbers.none}</p>}
        {data && data.length > 0 && <BarList rows={data.slice(0, shownRows)} total={total} />}
      </div>
    </Card>
  )
}
