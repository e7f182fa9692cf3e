/**
 * What is known about a click besides its time and visitor, described once. Derived from this table: the parts of a click
 * (click.ts), the columns of both click logs and of click files, filters and reports with their CSV and OpenAPI, the
 * messages of single clicks, and the README of archives. CONTRIBUTING.md tells how to add one.
 */
import type { PlanFeature } from '../limits/plan.js'

/** What links and QR codes count: a visit, a scanned QR code, or a button on a page. */
export const engagementKinds = ['click', 'scan', 'button'] as const
/** Stored as their numbers in this order: append new ones. A `view` of a site counts in the reports of sites alone. */
export const visitKinds = [...engagementKinds, 'view'] as const
export const trafficClasses = ['human', 'bot', 'preview', 'prefetch', 'head'] as const

export type EngagementKind = (typeof engagementKinds)[number]
export type VisitKind = (typeof visitKinds)[number]

/** Only `human` counts as a click by default; the others are stored and reported separately. */
export type TrafficClass = (typeof trafficClasses)[number]

interface Description {
  /** The part of a click that it belongs to. Texts of one part are parsed, cached and stored together. */
  readonly part: 'click' | 'place' | 'agent' | 'referrer'
  /** Its name in click files, archives, ClickHouse and lists of single clicks. */
  readonly column: string
  readonly about: string
  /** All possible values; undefined: any text, empty where unknown. */
  readonly codes?: readonly string[]
  /** The version of the click logs' schema that added it; older clicks have an empty text. */
  readonly since?: number
  readonly example?: string
  /** The query parameter of reports that filters by it. */
  readonly filter?: string
  /** The report that splits by it, and the title of its column in CSV. */
  readonly report?: { readonly name: string; readonly title: string }
  /** The plan feature that its reports and filters need. */
  readonly feature?: PlanFeature
  /** Only this traffic has it: reports and filters by it count no other. */
  readonly traffic?: 'bots'
  /** Its key in messages of the stream. Live updates and lists of single clicks have it too. */
  readonly stream?: string
}

/** In the order of stored columns: append new ones to their part. */
export const dimensions = {
  address: {
    part: 'click',
    column: 'address',
    about: 'The address that was used: domain key, slash, back-half.',
  },
  groupGuid: { part: 'click', column: 'group_guid', about: 'The group of the link; empty for a global hash.' },
  destination: {
    part: 'click',
    column: 'destination',
    about: 'Where the visitor was sent.',
    example: 'https://example.com/page',
    filter: 'destination',
    report: { name: 'destinations', title: 'Destination' },
  },
  kind: {
    part: 'click',
    column: 'kind',
    about: '`click`, `scan` (of a QR code), `button` (on a page) or `view` (of a site).',
    codes: visitKinds,
  },
  trafficClass: {
    part: 'click',
    column: 'traffic_class',
    about: '`human`, `bot`, `preview`, `prefetch` or `head`.',
    example: 'human',
    codes: trafficClasses,
  },
  country: {
    part: 'place',
    column: 'country',
    about: 'Two letters; empty when unknown, as other texts.',
    example: 'FR',
    filter: 'country',
    report: { name: 'countries', title: 'Country' },
    stream: 'c',
  },
  region: {
    part: 'place',
    column: 'region',
    about: 'The region.',
    example: 'Auvergne-Rhône-Alpes',
    filter: 'region',
    stream: 'gr',
  },
  subregion: { part: 'place', column: 'subregion', about: 'The part of the region.' },
  city: {
    part: 'place',
    column: 'city',
    about: 'The city.',
    example: 'Lyon',
    filter: 'city',
    feature: 'cities',
    stream: 'cy',
  },
  device: {
    part: 'agent',
    column: 'device',
    about: 'The kind of device.',
    example: 'Mobile',
    filter: 'device',
    report: { name: 'devices', title: 'Device' },
    feature: 'devices',
    stream: 'device',
  },
  os: {
    part: 'agent',
    column: 'os',
    about: 'The operating system.',
    example: 'iOS',
    filter: 'os',
    report: { name: 'os', title: 'Operating system' },
    feature: 'devices',
    stream: 'os',
  },
  browser: {
    part: 'agent',
    column: 'browser',
    about: 'The browser.',
    example: 'Safari',
    filter: 'browser',
    report: { name: 'browsers', title: 'Browser' },
    feature: 'devices',
    stream: 'browser',
  },
  aiAgent: {
    part: 'agent',
    column: 'agent',
    about: 'The AI agent or assistant; empty for other traffic.',
    since: 3,
    example: 'GPTBot',
    filter: 'agent',
    report: { name: 'agents', title: 'Agent' },
    traffic: 'bots',
  },
  referrer: {
    part: 'referrer',
    column: 'referrer',
    about: 'The Referer header, or `direct`.',
    example: 'https://l.instagram.com/',
    stream: 'r',
  },
  referrerDomain: {
    part: 'referrer',
    column: 'referrer_domain',
    about: 'Its host name, or `direct`.',
    example: 'l.instagram.com',
    filter: 'referring_domain',
    report: { name: 'referring_domains', title: 'Domain' },
  },
  referrerName: {
    part: 'referrer',
    column: 'referrer_name',
    about: 'The name of the site, or `direct`.',
    example: 'Instagram',
    filter: 'referrer',
    report: { name: 'referrers', title: 'Referrer' },
  },
  referrerNetwork: {
    part: 'referrer',
    column: 'referrer_network',
    about: 'The network of the site, `other`, or `direct`.',
    example: 'instagram',
    filter: 'referring_network',
    report: { name: 'referring_networks', title: 'Network' },
    stream: 'referrer_network',
  },
  site: {
    part: 'referrer',
    column: 'site',
    about: 'The guid of the site whose button was used; empty for other visits.',
    since: 4,
    example: 'M3xYz12AbCd',
  },
} as const satisfies Readonly<Record<string, Description>>

export type Name = keyof typeof dimensions

/** The names of a part as an object of texts. */
export type TextsOf<Part extends Description['part']> = {
  readonly [Each in Name as (typeof dimensions)[Each]['part'] extends Part ? Each : never]: string
}

/** The same table with its name in each description, as a list. */
export const allDimensions: readonly (Description & { readonly name: Name })[] = Object.entries(dimensions).map(
  ([name, description]) => ({ name: name as Name, ...description }),
)

export function descriptionOf(name: Name): Description {
  return dimensions[name]
}

/** Parts whose texts are stored together, and the name of the table that has them. */
export const parts = { place: 'places', agent: 'agents', referrer: 'referrers' } as const
export type Part = keyof typeof parts

export function dimensionsOf(part: Description['part']): readonly (Description & { readonly name: Name })[] {
  return allDimensions.filter((dimension) => dimension.part === part)
}

/** Dimensions of single clicks in the stream, in live updates and in lists. */
export const listedDimensions = allDimensions.flatMap(({ stream, ...dimension }) =>
  stream === undefined ? [] : [{ ...dimension, stream }],
)

/** Dimensions that this version of the click logs' schema added. */
export function addedDimensions(version: number) {
  return allDimensions.flatMap(({ part, column, since }) =>
    part !== 'click' && since === version ? [{ part, column }] : [],
  )
}

/** The newest version, for a click log with this many migrations of its own. */
export function schemaVersion(written: number): number {
  return Math.max(written, ...allDimensions.map(({ since = 1 }) => since))
}
