/**
 * UTC offsets of named time zones. Reads them from Intl, only for the years in question (0.2 ms per year), and caches
 * them. Knows nothing of windows or clicks.
 */
import { RecentMap } from '../../lib/recent-map.js'

/** Minutes east of UTC, or a time zone name such as Europe/Berlin. */
export type Zone = number | string

/** A time span with one offset, from `from` (inclusive, -Infinity for the first) to the start of the next span. */
export interface Span {
  readonly from: number
  /** Milliseconds east of UTC. */
  readonly offset: number
}

/** The offsets in force between two times, in order. Outside of these times the result is not valid. */
export function spansWithin(zone: Zone, from: number, to: number): readonly Span[] {
  if (typeof zone === 'number') return [{ from: Number.NEGATIVE_INFINITY, offset: Math.trunc(zone) * minute }]
  const name = zoneName(zone)
  if (name === undefined) throw new RangeError(`There is no time zone "${zone}".`)
  return offsetsOf(name).within(from, to)
}

/** Whether the runtime knows this time zone name. An offset such as `+02:00` is not a name. */
export function isZoneName(name: string): boolean {
  return zoneName(name) !== undefined
}

/** The canonical name of a time zone (`EUROPE/berlin` gives `Europe/Berlin`), or undefined for an unknown zone. */
export function zoneName(spelling: string): string | undefined {
  if (!/^[A-Za-z]/.test(spelling)) return undefined
  const known = names.get(spelling)
  if (known !== undefined) return known
  try {
    const name = new Intl.DateTimeFormat('en', { timeZone: spelling }).resolvedOptions().timeZone
    names.set(spelling, name)
    return name
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Bounded, because spellings come from callers. Intl takes 0.2 ms per name. */
const names = new RecentMap<string, string>(1_000)

// Warm up at startup: the first DateTimeFormat of a process takes 20 ms, later ones 0.2 ms.
names.set('UTC', new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).resolvedOptions().timeZone)

function offsetsOf(name: string): Offsets {
  const known = zones.get(name)
  if (known) return known
  const offsets = new Offsets(name)
  zones.set(name, offsets)
  return offsets
}

/** Bounded: a service sees few of the 600 zones, and one used over all of history takes half a megabyte. */
const zones = new RecentMap<string, Offsets>(50)

const minute = 60_000
const quarter = 15 * minute
const day = 1440 * minute
// Offsets are looked up from 1970 to 2100 and assumed constant outside: there are no clicks before 1970, and no rules
// for later years.
const firstSampleAt = Date.UTC(1970, 0)
const lastSampleAt = Date.UTC(2100, 0)
/** Shorter than any offset since 1970 was in force; the shortest was a seven-day summer time in Recife. */
const step = 5 * day

/** The offsets of one zone found so far, sampled every `step` since 1970. */
class Offsets {
  readonly #format: Intl.DateTimeFormat
  readonly #samples = new Map<number, number>()
  /** Start times of offsets, by the number of the first sample with the new offset. */
  readonly #changes = new Map<number, number>()

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone: zone, day: 'numeric', timeZoneName: 'longOffset' })
  }

  within(from: number, to: number): readonly Span[] {
    const first = sampleBefore(from)
    const last = sampleBefore(to) + 1
    let offset = this.#offsetOfSample(first)
    const spans: Span[] = [{ from: Number.NEGATIVE_INFINITY, offset }]
    for (let sample = first + 1; sample <= last; sample++) {
      const next = this.#offsetOfSample(sample)
      if (next === offset) continue
      spans.push({ from: this.#changeBefore(sample, offset), offset: next })
      offset = next
    }
    return spans
  }

  #offsetOfSample(sample: number): number {
    const known = this.#samples.get(sample)
    if (known !== undefined) return known
    const offset = this.#offsetAt(sample * step)
    this.#samples.set(sample, offset)
    return offset
  }

  #changeBefore(sample: number, old: number): number {
    const known = this.#changes.get(sample)
    if (known !== undefined) return known
    const change = this.#findChange(sample, old)
    this.#changes.set(sample, change)
    return change
  }

  /** The start of the new offset, to the second. Nearly all changes are at a quarter of an hour, so try those first. */
  #findChange(sample: number, old: number): number {
    const byQuarter = this.#bisect((sample - 1) * step, sample * step, quarter, old)
    if (this.#offsetAt(byQuarter - 1000) === old) return byQuarter
    return this.#bisect(byQuarter - quarter, byQuarter, 1000, old)
  }

  /** Bisects for the first multiple of `unit` after `before` without the old offset; `after` must have another offset. */
  #bisect(before: number, after: number, unit: number, old: number): number {
    let low = before / unit
    let high = after / unit
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#offsetAt(middle * unit) === old) low = middle
      else high = middle
    }
    return high * unit
  }

  #offsetAt(at: number): number {
    // Format: "15, GMT+05:45"; plain "GMT" for UTC.
    const { sign, hours = '0', minutes = '0', seconds = '0' } = longOffset.exec(this.#format.format(at))?.groups ?? {}
    const size = (Number(hours) * 60 + Number(minutes)) * minute + Number(seconds) * 1000
    return sign === undefined || size === 0 ? 0 : sign === '+' ? size : -size
  }
}

function sampleBefore(at: number): number {
  return Math.floor(Math.min(Math.max(at, firstSampleAt), lastSampleAt) / step)
}

const longOffset = /GMT(?<sign>[+\-\u2212])(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d))?/
