/**
 * From what the redirect path noted to what reports count. A list of named steps fills in one click after the other;
 * a step that returns a reason drops the click, and every reason is counted. Nothing here knows where rows come from
 * or where clicks go (deliver.ts does), and nothing waits: a step is a plain function over strings, with a cache.
 */
import { classify, trafficClassOf } from './classify.js'
import type { RawClick, TrafficClass } from './click.js'
import type { JournalRow } from './journal.js'
import { type Geography, locate, placeOf } from './locate.js'
import { nameReferrer } from './name-referrer.js'
import { readAgent, readDevice } from './read-device.js'
import { remembered } from './remembered.js'
import type { Draft, DropReason, Step } from './step.js'
import { clientIp, type DailySalts, recogniseVisitor } from './visitor.js'

export interface PipelineDeps {
  readonly geography: Geography
  readonly salts: DailySalts
  /** How many proxies append to `X-Forwarded-For`; see visitor.ts. */
  readonly trustProxy: number
}

export interface Pipeline {
  /** The clicks of these rows, without the dropped ones. They are new, and the caller's to complete. */
  enrich(journalId: string, rows: readonly JournalRow[]): readonly Draft[]
  readonly dropped: ReadonlyMap<DropReason, number>
}

export function createPipeline(deps: PipelineDeps): Pipeline {
  // Shared by some steps each. Visitors and agents of one moment come more than once.
  const visitorOf = remembered(20_000, (forwarded) => {
    const address = clientIp(forwarded, deps.trustProxy)
    return { address, place: placeOf(deps.geography, address), seen: undefined }
  })
  const agentOf = remembered(10_000, (userAgent) => ({
    trafficClass: trafficClassOf(userAgent),
    ...readAgent(userAgent),
  }))
  const steps: readonly Step[] = [
    { name: 'check', run: checkShape },
    { name: 'classify', run: classify(agentOf) },
    { name: 'locate', run: locate(visitorOf) },
    { name: 'readDevice', run: readDevice(agentOf) },
    { name: 'nameReferrer', run: nameReferrer() },
    { name: 'recogniseVisitor', run: recogniseVisitor(visitorOf, agentOf, deps.salts) },
  ]
  const dropped = new Map<DropReason, number>()

  function enrich(journalId: string, rows: readonly JournalRow[]): readonly Draft[] {
    const clicks: Draft[] = []
    for (const { row, clicks: raws } of rows) {
      const stem = `${journalId}-${row}-`
      let position = 0
      for (const raw of raws) {
        const click = draftOf(raw, stem + position++)
        const reason = runSteps(steps, raw, click)
        if (reason === undefined) clicks.push(click)
        else dropped.set(reason, (dropped.get(reason) ?? 0) + 1)
      }
    }
    return clicks
  }

  return { enrich, dropped }
}

function runSteps(steps: readonly Step[], raw: RawClick, click: Draft): DropReason | undefined {
  for (const step of steps) {
    const reason = step.run(raw, click)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** All fields from the start: objects of one shape keep the steps and the click log fast. */
export function draftOf(raw: RawClick, eventId: string): Draft {
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
function checkShape(raw: RawClick): DropReason | undefined {
  const sound =
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
  return sound ? undefined : 'malformed'
}
