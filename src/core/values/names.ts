import { isLonger } from '../../lib/is-longer.js'
import { invalid, type Resource } from './refusal.js'

// Long enough for any name, short enough to show in lists.
export const maxNameLength = 255
export const maxDescriptionLength = 2000

/** A display name: not blank, at most 255 characters, no control characters. */
export function requireName(name: string | undefined, resource: Resource): string {
  if (name === undefined || name.trim() === '' || !isPlain(name, maxNameLength)) {
    throw invalid('name', `Send a name of 1 to ${maxNameLength} characters, without control characters.`, resource)
  }
  return name
}

/** Free text; may be empty and may contain line breaks. */
export function requireDescription(description: string, resource: Resource): string {
  if (!isPlain(description.replace(/[\r\n\t]/g, ' '), maxDescriptionLength)) {
    const message = `A description has at most ${maxDescriptionLength} characters, and no control characters but line breaks.`
    throw invalid('description', message, resource)
  }
  return description
}

/** PostgreSQL cannot store NUL, and a lone surrogate cannot be encoded as UTF-8. */
export function isPlain(text: string, maxLength: number): boolean {
  return !isLonger(text, maxLength) && !/[\p{Cc}\p{Cs}]/u.test(text)
}
