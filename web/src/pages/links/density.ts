/** How high the rows are: what the person chose, in this browser. */
import { useState } from 'react'

/** Of every row, as its CSS says: measuring each one that comes into view would cost more than showing it. */
export const rowHeights = { comfortable: 73, dense: 45 } as const
export type Density = keyof typeof rowHeights

const storageKey = 'shortlink-density'

export function useDensity(): readonly [density: Density, toggle: () => void] {
  const [density, setDensity] = useState<Density>(
    localStorage.getItem(storageKey) === 'dense' ? 'dense' : 'comfortable',
  )
  const toggle = () => {
    const next = density === 'dense' ? 'comfortable' : 'dense'
    localStorage.setItem(storageKey, next)
    setDensity(next)
  }
  return [density, toggle]
}
