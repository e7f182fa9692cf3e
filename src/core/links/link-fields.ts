/** The fields of a link that people write: what may be sent, and how it is kept. */
import { isLonger } from '../../lib/is-longer.js'
import { isKeyword } from '../values/address.js'
import { invalid, quoted, Refusal } from '../values/refusal.js'
import { parseTimestamp } from '../values/time.js'

// Our choice: longer than any page calls itself, and bounded.
export const longestTitle = 2048

/** The title as it is kept; undefined for an empty one, which is none. */
export function readTitle(title: string): string | undefined {
  if (isLonger(title, longestTitle) || /[\p{Cc}\p{Cs}]/u.test(title)) {
    const message = `A title has at most ${longestTitle} characters, without control characters and line breaks.`
    throw invalid('title', message, 'shortlinks')
  }
  return title.trim() === '' ? undefined : title
}

// Our choice: as long as a title, and with lines.
const longestNote = 2048

/** The note as it is kept; undefined for an empty one, which is none. */
export function readNote(note: string): string | undefined {
  if (isLonger(note, longestNote) || /[\p{Cc}\p{Cs}]/u.test(note.replace(/[\r\n\t]/g, ' '))) {
    const message = `A note has at most ${longestNote} characters, without control characters other than line breaks.`
    throw invalid('note', message, 'shortlinks')
  }
  return note.trim() === '' ? undefined : note
}

/** Milliseconds, from the seconds that a caller sends. */
export function readUserTs(seconds: number): number {
  // Our choice: from 1970 to 9999, like every other moment.
  if (!Number.isInteger(seconds) || seconds < 0 || seconds * 1000 >= Date.UTC(10_000, 0)) {
    throw invalid('userTs', 'Send the time as whole seconds since 1970.', 'shortlinks')
  }
  return seconds * 1000
}

const fiveMinutes = 5 * 60_000

/** At least five minutes and at most one year from now; empty means none (docs/api/links.md#expiry). */
export function readExpiry(text: string, now: number): number | undefined {
  if (text === '') return undefined
  const at = parseTimestamp(text)?.at
  if (at === undefined) throw badExpiry('The expiry must look like 2026-01-31T23:59:59+0000.')
  // Timestamps have whole seconds, the clock has not: exactly five minutes must not be a fraction too early.
  const second = now - (now % 1000)
  if (at < second + fiveMinutes) throw badExpiry('The expiry must be at least five minutes from now.')
  if (at > oneYearAfter(second)) throw badExpiry('The expiry must be at most one year from now.')
  return at
}

function oneYearAfter(at: number): number {
  const date = new Date(at)
  return date.setUTCFullYear(date.getUTCFullYear() + 1)
}

function badExpiry(message: string): Refusal {
  return invalid('expirationAt', message, 'shortlinks')
}

/** Tags on one link, and distinct ones in one group (docs/api/links.md#tags). The store enforces the second. */
export const tagsPerLink = 100
export const tagsPerGroup = 1000

export const tagShape = /^[A-Za-z0-9_-]{1,49}$/

/** Tags of one link as they are kept: each once, in the order they were sent. */
export function readTags(tags: readonly string[], field = 'tags'): readonly string[] {
  const distinct = distinctTags(tags, field)
  if (distinct.length > tagsPerLink) throw tooManyTagsPerLink(field)
  return distinct
}

/** The same for tags of many links, which may have different ones. */
export function distinctTags(tags: readonly string[], field: string): readonly string[] {
  for (const tag of tags) {
    if (!tagShape.test(tag)) {
      throw tagRefusal(
        'INVALID_TAG',
        `${quoted(tag)} cannot be a tag: 1 to 49 letters, digits, "-" and "_" can.`,
        field,
      )
    }
  }
  return [...new Set(tags)]
}

export function tooManyTagsPerLink(field = 'tags'): Refusal {
  return tagRefusal('TOO_MANY_TAGS_PER_SHORTLINK', `A short link has at most ${tagsPerLink} tags. Send fewer.`, field)
}

export function tooManyTagsPerGroup(field = 'tags'): Refusal {
  const message = `A group uses at most ${tagsPerGroup} different tags. Remove some from other links first.`
  return tagRefusal('TOO_MANY_TAGS_PER_GROUP', message, field)
}

type TagCode = 'INVALID_TAG' | 'TOO_MANY_TAGS_PER_SHORTLINK' | 'TOO_MANY_TAGS_PER_GROUP'

function tagRefusal(code: TagCode, message: string, field: string): Refusal {
  return new Refusal(code, message, { resource: 'shortlinks', field })
}

/** A keyword that may be asked for; throws for what can never be one. */
export function readKeyword(text: string, field = 'keyword'): string {
  if (isKeyword(text)) return text
  const message =
    `${quoted(text)} cannot be a back-half: 1 to 50 letters, digits, "-" and "_" can, ` +
    'except names that the service uses itself.'
  throw new Refusal('INVALID_ARG_SHORTLINK', message, { resource: 'shortlinks', field })
}
