import { parseTimestamp } from '../../core/values/time.js'

/**
 * Reads a time as other products write it: ISO 8601, the format of databases (as UTC unless it has an offset), a day, or
 * seconds or milliseconds since 1970. Undefined for anything else, and for zero dates of MySQL.
 */
export function readTime(written: string | undefined): number | undefined {
  const text = written?.trim() ?? ''
  if (text === '') return undefined
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1000
  if (/^\d{12,13}$/.test(text)) return Number(text)
  const [, date, time = '00:00', seconds = ':00', fraction = '', offset] = shape.exec(text) ?? []
  if (date === undefined) return undefined
  const at = parseTimestamp(`${date}T${time}${seconds}${offsetOf(offset)}`)?.at
  return at === undefined ? undefined : at + Math.floor(Number(`0${fraction}`) * 1000)
}

const shape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)?\s*(?:UTC|(Z|[+-]\d\d(?::?\d\d)?))?$/

/** PostgreSQL writes `+00`. */
function offsetOf(written: string | undefined): string {
  if (written === undefined || written === 'Z') return 'Z'
  return written.length === 3 ? `${written}00` : written
}
