/** Opens the dialog that makes a link or many, from anywhere: the button, the key, pasted URLs, an empty list. */
import type { ShortLink } from '../api/types.js'
import { sharedValue } from '../parts/shared-value.js'

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

const request = sharedValue<CreateRequest | undefined>(undefined)

/** The name of the unfinished form. */
export function createDraft(group: string): string {
  return `create ${group}`
}

export function openCreate(wanted: CreateRequest = {}): void {
  request.set(wanted)
}

/** Apps put the address into any of the fields, often behind the title. */
export function sharedPage({ url, text, title }: Readonly<Record<string, unknown>>): CreateRequest {
  const [longUrl] = /https?:\/\/\S+/i.exec([url, text, title].join(' ')) ?? []
  return longUrl === undefined ? {} : { longUrl }
}

export function closeCreate(): void {
  request.set(undefined)
}

export const useCreateRequest = request.use
