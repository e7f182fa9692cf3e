import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import styles from './PageHead.module.css'

interface PageHeadProps {
  readonly title: string
  readonly children?: ReactNode
}

/** The title of a page, with its actions at the right. */
export function PageHead({ title, children }: PageHeadProps) {
  useDocumentTitle(`${title} · shortlink`)
  return (
    <div className={styles.head}>
      <h1 className={styles.title} title={title} dir="auto">
        {title}
      </h1>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
