/** Answers of the reports of sites. */
import { Type } from 'typebox'
import { blockTypes } from '../../../core/sites/site.js'
import { apiUrl } from '../../http/link-names.js'
import { moment, shownAddress } from './fields.js'
import { place, windowFields } from './metrics.js'

const count = (description: string) => Type.Integer({ description })
const views = count('Views, or visitors')
const clicks = count('What the operation counts: views, clicks or downloads')
const facet = Type.String({ description: 'What the rows are' })
const unknown = 'Empty if unknown; `direct` for no referrer'

export const SiteViews = Type.Object(
  {
    site_views: Type.Array(
      Type.Object({
        views,
        value: Type.String({ description: `Start of the unit, in UTC, or what is viewed by. ${unknown}` }),
      }),
    ),
    facet,
    ...windowFields,
  },
  { $id: 'SiteViews' },
)

export const SiteViewsSummary = Type.Object(
  { total_views: Type.Integer(), ...windowFields },
  { $id: 'SiteViewsSummary' },
)

const { city: _, ...otherPlaces } = place

export const SiteCityViews = Type.Object(
  {
    site_views: Type.Array(Type.Object({ views, value: Type.String({ description: 'The city' }), ...otherPlaces })),
    other_metrics: Type.Object({
      other_city_views: count('Views in cities that are not listed'),
      no_city_views: count('Views from unknown cities'),
    }),
    facet,
    ...windowFields,
  },
  { $id: 'SiteCityViews' },
)

export const SiteLinkPerformance = Type.Object(
  {
    total: count('Clicks on all of the links, listed or not'),
    link_clicks: Type.Array(
      Type.Object({
        clicks: count('Clicks on the site'),
        title: Type.String({ description: 'Title of the link; empty if it has none' }),
        is_active: Type.Boolean({ description: 'On the page that visitors see, and not deleted' }),
        long_url: Type.String(),
        type: Type.Enum([...blockTypes], { type: 'string', description: 'Of the block that has or had it' }),
        shortlink_id: shownAddress({ description: 'Id of the link' }),
        domain: Type.String(),
        keyword: Type.String({ description: 'The newest custom back-half; the hash if there is none' }),
      }),
    ),
    performance_start: moment('2026-11-01T00:00:00+0000'),
    performance_end: moment('2026-11-08T00:00:00+0000'),
    page: Type.Object({
      prev: Type.String({
        ...apiUrl,
        description: 'URL of the previous page; empty on the first page',
        examples: [''],
      }),
      next: Type.String({ ...apiUrl, description: 'URL of the next page; empty on the last page' }),
      page: Type.Integer({ description: 'From 1' }),
      total: count('Number of links'),
      size: Type.Integer({ description: 'As requested' }),
    }),
    ...windowFields,
  },
  { $id: 'SiteLinkPerformance' },
)

const info = Type.String({ description: 'What was counted, for people', examples: ['Views of 2 sites'] })

export const SitesOverview = Type.Object(
  { views: Type.Integer(), clicks: Type.Integer(), info },
  { $id: 'SitesOverview' },
)

export const SitesSeries = Type.Object(
  {
    clicks: Type.Array(
      Type.Object({ date: Type.Integer({ description: 'Start of the unit, in epoch seconds' }), clicks }),
    ),
    info,
    ...windowFields,
  },
  { $id: 'SitesSeries' },
)

export const SitesFacet = Type.Object(
  {
    totals_for_time_period: Type.Array(Type.Object({ value: Type.String({ description: unknown }), clicks })),
    facet,
    info,
    ...windowFields,
  },
  { $id: 'SitesFacet' },
)

export const SitesCities = Type.Object(
  { totals_for_time_period: Type.Array(Type.Object({ ...place, clicks })), facet, info, ...windowFields },
  { $id: 'SitesCities' },
)

const microsite_guid = Type.String({ description: 'Guid of the site', examples: ['M3xYz12AbCd'] })

export const SortedButtons = Type.Object(
  {
    info,
    sorted_buttons: Type.Array(
      Type.Object({ id: Type.String({ description: 'Id of one of the buttons' }), clicks: Type.Integer() }),
      { description: 'Most clicked first' },
    ),
    buttons: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the block; of the link, if it is on the page no longer' }),
        button_type: Type.Enum([...blockTypes], { type: 'string', description: 'Type of the block' }),
        title: Type.String({ description: 'Of the block, or of the link; its long URL if there is none' }),
        microsite_guid,
      }),
      { description: 'In the same order' },
    ),
    page_views: Type.Array(
      Type.Object({
        microsite_guid,
        uri: Type.String({ description: '`<domain>/<path>`', examples: ['go.example.com/m/bakery'] }),
        views: Type.Integer(),
      }),
      { description: 'Of each of the sites' },
    ),
  },
  { $id: 'SortedButtons' },
)

export const siteMetricSchemas = [
  SiteViews,
  SiteViewsSummary,
  SiteCityViews,
  SiteLinkPerformance,
  SitesOverview,
  SitesSeries,
  SitesFacet,
  SitesCities,
  SortedButtons,
]
