/**
 * Time zones by name: which offset was in force when. Asks the runtime's own calendar, only about the time in question
 * (0.2 ms a year), and remembers the answers. Knows neither windows nor clicks.
 */
import { RecentMap } from '../../lib/recent-map.js'

/** Minutes east of UTC, or a name such as Europe/Berlin, whose offset changes with the seasons. */
export type Zone = number | string

/** A piece of time with one offset, from `from` (inclusive, -Infinity for the first) until the next one begins. */
export interface Span {
  readonly from: number
  /** Milliseconds east of UTC. */
  readonly offset: number
}

/** The offsets in force between two moments, in order. What was before the first moment or is after the last is not told. */
export function spansWithin(zone: Zone, from: number, to: number): readonly Span[] {
  if (typeof zone === 'number') return [{ from: Number.NEGATIVE_INFINITY, offset: Math.trunc(zone) * minute }]
  const name = zoneName(zone)
  if (name === undefined) throw new RangeError(`There is no time zone "${zone}".`)
  return offsetsOf(name).within(from, to)
}

/** Whether the runtime knows this zone: `Europe/Berlin`, `UTC`; an offset such as `+02:00` is no name. */
export function isZoneName(name: string): boolean {
  return zoneName(name) !== undefined
}

/** The one name of a zone that may be spelled in many ways (`EUROPE/berlin`), or undefined when there is no such zone. */
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

/** Spellings come from callers, without end; asking the runtime for the name of one takes 0.2 ms. */
const names = new RecentMap<string, string>(1_000)

// Here, while the service starts: the first calendar of a process takes 20 ms, those after it a hundredth of that.
names.set('UTC', new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).resolvedOptions().timeZone)

function offsetsOf(name: string): Offsets {
  const known = zones.get(name)
  if (known) return known
  const offsets = new Offsets(name)
  zones.set(name, offsets)
  return offsets
}

/** Our choice: of the 600 zones a service hears of a few. One that was asked about all time takes half a megabyte. */
const zones = new RecentMap<string, Offsets>(50)

const minute = 60_000
const quarter = 15 * minute
const day = 1440 * minute
// Our choice: a zone's first offset reaches back from 1970 and its last one on from 2100. Nothing was clicked before,
// and no government has decided about later.
const firstLook = Date.UTC(1970, 0)
const lastLook = Date.UTC(2100, 0)
/** Every offset since 1970 held for longer than this; the shortest were the seven days of a summer time in Recife. */
const step = 5 * day

/** What was seen of one zone so far. Looks are numbered: one every `step` since 1970. */
class Offsets {
  readonly #format: Intl.DateTimeFormat
  readonly #seen = new Map<number, number>()
  /** By the first look that shows the new offset. */
  readonly #changes = new Map<number, number>()

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone: zone, day: 'numeric', timeZoneName: 'longOffset' })
  }

  within(from: number, to: number): readonly Span[] {
    const first = lookBefore(from)
    const last = lookBefore(to) + 1
    let offset = this.#look(first)
    const spans: Span[] = [{ from: Number.NEGATIVE_INFINITY, offset }]
    for (let look = first + 1; look <= last; look++) {
      const next = this.#look(look)
      if (next === offset) continue
      spans.push({ from: this.#changeBefore(look, offset), offset: next })
      offset = next
    }
    return spans
  }

  #look(look: number): number {
    const seen = this.#seen.get(look)
    if (seen !== undefined) return seen
    const offset = this.#offsetAt(look * step)
    this.#seen.set(look, offset)
    return offset
  }

  #changeBefore(look: number, old: number): number {
    const known = this.#changes.get(look)
    if (known !== undefined) return known
    const change = this.#findChange(look, old)
    this.#changes.set(look, change)
    return change
  }

  /** The first moment of the new offset, to the second: nearly always it is a quarter of an hour, so those are tried first. */
  #findChange(look: number, old: number): number {
    const byQuarter = this.#bisect((look - 1) * step, look * step, quarter, old)
    if (this.#offsetAt(byQuarter - 1000) === old) return byQuarter
    return this.#bisect(byQuarter - quarter, byQuarter, 1000, old)
  }

  /** The first multiple of `unit` behind `before` that does not show the old offset, when `after` does not either. */
  #bisect(before: number, after: number, unit: number, old: number): number {
    let [low, high] = [before / unit, after / unit]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#offsetAt(middle * unit) === old) low = middle
      else high = middle
    }
    return high * unit
  }

  #offsetAt(at: number): number {
    // "15, GMT+05:45"; plain "GMT" for none.
    const { sign, hours = '0', minutes = '0', seconds = '0' } = longOffset.exec(this.#format.format(at))?.groups ?? {}
    const size = (Number(hours) * 60 + Number(minutes)) * minute + Number(seconds) * 1000
    return sign === undefined || size === 0 ? 0 : sign === '+' ? size : -size
  }
}

function lookBefore(at: number): number {
  return Math.floor(Math.min(Math.max(at, firstLook), lastLook) / step)
}

const longOffset = /GMT(?<sign>[+\-\u2212])(?<hours>\d\d):(?<minutes>\d\d)(?::(?<seconds>\d\d))?/
