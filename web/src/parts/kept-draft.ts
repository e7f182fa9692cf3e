/** Unfinished forms, kept for this tab, so that a reload loses nothing that was typed. */
import { useState } from 'react'

const prefix = 'shortlink-draft '

export function hasDraft(name: string): boolean {
  return sessionStorage.getItem(prefix + name) !== null
}

/** Like useState; what is set survives a reload, until it is forgotten. */
export function useKeptDraft<T extends object>(
  name: string,
  start: T,
): readonly [value: T, set: (value: T) => void, forget: () => void] {
  const [value, setValue] = useState<T>(() => ({ ...start, ...read(name) }))
  const set = (changed: T) => {
    setValue(changed)
    sessionStorage.setItem(prefix + name, JSON.stringify(changed))
  }
  return [value, set, () => sessionStorage.removeItem(prefix + name)]
}

function read(name: string): object {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + name) ?? '{}') as object
  } catch {
    return {}
  }
}
