import { Type } from 'typebox'
import { clickFields } from '../../../core/metrics/last-clicks.js'
import { named, shownAddress } from './fields.js'
import { Pagination } from './lists.js'
import { QrCode } from './qr-code.js'
import { ShortLink } from './short-link.js'

export const windowFields = {
  unit: Type.String({ description: 'As requested' }),
  units: Type.Integer({ description: 'As requested; -1 means all' }),
  unit_reference: Type.String({ description: 'The latest time of the window, in UTC' }),
}
const facetFields = { ...windowFields, facet: Type.String({ description: 'What the rows are' }) }
const date = Type.String({ description: 'Start of the unit, in UTC' })
const clicks = Type.Integer()
const scans = Type.Integer()

export const ClickSeries = Type.Object(
  { link_clicks: Type.Array(Type.Object({ date, clicks })), ...windowFields },
  { $id: 'ClickSeries' },
)
export const ClickSummary = Type.Object({ total_clicks: Type.Integer(), ...windowFields }, { $id: 'ClickSummary' })

const engagementCounts = Type.Object({
  lib_button_clicks: Type.Integer({ description: 'Clicks on buttons of link-in-bio pages' }),
  clicks,
  scans: Type.Integer(),
})
export const EngagementSeries = Type.Object(
  {
    engagements: Type.Array(Type.Object({ date, engagement_count: Type.Integer(), engagements: engagementCounts })),
    ...windowFields,
  },
  { $id: 'EngagementSeries' },
)
export const EngagementSummary = Type.Object(
  { total_engagements: Type.Integer(), engagements: engagementCounts, ...windowFields },
  { $id: 'EngagementSummary' },
)

export const OverTimeSeries = Type.Object(
  { data: Type.Array(Type.Object({ ts: date, count: Type.Integer() })), ...windowFields },
  { $id: 'OverTimeSeries' },
)

export const FacetedMetrics = Type.Object(
  {
    metrics: Type.Array(
      Type.Object({
        value: Type.String({ description: 'Empty if unknown; `direct` for no referrer' }),
        clicks,
      }),
    ),
    ...facetFields,
  },
  { $id: 'FacetedMetrics' },
)
export const DeviceMetrics = Type.Object(
  {
    metrics: Type.Array(
      Type.Object({ device_type: Type.String({ description: '`Desktop`, `Mobile`, `Tablet` or `Other`' }), clicks }),
    ),
    ...facetFields,
  },
  { $id: 'DeviceMetrics' },
)
export const place = {
  city: Type.String(),
  subregion: Type.String(),
  region: Type.String(),
  country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
}
export const CityMetrics = Type.Object(
  {
    metrics: Type.Array(Type.Object({ ...place, clicks })),
    other_metrics: Type.Object({
      other_city_clicks: Type.Integer({ description: 'Clicks in cities that are not listed' }),
      no_city_clicks: Type.Integer({ description: 'Clicks from unknown cities' }),
    }),
    ...facetFields,
  },
  { $id: 'CityMetrics' },
)
export const ReferrersByDomain = Type.Object(
  {
    referrers_by_domain: Type.Array(
      Type.Object({
        network: Type.String({ description: 'Name of the site, or its domain; `direct` for no referrer' }),
        // Additions to the public API.
        clicks: Type.Integer({ description: 'Clicks from all referrers of the site, listed or not' }),
        truncated: Type.Boolean({ description: 'The site has more referrers than are listed' }),
        referrers: Type.Array(
          Type.Object({ key: Type.String({ description: 'The referrer URL' }), value: Type.Integer() }),
        ),
      }),
    ),
    ...facetFields,
  },
  { $id: 'ReferrersByDomain' },
)

const id = shownAddress({ description: 'Id of one of the short links' })
const links = Type.Array(named(ShortLink, 'A short link'), { description: 'The ranked short links, in the same order' })
export const TopLinks = Type.Object(
  { links, sorted_links: Type.Array(Type.Object({ id, clicks })) },
  { $id: 'TopLinks' },
)

export const TopEngagements = Type.Object(
  {
    links,
    qr_codes: Type.Array(named(QrCode, 'A stand-alone QR code')),
    sorted_engagements: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of one of the short links or QR codes' }),
        engagements: Type.Integer(),
      }),
      { description: 'Short links and stand-alone QR codes in one ranking' },
    ),
  },
  { $id: 'TopEngagements' },
)

