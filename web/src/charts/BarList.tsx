import { formatNumber, formatShare } from '../parts/format.js'
import styles from './BarList.module.css'

export interface BarRow {
  readonly key: string
  readonly label: string
  readonly value: number
}

interface BarListProps {
  readonly rows: readonly BarRow[]
  /** What all rows are a share of. */
  readonly total: number
  /** Makes the rows buttons. */
  readonly onChoose?: (row: BarRow) => void
}

/** Values with their share, biggest first, each with a bar behind it. */
export function BarList({ rows, total, onChoose }: BarListProps) {
  const highest = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <ol className={styles.list}>
      {rows.map((row) => (
        <li key={row.key} className={styles.row}>
          <span className={styles.bar} style={{ width: `${(100 * row.value) / highest}%` }} aria-hidden="true" />
          {onChoose ? (
            <button type="button" className={styles.label} onClick={() => onChoose(row)}>
              {row.label}
            </button>
          ) : (
            <span className={styles.label}>{row.label}</span>
          )}
          <span className={styles.value}>{formatNumber(row.value)}</span>
          <span className={styles.share}>{formatShare(row.value / Math.max(1, total))}</span>
        </li>
      ))}
    </ol>
  )
}
