import { type Static, Type } from 'typebox'
import {
  type ShortenCount,
  type ShortenCountDeps,
  shortenCounts,
  shortenCountsByGroup,
} from '../../core/usage/shorten-counts.js'
import type { Clock } from '../../core/values/time.js'
import { timestamp } from '../../core/values/time.js'
import { parseWindow, type Window } from '../../core/values/window.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember, organizationAuditor } from './access.js'
import { seriesTimestamps } from './metric-answers.js'
import { unitsQuery } from './metric-operation.js'
import { route } from './route.js'
import { zoneBounds } from './schemas/bounds.js'
import { named, optionalText } from './schemas/fields.js'

export interface ShortenCountRouteDeps extends ShortenCountDeps {
  readonly clock: Clock
}

const WindowQuery = Type.Object({
  ...unitsQuery,
  // An addition, as in all metrics.
  zone: optionalText('Time zone such as `Europe/Berlin`, in which units begin', zoneBounds),
})

const ShortenCounts = Type.Object(
  {
    metrics: Type.Array(
      Type.Object({
        key: Type.String({ description: 'Start of the unit, in UTC; by group: guid of the group' }),
        value: Type.Integer({ description: 'Number of short links created' }),
      }),
    ),
    unit: Type.String(),
    units: Type.Integer({ description: 'As requested; -1 means all' }),
    unit_reference: Type.String({ description: 'The latest time of the window, in UTC' }),
    facet: Type.String({ description: '`shorten_counts`' }),
  },
  { $id: 'ShortenCounts' },
)

export function shortenCountRoutes(http: TypedFastify, deps: ShortenCountRouteDeps): void {
  http.addSchema(ShortenCounts)
  const series = 'One entry per unit, newest first, including zeros. Links that were deleted later count too.'

  route(http, 'Groups', 'getGroupShortenCounts: GET /v4/groups/:group_guid/shorten_counts', {
    scope: 'analytics:read',
    access: groupMember,
    summary: 'Count the short links that a group created, over time',
    description: series,
    querystring: WindowQuery,
    response: { 200: named(ShortenCounts, series) },
    answer: async (request) => {
      const window = windowFrom(request.query, deps)
      return present(window, await shortenCounts(deps, request.actor, { groupGuid: request.params.group_guid }, window))
    },
  })

  route(
    http,
    'Organizations',
    'getOrganizationShortenCounts: GET /v4/organizations/:organization_guid/shorten_counts',
    {
      scope: 'analytics:read',
      access: organizationAuditor,
      summary: 'Count the short links that an organization created, over time',
      description: `${series} For administrators and auditors of the organization.`,
      querystring: WindowQuery,
      response: { 200: named(ShortenCounts, series) },
      answer: async (request) => {
        const window = windowFrom(request.query, deps)
        const { organization_guid: organizationGuid } = request.params
        return present(window, await shortenCounts(deps, request.actor, { organizationGuid }, window))
      },
    },
  )

  route(
    http,
    'Organizations',
    'getOrganizationShortenCountsByGroup: GET /v4/organizations/:organization_guid/shorten_counts_by_group',
    {
      scope: 'analytics:read',
      access: organizationAuditor,
      summary: 'Count the short links that each group of an organization created this month',
      description:
        'Since the first of the month, UTC; highest first. For administrators and auditors of the organization.',
      response: { 200: named(ShortenCounts, 'Groups that created links') },
      answer: async (request) => {
        const counts = await shortenCountsByGroup(deps, request.actor, request.params.organization_guid)
        const metrics = counts.map(({ groupGuid, count }) => ({ key: groupGuid, value: count }))
        return { metrics, ...envelope({ unit: 'month', units: 1, reference: deps.clock.now() }) }
      },
    },
  )
}

function windowFrom(query: Static<typeof WindowQuery>, { clock }: ShortenCountRouteDeps): Window {
  const { unit, units, unit_reference: unitReference, zone } = query
  return parseWindow({ unit, units, unitReference, zone }, clock.now())
}

function present(window: Window, made: readonly ShortenCount[]): Static<typeof ShortenCounts> {
  const timestampOf = seriesTimestamps()
  const metrics = made.map(({ start, count }) => ({ key: timestampOf(start), value: count }))
  return { metrics, ...envelope(window) }
}

function envelope({ unit, units, reference }: Pick<Window, 'unit' | 'units' | 'reference'>) {
  return { unit, units, unit_reference: timestamp(reference), facet: 'shorten_counts' }
}
