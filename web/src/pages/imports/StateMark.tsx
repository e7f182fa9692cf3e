import { Ban, Check, CircleAlert, Clock, Loader } from 'lucide-react'
import styles from './imports.module.css'

const marks = { waiting: Clock, running: Loader, done: Check, failed: CircleAlert, cancelled: Ban } as const

/** Its words are in the row. */
export function StateMark({ state }: { readonly state: keyof typeof marks }) {
  const Mark = marks[state]
  return (
    <span className={styles.mark} data-state={state} aria-hidden="true">
      <Mark size={16} />
    </span>
  )
}
