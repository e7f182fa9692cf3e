/** A link as the form holds it, and the way to and from the API's words. */
import type { ShortLink } from '../../api/types.js'
import { asDate } from '../../parts/format.js'
import { withScheme } from '../../parts/with-scheme.js'

export interface Draft {
  readonly longUrl: string
  readonly title: string
  readonly tags: readonly string[]
  /** As a date field has it, in the person's zone: `2026-12-24T18:00`; empty for never. */
  readonly expiresAt: string
}

export const emptyDraft: Draft = { longUrl: '', title: '', tags: [], expiresAt: '' }

export function draftOf(link: ShortLink): Draft {
  return {
    longUrl: link.long_url,
    title: link.title ?? '',
    tags: link.tags,
    expiresAt: link.expiration_at ? asLocalTime(asDate(link.expiration_at)) : '',
  }
}

/** What the API needs to make the link. */
export function newLinkOf({ longUrl, title, tags, expiresAt }: Draft) {
  return {
    long_url: withScheme(longUrl),
    ...(title.trim() && { title: title.trim() }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(expiresAt && { expiration_at: asInstant(expiresAt) }),
  }
}

/** Only what differs: sending the destination counts as a change of it, even when it is the same. */
export function changesOf(before: Draft, after: Draft) {
  return {
    ...(isMoved(before, after) && { long_url: withScheme(after.longUrl) }),
    ...(before.title !== after.title.trim() && { title: after.title.trim() }),
    ...(before.tags.join() !== after.tags.join() && { tags: [...after.tags] }),
    ...(before.expiresAt !== after.expiresAt && { expiration_at: after.expiresAt && asInstant(after.expiresAt) }),
  }
}

/** Whether the link would lead to another page. */
export function isMoved(before: Draft, after: Draft): boolean {
  return withScheme(after.longUrl) !== before.longUrl
}

export function asLocalTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

function asInstant(localTime: string): string {
  return new Date(localTime).toISOString()
}
