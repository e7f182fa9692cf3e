import { Type } from 'typebox'
import { type ChangePlanDeps, changePlan, requireServiceAdmin } from '../../core/limits/change-plan.js'
import { type AllowanceDeps, readPlanLimits } from '../../core/limits/plans.js'
import { type PlatformLimits, readPlatformLimits } from '../../core/limits/platform.js'
import { bounds } from '../http/described.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody, organizationMember } from './access.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'
import { toldLimit, toldLimitFields } from './schemas/told-limit.js'

export interface LimitRouteDeps extends AllowanceDeps, ChangePlanDeps {
  readonly plans: AllowanceDeps['plans'] & ChangePlanDeps['plans']
  readonly platformLimits: PlatformLimits
  readonly config: { readonly baseUrl: string }
}

const PlatformLimitList = Type.Object(
  {
    platform_limits: Type.Array(
      Type.Object({
        endpoint: Type.String(),
        methods: Type.Array(
          Type.Object({
            name: Type.String(),
            ...toldLimitFields,
            count: Type.Integer({ description: 'Your requests since the full hour' }),
          }),
        ),
      }),
    ),
  },
  { description: 'How often each endpoint may be asked in an hour, and a tenth of that in a minute' },
)

const PlanLimitList = Type.Object(
  {
    references: Type.Record(Type.String(), Type.String()),
    organization_guid: Type.String(),
    plan_limits: Type.Array(
      Type.Object({ name: Type.String(), description: Type.String(), ...toldLimitFields, count: Type.Integer() }),
    ),
  },
  { description: 'What the plan allows in a month, and what was used since the first of this one, UTC' },
)

const OrganizationPlan = Type.Object(
  { organization_guid: Type.String(), plan: Type.String(), plan_display_name: Type.String() },
  { description: 'The plan it has now' },
)

const OrganizationPath = Type.Object({ organization_guid: Type.String({ description: 'Guid of the organization' }) })

export function limitRoutes(http: TypedFastify, deps: LimitRouteDeps): void {
  const { baseUrl } = deps.config

  route(http, 'GET /v4/user/platform_limits', {
    access: everybody,
    schema: {
      operationId: 'getPlatformLimits',
      tags: ['User'],
      summary: 'Read how often you may ask each endpoint, and have asked it',
      querystring: Type.Object({
        path: Type.Optional(Type.String({ description: 'Only this endpoint, as it is documented' })),
      }),
      response: { 200: PlatformLimitList, ...refusals(400, 403, 404) },
    },
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

  route(http, 'GET /v4/organizations/:organization_guid/plan_limits', {
    access: organizationMember,
    schema: {
      operationId: 'getPlanLimits',
      tags: ['Organizations'],
      summary: 'Read what the plan of an organization allows, and what of it is used',
      params: OrganizationPath,
      response: { 200: PlanLimitList, ...refusals(403) },
    },
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

  route(http, 'PATCH /v4/organizations/:organization_guid/plan', {
    access: ({ actor }) => requireServiceAdmin(deps, actor),
    schema: {
      operationId: 'changePlan',
      tags: ['Organizations'],
      summary: 'Give an organization another plan',
      description: 'For administrators of the organization that was made when the service was first started.',
      params: OrganizationPath,
      body: Type.Object({
        plan: Type.String({ ...bounds({ minLength: 1 }), description: 'The name of a plan of this service' }),
        force: Type.Optional(
          Type.Boolean({ description: 'Also a plan that locks the organization out of the API at once' }),
        ),
      }),
      response: { 200: OrganizationPlan, ...refusals(400, 403, 404, 406, 409, 413, 422) },
    },
    answer: async ({ params, body }, admin) => {
      const { organization_guid } = params
      const { plan, force = false } = body
      const input = { organizationGuid: organization_guid, plan, force }
      const { name, displayName } = await changePlan(deps, admin, input)
      return { organization_guid, plan: name, plan_display_name: displayName }
    },
  })
}
