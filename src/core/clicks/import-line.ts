/**
 * One line of a file with clicks from elsewhere (docs/import.md): JSON in, a click or the reason why not out. It knows
 * what a line may say, not which links exist. Called a hundred thousand times a second.
 */
import { isIP } from 'node:net'
import { isObject } from '../../lib/is-object.js'
import { parseTimestamp } from '../timestamp.js'
import type { EngagementKind, RawClick } from './click.js'
import type { Place } from './locate.js'

/**
 * What a request would have told, and what only a line can tell. One object from the line to the pipeline: where the link
 * leads is filled in once it is found.
 */
export interface LineClick extends Writable<RawClick> {
  readonly line: number
  /** As written: `<domain>/<back-half>`. */
  readonly link: string
  readonly kind: EngagementKind
  /** Undefined: wherever the address is. */
  readonly place: Place | undefined
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

export class LineReader {
  readonly #now: number
  /** Only a shortcut: whatever stands here, lines are read the same. */
  #lastDate = { text: '', midnight: 0 }

  /** What happened after `now` did not happen. */
  constructor(now: number) {
    this.#now = now
  }

  /** The click, or what is wrong with the line. */
  read(text: string, line: number): LineClick | string {
    const said = parse(text)
    if (!said) return 'the line is not a JSON object'
    const { link, kind, ip, user_agent: userAgent, referrer, country, region, city } = said
    if (typeof link !== 'string') return 'link must be the id of a short link, <domain>/<back-half>'
    const at = typeof said.at === 'string' ? this.#moment(said.at) : undefined
    if (at === undefined) return 'at must be a time such as 2026-01-31T23:59:59Z'
    if (at > this.#now) return 'at lies in the future'
    if (!isKind(kind)) return 'kind must be click, scan or button'
    if (!isText(ip) || (typeof ip === 'string' && isIP(ip) === 0)) return 'ip must be an IP address'
    if (!isText(userAgent)) return 'user_agent must be text'
    if (!isText(referrer)) return 'referrer must be text'
    if (!isText(country) || (typeof country === 'string' && !/^[A-Za-z]{2}$/.test(country))) {
      return 'country must be two letters'
    }
    if (!isName(region) || !isName(city)) return `region and city must be text of at most ${longestName} characters`
    return {
      at,
      method: 'GET',
      address: '',
      linkId: '',
      groupGuid: '',
      destination: '',
      scan: kind === 'scan',
      visitor: ip ?? '',
      userAgent: userAgent ?? '',
      referrer: referrer ?? '',
      language: '',
      purpose: '',
      line,
      link,
      kind: kind ?? 'click',
      place: placeOf(country, region, city),
    }
  }

  /**
   * Our choice: to the millisecond, as our own clicks are, where the file says so. Files have long runs of one date, so
   * that mostly only the time of day is worked out: four times as fast.
   */
  #moment(written: string): number | undefined {
    const date = written.slice(0, timeAt)
    if (date === this.#lastDate.text && timeOfDay.test(written)) return this.#lastDate.midnight + milliseconds(written)
    const moment = parseTimestamp(written)
    if (!moment) return undefined
    if (moment.offsetMinutes === 0) this.#lastDate = { text: date, midnight: moment.at - (moment.at % dayLength) }
    return moment.at + fraction(written)
  }
}

const timeAt = 'YYYY-MM-DDT'.length
const fractionAt = 'YYYY-MM-DDThh:mm:ss'.length
const timeOfDay = /T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/
const dayLength = 86_400_000

function milliseconds(written: string): number {
  const two = (at: number) => (written.charCodeAt(at) - 48) * 10 + written.charCodeAt(at + 1) - 48
  return ((two(timeAt) * 60 + two(timeAt + 3)) * 60 + two(timeAt + 6)) * 1000 + fraction(written)
}

function fraction(written: string): number {
  if (written[fractionAt] !== '.') return 0
  return Math.floor(Number.parseFloat(written.slice(fractionAt, fractionAt + 4)) * 1000 + 0.5)
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const kinds: ReadonlySet<unknown> = new Set<EngagementKind>(['click', 'scan', 'button'])

function isKind(value: unknown): value is EngagementKind | null | undefined {
  return isAbsent(value) || kinds.has(value)
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function isText(value: unknown): value is string | null | undefined {
  return isAbsent(value) || typeof value === 'string'
}

// Our choice: longer than the name of any city, and nothing that reports could not show.
const longestName = 200

function isName(value: unknown): value is string | null | undefined {
  return isAbsent(value) || (typeof value === 'string' && value.length <= longestName && !/\p{Cc}/u.test(value))
}

/** What the file says about the place stands, whatever its address would say. */
function placeOf(
  country: string | null | undefined,
  region: string | null | undefined,
  city: string | null | undefined,
): Place | undefined {
  if (isAbsent(country) && isAbsent(region) && isAbsent(city)) return undefined
  return { country: country?.toUpperCase() ?? '', region: region ?? '', subregion: '', city: city ?? '' }
}
