/** Metrics of all links and QR codes of a group. */
import { Type } from 'typebox'
import { linkFilter } from '../../core/metrics/filters.js'
import { allKinds, type GroupSubject, groupSubject } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import {
  cities,
  devices,
  faceted,
  overTime,
  sortedEngagements,
  sortedLinks,
  type TopDeps,
  topLinks,
  topScans,
} from './metric-answers.js'
import { type Operation, runMetric, schemaOf } from './metric-operation.js'
import { route } from './route.js'
import { GroupPath } from './schemas/accounts.js'

export interface GroupMetricDeps extends TopDeps {
  readonly clock: Clock
}

interface GroupOperation extends Operation<TopDeps, GroupSubject> {
  readonly params?: typeof SortPath
}

const SortPath = Type.Object({
  group_guid: Type.String(),
  sort: Type.Enum(['clicks'], { type: 'string', description: 'The metric to sort by' }),
})

// An operation named "clicks" counts clicks only, as for a single link; scans have their own operations.
const clicks = ['click'] as const
const scans = ['scan'] as const

const countries = faceted('countries', 'countries')
const referrers = faceted('referrers', 'referrers')

const groupMetrics: readonly GroupOperation[] = [
  {
    path: 'shortlinks/:sort',
    operationId: 'getSortedShortlinks',
    summary: "Rank a group's short links by clicks",
    kinds: clicks,
    report: sortedLinks,
    params: SortPath,
  },
  {
    path: 'engagements/sorted/top',
    operationId: 'getSortedEngagements',
    summary: "Rank a group's short links and QR codes together by engagements",
    kinds: allKinds,
    report: sortedEngagements,
  },
  {
    path: 'engagements/top',
    operationId: 'getTopEngagements',
    summary: "Rank a group's short links by engagements",
    kinds: allKinds,
    report: topLinks,
  },
  {
    path: 'engagements/over_time',
    operationId: 'getGroupEngagements',
    summary: "Get a group's engagements over time",
    kinds: allKinds,
    report: overTime,
  },
  {
    path: 'clicks',
    operationId: 'getGroupClicks',
    summary: "Get a group's clicks over time",
    kinds: clicks,
    report: overTime,
  },
  {
    path: 'countries',
    operationId: 'getGroupCountries',
    summary: "Get a group's clicks by country",
    kinds: clicks,
    report: faceted('countries', 'countries', { header: 'Country, Clicks', facet: 'countries' }),
  },
  {
    path: 'cities',
    operationId: 'getGroupCities',
    summary: "Get a group's clicks by city",
    kinds: clicks,
    report: cities('City, Subregion, Region, Country, Clicks'),
  },
  {
    path: 'devices',
    operationId: 'getGroupDevices',
    summary: "Get a group's clicks by device type",
    kinds: clicks,
    report: devices,
  },
  {
    path: 'referring_networks',
    operationId: 'getGroupReferringNetworks',
    summary: "Get a group's clicks by referring network",
    kinds: clicks,
    report: faceted('referringNetworks', 'referring_networks'),
  },
  {
    path: 'referrers',
    operationId: 'getGroupReferrers',
    summary: "Get a group's clicks by referring site",
    kinds: clicks,
    report: faceted('referrers', 'referrers', { header: 'Referrer,Clicks', facet: 'referrers' }),
  },
  {
    path: 'links/clicks/over_time',
    operationId: 'getGroupLinkClicks',
    summary: "Get clicks on a group's short links over time",
    kinds: clicks,
    report: overTime,
  },
  {
    path: 'links/clicks/devices',
    operationId: 'getGroupLinkClicksByDevice',
    summary: "Get clicks on a group's short links by device type",
    kinds: clicks,
    report: faceted('devices', 'devices'),
  },
  {
    path: 'links/clicks/referrers',
    operationId: 'getGroupLinkClicksByReferrer',
    summary: "Get clicks on a group's short links by referring site",
    kinds: clicks,
    report: referrers,
  },
  {
    path: 'links/clicks/countries',
    operationId: 'getGroupLinkClicksByCountry',
    summary: "Get clicks on a group's short links by country",
    kinds: clicks,
    report: countries,
  },
  {
    path: 'links/clicks/cities',
    operationId: 'getGroupLinkClicksByCity',
    summary: "Get clicks on a group's short links by city",
    kinds: clicks,
    report: cities(),
  },
  {
    path: 'links/clicks/top',
    operationId: 'getTopLinkClicks',
    summary: "List a group's most clicked short links",
    kinds: clicks,
    report: topLinks,
  },
  {
    path: 'codes/scans/over_time',
    operationId: 'getGroupScans',
    summary: "Get scans of a group's QR codes over time",
    kinds: scans,
    report: overTime,
  },
  {
    path: 'codes/scans/countries',
    operationId: 'getGroupScansByCountry',
    summary: "Get scans of a group's QR codes by country",
    kinds: scans,
    report: countries,
  },
  {
    path: 'codes/scans/cities',
    operationId: 'getGroupScansByCity',
    summary: "Get scans of a group's QR codes by city",
    kinds: scans,
    report: cities(),
  },
  {
    path: 'codes/scans/top',
    operationId: 'getTopScans',
    summary: "List a group's most scanned short links",
    kinds: scans,
    report: topScans,
  },
]

export function groupMetricRoutes(http: TypedFastify, deps: GroupMetricDeps): void {
  for (const operation of groupMetrics) {
    const schema = { ...schemaOf(operation, 'group', 400, 403), params: operation.params ?? GroupPath }
    route(http, `GET /v4/groups/:group_guid/${operation.path}`, {
      access: ({ actor, params }) => groupSubject(actor, params.group_guid),
      schema,
      answer: (request, subject, reply) =>
        runMetric(operation, deps, subject, request, reply, {
          link: (filter) => linkFilter(deps, subject.scope.groupGuid, filter),
        }),
    })
  }
}
