/**
 * Enriches raw clicks from the journal, step by step. Results for repeated strings of requests are cached. Fully
 * synchronous; does not know where rows come from or where clicks go (deliver.ts does).
 */
import { remembered } from '../../lib/recent-map.js'
import type { Click, RawClick } from './click.js'
import type { TrafficClass } from './dimensions.js'
import type { JournalRow } from './journal.js'
import { type Geography, type Location, locationOf } from './locate.js'
import { readReferrer, withSite } from './referrer.js'
import { type Agent, readAgent, trafficClassOf } from './user-agent.js'
import { clientIp, type DailySalts, dayLength, visitorHash } from './visitor.js'

export interface PipelineDeps {
  readonly geography: Geography
  readonly salts: DailySalts
  /** How many proxies append to `X-Forwarded-For`; see visitor.ts. */
  readonly trustProxy: number
}

export interface Pipeline {
  /** The enriched clicks of these rows, without malformed ones. */
  enrich(journalId: string, rows: readonly JournalRow[]): readonly Click[]
  readonly dropped: ReadonlyMap<DropReason, number>
}

type DropReason = 'malformed'

export function createPipeline({ geography, salts, trustProxy }: PipelineDeps): Pipeline {
  const visitorOf = remembered(20_000, (forwarded) => {
    const address = clientIp(forwarded, trustProxy)
    const visitor: Visitor = { address, location: locationOf(geography, address), lastHash: undefined }
    return visitor
  })
  const agentOf = remembered(10_000, (userAgent) => ({
    trafficClass: trafficClassOf(userAgent),
    ...readAgent(userAgent),
  }))
  const referrerOf = remembered(40_000, readReferrer)
  const buttonOf = remembered(10_000, (key) => {
    const end = key.indexOf(' ')
    return withSite(referrerOf(key.slice(end + 1)), key.slice(0, end))
  })

  const dropped = new Map<DropReason, number>()

  function enrich(journalId: string, rows: readonly JournalRow[]): readonly Click[] {
    const clicks: Click[] = []
    for (const { row, clicks: raws } of rows) {
      const idPrefix = `${journalId}-${row}-`
      let position = 0
      for (const raw of raws) {
        const eventId = idPrefix + position++
        if (isValid(raw)) clicks.push(enrichClick(raw, eventId))
        else dropped.set('malformed', (dropped.get('malformed') ?? 0) + 1)
      }
    }
    return clicks
  }

  /** Sets all fields at once: objects of one shape keep the click log fast. */
  function enrichClick(raw: RawClick, eventId: string): Click {
    const visitor = visitorOf(raw.visitor)
    const agent = agentOf(raw.userAgent)
    return {
      eventId,
      at: raw.at,
      address: raw.address,
      linkId: raw.linkId,
      groupGuid: raw.groupGuid,
      destination: raw.destination,
      kind: raw.kind,
      trafficClass: classOf(raw, agent.trafficClass),
      place: visitor.location,
      agent,
      referrer: raw.site === '' ? referrerOf(raw.referrer) : buttonOf(`${raw.site} ${raw.referrer}`),
      visitorHash: hashOf(raw, visitor, agent, salts),
      userAgent: raw.userAgent,
      language: raw.language,
    }
  }

  return { enrich, dropped }
}

function classOf({ method, purpose }: RawClick, agentClass: TrafficClass): TrafficClass {
  if (method === 'HEAD') return 'head'
  return purpose !== '' && prefetchPurpose.test(purpose) ? 'prefetch' : agentClass
}

/** `Sec-Purpose: prefetch;prerender`, and the older `Purpose: prefetch` and `preview`. */
const prefetchPurpose = /prefetch|prerender|preview/i

/** Compares agents by identity: the cache returns the same object for the same string. */
function hashOf({ at, userAgent }: RawClick, visitor: Visitor, agent: Agent, salts: DailySalts): bigint {
  // Use the day of the click: clicks delivered after midnight still belong to the day before.
  const day = Math.floor(at / dayLength)
  if (visitor.lastHash?.day !== day || visitor.lastHash.agent !== agent) {
    visitor.lastHash = { day, agent, hash: visitorHash(salts.of(day), visitor.address, userAgent) }
  }
  return visitor.lastHash.hash
}

/** Cached per IP address. */
interface Visitor {
  readonly address: string
  readonly location: Location
  /** The last hash: most repeated visits are on the same day with the same user agent. */
  lastHash: { readonly day: number; readonly agent: Agent; readonly hash: bigint } | undefined
}

/** The largest time value of a `Date`. */
const maxTime = 8_640_000_000_000_000

/** A row of a foreign or damaged journal must not block later rows. Unrolled, because a loop takes ten times as long. */
function isValid(raw: RawClick): boolean {
  return (
    Number.isInteger(raw.at) &&
    Math.abs(raw.at) <= maxTime &&
    typeof raw.address === 'string' &&
    raw.address !== '' &&
    typeof raw.linkId === 'string' &&
    typeof raw.groupGuid === 'string' &&
    typeof raw.destination === 'string' &&
    typeof raw.visitor === 'string' &&
    typeof raw.userAgent === 'string' &&
    typeof raw.referrer === 'string' &&
    typeof raw.language === 'string' &&
    typeof raw.purpose === 'string'
  )
}
