/** What tags of links and QR codes may look like, and how many there may be (docs/api/links.md#tags). */
import { quoted, Refusal } from '../values/refusal.js'

/** Limits: tags per link or QR code, and distinct tags of each kind per group, which the store enforces. */
export const tagsPerLink = 100
export const tagsPerGroup = 1000
export const maxTagLength = 49
export const maxTagDescription = 200

/** Names, not values: each client draws them so that they can be read on its own background. */
export const tagColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const
export type TagColor = (typeof tagColors)[number]
export const defaultTagColor: TagColor = 'gray'

// Marks are the accents and vowel signs that many scripts write with several characters. They follow a letter.
const shape = new RegExp(`^[\\p{L}\\p{Nd}_-][\\p{L}\\p{M}\\p{Nd}_-]{0,${maxTagLength - 1}}$`, 'u')

/** One spelling for texts that look the same: with composed accents (NFC). */
export function tagSpelling(text: string): string {
  return text.normalize('NFC')
}

function isTag(text: string): boolean {
  return shape.test(text)
}

export function readTag(text: string, field: string): string {
  const tag = tagSpelling(text)
  if (isTag(tag)) return tag
  const message =
    `${quoted(text)} is not a valid tag. Use 1 to ${maxTagLength} letters and digits of any script, "-" and "_": ` +
    'no spaces, no other punctuation, no symbols.'
  throw tagRefusal('INVALID_TAG', message, field)
}

/** The tags of one link, without duplicates, in the order they were sent. */
export function readTags(tags: readonly string[], field = 'tags'): readonly string[] {
  const distinct = distinctTags(tags, field)
  if (distinct.length > tagsPerLink) throw tooManyTagsPerLink(field)
  return distinct
}

/** Like `readTags`, without the limit per link: a bulk edit may remove different tags from different links. */
export function distinctTags(tags: readonly string[], field: string): readonly string[] {
  return [...new Set(tags.map((tag) => readTag(tag, field)))]
}

/** What can be kept of the tags of another product: `Söhne & Töchter` becomes `Söhne-Töchter`. */
export function fittingTags(tags: readonly string[]): readonly string[] {
  const fitting = tags.map((tag) => {
    const joined = tagSpelling(tag).replace(/[^\p{L}\p{M}\p{Nd}_-]+/gu, '-')
    return [...joined.replace(/^[-\p{M}]+|-+$/gu, '')].slice(0, maxTagLength).join('')
  })
  return [...new Set(fitting)].filter(isTag).slice(0, tagsPerLink)
}

export function tooManyTagsPerLink(field = 'tags'): Refusal {
  const message = `A short link or QR code has at most ${tagsPerLink} tags. Send fewer.`
  return tagRefusal('TOO_MANY_TAGS_PER_SHORTLINK', message, field)
}

export function tooManyTagsPerGroup(field = 'tags'): Refusal {
  const message = `A group uses at most ${tagsPerGroup} different tags. Remove some from others first.`
  return tagRefusal('TOO_MANY_TAGS_PER_GROUP', message, field)
}

type TagCode = 'INVALID_TAG' | 'TOO_MANY_TAGS_PER_SHORTLINK' | 'TOO_MANY_TAGS_PER_GROUP'

function tagRefusal(code: TagCode, message: string, field: string): Refusal {
  return new Refusal(code, message, { field })
}
