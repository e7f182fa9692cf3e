/**
 * A line's time out of its bytes, in the forms that programs write it in: `2026-01-31T23:59:59Z`, with or without
 * milliseconds, and `2026-01-31 23:59:59`. A date is worked out once, and after that only the time of day is.
 */
import { readMoment } from './import-line.js'

export class Moments {
  /** When known dates begin, by their digits read as one number. */
  readonly #midnights = new Map<number, number>()

  /** Undefined for what is no time, or in none of the usual forms. */
  read(data: Uint8Array, from: number, to: number): number | undefined {
    const length = to - from
    if (length !== plain && length !== withMilliseconds && length !== withoutZone) return undefined
    const [hours, minutes, seconds] = [two(data, from + 11), two(data, from + 14), two(data, from + 17)]
    const thousandths = length === withMilliseconds ? 10 * two(data, from + 20) + digit(data, from + 22) : 0
    if (!(hours < 24 && minutes < 60 && seconds < 60 && thousandths < 1000)) return undefined
    if (data[from + 13] !== colon || data[from + 16] !== colon) return undefined
    if (length === withoutZone ? data[from + 10] !== blank : data[to - 1] !== letterZ || data[from + 10] !== letterT) {
      return undefined
    }
    if (length === withMilliseconds && data[from + 19] !== dot) return undefined
    const midnight = this.#midnight(data, from)
    if (midnight === undefined) return undefined
    return midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000 + thousandths
  }

  #midnight(data: Uint8Array, from: number): number | undefined {
    if (data[from + 4] !== dash || data[from + 7] !== dash) return undefined
    const date =
      1_000_000 * two(data, from) + 10_000 * two(data, from + 2) + 100 * two(data, from + 5) + two(data, from + 8)
    const known = this.#midnights.get(date)
    if (known !== undefined) return known
    const fresh = readMoment(`${String.fromCharCode(...data.subarray(from, from + 10))}T00:00:00Z`)
    if (fresh === undefined) return undefined
    // A file may hold days without end.
    if (this.#midnights.size >= 10_000) this.#midnights.clear()
    this.#midnights.set(date, fresh)
    return fresh
  }
}

const withoutZone = 'YYYY-MM-DD hh:mm:ss'.length
const plain = 'YYYY-MM-DDThh:mm:ssZ'.length
const withMilliseconds = 'YYYY-MM-DDThh:mm:ss.fffZ'.length
const blank = 0x20
const dash = 0x2d
const dot = 0x2e
const colon = 0x3a
const letterT = 0x54
const letterZ = 0x5a

/** Not a number where there is no digit, which no comparison lets pass. */
function digit(data: Uint8Array, at: number): number {
  const value = (data[at] ?? 0) - 0x30
  return value >= 0 && value <= 9 ? value : Number.NaN
}

function two(data: Uint8Array, at: number): number {
  return 10 * digit(data, at) + digit(data, at + 1)
}
