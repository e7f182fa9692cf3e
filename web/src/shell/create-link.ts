/** Opens the dialog that makes a link, from anywhere: the button, the key, a pasted URL, an empty list. */
import { useSyncExternalStore } from 'react'

export interface CreateRequest {
  readonly longUrl?: string
}

let current: CreateRequest | undefined
const listeners = new Set<() => void>()

function set(request: CreateRequest | undefined): void {
  current = request
  for (const listener of listeners) listener()
}

export function openCreate(request: CreateRequest = {}): void {
  set(request)
}

export function closeCreate(): void {
  set(undefined)
}

export function useCreateRequest(): CreateRequest | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
