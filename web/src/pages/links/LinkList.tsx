import { Checkbox, Skeleton } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { ShortLink } from '../../api/types.js'
import { useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import styles from './LinkList.module.css'
import { LinkRow } from './LinkRow.js'
import type { LinkClicks } from './queries.js'
import type { Selection } from './selection.js'

const rowHeight = 73

interface LinkListProps {
  readonly links: readonly ShortLink[]
  readonly clicks: ReadonlyMap<string, LinkClicks>
  readonly selection: Selection
  readonly isLoadingMore: boolean
  readonly onEdit: (link: ShortLink) => void
  /** Called when the end comes into view. */
  readonly onEnd: () => void
}

/** Only the rows in view are in the document, so that 100,000 links scroll as smoothly as ten. */
export function LinkList({ links, clicks, selection, isLoadingMore, onEdit, onEnd }: LinkListProps) {
  const mayWrite = useMayWrite()
  const list = useRef<HTMLUListElement>(null)
  const virtualizer = useWindowVirtualizer({
    count: links.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: (index) => links[index]?.id ?? index,
  })
  const rows = virtualizer.getVirtualItems()
  const lastShown = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastShown >= links.length - 10) onEnd()
  }, [lastShown, links.length, onEnd])
  const areAllChosen = selection.chosen.size > 0 && links.every(({ id }) => selection.chosen.has(id))

  return (
    <div className={styles.frame}>
      <div className={styles.head}>
        {mayWrite && (
          <Checkbox
            aria-label={texts.links.selectAll}
            checked={areAllChosen}
            indeterminate={!areAllChosen && selection.chosen.size > 0}
            onChange={() => (areAllChosen ? selection.clear() : selection.chooseAll())}
          />
        )}
        <span>{texts.links.link}</span>
        <span className={styles.headClicks}>{texts.links.clicks}</span>
        <span className={styles.headRight}>{texts.links.created}</span>
        {mayWrite && <span className={styles.headEnd} />}
      </div>
      <ul ref={list} className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, key, start }) => {
          const link = links[index]
          if (!link) return null
          return (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className={styles.place}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            >
              <LinkRow
                link={link}
                clicks={clicks.get(link.id)}
                isChosen={selection.chosen.has(link.id)}
                onChoose={selection.toggle}
                onEdit={onEdit}
              />
            </li>
          )
        })}
      </ul>
      {isLoadingMore && <SkeletonRow />}
    </div>
  )
}

export function LinkListSkeleton() {
  return (
    <div className={styles.frame} role="status" aria-label={texts.common.loading}>
      {Array.from({ length: 8 }, (_, index) => (
        <SkeletonRow key={index} />
      ))}
    </div>
  )
}

function SkeletonRow() {
  return (
    <div className={styles.skeleton}>
      <Skeleton width={36} height={36} radius="md" />
      <div className={styles.skeletonLines}>
        <Skeleton width="38%" height={14} />
        <Skeleton width="62%" height={12} />
      </div>
    </div>
  )
}
