import { useSyncExternalStore } from 'react'

export interface SharedValue<Value> {
  get(): Value
  set(next: Value): void
  /** In a component, which is drawn again with each new value. */
  use(): Value
}

/** A value that any part of the page may change, and others show. */
export function sharedValue<Value>(start: Value): SharedValue<Value> {
  let current = start
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const get = () => current
  return {
    get,
    set(next) {
      current = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get),
  }
}
