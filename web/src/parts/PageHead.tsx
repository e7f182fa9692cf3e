import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import styles from './PageHead.module.css'

interface PageHeadProps {
  readonly title: string
  /** Beside the title. */
  readonly badge?: ReactNode
  readonly children?: ReactNode
}

/** The title of a page, with its actions at the right. */
export function PageHead({ title, badge, children }: PageHeadProps) {
  useDocumentTitle(`${title} · shortlink`)
  return (
    <div className={styles.head}>
      <div className={styles.name}>
        <h1 className={styles.title}>{title}</h1>
        {badge}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
