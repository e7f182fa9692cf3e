/** What was compared in a chart, in numbers. */
import type { ReactNode } from 'react'
import { SeriesName } from '../../charts/CompareChart.js'
import { formatNumber, formatShare } from '../../parts/format.js'
import table from '../../parts/table.module.css'
import { compareTexts } from '../../texts/compare.js'
import { texts } from '../../texts/texts.js'
import { Change } from './ChartCard.js'
import styles from './NumbersTable.module.css'
import type { Measure } from './search.js'

const columns = ['clicks', 'scans', 'visitors'] as const

type Numbers = Readonly<Record<Measure, number>>

interface NumbersRow {
  readonly key: string
  readonly name: ReactNode
  /** Undefined while they load. */
  readonly numbers: Numbers | undefined
  /** In the period before; null while they load, or where there is none. */
  readonly before?: Numbers | null
  readonly action?: ReactNode
}

interface NumbersTableProps {
  readonly caption: string
  /** Of the names. */
  readonly title: string
  readonly rows: readonly NumbersRow[]
  /** What shares and changes are of. */
  readonly measure?: Measure
  /** That the shares are of. */
  readonly total: number
}

/** In the order of the lines of the chart. */
export function NumbersTable({ caption, title, rows, measure = 'engagements', total }: NumbersTableProps) {
  const hasActions = rows.some(({ action }) => action)
  const hasChanges = rows.some(({ before }) => before !== undefined)
  return (
    <table className={`${table.table} ${styles.table}`} data-changes={hasChanges || undefined}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {columns.map((column) => (
            <th key={column} scope="col" className={styles[column]}>
              {texts.analytics.measures[column]}
            </th>
          ))}
          {hasChanges && (
            <th scope="col" className={styles.change}>
              {compareTexts.change}
            </th>
          )}
          <th scope="col" className={styles.share}>
            {compareTexts.share}
          </th>
          {hasActions && <td className={styles.action} />}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, numbers, before, action }, place) => (
          <tr key={key}>
            <th scope="row">
              <SeriesName place={place}>{name}</SeriesName>
              {numbers && total > 0 && (
                <span
                  className={styles.bar}
                  data-series={place}
                  style={{ width: `${Math.min(100, (100 * numbers[measure]) / total)}%` }}
                  aria-hidden="true"
                />
              )}
            </th>
            {columns.map((column) => (
              <td key={column} className={`figures ${styles[column] ?? ''}`}>
                {numbers ? formatNumber(numbers[column]) : '–'}
              </td>
            ))}
            {hasChanges && (
              <td className={`figures ${styles.change}`}>
                <Change now={numbers?.[measure]} before={before?.[measure]} />
              </td>
            )}
            <td className={`figures ${styles.share}`}>
              {numbers && total > 0 ? formatShare(numbers[measure] / total) : '–'}
            </td>
            {hasActions && <td className={styles.action}>{action}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
