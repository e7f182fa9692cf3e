/** Fields that several kinds of content have. */
import { emailRule } from '../../lib/credentials.js'
import { isLonger } from '../../lib/is-longer.js'
import { normaliseLongUrl } from '../values/long-url.js'
import { invalid } from '../values/refusal.js'

/** Characters: of names and lines, and of notes, whose lines a QR code still has room for. */
export const maxLineLength = 255
export const maxNoteLength = 1000

/** Undefined for a blank one, which means none. */
export function readLine(text: string | undefined, field: string): string | undefined {
  return read(text, field, maxLineLength, 'no line breaks or other control characters')
}

/** May have line breaks, which are written as `\n`. */
export function readNote(text: string | undefined, field: string): string | undefined {
  const lines = text?.replace(/\r\n?/g, '\n')
  return read(lines, field, maxNoteLength, 'no control characters other than line breaks', /[\n\t]/g)
}

function read(text: string | undefined, field: string, most: number, rule: string, allowed?: RegExp) {
  if (text === undefined || text.trim() === '') return undefined
  if (isLonger(text, most) || /[\p{Cc}\p{Cs}]/u.test(allowed ? text.replace(allowed, ' ') : text)) {
    throw invalid(field, `Send at most ${most} characters, and ${rule}.`)
  }
  return text
}

/** A static code may lead to a short link, which long URLs of links must not. */
export function readUrl(text: string, field: string): string {
  return normaliseLongUrl(text, { includes: () => false }, field)
}

export function readEmail(text: string, field: string): string {
  if (!emailRule.test(text)) throw invalid(field, `Send an e-mail address: ${emailRule.allowed}.`)
  return text
}

/**
 * Digits, with a plus sign before a country code. Codes with `*` and `#` are refused: some phones run them without asking.
 */
export function readPhone(text: string, field: string): string {
  const number = text.replace(/[\s().\-/]/g, '')
  // Emergency numbers have two digits in some countries; ITU-T E.164 allows fifteen.
  if (isLonger(text, 40) || !/^(?:\d{2,15}|\+[1-9]\d{6,14})$/.test(number)) {
    throw invalid(field, 'Send a phone number of 2 to 15 digits, best with its country code: +49 30 123456.')
  }
  return number
}
