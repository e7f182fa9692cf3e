/** The numbers of a link; until its first click, what to do to get one. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useEffect, useId } from 'react'
import type { ShortLink } from '../../api/types.js'
import { texts } from '../../texts/texts.js'
import { annotationsQuery } from '../analytics/annotations.js'
import { ShareLink } from '../create/ShareLink.js'
import { isOver } from './Chips.js'
import styles from './LinkPage.module.css'
import { everQuery } from './load-link.js'
import { historyQuery, pathOf } from './queries.js'

interface UnclickedProps {
  readonly link: ShortLink
  readonly group: string
  /** The numbers. */
  readonly children: ReactNode
}

export function Unclicked({ link, group, children }: UnclickedProps) {
  const title = useId()
  const ever = useQuery(everQuery({ group, ...pathOf(link.id) }))
  const isShown = ever.data?.now.engagements === 0 && !isOver(link)
  const client = useQueryClient()
  useEffect(() => {
    // What is shown next, read together with what is around the page.
    if (isShown) void client.prefetchInfiniteQuery(historyQuery(group, link.id))
    else void client.prefetchQuery(annotationsQuery(group))
  }, [isShown, client, group, link.id])
  // What the link is shows at once, and the numbers a moment later.
  const areDue = useDeferredValue(true, false)
  if (!isShown) {
    // They load meanwhile in their place, and are not seen while there may be none.
    const isUnseen = ever.isPending && ever.failureCount === 0
    return (
      <div className={isUnseen ? styles.unseen : undefined}>{areDue ? children : <div className={styles.due} />}</div>
    )
  }
  return (
    <section className={styles.unclicked} aria-labelledby={title}>
      <h2 id={title}>{texts.link.unclicked}</h2>
      <p>{texts.link.unclickedHint}</p>
      <ShareLink group={group} link={link} />
    </section>
  )
}
