import type { Device } from '../values/device.js'

/** What the redirect path knows of a request and writes to the journal: raw strings, nothing parsed. */
export interface RawClick {
  readonly at: number
  readonly method: 'GET' | 'HEAD'
  readonly address: string
  /** Empty for a global hash, which has no link and no group of its own. */
  readonly linkId: string
  readonly groupGuid: string
  readonly destination: string
  /** `r=qr` in the query: a QR code was scanned. */
  readonly scan: boolean
  /** The peer's address, or the whole `X-Forwarded-For` value where a proxy is trusted. */
  readonly visitor: string
  readonly userAgent: string
  readonly referrer: string
  readonly language: string
  /** `Sec-Purpose` or `Purpose`: set by browsers that only fetch ahead. */
  readonly purpose: string
}

/** The kinds of engagement: a visit, a scanned code, a button on a page. */
export type EngagementKind = 'click' | 'scan' | 'button'

/** Who or what came. Only `human` counts as a click by default; the others are kept and reported apart. */
export type TrafficClass = 'human' | 'bot' | 'preview' | 'prefetch' | 'head'

/** A click as it is counted and passed on: enriched, and without the visitor's address. */
export interface Click {
  /** Journal id, row and position: the same click always has the same id. */
  readonly eventId: string
  readonly at: number
  readonly address: string
  readonly linkId: string
  readonly groupGuid: string
  readonly destination: string
  readonly kind: EngagementKind
  readonly trafficClass: TrafficClass
  /** Two letters, or empty when unknown; likewise below. */
  readonly country: string
  readonly region: string
  readonly subregion: string
  readonly city: string
  readonly device: Device
  readonly os: string
  readonly browser: string
  /** The referrer as sent, or `direct`. */
  readonly referrer: string
  /** Its host name (`l.instagram.com`), or `direct`. */
  readonly referrerDomain: string
  /** A readable name of the site (`Instagram`), or `direct`. */
  readonly referrerName: string
  /** The network it belongs to (`instagram`), `other`, or `direct`. */
  readonly referrerNetwork: string
  /** Salted daily hash of address and agent: counts unique visitors, cannot be turned back. */
  readonly visitorHash: bigint
  /** As sent, like the language below: the stream passes them on, the click log keeps neither. */
  readonly userAgent: string
  /** `Accept-Language`; empty when there was none. */
  readonly language: string
}
