import { isLonger } from '../../lib/is-longer.js'
import { invalid } from '../values/refusal.js'

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
