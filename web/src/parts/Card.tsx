import type { ReactNode } from 'react'
import styles from './Card.module.css'

interface CardProps {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A white surface with an optional heading. */
export function Card({ title, actions, children }: CardProps) {
  return (
    <section className={styles.card} aria-label={title}>
      {(title || actions) && (
        <div className={styles.head}>
          {title && <h2 className={styles.title}>{title}</h2>}
          {actions}
        </div>
      )}
      {children}
    </section>
  )
}
