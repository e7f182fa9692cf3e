import type { ReactNode } from 'react'
import styles from './Card.module.css'

interface CardProps {
  readonly title?: string | undefined
  /** What it is for, below the title. */
  readonly hint?: string | undefined
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A white surface with an optional heading. */
export function Card({ title, hint, actions, children }: CardProps) {
  return (
    <section className={styles.card} aria-label={title}>
      {(title || actions) && (
        <header className={styles.head}>
          {title && <h2 className={styles.title}>{title}</h2>}
          {actions}
          {hint && <p className={styles.hint}>{hint}</p>}
        </header>
      )}
      {children}
    </section>
  )
}
