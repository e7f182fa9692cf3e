import { quoted } from '../../core/values/refusal.js'
import { parseTimestamp } from '../../core/values/time.js'
import { OperatorError } from '../../lib/operator-error.js'

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

/** Which of the first two numbers in `31.01.2024` and `1/31/2024` is the day. */
export type DayOrder = 'day-first' | 'month-first'

const localDate = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?=$|[T ,])/

/**
 * The order of a whole column: a single date that has only one reading decides. Undefined if no date is written like this.
 * The first value decides whether to look at the others.
 */
export async function dayOrderOf(column: string, values: AsyncIterable<string>): Promise<DayOrder | undefined> {
  const seen = new Map<DayOrder, string>()
  let example: string | undefined
  for await (const text of values) {
    if (text === '') continue
    const [date, first, , second] = localDate.exec(text) ?? []
    if (date === undefined && example === undefined) return undefined
    if (date === undefined) continue
    example ??= date
    if (Number(first) > 12) seen.set('day-first', date)
    else if (Number(second) > 12) seen.set('month-first', date)
  }
  const [order] = seen.keys()
  if (example === undefined || seen.size === 1) return order
  const reason =
    seen.size === 0
      ? `has dates such as "${example}", and none tells whether the day or the month is first`
      : `has "${seen.get('day-first')}" with the day first and "${seen.get('month-first')}" with the month first`
  throw new OperatorError(`The column "${column}" ${reason}. Write its dates as 2024-01-31, and import the file again.`)
}

/** As `readTime` understands it. */
export function isoDate(text: string, order: DayOrder | undefined): string {
  if (order === undefined) return text
  return text.replace(localDate, (_date, first: string, _sign: string, second: string, year: string) => {
    const [day, month] = order === 'day-first' ? [first, second] : [second, first]
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  })
}

/** What to say about a time that is written, but cannot be read: `at` is what `readTime` made of it. MySQL writes zeros for none. */
export function timeRemarks(name: string, written: string | undefined, at: number | undefined): readonly string[] {
  const text = written?.trim() ?? ''
  if (text === '' || /^0000-00-00/.test(text) || at !== undefined) return []
  return [`its ${name} ${quoted(text)} cannot be read`]
}

const shape = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)?\s*(?:UTC|(Z|[+-]\d\d(?::?\d\d)?))?$/

/** The format of nearly all clicks in dumps: a third of the time of the general one. */
const databaseFormat = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

function databaseTime(text: string): number | undefined {
  const year = Number(text.slice(0, 4))
  const month = Number(text.slice(5, 7))
  const day = Number(text.slice(8, 10))
  const hour = Number(text.slice(11, 13))
  const minute = Number(text.slice(14, 16))
  const second = Number(text.slice(17, 19))
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
