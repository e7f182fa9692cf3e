/**
 * Time zones by name: which offset was in force when. Asks the runtime's own calendar and remembers the answer, since
 * asking costs microseconds and a report over a year needs two changes of it. Knows neither windows nor clicks.
 */
import type { Zone } from './query.js'

/** A piece of time with one offset, from `from` (inclusive, -Infinity for the first) until the next one begins. */
export interface Span {
  readonly from: number
  /** Milliseconds east of UTC. */
  readonly offset: number
}

/** All offsets of a zone, in order. */
export function spansOf(zone: Zone): readonly Span[] {
  if (typeof zone === 'number') return [{ from: Number.NEGATIVE_INFINITY, offset: Math.trunc(zone) * minute }]
  const known = remembered.get(zone)
  if (known) return known
  const spans = findSpans(zone)
  // Names come from callers, who may spell each in many ways; zones are some hundreds.
  if (remembered.size >= 1_000) remembered.clear()
  remembered.set(zone, spans)
  return spans
}

/** Whether the runtime knows this zone: `Europe/Berlin`, `UTC`; an offset such as `+02:00` is no name. */
export function isZoneName(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

const remembered = new Map<string, readonly Span[]>()

const minute = 60_000
const day = 1440 * minute
// Our choice: a zone's first offset reaches back from 1970 and its last one on from 2100. Nothing was clicked before,
// and no government has decided about later.
const firstLook = Date.UTC(1970, 0)
const lastLook = Date.UTC(2100, 0)
/** Offsets hold for longer than this; the shortest in living memory were the weeks of a Ramadan. */
const step = 5 * day

function findSpans(zone: string): readonly Span[] {
  const offsetAt = offsetsOf(zone)
  const spans: Span[] = [{ from: Number.NEGATIVE_INFINITY, offset: offsetAt(firstLook) }]
  let offset = offsetAt(firstLook)
  for (let at = firstLook; at < lastLook; at += step) {
    const next = offsetAt(at + step)
    if (next === offset) continue
    spans.push({ from: changeBetween(offsetAt, at, at + step), offset: next })
    offset = next
  }
  return spans
}

/** The first moment of the new offset, to the second: finer than any change was ever made. */
function changeBetween(offsetAt: (at: number) => number, before: number, after: number): number {
  const old = offsetAt(before)
  let [low, high] = [before / 1000, after / 1000]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * 1000) === old) low = middle
    else high = middle
  }
  return high * 1000
}

function offsetsOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  return (at) => {
    // "1/15/2026, GMT+05:45"; plain "GMT" for none.
    const { sign, hours = '0', minutes = '0', seconds = '0' } = longOffset.exec(format.format(at))?.groups ?? {}
    const size = (Number(hours) * 60 + Number(minutes)) * minute + Number(seconds) * 1000
    return sign === undefined || size === 0 ? 0 : sign === '+' ? size : -size
  }
}

const longOffset = /GMT(?<sign>[+\-\u2212])(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d))?$/
