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

/** Our choice: to the millisecond, as our own clicks are, where the file says so. */
function momentOf(written: unknown): number | undefined {
  const moment = typeof written === 'string' ? parseTimestamp(written) : undefined
  if (!moment || typeof written !== 'string') return undefined
  const fraction = written[secondsLength] === '.' ? written.slice(secondsLength + 1, secondsLength + 4) : ''
  return moment.at + Number((/^\d+/.exec(fraction)?.[0] ?? '').padEnd(3, '0'))
}

const secondsLength = 'YYYY-MM-DDThh:mm:ss'.length

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
