import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import styles from './PageHead.module.css'

interface PageHeadProps {
  readonly title: string
  /** Its state, beside the title. */
  readonly state?: ReactNode
  readonly children?: ReactNode
}

/** The title of a page, with its actions at the right. */
export function PageHead({ title, state, children }: PageHeadProps) {
  useDocumentTitle(`${title} · shortlink`)
  return (
    <div className={styles.head}>
      <div className={styles.name}>
        <h1 className={styles.title} title={title} dir="auto">
          {title}
        </h1>
        {state}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  )
}
