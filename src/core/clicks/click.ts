import type { Device } from '../links/choose-destination.js'

/** A click as the redirect path writes it to the journal: raw strings, nothing parsed. */
export interface RawClick {
  readonly at: number
  readonly method: 'GET' | 'HEAD'
  readonly address: string
  /** Empty for a global hash, which has no link and no group. */
  readonly linkId: string
  readonly groupGuid: string
  readonly destination: string
  /** `r=qr` in the query: a scanned QR code. */
  readonly scan: boolean
  /** The peer's IP address, or the whole `X-Forwarded-For` value behind a trusted proxy. */
  readonly visitor: string
  readonly userAgent: string
  readonly referrer: string
  readonly language: string
  /** `Sec-Purpose` or `Purpose`: sent by browsers that prefetch. */
  readonly purpose: string
}

/** A visit, a scanned QR code, or a button on a page. */
export type EngagementKind = 'click' | 'scan' | 'button'

/** Only `human` counts as a click by default; the others are stored and reported separately. */
export type TrafficClass = 'human' | 'bot' | 'preview' | 'prefetch' | 'head'

/** An enriched click, without the visitor's IP address. */
export interface Click {
  /** Journal id, row and position: unique and stable. */
  readonly eventId: string
  readonly at: number
  readonly address: string
  readonly linkId: string
  readonly groupGuid: string
  readonly destination: string
  readonly kind: EngagementKind
  readonly trafficClass: TrafficClass
  /** Two letters; empty when unknown, like the fields below. */
  readonly country: string
  readonly region: string
  readonly subregion: string
  readonly city: string
  readonly device: Device
  readonly os: string
  readonly browser: string
  /** The Referer header as sent, or `direct`. */
  readonly referrer: string
  /** Its host name (`l.instagram.com`), or `direct`. */
  readonly referrerDomain: string
  /** A readable name of the site (`Instagram`), or `direct`. */
  readonly referrerName: string
  /** The network of the site (`instagram`), `other`, or `direct`. */
  readonly referrerNetwork: string
  /** Hash of IP address and user agent with a daily salt: counts unique visitors, cannot be reversed. */
  readonly visitorHash: bigint
  /** As sent, like the language below: only the stream uses them, the click log does not store them. */
  readonly userAgent: string
  /** `Accept-Language`; empty when there was none. */
  readonly language: string
}
