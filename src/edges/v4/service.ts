/** The service itself: its version and, for those who run it, all organizations and plans. An addition to the public API. */

import { Type } from 'typebox'
import type { ChangePlanDeps } from '../../core/limits/change-plan.js'
import type { Plans } from '../../core/limits/plans.js'
import { timestamp } from '../../core/values/time.js'
import { version } from '../../lib/version.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { serviceAdmin } from './access.js'
import { route } from './route.js'
import { moment } from './schemas/fields.js'

export interface ServiceRouteDeps extends Pick<ChangePlanDeps, 'groups'> {
  readonly plans: Pick<Plans, 'of' | 'all'>
}

const plan = Type.String({ description: 'Name of the plan' })

const Overview = Type.Object(
  {
    organizations: Type.Array(
      Type.Object({
        guid: Type.String({ examples: ['Og5Rt1Yw7Zc'] }),
        name: Type.String({ examples: ['Example Ltd'] }),
        is_active: Type.Boolean({ examples: [true] }),
        created: moment(),
        plan,
        bsds: Type.Array(Type.String(), { description: 'Its branded domains' }),
      }),
      { description: 'Oldest first' },
    ),
    plans: Type.Array(Type.Object({ name: plan, display_name: Type.String({ examples: ['Team'] }) })),
  },
  { description: 'All organizations, and the plans they can have' },
)

const Service = Type.Object(
  {
    name: Type.String({ description: 'Name of the program' }),
    version: Type.String({ description: 'Version of the program', examples: ['1.0.0'] }),
  },
  { description: 'The program that answers' },
)

export function serviceRoutes(http: TypedFastify, deps: ServiceRouteDeps): void {
  const service = { name: 'shortlink', version: version() }
  route(http, 'Organizations', 'getService: GET /v4/service', {
    scope: 'any',
    access: () => {},
    summary: 'Get the version of this service',
    description: 'The name and the version of the program. Any token may ask.',
    response: { 200: Service },
    answer: () => service,
  })

  route(http, 'Organizations', 'listServiceOrganizations: GET /v4/service/organizations', {
    scope: 'admin',
    list: { name: 'organizations', by: 'guid' },
    access: serviceAdmin(deps),
    summary: 'List all organizations of this service and their plans',
    description: 'For operators: administrators of the first organization of this service.',
    response: { 200: Overview },
    answer: async () => {
      const organizations = await deps.groups.organizations('all')
      return {
        organizations: organizations.map(({ guid, name, isActive, createdAt, domains }) => ({
          guid,
          name,
          is_active: isActive,
          created: timestamp(createdAt),
          plan: deps.plans.of(guid).name,
          bsds: [...domains],
        })),
        plans: deps.plans.all().map(({ name, displayName }) => ({ name, display_name: displayName })),
      }
    },
  })
}
