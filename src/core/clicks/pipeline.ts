/**
 * From what the redirect path noted to what reports count: named steps fill in one click after the other. What a step
 * says about a text of the request is worked out once and remembered. Nothing here waits, or knows where rows come from
 * and where clicks go (deliver.ts does).
 */
import { remembered } from '../../lib/recent-map.js'
import type { Click, RawClick, TrafficClass } from './click.js'
import type { JournalRow } from './journal.js'
import { type Geography, type Place, placeOf } from './locate.js'
import { type Referrer, readReferrer } from './name-referrer.js'
import { type Agent, readAgent, trafficClassOf } from './user-agent.js'
import { clientIp, type DailySalts, dayLength, visitorHash } from './visitor.js'

export interface PipelineDeps {
  readonly geography: Geography
  readonly salts: DailySalts
  /** How many proxies append to `X-Forwarded-For`; see visitor.ts. */
  readonly trustProxy: number
}

export interface Pipeline {
  /** The clicks of these rows, without the dropped ones. */
  enrich(journalId: string, rows: readonly JournalRow[]): readonly Click[]
  readonly dropped: ReadonlyMap<DropReason, number>
}

type DropReason = 'malformed'

/** A click while the steps fill it in. */
type Draft = { -readonly [K in keyof Click]: Click[K] }

export function createPipeline({ geography, salts, trustProxy }: PipelineDeps): Pipeline {
  const visitorOf = remembered(20_000, (forwarded) => {
    const address = clientIp(forwarded, trustProxy)
    const visitor: Visitor = { address, place: placeOf(geography, address), seen: undefined }
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
      const stem = `${journalId}-${row}-`
      let position = 0
      for (const raw of raws) {
        const eventId = stem + position++
        if (isSound(raw)) clicks.push(filledIn(raw, eventId))
        else dropped.set('malformed', (dropped.get('malformed') ?? 0) + 1)
      }
    }
    return clicks
  }

  function filledIn(raw: RawClick, eventId: string): Click {
    const visitor = visitorOf(raw.visitor)
    const agent = agentOf(raw.userAgent)
    const click = draftOf(raw, eventId)
    classify(click, raw, agent.trafficClass)
    locate(click, visitor.place)
    readDevice(click, agent)
    nameReferrer(click, referrerOf(raw.referrer))
    recogniseVisitor(click, visitor, agent, salts)
    return click
  }

  return { enrich, dropped }
}

function classify(click: Draft, { method, purpose }: RawClick, ofAgent: TrafficClass): void {
  if (method === 'HEAD') click.trafficClass = 'head'
  else if (purpose !== '' && fetchesAhead.test(purpose)) click.trafficClass = 'prefetch'
  else click.trafficClass = ofAgent
}

/** `Sec-Purpose: prefetch;prerender`, and the older `Purpose: prefetch` and `preview`. */
const fetchesAhead = /prefetch|prerender|preview/i

function locate(click: Draft, place: Place): void {
  click.country = place.country
  click.region = place.region
  click.subregion = place.subregion
  click.city = place.city
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

/** Agents are the same object where they are the same text. */
function recogniseVisitor(click: Draft, visitor: Visitor, agent: Agent, salts: DailySalts): void {
  // The click's own day: what is drained after midnight still belongs to yesterday.
  const day = Math.floor(click.at / dayLength)
  if (visitor.seen?.day !== day || visitor.seen.agent !== agent) {
    visitor.seen = { day, agent, hash: visitorHash(salts.of(day), visitor.address, click.userAgent) }
  }
  click.visitorHash = visitor.seen.hash
}

/** What is remembered of an address. */
interface Visitor {
  readonly address: string
  readonly place: Place
  /** The last hash it was given: most who come again do so on the same day with the same agent. */
  seen: { readonly day: number; readonly agent: Agent; readonly hash: bigint } | undefined
}

/** All fields from the start: objects of one shape keep the steps and the click log fast. */
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

/** The farthest a `Date` reaches from 1970. */
const lastMoment = 8_640_000_000_000_000

/** A row of a foreign or damaged journal must not stop the rows behind it. Written out: a loop takes ten times as long. */
function isSound(raw: RawClick): boolean {
  return (
    Number.isInteger(raw.at) &&
    Math.abs(raw.at) <= lastMoment &&
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
