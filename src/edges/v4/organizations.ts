import { type Static, Type } from 'typebox'
import type { AuditDeps } from '../../core/accounts/audit.js'
import { createGroup } from '../../core/administration/groups.js'
import {
  listOrganizations,
  type OrganizationDeps,
  type OwnOrganization,
  readOrganization,
  renameOrganization,
} from '../../core/groups/organizations.js'
import type { Plan } from '../../core/limits/plan.js'
import type { Plans } from '../../core/limits/plans.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody, organizationAdmin, organizationMember } from './access.js'
import { presentGroup } from './groups.js'
import { route } from './route.js'
import { Group, Organization } from './schemas/accounts.js'
import { nameBounds } from './schemas/bounds.js'
import { named, optionalFlag } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export interface OrganizationRouteDeps extends OrganizationDeps, AuditDeps {
  readonly plans: Pick<Plans, 'of'>
  /** Actors are cached with their groups. */
  readonly tokens: { clear(): void }
  readonly config: { readonly baseUrl: string }
}

const ListQuery = Type.Object({
  include_all: optionalFlag(
    'Has no effect: tokens are not restricted to one organization, so all organizations are listed',
  ),
})

export function organizationRoutes(http: TypedFastify, deps: OrganizationRouteDeps): void {
  const { baseUrl } = deps.config
  const present = (each: OwnOrganization) => presentOrganization(each, deps.plans.of(each.organization.guid), baseUrl)

  route(http, 'Organizations', 'listOrganizations: GET /v4/organizations', {
    scope: 'any',
    list: { name: 'organizations', by: 'guid' },
    access: everybody,
    summary: 'List your organizations',
    description: 'Those you are a member of, with their plans and your role in each.',
    querystring: ListQuery,
    response: { 200: listAnswer('organizations', named(Organization, 'An organization'), 'Oldest first') },
    answer: async (request) => {
      const organizations = await listOrganizations(deps, request.actor)
      return { organizations: organizations.map(present) }
    },
  })

  route(http, 'Organizations', 'getOrganization: GET /v4/organizations/:organization_guid', {
    scope: 'any',
    access: organizationMember,
    summary: 'Get an organization',
    description: 'With its plan, its branded domains and your role in it.',
    response: { 200: named(Organization, 'The organization') },
    answer: async (request) => present(await readOrganization(deps, request.actor, request.params.organization_guid)),
  })

  // An addition: the public API cannot rename an organization.
  route(http, 'Organizations', 'updateOrganization: PATCH /v4/organizations/:organization_guid', {
    scope: 'admin',
    access: organizationAdmin,
    summary: 'Rename an organization',
    description: 'Requires administrator rights in the organization.',
    body: Type.Object({ name: Type.Optional(Type.String({ ...nameBounds, description: '1 to 255 characters' })) }),
    response: { 200: named(Organization, 'The updated organization') },
    answer: async ({ actor, params, body }) =>
      present(await renameOrganization(deps, actor, params.organization_guid, body.name)),
  })

  createGroupRoute(http, deps)
}

/** An addition: on the public service, groups are made on web pages. */
function createGroupRoute(http: TypedFastify, deps: OrganizationRouteDeps): void {
  route(http, 'Groups', 'createGroup: POST /v4/organizations/:organization_guid/groups', {
    scope: 'admin',
    access: organizationAdmin,
    summary: 'Create a group',
    description: 'Administrators of the organization may use it at once; other members are added to it.',
    body: Type.Object({
      name: Type.String({ ...nameBounds, description: '1 to 255 characters', examples: ['Marketing'] }),
    }),
    response: { 201: named(Group, 'The new group') },
    idempotent: true,
    answer: async ({ actor, params, body }) => {
      const input = { name: body.name, organizationGuid: params.organization_guid }
      const { guid } = await createGroup({ ...deps, onAccessChanged: () => deps.tokens.clear() }, actor, input)
      const [group] = await deps.groups.groups([guid])
      if (!group) throw new Error(`the group ${guid} was created and does not exist`)
      return presentGroup({ group, role: 'org-admin' }, deps.config.baseUrl)
    },
  })
}

function presentOrganization(
  { organization, role }: OwnOrganization,
  plan: Plan,
  baseUrl: string,
): Static<typeof Organization> {
  return {
    references: { groups: `${baseUrl}/v4/groups?organization_guid=${organization.guid}` },
    name: organization.name,
    guid: organization.guid,
    is_active: organization.isActive,
    // A plan has its own tier and tier family.
    tier: plan.name,
    tier_family: plan.name,
    tier_display_name: plan.displayName,
    role,
    created: timestamp(organization.createdAt),
    modified: timestamp(organization.modifiedAt),
    bsds: [...organization.domains],
    require_sso: 'none',
    require_2fa: 'none',
  }
}
