/** Opens the dialog that makes a link or many, from anywhere: the button, the key, pasted URLs, an empty list. */
import { useSyncExternalStore } from 'react'
import type { ShortLink } from '../api/types.js'

export interface CreateRequest {
  readonly longUrl?: string
  /** More than one: they are shortened together. */
  readonly urls?: readonly string[]
  /** The new one begins with everything that this one has. */
  readonly like?: ShortLink
  /** It exists already, and is shown. */
  readonly made?: MadeLink
}

export interface MadeLink {
  readonly link: ShortLink
  /** Whether it is on the clipboard. */
  readonly isCopied: boolean
}

let current: CreateRequest | undefined
const listeners = new Set<() => void>()

function set(request: CreateRequest | undefined): void {
  current = request
  for (const listener of listeners) listener()
}

/** The name of the unfinished form. */
export function createDraft(group: string): string {
  return `create ${group}`
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
