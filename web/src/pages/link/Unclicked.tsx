/** The numbers of a link; until its first click, what to do to get one. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import type { ShortLink } from '../../api/types.js'
import { lazyPart } from '../../parts/lazy-part.js'
import { texts } from '../../texts/texts.js'
import { totalsQuery } from '../analytics/queries.js'
import { isOver } from './Chips.js'
import styles from './LinkPage.module.css'
import { pathOf } from './queries.js'

const ShareLink = lazyPart(() => import('../create/ShareLink.js'), 'ShareLink')

interface UnclickedProps {
  readonly link: ShortLink
  readonly group: string
  /** The numbers. */
  readonly children: ReactNode
}

export function Unclicked({ link, group, children }: UnclickedProps) {
  const title = useId()
  const ever = useQuery(totalsQuery({ group, link: pathOf(link.id) }, { range: 'all', compare: 'off' }))
  if (ever.data?.now.engagements !== 0 || isOver(link)) {
    // They load meanwhile in their place, and are not seen while there may be none.
    return <div className={ever.isPending && ever.failureCount === 0 ? styles.unseen : undefined}>{children}</div>
  }
  return (
    <section className={styles.unclicked} aria-labelledby={title}>
      <h2 id={title}>{texts.link.unclicked}</h2>
      <p>{texts.link.unclickedHint}</p>
      <ShareLink group={group} link={link} />
    </section>
  )
}
