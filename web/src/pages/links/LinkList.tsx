import { Skeleton } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, Rows3, Rows4 } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import type { ShortLink } from '../../api/types.js'
import { Check } from '../../parts/Check.js'
import { ColumnMenu } from '../../parts/ColumnMenu.js'
import { formatNumber } from '../../parts/format.js'
import icon from '../../parts/IconButton.module.css'
import { hostOf } from '../../parts/SiteMark.js'
import { useGroupGuid, useMayWrite } from '../../shell/current-group.js'
import { texts } from '../../texts/texts.js'
import { type Column, columns, useColumns } from './columns.js'
import { type Density, rowHeights } from './density.js'
import styles from './LinkList.module.css'
import { LinkRow } from './LinkRow.js'
import { rowsPerRequest, useClicks, useIcons } from './queries.js'
import type { RowAction } from './row-actions.js'
import { useRowKeys } from './row-keys.js'
import type { Selection } from './selection.js'

interface LinkListProps {
  readonly links: readonly ShortLink[]
  readonly selection: Selection
  readonly density: Density
  readonly onDensity: () => void
  readonly isByClicks: boolean
  /** How many match, as far as they are counted. */
  readonly count: number
  /** Whether there are more than these. */
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onAct: (action: RowAction, link: ShortLink) => void
  readonly onSort: () => void
  /** Called when the end comes into view. */
  readonly onEnd: () => void
}

/** Only the rows in view are in the document, so that 100,000 links scroll as smoothly as ten. */
export function LinkList(props: LinkListProps) {
  const { links, selection, density, isByClicks, count, hasMore, isLoadingMore, onDensity, onAct, onSort, onEnd } =
    props
  const mayWrite = useMayWrite()
  const group = useGroupGuid()
  const { hidden, shown, toggle } = useColumns()
  const list = useRef<HTMLUListElement>(null)
  const virtualizer = useWindowVirtualizer({
    count: links.length,
    estimateSize: () => rowHeights[density],
    overscan: 8,
    scrollMargin: list.current?.offsetTop ?? 0,
    // Above is the bar of the page, below that of the selection.
    scrollPaddingStart: 72,
    scrollPaddingEnd: 88,
    // The same function as before: another one makes it count all rows again, 20,000 with every step of the wheel.
    getItemKey: useCallback((index: number) => links[index]?.id ?? index, [links]),
  })
  const rows = virtualizer.getVirtualItems()
  const lists = listsInView(links, rows[0]?.index ?? 0, rows.at(-1)?.index ?? 0)
  const clicks = useClicks(group, lists)
  const icons = useIcons(group, lists)
  useRowKeys({ list, links, selection, mayWrite, onAct, scrollTo: (index) => virtualizer.scrollToIndex(index) })
  const lastShown = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastShown >= links.length - 10) onEnd()
  }, [lastShown, links.length, onEnd])
  const areAllChosen = selection.chosen.size > 0 && links.every(({ id }) => selection.chosen.has(id))

  return (
    <div className={styles.frame} data-density={density} data-hidden={hidden || undefined}>
      <div className={styles.head}>
        {mayWrite && (
          <Check
            label={texts.links.selectAll}
            checked={areAllChosen}
            isPartly={!areAllChosen && selection.chosen.size > 0}
            onToggle={() => (areAllChosen ? selection.clear() : selection.choose(links.map(({ id }) => id)))}
          />
        )}
        <span className="figures">
          {isByClicks ? texts.links.link : texts.links.count(count, formatNumber(count), hasMore)}
        </span>
        <DensityButton density={density} onDensity={onDensity} />
        <span className={styles.columns}>
          <ColumnMenu columns={named()} shown={shown} toggle={toggle} />
        </span>
        <SortButton isByClicks={isByClicks} onSort={onSort} />
        <span className={styles.headRight}>{texts.links.created}</span>
      </div>
      <ul ref={list} className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, key, start }) => {
          const link = links[index]
          if (!link) return null
          return (
            <li
              key={key}
              data-index={index}
              className={styles.place}
              style={{ transform: `translateY(${start - virtualizer.options.scrollMargin}px)` }}
            >
              <LinkRow
                link={link}
                clicks={clicks.get(link.id)}
                siteIcon={icons.get(hostOf(link.long_url))}
                isChosen={selection.chosen.has(link.id)}
                onChoose={selection.toggle}
                onAct={onAct}
              />
            </li>
          )
        })}
      </ul>
      {isLoadingMore && <SkeletonRow />}
    </div>
  )
}

function named() {
  const titles: Record<Column, string> = {
    destination: texts.create.destination,
    tags: texts.links.filters.tags,
    clicks: texts.links.clicks,
    created: texts.links.created,
  }
  return columns.map((name) => ({ name, title: titles[name] }))
}

function DensityButton({ density, onDensity }: Pick<LinkListProps, 'density' | 'onDensity'>) {
  const isDense = density === 'dense'
  return (
    <button
      type="button"
      className={icon.button}
      aria-label={texts.links.dense}
      title={texts.links.dense}
      aria-pressed={isDense}
      onClick={onDensity}
    >
      {isDense ? <Rows3 size={16} /> : <Rows4 size={16} />}
    </button>
  )
}

function SortButton({ isByClicks, onSort }: Pick<LinkListProps, 'isByClicks' | 'onSort'>) {
  return (
    <button
      type="button"
      className={styles.headClicks}
      aria-pressed={isByClicks}
      title={isByClicks ? texts.links.sortByAge : texts.links.sortByClicks}
      onClick={onSort}
    >
      {isByClicks && <ArrowDown size={14} aria-hidden="true" />}
      {texts.links.clicks}
    </button>
  )
}

/** The ids of the rows in view, and of their neighbours: always the same lists, wherever the view begins. */
function listsInView(links: readonly ShortLink[], first: number, last: number): readonly (readonly string[])[] {
  const lists: (readonly string[])[] = []
  for (let start = first - (first % rowsPerRequest); start <= last; start += rowsPerRequest) {
    lists.push(links.slice(start, start + rowsPerRequest).map(({ id }) => id))
  }
  return lists
}

export function LinkListSkeleton({ density }: { readonly density: Density }) {
  return (
    <div className={styles.frame} data-density={density} role="status" aria-label={texts.common.loading}>
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
