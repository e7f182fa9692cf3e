/** Unfinished forms, kept for this tab, so that a reload loses nothing that was typed. */
import { useEffect, useState } from 'react'

const prefix = 'shortlink-draft '

export function hasDraft(name: string): boolean {
  return sessionStorage.getItem(prefix + name) !== null
}

/** Tells of what is set, by the name of the form: by work that goes on after its page was left, too. */
const changes = new EventTarget()

/** Like useState; what is set survives a reload, until it is forgotten. */
export function useKeptDraft<T extends object>(
  name: string,
  start: T,
): readonly [value: T, set: (value: T) => void, forget: () => void] {
  const [value, setValue] = useState<T>(() => completed(start, read(name)))
  useEffect(() => {
    const take = (event: Event) => setValue((event as CustomEvent<T>).detail)
    changes.addEventListener(name, take)
    return () => changes.removeEventListener(name, take)
  }, [name])
  const set = (changed: T) => {
    setValue(changed)
    sessionStorage.setItem(prefix + name, JSON.stringify(changed))
    changes.dispatchEvent(new CustomEvent(name, { detail: changed }))
  }
  return [value, set, () => sessionStorage.removeItem(prefix + name)]
}

/** A form that was kept by a former version has no values for newer fields. */
function completed<T extends object>(start: T, kept: object): T {
  const parts = Object.entries(kept).map(([name, part]) => {
    const first = start[name as keyof T]
    return [name, isFields(first) && isFields(part) ? { ...first, ...part } : part]
  })
  return { ...start, ...Object.fromEntries(parts) }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function read(name: string): object {
  try {
    return JSON.parse(sessionStorage.getItem(prefix + name) ?? '{}') as object
  } catch {
    return {}
  }
}
