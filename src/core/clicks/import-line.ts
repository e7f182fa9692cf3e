/**
 * One line of a file with clicks from elsewhere (docs/import.md): JSON in, a click or the reason why not out. It knows
 * what a line may say, not which links exist.
 */
import { isIP } from 'node:net'
import { isObject } from '../../lib/is-object.js'
import { parseTimestamp } from '../values/time.js'
import type { EngagementKind } from './click.js'
import type { Location } from './locate.js'

/** What a line says; empty where it says nothing. */
export interface LineClick {
  /** As written: `<domain>/<back-half>`. */
  readonly link: string
  readonly at: number
  readonly kind: EngagementKind
  /** How many clicks the line stands for; undefined: it is a single one. */
  readonly count: number | undefined
  readonly ip: string
  readonly userAgent: string
  readonly referrer: string
  /** Undefined: wherever the address is. */
  readonly place: Location | undefined
}

/** The click, or what is wrong with the line. What happened after `now` did not happen. */
export function readLine(text: string, now: number): LineClick | string {
  const said = parse(text)
  if (!said) return 'the line is not a JSON object'
  const { link, kind, count, ip, user_agent: userAgent, referrer, country, region, city } = said
  if (typeof link !== 'string') return 'link must be the id of a short link, <domain>/<back-half>'
  const at = typeof said.at === 'string' ? readMoment(said.at) : undefined
  if (at === undefined) return 'at must be a time such as 2026-01-31T23:59:59Z'
  if (at > now) return 'at lies in the future'
  if (!isKind(kind)) return 'kind must be click, scan or button'
  if (!isCount(count)) return `count must be a whole number from 1 to ${largestCount}`
  if (!isText(ip) || (typeof ip === 'string' && isIP(ip) === 0)) return 'ip must be an IP address'
  if (!isText(userAgent)) return 'user_agent must be text'
  if (!isText(referrer)) return 'referrer must be text'
  if (!isCountry(country)) return 'country must be two letters'
  if (!isName(region) || !isName(city)) return `region and city must be text of at most ${longestName} characters`
  return {
    link,
    at,
    kind: kind ?? 'click',
    count: count ?? undefined,
    ip: ip ?? '',
    userAgent: userAgent ?? '',
    referrer: referrer ?? '',
    place: saidPlace(country, region, city),
  }
}

/** Our choice: to the millisecond, as our own clicks are, where the file says so. */
function readMoment(written: string): number | undefined {
  // As most programs write it, which saves a tenth of the time of an import.
  const usual = Date.parse(written)
  if (usual >= 0) {
    const plain = new Date(usual).toISOString()
    if (written === plain || (written.length === 20 && written === `${plain.slice(0, 19)}Z`)) return usual
  }
  const moment = parseTimestamp(asDatabasesWrite.test(written) ? `${written.replace(' ', 'T')}Z` : written)
  return moment && moment.at + fraction(written)
}

/** `2026-02-01 08:15:00`: in UTC, as nothing else is said. */
const asDatabasesWrite = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/

const fractionAt = 'YYYY-MM-DDThh:mm:ss'.length

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

/** Our choice: more than any link was ever clicked, and either click log holds it exactly. */
const largestCount = 1_000_000_000

function isCount(value: unknown): value is number | null | undefined {
  return isAbsent(value) || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largestCount)
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null
}

function isText(value: unknown): value is string | null | undefined {
  return isAbsent(value) || typeof value === 'string'
}

function isCountry(value: unknown): value is string | null | undefined {
  return isAbsent(value) || (typeof value === 'string' && /^[A-Za-z]{2}$/.test(value))
}

// Our choice: longer than the name of any city, and nothing that reports could not show.
const longestName = 200

function isName(value: unknown): value is string | null | undefined {
  return isAbsent(value) || (typeof value === 'string' && value.length <= longestName && !/\p{Cc}/u.test(value))
}

/** What the file says about the place stands, whatever its address would say. */
function saidPlace(
  country: string | null | undefined,
  region: string | null | undefined,
  city: string | null | undefined,
): Location | undefined {
  if (isAbsent(country) && isAbsent(region) && isAbsent(city)) return undefined
  return { country: country?.toUpperCase() ?? '', region: region ?? '', subregion: '', city: city ?? '' }
}
