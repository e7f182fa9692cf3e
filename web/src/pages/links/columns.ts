/** What the list of links shows beside each link: what the person chose, in this browser. */
import { useState } from 'react'

export const columns = ['destination', 'tags', 'clicks', 'created'] as const
export type Column = (typeof columns)[number]

const storageKey = 'shortlink-hidden-columns'

export function useColumns() {
  const [hidden, setHidden] = useState(() => localStorage.getItem(storageKey) ?? '')
  const shown = columns.filter((name) => !hidden.split(' ').includes(name))
  const toggle = (name: Column) => {
    const next = columns.filter((each) => (each === name) === shown.includes(each)).join(' ')
    localStorage.setItem(storageKey, next)
    setHidden(next)
  }
  return { hidden, shown, toggle }
}