/** `codes/scans/top` returns one format or the other. */
export const TopScans = Type.Object(
  {
    links,
    sorted_links: Type.Optional(TopLinks.properties.sorted_links),
    qr_codes: Type.Optional(TopEngagements.properties.qr_codes),
    sorted_engagements: Type.Optional(TopEngagements.properties.sorted_engagements),
  },
  { $id: 'TopScans' },
)

export const ScanSeries = Type.Object(
  { scans: Type.Array(Type.Object({ date, scans })), ...windowFields },
  { $id: 'ScanSeries' },
)
export const ScanSummary = Type.Object({ total_scans: Type.Integer(), ...windowFields }, { $id: 'ScanSummary' })
export const ScanMetrics = Type.Object(
  {
    metrics: Type.Array(Type.Object({ value: Type.String({ description: 'Empty if unknown' }), scans })),
    ...facetFields,
  },
  { $id: 'ScanMetrics' },
)
export const ScanCities = Type.Object(
  {
    metrics: Type.Array(Type.Object({ ...place, scans })),
    other_metrics: Type.Object({
      other_city_scans: Type.Integer({ description: 'Scans in cities that are not listed' }),
      no_city_scans: Type.Integer({ description: 'Scans from unknown cities' }),
    }),
    ...facetFields,
  },
  { $id: 'ScanCities' },
)

const count = Type.Integer({ description: 'Engagements, or visitors' })
export const EngagementTotals = Type.Object(
  {
    engagements: Type.Integer({ description: 'Clicks, scans and button clicks' }),
    clicks,
    scans,
    button_clicks: Type.Integer({ description: 'Clicks on buttons of link-in-bio pages' }),
    visitors: Type.Integer({ description: 'Each visitor once per day' }),
    ...windowFields,
  },
  { $id: 'EngagementTotals' },
)
export const EngagementRows = Type.Object(
  {
    metrics: Type.Array(
      Type.Object({
        value: Type.String({
          description: 'As filters take it: a code, a name, a URL, an id or a guid; empty if unknown',
        }),
        name: Type.Optional(Type.String({ description: 'Title of a link, name of a channel' })),
        address: Type.Optional(
          Type.String({ description: 'What people share of a link: its newest back-half, or its id' }),
        ),
        destination: Type.Optional(Type.String({ description: 'Long URL of a link' })),
        region: Type.Optional(Type.String({ description: 'Of a city' })),
        country: Type.Optional(Type.String({ description: 'Of a city' })),
        count,
      }),
    ),
    ...windowFields,
  },
  { $id: 'EngagementRows' },
)

export const HoursOfWeek = Type.Object(
  {
    hours: Type.Array(
      Type.Object({
        weekday: Type.Integer({ description: 'From 1, Monday, to 7', examples: [2] }),
        hour: Type.Integer({ description: 'From 0 to 23', examples: [14] }),
        count,
      }),
    ),
    ...windowFields,
  },
  { $id: 'HoursOfWeek' },
)

export const LastEngagements = Type.Object(
  {
    engagements: Type.Array(
      Type.Object({
        clicked_at: Type.String({ description: 'To the millisecond (ISO 8601)' }),
        type: Type.String({ description: '`click`, `scan` or `button`' }),
        shortlink: Type.String({ description: 'The address that was used: `<domain>/<back-half>`' }),
        ...Object.fromEntries(
          clickFields.map(({ column, about, example }) => [
            column,
            Type.String({ description: about, ...(example !== undefined && { examples: [example] }) }),
          ]),
        ),
      }),
    ),
    pagination: Pagination,
    ...windowFields,
  },
  { $id: 'LastEngagements' },
)

export const metricSchemas = [
  HoursOfWeek,
  LastEngagements,
  EngagementTotals,
  EngagementRows,
  ClickSeries,
  ClickSummary,
  EngagementSeries,
  EngagementSummary,
  OverTimeSeries,
  FacetedMetrics,
  DeviceMetrics,
  CityMetrics,
  ReferrersByDomain,
  TopLinks,
  TopEngagements,
  TopScans,
  ScanSeries,
  ScanSummary,
  ScanMetrics,
  ScanCities,
]
