import { isLonger } from '../../lib/is-longer.js'
import { invalid } from '../values/refusal.js'

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
