/** Keys for the rows of the list. The link of a row has the focus, so that Enter opens it and screen readers say which it is. */
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { ShortLink } from '../../api/types.js'
import { useShortcuts } from '../../shell/shortcuts.js'
import { texts } from '../../texts/texts.js'
import type { RowAction } from './row-actions.js'
import type { Selection } from './selection.js'

interface RowKeysInput {
  /** Each row in it has its `data-index`. */
  readonly list: RefObject<HTMLElement | null>
  readonly links: readonly ShortLink[]
  readonly selection: Selection
  readonly mayWrite: boolean
  readonly onAct: (action: RowAction, link: ShortLink) => void
  readonly scrollTo: (index: number) => void
}

export function useRowKeys({ list, links, selection, mayWrite, onAct, scrollTo }: RowKeysInput): void {
  const words = texts.shell.shortcuts
  // Remembered: a row that is scrolled away leaves the document, and takes the focus with it.
  const last = useRef(-1)
  const [wanted, setWanted] = useState<number>()
  useEffect(() => {
    const link = wanted !== undefined && list.current?.querySelector<HTMLElement>(`[data-index="${wanted}"] a`)
    if (!link) return
    link.focus({ preventScroll: true })
    setWanted(undefined)
  })

  const focused = () => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]')
    return row && list.current?.contains(row) ? Number(row.dataset.index) : undefined
  }
  const current = () => focused() ?? last.current
  const move = (step: number) => () => {
    const index = Math.min(links.length - 1, Math.max(0, current() + step))
    last.current = index
    scrollTo(index)
    setWanted(index)
  }
  const withRow = (run: (link: ShortLink) => void) => () => {
    const link = links[current()]
    if (link) run(link)
  }
  useShortcuts([
    { keys: 'j', label: words.next, run: move(1) },
    { keys: 'k', label: words.previous, run: move(-1) },
    { keys: 'Enter', label: words.open },
    { keys: 's', label: words.statistics, run: withRow((link) => onAct('statistics', link)) },
    // Elsewhere on the page, the key creates a link.
    { keys: 'c', label: words.copy, run: withRow((link) => onAct('copy', link)), when: () => focused() !== undefined },
    ...(mayWrite
      ? [
          { keys: 'x', label: words.select, run: withRow(({ id }) => selection.toggle(id, false)) },
          { keys: 'e', label: words.edit, run: withRow((link) => onAct('edit', link)) },
          { keys: 'q', label: words.code, run: withRow((link) => onAct('code', link)) },
          { keys: 'd', label: words.duplicate, run: withRow((link) => onAct('duplicate', link)) },
          { keys: 'a', label: words.archive, run: withRow((link) => onAct('archive', link)) },
        ]
      : []),
  ])
}
