import { formatNumber, formatShare } from '../parts/format.js'
import styles from './BarList.module.css'

interface BarRow {
  readonly key: string
  readonly label: string
  readonly value: number
  /** Said after the label. */
  readonly hint?: string | undefined
  /** Shown to the pointer, where the label is cut. */
  readonly title?: string
  readonly isChosen?: boolean
  /** What the row stands for. */
  readonly raw?: string
}

interface BarListProps {
  readonly rows: readonly BarRow[]
  /** What all rows are a share of. */
  readonly total: number
  /** Makes the rows buttons. */
  readonly onChoose?: ((row: BarRow) => void) | undefined
}

/** Values with their share, biggest first, each with a bar behind it. */
export function BarList({ rows, total, onChoose }: BarListProps) {
  const highest = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <ol className={styles.list}>
      {rows.map((row) => (
        <li key={row.key} className={styles.row} title={row.title}>
          <span className={styles.bar} style={{ width: `${(100 * row.value) / highest}%` }} aria-hidden="true" />
          {onChoose ? (
            <button type="button" className={styles.label} aria-pressed={row.isChosen} onClick={() => onChoose(row)}>
              <Label row={row} />
            </button>
          ) : (
            <span className={styles.label}>
              <Label row={row} />
            </span>
          )}
          <span className={styles.value}>{formatNumber(row.value)}</span>
          <span className={styles.share}>{formatShare(row.value / Math.max(1, total))}</span>
        </li>
      ))}
    </ol>
  )
}

function Label({ row: { label, hint } }: { readonly row: BarRow }) {
  return (
    <>
      {label}
      {hint && <span className={styles.hint}> {hint}</span>}
    </>
  )
}
