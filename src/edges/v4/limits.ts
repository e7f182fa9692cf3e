import { Type } from 'typebox'
import { type ChangePlanDeps, changePlan } from '../../core/limits/change-plan.js'
import { type AllowanceDeps, readPlanLimits } from '../../core/limits/plans.js'
import { type PlatformLimits, readPlatformLimits } from '../../core/limits/platform.js'
import { apiName } from '../http/link-names.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds } from '../http/validation.js'
import { everybody, organizationMember, organizationServiceAdmin } from './access.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { optionalFlag } from './schemas/fields.js'

/**
 * The value of `limit` if there is no limit. Clients subtract the usage from it and stop at zero, so it must be a
 * number that nobody reaches in a month and that fits into 32 bits (docs/api/limits.md#no-limit).
 */
const noLimit = 2_000_000_000

/** The fields that describe a limit in a response. */
const toldLimitFields = {
  limit: Type.Integer({ description: `${noLimit} if there is no limit` }),
  unlimited: Type.Boolean({ description: 'True if there is no limit' }),
}

function toldLimit(limit: number | undefined) {
  return { limit: limit ?? noLimit, unlimited: limit === undefined }
}

export interface LimitRouteDeps extends AllowanceDeps, ChangePlanDeps {
  readonly plans: AllowanceDeps['plans'] & ChangePlanDeps['plans']
  readonly platformLimits: PlatformLimits
  readonly config: { readonly baseUrl: string }
}

const PlatformLimitList = Type.Object(
  {
    platform_limits: Type.Array(
      Type.Object({
        endpoint: Type.String(apiName),
        methods: Type.Array(
          Type.Object({
            name: Type.String(),
            ...toldLimitFields,
            count: Type.Integer({ description: 'Your requests in the current hour' }),
          }),
        ),
      }),
    ),
  },
  { description: 'Requests per hour for each endpoint; per minute, a tenth of that is allowed' },
)

const PlanLimitList = Type.Object(
  {
    references: Type.Record(Type.String(), Type.String()),
    organization_guid: Type.String(),
    plan_limits: Type.Array(
      Type.Object({ name: Type.String(), description: Type.String(), ...toldLimitFields, count: Type.Integer() }),
    ),
  },
  { description: 'Monthly limits of the plan, and usage since the first of the month, UTC' },
)

const OrganizationPlan = Type.Object(
  { organization_guid: Type.String(), plan: Type.String(), plan_display_name: Type.String() },
  { description: 'The current plan' },
)

export function limitRoutes(http: TypedFastify, deps: LimitRouteDeps): void {
  const { baseUrl } = deps.config

  route(http, 'User', 'getPlatformLimits: GET /v4/user/platform_limits', {
    scope: 'any',
    access: everybody,
    summary: 'List rate limits and usage by endpoint',
    description: 'The limits apply to you, across all your tokens. A tenth of them is allowed per minute.',
    querystring: Type.Object({
      path: Type.Optional(Type.String({ ...apiName, description: 'Only this endpoint, such as `/v4/shorten`' })),
    }),
    response: { 200: PlatformLimitList, ...refusals(404) },
    answer: async (request) => {
      const limits = await readPlatformLimits(deps, request.actor, request.query.path)
      return {
        platform_limits: limits.map(({ path, methods }) => ({
          endpoint: path,
          methods: methods.map(({ method, limit, count }) => ({ name: method, ...toldLimit(limit), count })),
        })),
      }
    },
  })

  route(http, 'Organizations', 'getPlanLimits: GET /v4/organizations/:organization_guid/plan_limits', {
    scope: 'any',
    access: organizationMember,
    summary: 'List the plan limits of an organization and their usage',
    description: 'With the usage of all groups since the first of the month, UTC.',
    response: { 200: PlanLimitList },
    answer: async (request) => {
      const { organization_guid } = request.params
      const limits = await readPlanLimits(deps, request.actor, organization_guid)
      return {
        references: { organization: `${baseUrl}/v4/organizations/${organization_guid}` },
        organization_guid,
        plan_limits: limits.map(({ limit, ...rest }) => ({ ...rest, ...toldLimit(limit) })),
      }
    },
  })

  route(http, 'Organizations', 'updatePlan: PATCH /v4/organizations/:organization_guid/plan', {
    scope: 'admin',
    access: organizationServiceAdmin(deps),
    summary: 'Change the plan of an organization',
    description: 'For operators: administrators of the first organization of this service.',
    body: Type.Object({
      plan: Type.String({ ...bounds({ minLength: 1 }), description: 'Name of a plan' }),
      force: optionalFlag('Confirms a plan without API access, which locks the organization out of the API at once'),
    }),
    response: { 200: OrganizationPlan, ...refusals(404, 409) },
    answer: async ({ params, body }, admin) => {
      const { organization_guid } = params
      const { plan, force = false } = body
      const input = { organizationGuid: organization_guid, plan, force }
      const { name, displayName } = await changePlan(deps, admin, input)
      return { organization_guid, plan: name, plan_display_name: displayName }
    },
  })
}
