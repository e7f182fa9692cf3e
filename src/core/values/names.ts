import { isLonger } from '../../lib/is-longer.js'
import { invalid, type Resource } from './refusal.js'

// Our choice: long enough for any name, short enough for a list on a screen.
export const longestName = 255
export const longestDescription = 2000

/** What people call a thing: not blank, at most 255 characters, nothing that cannot be shown or stored. */
export function requireName(name: string | undefined, resource: Resource): string {
  if (name === undefined || name.trim() === '' || !isPlain(name, longestName)) {
    throw invalid('name', `Send a name of 1 to ${longestName} characters, without control characters.`, resource)
  }
  return name
}

/** Free text, which may be empty and may have lines. */
export function requireDescription(description: string, resource: Resource): string {
  if (!isPlain(description.replace(/[\r\n\t]/g, ' '), longestDescription)) {
    const message = `A description has at most ${longestDescription} characters, and no control characters but line breaks.`
    throw invalid('description', message, resource)
  }
  return description
}

/** PostgreSQL cannot hold NUL, and half a character (a lone surrogate) cannot be written as UTF-8. */
function isPlain(text: string, longest: number): boolean {
  return !isLonger(text, longest) && !/[\p{Cc}\p{Cs}]/u.test(text)
}
