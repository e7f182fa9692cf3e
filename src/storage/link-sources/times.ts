import { quoted } from '../../core/values/refusal.js'
import { parseTimestamp } from '../../core/values/time.js'

/**
 * Reads a time as other products write it: ISO 8601, the format of databases (as UTC unless it has an offset), a day, or
 * seconds or milliseconds since 1970. Undefined for anything else, and for zero dates of MySQL.
 */
export function readTime(written: string | undefined): number | undefined {
  const text = written?.trim() ?? ''
  if (text === '') return undefined
  if (databaseFormat.test(text)) return databaseTime(text)
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1000
  if (/^\d{12,13}$/.test(text)) return Number(text)
  const [, date, time = '00:00', seconds = ':00', fraction = '', offset] = shape.exec(text) ?? []
  if (date === undefined) return undefined
  const at = parseTimestamp(`${date}T${time}${seconds}${offsetOf(offset)}`)?.at
  return at === undefined ? undefined : at + Math.floor(Number(`0${fraction}`) * 1000)
}

/** What to say about a time that is written, but cannot be read. MySQL writes zeros for none. */
export function timeRemarks(name: string, written: string | undefined): readonly string[] {
  const text = written?.trim() ?? ''
  if (text === '' || /^0000-00-00/.test(text) || readTime(text) !== undefined) return []
  return [`its ${name} ${quoted(text)} cannot be read`]
}

const shape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)?\s*(?:UTC|(Z|[+-]\d\d(?::?\d\d)?))?$/

/** The format of nearly all clicks in dumps: a third of the time of the general one. */
const databaseFormat = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

function databaseTime(text: string): number | undefined {
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))]
  const [hour, minute, second] = [Number(text.slice(11, 13)), Number(text.slice(14, 16)), Number(text.slice(17, 19))]
  const at = Date.UTC(year, month - 1, day, hour, minute, second)
  // February 30 would become March 1 or 2.
  const isReal =
    hour < 24 && minute < 60 && second < 60 && month <= 12 && new Date(at).getUTCDate() === day && month > 0
  return isReal && at >= 0 ? at : undefined
}

/** PostgreSQL writes `+00`. */
function offsetOf(written: string | undefined): string {
  if (written === undefined || written === 'Z') return 'Z'
  return written.length === 3 ? `${written}00` : written
}
