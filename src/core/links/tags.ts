import { quoted, Refusal } from '../values/refusal.js'

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
      throw refused('INVALID_TAG', `${quoted(tag)} cannot be a tag: 1 to 49 letters, digits, "-" and "_" can.`, field)
    }
  }
  return [...new Set(tags)]
}

export function tooManyTagsPerLink(field = 'tags'): Refusal {
  return refused('TOO_MANY_TAGS_PER_SHORTLINK', `A short link has at most ${tagsPerLink} tags. Send fewer.`, field)
}

export function tooManyTagsPerGroup(field = 'tags'): Refusal {
  const message = `A group uses at most ${tagsPerGroup} different tags. Remove some from other links first.`
  return refused('TOO_MANY_TAGS_PER_GROUP', message, field)
}

type TagRefusal = 'INVALID_TAG' | 'TOO_MANY_TAGS_PER_SHORTLINK' | 'TOO_MANY_TAGS_PER_GROUP'

function refused(code: TagRefusal, message: string, field: string): Refusal {
  return new Refusal(code, message, { resource: 'shortlinks', field })
}
