import { dimensions, type Name, type TrafficClass, type VisitKind } from './dimensions.js'
import type { Location } from './locate.js'
import type { Referrer } from './referrer.js'
import type { Agent } from './user-agent.js'

/** A click as the redirect path writes it to the journal: raw strings, nothing parsed. */
export interface RawClick {
  readonly at: number
  readonly method: 'GET' | 'HEAD'
  readonly address: string
  /** Empty for a global hash, which has no link and no group. */
  readonly linkId: string
  readonly groupGuid: string
  readonly destination: string
  readonly kind: VisitKind
  /** The guid of the site whose button was used; empty for other visits. */
  readonly site: string
  /** The peer's IP address, or the whole `X-Forwarded-For` value behind a trusted proxy. */
  readonly visitor: string
  readonly userAgent: string
  readonly referrer: string
  readonly language: string
  /** `Sec-Purpose` or `Purpose`: sent by browsers that prefetch. */
  readonly purpose: string
}

/** An enriched click, without the visitor's IP address. Clicks share the objects of their parts. */
export interface Click {
  /** Journal id, row and position: unique and stable. */
  readonly eventId: string
  readonly at: number
  readonly address: string
  readonly linkId: string
  readonly groupGuid: string
  readonly destination: string
  readonly kind: VisitKind
  readonly trafficClass: TrafficClass
  readonly place: Location
  readonly agent: Agent
  readonly referrer: Referrer
  /** Hash of IP address and user agent with a daily salt: counts unique visitors, cannot be reversed. */
  readonly visitorHash: bigint
  /** As sent, like the language below: only the stream uses them, the click log does not store them. */
  readonly userAgent: string
  /** `Accept-Language`; empty when there was none. */
  readonly language: string
}

/** The text of a click for one dimension. */
export function textOf(click: Click, name: Name): string {
  const { part } = dimensions[name]
  const texts = (part === 'click' ? click : click[part]) as Readonly<Partial<Record<Name, string>>>
  return texts[name] ?? ''
}
