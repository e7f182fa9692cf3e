/** Which rows are chosen. Shift extends the choice from the row that was clicked last. */
import { useRef, useState } from 'react'

export interface Selection {
  readonly chosen: ReadonlySet<string>
  toggle(id: string, extend: boolean): void
  choose(ids: readonly string[]): void
  clear(): void
}

export function useSelection(ids: readonly string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  return {
    chosen,
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
      setChosen(next)
    },
    choose: (wanted) => setChosen(new Set(wanted)),
    clear: () => setChosen(new Set()),
  }
}
