/** A card with rows of one dimension at a time: a row filters the page. */
import { Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { BarList } from '../../charts/BarList.js'
import { Card } from '../../parts/Card.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { Problem } from '../../parts/Problem.js'
import { texts } from '../../texts/texts.js'
import type { AnalyticsProps } from './Analytics.js'
import styles from './Analytics.module.css'
import { CardTabs } from './CardTabs.js'
import { CsvButton } from './CsvButton.js'
import { choiceOf, type Dimension } from './dimensions.js'
import { readFilter, toggleValue, valueLabel } from './filters.js'
import { measureIn, rowsQuery, totalsQuery } from './queries.js'
import type { Row } from './reports.js'

const AllRows = lazyPart(() => import('./AllRows.js'), 'AllRows')

interface RowsCardProps extends AnalyticsProps {
  readonly card: 'sources' | 'devices' | 'targets'
  readonly dimensions: readonly Dimension[]
}

export function RowsCard({ card, dimensions, ...props }: RowsCardProps) {
  const { search, onChange } = props
  const dimension = dimensions.find((each) => each === search[card]) ?? dimensions[0]
  if (!dimension) return null
  return (
    <Card>
      <CardTabs
        isHeading
        label={texts.analytics.cards[card]}
        tabs={dimensions.map((each) => ({ value: each, label: texts.analytics.dimensions[each][0] }))}
        chosen={dimension}
        onChoose={(chosen) => onChange({ ...search, [card]: chosen }, true)}
        actions={<CsvButton {...props} dimension={dimension} />}
      />
      <DimensionRows {...props} dimension={dimension} />
    </Card>
  )
}

const shownRows = 8

interface DimensionRowsProps extends AnalyticsProps {
  readonly dimension: Dimension
  /** How many to ask for, where another part of the card needs more than are listed. */
  readonly size?: number
}

/** The biggest rows, and a way to all of them. */
export function DimensionRows({ dimension, size = shownRows + 1, ...props }: DimensionRowsProps) {
  const { subject, search } = props
  const found = useQuery({ ...rowsQuery(subject, dimension, search, size), placeholderData: keepPreviousData })
  const [isOpen, setIsOpen] = useState(false)
  const { data } = found
  return (
    <>
      <div className={styles.rows} aria-busy={found.isPlaceholderData}>
        {found.isPending && skeletons.map((key) => <Skeleton key={key} height={32} mb={4} />)}
        {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
        {data?.length === 0 && <p className={styles.none}>{texts.analytics.none}</p>}
        {data && <FilterRows {...props} dimension={dimension} rows={data.slice(0, shownRows)} />}
      </div>
      <div className={styles.more}>
        {data && data.length > shownRows && (
          <button type="button" className={styles.moreButton} onClick={() => setIsOpen(true)}>
            {texts.analytics.all}
          </button>
        )}
      </div>
      {isOpen && <AllRows {...props} dimension={dimension} onClose={() => setIsOpen(false)} />}
    </>
  )
}

const skeletons = ['first', 'second', 'third', 'fourth', 'fifth']

interface FilterRowsProps extends AnalyticsProps {
  readonly dimension: Dimension
  readonly rows: readonly Row[]
}

/** Rows that add their value to the filter of the dimension, or take it away. */
export function FilterRows({ subject, search, onChange, dimension, rows }: FilterRowsProps) {
  const { data: totals } = useQuery(totalsQuery(subject, search))
  const { filter: name, traffic } = choiceOf(dimension)
  const chosen = new Set(name && readFilter(search[name])?.values)
  // The total of the page may be of other traffic.
  const counted = traffic === undefined ? totals?.now[measureIn(subject, search)] : undefined
  const total = counted ?? rows.reduce((sum, { count }) => sum + count, 0)
  return (
    <BarList
      rows={rows.map((row) => ({
        key: [row.value, row.region, row.country].join('/'),
        label: labelOf(dimension, row),
        hint: hintOf(dimension, row),
        title: row.value,
        value: row.count,
        isChosen: chosen.has(row.value),
        raw: row.value,
      }))}
      total={total}
      onChoose={
        name && (({ raw = '' }) => onChange({ ...toggleValue(search, name, raw), ...(traffic && { traffic }) }))
      }
    />
  )
}

export function labelOf(dimension: Dimension, row: Row): string {
  if ((dimension === 'links' || dimension === 'channels') && row.name) return row.name
  return valueLabel(choiceOf(dimension).filter ?? 'link', row.address ?? row.value)
}

function hintOf(dimension: Dimension, { value, country, region }: Row): string | undefined {
  if (dimension !== 'cities') return undefined
  return [region === value ? '' : region, country && valueLabel('country', country)].filter(Boolean).join(', ')
}
