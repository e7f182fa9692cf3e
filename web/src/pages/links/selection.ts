/** Which rows are chosen. Shift extends the choice from the row that was clicked last. */
import { useRef, useState } from 'react'

export interface Selection {
  readonly chosen: ReadonlySet<string>
  /** Also those that match and are not loaded. */
  readonly isEverything: boolean
  toggle(id: string, extend: boolean): void
  choose(ids: readonly string[]): void
  chooseEverything(): void
  clear(): void
}

export function useSelection(ids: readonly string[]): Selection {
  const [some, setSome] = useState<ReadonlySet<string>>(new Set())
  const [isEverything, setEverything] = useState(false)
  const last = useRef<string>(undefined)
  const chosen = isEverything ? new Set(ids) : some
  const choose = (wanted: Iterable<string>) => {
    setSome(new Set(wanted))
    setEverything(false)
  }
  return {
    chosen,
    isEverything,
    toggle(id, extend) {
      const isChosen = !chosen.has(id)
      const from = extend && last.current ? ids.indexOf(last.current) : -1
      const to = ids.indexOf(id)
      const range = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
      const next = new Set(chosen)
      for (const each of range) {
        if (isChosen) next.add(each)
        else next.delete(each)
      }
      last.current = id
      choose(next)
    },
    choose,
    chooseEverything: () => setEverything(true),
    clear: () => choose([]),
  }
}
