import styles from './Sparkline.module.css'

interface SparklineProps {
  /** Oldest first. */
  readonly values: readonly number[]
  /** The last one is not over yet: a dot that no line leads to. */
  readonly isLastOpen: boolean
}

const width = 72
const height = 24

/** A series as small as a word. It is decoration: the number beside it says how much. */
export function Sparkline({ values, isLastOpen }: SparklineProps) {
  const highest = Math.max(1, ...values)
  const step = width / Math.max(1, values.length - 1)
  const points = values.map((value, index) => {
    const y = height - 2 - (value / highest) * (height - 4)
    return `${(index * step).toFixed(1)},${y.toFixed(1)}`
  })
  const finished = isLastOpen ? points.slice(0, -1) : points
  const end = ((finished.length - 1) * step).toFixed(1)
  return (
    <svg
      className={styles.spark}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon className={styles.area} points={`0,${height} ${finished.join(' ')} ${end},${height}`} />
      <polyline className={styles.line} points={finished.join(' ')} />
      {isLastOpen && <path className={styles.open} d={`M${points.at(-1)}h0`} />}
    </svg>
  )
}
