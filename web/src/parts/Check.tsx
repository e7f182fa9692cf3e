import styles from './Check.module.css'

interface CheckProps {
  readonly label: string
  readonly checked: boolean
  /** Some, but not all. */
  readonly isPartly?: boolean
  readonly onToggle: (withShift: boolean) => void
}

/** A check box for the rows of long lists: only the browser's own, which is there at once when many rows scroll by. */
export function Check({ label, checked, isPartly = false, onToggle }: CheckProps) {
  return (
    <input
      type="checkbox"
      className={styles.check}
      aria-label={label}
      checked={checked}
      ref={(input) => {
        if (input) input.indeterminate = isPartly
      }}
      // A click knows whether shift was held.
      onChange={() => undefined}
      onClick={(event) => onToggle(event.shiftKey)}
    />
  )
}
