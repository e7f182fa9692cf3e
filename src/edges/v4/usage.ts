import { Type } from 'typebox'
import { featureNames, featureUsage, historicalUsage, type UsageDeps } from '../../core/usage/features.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember } from './access.js'
import { route } from './route.js'
import { dateBounds } from './schemas/bounds.js'
import { optionalText } from './schemas/fields.js'

const name = Type.Optional(
  Type.Array(Type.Enum([...featureNames], { type: 'string' }), {
    description: 'Only this limit; may be repeated. All limits by default',
  }),
)

const FeatureUsage = Type.Object(
  {
    group_guid: Type.String(),
    limit_usage: Type.Array(Type.Object({ name: Type.String(), description: Type.String(), count: Type.Integer() })),
  },
  { description: 'Usage since the first of the month, UTC' },
)

const HistoryQuery = Type.Object({
  name,
  start_date: optionalText(
    '`YYYY-MM-DD`, UTC; by default the first of the month eleven months before the end',
    dateBounds,
  ),
  end_date: optionalText('`YYYY-MM-DD`, UTC, inclusive; today by default', dateBounds),
  unit: Type.Optional(Type.Enum(['day', 'week', 'month'], { type: 'string', default: 'month' })),
})

const HistoricalUsage = Type.Object(
  {
    group_guid: Type.String(),
    unit: Type.String(),
    start_date: Type.String(),
    end_date: Type.String(),
    historical_limit_usage: Type.Array(
      Type.Object({
        name: Type.String(),
        usage: Type.Array(
          Type.Object({
            count: Type.Integer(),
            unit_start: Type.String({ description: 'Start of the unit, which may be before `start_date`' }),
          }),
        ),
      }),
    ),
  },
  { description: 'One entry per unit, newest first, including zeros' },
)

export function usageRoutes(http: TypedFastify, deps: UsageDeps): void {
  route(http, 'Groups', 'getFeatureUsage: GET /v4/groups/:group_guid/feature_usage', {
    scope: 'analytics:read',
    access: groupMember,
    summary: 'Get the usage of a group this month, by limit',
    description:
      'Since the first of the month, UTC. Every group has its own counters; the limits belong to the organization.',
    querystring: Type.Object({ name }),
    response: { 200: FeatureUsage },
    answer: async (request) => {
      const { group_guid } = request.params
      return {
        group_guid,
        limit_usage: [...(await featureUsage(deps, request.actor, group_guid, request.query.name ?? []))],
      }
    },
  })

  route(http, 'Groups', 'getHistoricalUsage: GET /v4/groups/:group_guid/historical_usage', {
    scope: 'analytics:read',
    access: groupMember,
    summary: 'Get the usage of a group over time, by limit',
    description: 'One entry per unit and limit, newest first, including zeros.',
    querystring: HistoryQuery,
    response: { 200: HistoricalUsage },
    answer: async (request) => {
      const { group_guid } = request.params
      const { name: names = [], start_date: startDate, end_date: endDate, unit = 'month' } = request.query
      const history = await historicalUsage(deps, request.actor, group_guid, { names, startDate, endDate, unit })
      return {
        group_guid,
        unit,
        start_date: history.startDate,
        end_date: history.endDate,
        historical_limit_usage: history.features.map(({ name, usage }) => ({
          name,
          usage: usage.map(({ start, count }) => ({ count, unit_start: timestamp(start) })),
        })),
      }
    },
  })
}
