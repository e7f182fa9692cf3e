/**
 * One line of a file with clicks from elsewhere (docs/import.md): JSON in, a click or the reason why not out. It knows
 * what a line may say, not which links exist. Called a hundred thousand times a second.
 */
import { isIP } from 'node:net'
import { isObject } from '../../lib/is-object.js'
import { parseTimestamp } from '../timestamp.js'
import type { EngagementKind } from './click.js'
import type { Place } from './locate.js'

export interface LineClick {
  /** As written: `<domain>/<back-half>`. */
  readonly link: string
  readonly at: number
  readonly kind: EngagementKind
  /** Empty when the file does not say. */
  readonly ip: string
  readonly userAgent: string
  readonly referrer: string
  /** Undefined: wherever the address is. */
  readonly place: Place | undefined
}

/** The click, or what is wrong with the line. */
export function readLine(text: string, now: number): LineClick | string {
  const line = parse(text)
  if (!line) return 'the line is not a JSON object'
  const { link, kind, ip, user_agent: userAgent, referrer, country, region, city } = line
  if (typeof link !== 'string') return 'link must be the id of a short link, <domain>/<back-half>'
  const at = momentOf(line.at)
  if (at === undefined) return 'at must be a time such as 2026-01-31T23:59:59Z'
  if (at > now) return 'at lies in the future'
  if (!isKind(kind)) return 'kind must be click, scan or button'
  if (!isAbsent(ip) && (typeof ip !== 'string' || isIP(ip) === 0)) return 'ip must be an IP address'
  if (!isText(userAgent)) return 'user_agent must be text'
  if (!isText(referrer)) return 'referrer must be text'
  if (!isAbsent(country) && !(typeof country === 'string' && /^[A-Za-z]{2}$/.test(country))) {
    return 'country must be two letters'
  }
  if (!isName(region) || !isName(city)) return `region and city must be text of at most ${longestName} characters`
  return {
    link,
    at,
    kind: kind ?? 'click',
    ip: ip ?? '',
    userAgent: userAgent ?? '',
    referrer: referrer ?? '',
    place: placeOf(country, region, city),
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Our choice: to the millisecond, as our own clicks are, where the file says so. Files have long runs of one date, so that
 * only the time of day is worked out anew, and only for what is written in UTC: four times as fast.
 */
function momentOf(written: unknown): number | undefined {
  if (typeof written !== 'string') return undefined
  const date = written.slice(0, timeAt)
  const time = date === lastDate.text && plainTime.test(written.slice(timeAt)) ? timeOf(written) : undefined
  if (time !== undefined) return lastDate.at + time
  const moment = parseTimestamp(written)
  if (!moment) return undefined
  if (moment.offsetMinutes === 0) lastDate = { text: date, at: moment.at - (moment.at % dayLength) }
  return moment.at + fractionOf(written)
}

const timeAt = 'YYYY-MM-DD'.length
const fractionAt = 'YYYY-MM-DDThh:mm:ss'.length
const plainTime = /^T\d\d:\d\d:\d\d(?:\.\d{3})?Z$/
const dayLength = 86_400_000
/** Only a shortcut: whatever stands here, lines are read the same. */
let lastDate = { text: '', at: 0 }

/** Undefined for times that no day has. */
function timeOf(written: string): number | undefined {
  const digits = (at: number) => (written.charCodeAt(at) - 48) * 10 + written.charCodeAt(at + 1) - 48
  const [hours, minutes, seconds] = [digits(timeAt + 1), digits(timeAt + 4), digits(timeAt + 7)]
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + fractionOf(written)
}

function fractionOf(written: string): number {
  if (written[fractionAt] !== '.') return 0
  const digits = /^\d{1,3}/.exec(written.slice(fractionAt + 1))?.[0] ?? ''
  return Number(digits.padEnd(3, '0'))
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
