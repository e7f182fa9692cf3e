/** The metrics of all that a group owns: one table, one loop. */
import { Type } from 'typebox'
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
import { answerMetric, type Operation, schemaOf } from './metric-operation.js'
import { route } from './route.js'
import { GroupPath } from './schemas/group.js'

export interface GroupMetricDeps extends TopDeps {
  readonly clock: Clock
}

interface GroupOperation extends Operation<TopDeps, GroupSubject> {
  readonly params?: typeof SortPath
}

const SortPath = Type.Object({
  group_guid: Type.String(),
  sort: Type.Enum(['clicks'], { type: 'string', description: 'What to order by' }),
})

// Our choice: whatever says "clicks" counts clicks alone, as it does for a link; scans have operations of their own.
const clicks = ['click'] as const
const scans = ['scan'] as const

const countries = faceted('countries', 'countries')
const referrers = faceted('referrers', 'referrers')

const groupMetrics: readonly GroupOperation[] = [
  {
    path: 'shortlinks/:sort',
    operationId: 'getSortedShortlinks',
    summary: "A group's short links by clicks",
    kinds: clicks,
    answer: sortedLinks,
    params: SortPath,
  },
  {
    path: 'engagements/sorted/top',
    operationId: 'getSortedEngagements',
    summary: "A group's short links and QR codes by engagements, in one order",
    kinds: allKinds,
    answer: sortedEngagements,
  },
  {
    path: 'engagements/top',
    operationId: 'getTopEngagements',
    summary: "A group's short links by engagements",
    kinds: allKinds,
    answer: topLinks,
  },
  {
    path: 'engagements/over_time',
    operationId: 'getGroupEngagements',
    summary: "A group's engagements over time",
    kinds: allKinds,
    answer: overTime,
  },
  {
    path: 'clicks',
    operationId: 'getGroupClicks',
    summary: "A group's clicks over time",
    kinds: clicks,
    answer: overTime,
  },
  {
    path: 'countries',
    operationId: 'getGroupCountries',
    summary: "A group's clicks by country",
    kinds: clicks,
    answer: faceted('countries', 'countries', { header: 'Country, Clicks', facet: 'countries' }),
  },
  {
    path: 'cities',
    operationId: 'getGroupCities',
    summary: "A group's clicks by city",
    kinds: clicks,
    answer: cities('City, Subregion, Region, Country, Clicks'),
  },
  {
    path: 'devices',
    operationId: 'getGroupDevices',
    summary: "A group's clicks by device type",
    kinds: clicks,
    answer: devices,
  },
  {
    path: 'referring_networks',
    operationId: 'getGroupReferringNetworks',
    summary: "A group's clicks by network of the referrer",
    kinds: clicks,
    answer: faceted('referringNetworks', 'referring_networks'),
  },
  {
    path: 'referrers',
    operationId: 'getGroupReferrers',
    summary: "A group's clicks by referring site",
    kinds: clicks,
    answer: faceted('referrers', 'referrers', { header: 'Referrer,Clicks', facet: 'referrers' }),
  },
  {
    path: 'links/clicks/over_time',
    operationId: 'getGroupLinkClicks',
    summary: "Clicks on a group's short links over time",
    kinds: clicks,
    answer: overTime,
  },
  {
    path: 'links/clicks/devices',
    operationId: 'getGroupLinkClicksByDevice',
    summary: "Clicks on a group's short links by device type",
    kinds: clicks,
    answer: faceted('devices', 'devices'),
  },
  {
    path: 'links/clicks/referrers',
    operationId: 'getGroupLinkClicksByReferrer',
    summary: "Clicks on a group's short links by referring site",
    kinds: clicks,
    answer: referrers,
  },
  {
    path: 'links/clicks/countries',
    operationId: 'getGroupLinkClicksByCountry',
    summary: "Clicks on a group's short links by country",
    kinds: clicks,
    answer: countries,
  },
  {
    path: 'links/clicks/cities',
    operationId: 'getGroupLinkClicksByCity',
    summary: "Clicks on a group's short links by city",
    kinds: clicks,
    answer: cities(),
  },
  {
    path: 'links/clicks/top',
    operationId: 'getTopLinkClicks',
    summary: "A group's most clicked short links",
    kinds: clicks,
    answer: topLinks,
  },
  {
    path: 'codes/scans/over_time',
    operationId: 'getGroupScans',
    summary: "Scans of a group's QR codes over time",
    kinds: scans,
    answer: overTime,
  },
  {
    path: 'codes/scans/countries',
    operationId: 'getGroupScansByCountry',
    summary: "Scans of a group's QR codes by country",
    kinds: scans,
    answer: countries,
  },
  {
    path: 'codes/scans/cities',
    operationId: 'getGroupScansByCity',
    summary: "Scans of a group's QR codes by city",
    kinds: scans,
    answer: cities(),
  },
  {
    path: 'codes/scans/top',
    operationId: 'getTopScans',
    summary: "A group's most scanned short links",
    kinds: scans,
    answer: topScans,
  },
]

export function groupMetricRoutes(http: TypedFastify, deps: GroupMetricDeps): void {
  for (const operation of groupMetrics) {
    const schema = { ...schemaOf(operation, 'group', 400, 403), params: operation.params ?? GroupPath }
    route(http, `GET /v4/groups/:group_guid/${operation.path}`, {
      access: ({ actor, params }) => groupSubject(actor, params.group_guid),
      schema,
      answer: (request, subject, reply) => answerMetric(operation, deps, subject, request, reply),
    })
  }
}
