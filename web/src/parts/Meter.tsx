import styles from './Meter.module.css'

interface MeterProps {
  readonly value: number
  readonly max: number
  readonly label: string
}

/** A thin bar: how much of a limit is used. Changes its colour near the end. */
export function Meter({ value, max, label }: MeterProps) {
  const share = Math.min(1, value / Math.max(1, max))
  return <progress className={styles.meter} value={share} aria-label={label} data-near={share >= 0.8} />
}
