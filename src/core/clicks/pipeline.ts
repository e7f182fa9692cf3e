/**
 * Enriches raw clicks from the journal, step by step. Results for repeated strings of requests are cached. Fully
 * synchronous; does not know where rows come from or where clicks go (deliver.ts does).
 */
import { remembered } from '../../lib/recent-map.js'
import type { Click, RawClick, TrafficClass } from './click.js'
import type { JournalRow } from './journal.js'
import { type Geography, type Location, locationOf } from './locate.js'
import { type Referrer, readReferrer } from './referrer.js'
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

/** A click that is being filled in. */
type Draft = { -readonly [K in keyof Click]: Click[K] }

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

  function enrichClick(raw: RawClick, eventId: string): Click {
    const visitor = visitorOf(raw.visitor)
    const agent = agentOf(raw.userAgent)
    const click = draftOf(raw, eventId)
    classify(click, raw, agent.trafficClass)
    locate(click, visitor.location)
    readDevice(click, agent)
    nameReferrer(click, referrerOf(raw.referrer))
    recogniseVisitor(click, visitor, agent, salts)
    return click
  }

  return { enrich, dropped }
}

function classify(click: Draft, { method, purpose }: RawClick, agentClass: TrafficClass): void {
  if (method === 'HEAD') click.trafficClass = 'head'
  else if (purpose !== '' && prefetchPurpose.test(purpose)) click.trafficClass = 'prefetch'
  else click.trafficClass = agentClass
}

/** `Sec-Purpose: prefetch;prerender`, and the older `Purpose: prefetch` and `preview`. */
const prefetchPurpose = /prefetch|prerender|preview/i

function locate(click: Draft, location: Location): void {
  click.country = location.country
  click.region = location.region
  click.subregion = location.subregion
  click.city = location.city
}

function readDevice(click: Draft, agent: Agent): void {
  click.device = agent.device
  click.os = agent.os
  click.browser = agent.browser
}

function nameReferrer(click: Draft, referrer: Referrer): void {
  click.referrer = referrer.raw
  click.referrerDomain = referrer.domain
  click.referrerName = referrer.name
  click.referrerNetwork = referrer.network
}

/** Compares agents by identity: the cache returns the same object for the same string. */
function recogniseVisitor(click: Draft, visitor: Visitor, agent: Agent, salts: DailySalts): void {
  // Use the day of the click: clicks delivered after midnight still belong to the day before.
  const day = Math.floor(click.at / dayLength)
  if (visitor.lastHash?.day !== day || visitor.lastHash.agent !== agent) {
    visitor.lastHash = { day, agent, hash: visitorHash(salts.of(day), visitor.address, click.userAgent) }
  }
  click.visitorHash = visitor.lastHash.hash
}

/** Cached per IP address. */
interface Visitor {
  readonly address: string
  readonly location: Location
  /** The last hash: most repeated visits are on the same day with the same user agent. */
  lastHash: { readonly day: number; readonly agent: Agent; readonly hash: bigint } | undefined
}

/** Sets all fields at once: objects of one shape keep the steps and the click log fast. */
function draftOf(raw: RawClick, eventId: string): Draft {
  return {
    eventId,
    at: raw.at,
    address: raw.address,
    linkId: raw.linkId,
    groupGuid: raw.groupGuid,
    destination: raw.destination,
    kind: raw.scan ? 'scan' : 'click',
    trafficClass: 'human' satisfies TrafficClass,
    country: '',
    region: '',
    subregion: '',
    city: '',
    device: 'Other',
    os: '',
    browser: '',
    referrer: '',
    referrerDomain: '',
    referrerName: '',
    referrerNetwork: '',
    visitorHash: 0n,
    userAgent: raw.userAgent,
    language: raw.language,
  }
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
