import { Button, Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.js'
import { Problem } from './Problem.js'
import styles from './Rows.module.css'

interface RowsProps<Item> {
  /** A query of TanStack Query, or the part of it that is shown. */
  readonly query: {
    readonly data: readonly Item[] | undefined
    readonly error: unknown
    readonly isPending: boolean
    refetch(): unknown
  } & MoreProps['query']
  readonly keyOf: (item: Item) => string
  readonly row: (item: Item) => ReactNode
  /** Words are shown in the place of a row. */
  readonly empty: ReactNode
  /** Of the list; in one column, unless given. */
  readonly className?: string
  /** The title of each row is a link: all of the row leads there. */
  readonly areLinks?: boolean
}

/** A list in all its states: loading, failed, empty, filled, with more to come. */
export function Rows<Item>({ query, keyOf, row, empty, className = '', areLinks }: RowsProps<Item>) {
  if (query.isPending) {
    return (
      <div role="status" aria-label={texts.common.loading}>
        {['first', 'second', 'third'].map((key) => (
          <Skeleton key={key} height={44} mb={8} />
        ))}
      </div>
    )
  }
  if (!query.data) return <Problem error={query.error} onRetry={() => void query.refetch()} />
  return (
    <>
      {query.data.length === 0 && (typeof empty === 'string' ? <p className={styles.none}>{empty}</p> : empty)}
      {query.data.length > 0 && (
        <ul className={`${styles.rows} ${className}`} data-links={areLinks}>
          {query.data.map((item) => (
            <li key={keyOf(item)} className={styles.row}>
              {row(item)}
            </li>
          ))}
        </ul>
      )}
      <More query={query} />
    </>
  )
}

interface MoreProps {
  /** An infinite query of TanStack Query; others have one page. */
  readonly query: {
    readonly hasNextPage?: boolean
    readonly isFetchingNextPage?: boolean
    fetchNextPage?(): unknown
  }
  /** More, unless given. */
  readonly action?: string
  readonly className?: string | undefined
}

/** The button below a list that has another page. */
export function More({ query, action = texts.common.more, className }: MoreProps) {
  if (!query.hasNextPage) return null
  return (
    <Button
      className={className}
      variant="default"
      fullWidth
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage?.()}
    >
      {action}
    </Button>
  )
}

interface RowMarkProps {
  /** An icon. */
  readonly children: ReactNode
  readonly tone?: 'good' | 'warn' | 'bad' | undefined
}

/** The left edge of a row: what kind of thing it is, in the colour of its state. */
export function RowMark({ children, tone }: RowMarkProps) {
  return (
    <span className={styles.mark} data-tone={tone} aria-hidden="true">
      {children}
    </span>
  )
}

interface RowTextProps {
  readonly title: ReactNode
  readonly children?: ReactNode
}

/** The left part of a row: what it is, and a line about it. */
export function RowText({ title, children }: RowTextProps) {
  return (
    <div className={styles.text}>
      <div className={styles.title} dir="auto">
        {title}
      </div>
      {children && <div className={styles.more}>{children}</div>}
    </div>
  )
}
