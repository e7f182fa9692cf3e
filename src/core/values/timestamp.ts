/**
 * Moments as callers write them. Knows nothing of what they are for.
 */
export interface Moment {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number
  readonly offsetMinutes: number
}

/** Undefined for what is not a moment between 1970 and 9999. */
export function parseTimestamp(text: string): Moment | undefined {
  const { date, time, sign = '+', hours = '0', minutes = '0' } = timestamp.exec(text)?.groups ?? {}
  const local = Date.parse(`${date}T${time}Z`)
  // Date.parse turns February 30th into March; what does not come back unchanged was no date.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== `${date}T${time}`) return undefined
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const at = local - offsetMinutes * 60_000
  // Our choice: from 1970 to 9999. Nothing was clicked before, and later years do not fit the timestamp.
  return at >= 0 && at < Date.UTC(10_000, 0) ? { at, offsetMinutes } : undefined
}

// YYYY-MM-DDThh:mm:ss±hhmm (docs/api/README.md#timestamps). Also a colon in the offset, Z, and a fraction, as JavaScript
// writes it, and a space where the plus sign was left unencoded.
const timestamp =
  /^(?<date>\d{4}-\d\d-\d\d)T(?<time>\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|(?<sign>[+\- ])(?<hours>\d\d):?(?<minutes>\d\d))$/
