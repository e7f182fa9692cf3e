/** What was compared in a chart, in numbers. */
import type { ReactNode } from 'react'
import { SeriesName } from '../../charts/CompareChart.js'
import { formatNumber, formatShare } from '../../parts/format.js'
import { campaignTexts } from '../../texts/campaigns.js'
import { texts } from '../../texts/texts.js'
import styles from './NumbersTable.module.css'
import table from './table.module.css'

const columns = ['clicks', 'scans', 'visitors'] as const

interface NumbersRow {
  readonly key: string
  readonly name: ReactNode
  /** Undefined while they load. */
  readonly numbers: Readonly<Record<(typeof columns)[number] | 'engagements', number>> | undefined
  readonly action?: ReactNode
}

interface NumbersTableProps {
  readonly caption: string
  /** Of the names. */
  readonly title: string
  readonly rows: readonly NumbersRow[]
  /** Clicks and scans that the shares are of. */
  readonly total: number
}

/** In the order of the lines of the chart. */
export function NumbersTable({ caption, title, rows, total }: NumbersTableProps) {
  const hasActions = rows.some(({ action }) => action)
  return (
    <table className={`${table.table} ${styles.table}`}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {columns.map((column) => (
            <th key={column} scope="col" className={styles[column]}>
              {texts.analytics.measures[column]}
            </th>
          ))}
          <th scope="col" className={styles.share}>
            {campaignTexts.share}
          </th>
          {hasActions && <td className={styles.action} />}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, numbers, action }, place) => (
          <tr key={key}>
            <th scope="row">
              <SeriesName place={place}>{name}</SeriesName>
            </th>
            {columns.map((column) => (
              <td key={column} className={`figures ${styles[column] ?? ''}`}>
                {numbers ? formatNumber(numbers[column]) : '–'}
              </td>
            ))}
            <td className={`figures ${styles.share}`}>
              {numbers && total > 0 ? formatShare(numbers.engagements / total) : '–'}
            </td>
            {hasActions && <td className={styles.action}>{action}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
