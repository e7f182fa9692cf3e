/** The source of time for core, so tests can set the time. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
}

export const systemClock: Clock = { now: Date.now }

/** Parses timestamps that callers send. */
export interface Moment {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number
  readonly offsetMinutes: number
}

/** Undefined for anything but a valid timestamp between 1970 and 9999. */
export function parseTimestamp(text: string): Moment | undefined {
  const { date, time, sign = '+', hours = '0', minutes = '0' } = shape.exec(text)?.groups ?? {}
  const local = Date.parse(`${date}T${time}Z`)
  // Date.parse turns February 30 into March 1 or 2: a date that does not round-trip is invalid.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== `${date}T${time}`) return undefined
  if (Number(hours) > 14 || Number(minutes) > 59) return undefined
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const at = local - offsetMinutes * 60_000
  // There are no clicks before 1970, and years after 9999 do not fit the format.
  return at >= 0 && at < Date.UTC(10_000, 0) ? { at, offsetMinutes } : undefined
}

// YYYY-MM-DDThh:mm:ss±hhmm (docs/api/README.md#timestamps). Also accepts a colon in the offset, Z, a fraction (as
// JavaScript writes), and a space instead of an unencoded plus sign.
const shape =
  /^(?<date>\d{4}-\d\d-\d\d)T(?<time>\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|(?<sign>[+\- ])(?<hours>\d\d):?(?<minutes>\d\d))$/

/** `YYYY-MM-DDThh:mm:ss+0000` (docs/api/README.md#timestamps). */
export function timestamp(at: number): string {
  if (at !== last.at) last = { at, text: `${new Date(at).toISOString().slice(0, 19)}+0000` }
  return last.text
}

/** Links that were created together have the same time. */
let last = { at: Number.NaN, text: '' }
