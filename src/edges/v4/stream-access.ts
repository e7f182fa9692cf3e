import { Type } from 'typebox'
import type { ChangePlanDeps } from '../../core/limits/change-plan.js'
import {
  changeStreamAccess,
  type ManageAccessDeps,
  type OrganizationAccess,
  readStreamAccess,
} from '../../core/stream/manage-access.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { organizationServiceAdmin } from './access.js'
import { type BaseUrlDeps, route } from './route.js'
import { refusals } from './schemas/error.js'
import { moment } from './schemas/fields.js'

export type StreamAccessRouteDeps = ManageAccessDeps & Pick<ChangePlanDeps, 'groups'> & BaseUrlDeps

// An addition: the public API cannot show or change who may read the stream.
const StreamAccess = Type.Object(
  {
    references: Type.Record(Type.String(), Type.String()),
    organization_guid: Type.String(),
    allowed: Type.Boolean({ description: 'Whether administrators of the organization may read its stream' }),
    allowed_at: Type.Optional(moment()),
    allowed_by: Type.Optional(Type.String()),
    topics: Type.Array(Type.String(), { description: 'Topics they may read' }),
  },
  { title: 'StreamAccess', description: 'Access to the click stream' },
)

export function streamAccessRoutes(http: TypedFastify, deps: StreamAccessRouteDeps): void {
  const response = { 200: StreamAccess, ...refusals(404) }
  const onlyOperators = 'For operators: administrators of the first organization of this service.'
  const adminOfOthers = organizationServiceAdmin(deps)
  const present = ({ organizationGuid, allowed, topics }: OrganizationAccess) => ({
    references: { organization: `${deps.config.baseUrl}/v4/organizations/${organizationGuid}` },
    organization_guid: organizationGuid,
    allowed: allowed !== undefined,
    ...(allowed && { allowed_at: timestamp(allowed.allowedAt), allowed_by: allowed.allowedBy }),
    topics: [...topics],
  })

  route(http, 'Organizations', 'getStreamAccess: GET /v4/organizations/:organization_guid/stream_access', {
    scope: 'any',
    access: async (request) => {
      const { actor, params } = request
      const isMember = actor.organizations.some((each) => each.organizationGuid === params.organization_guid)
      if (!isMember) await adminOfOthers(request)
      return readStreamAccess(deps, actor, params.organization_guid)
    },
    response,
    summary: 'Get the click stream access of an organization',
    description: 'Whether administrators of the organization may read its click stream, and which topics.',
    answer: async (_request, found) => present(found),
  })

  route(http, 'Organizations', 'allowStreamAccess: PUT /v4/organizations/:organization_guid/stream_access', {
    scope: 'admin',
    access: adminOfOthers,
    response,
    summary: 'Grant an organization access to its click stream',
    description: onlyOperators,
    answer: async ({ params }, admin) => present(await changeStreamAccess(deps, admin, params.organization_guid, true)),
  })

  route(http, 'Organizations', 'denyStreamAccess: DELETE /v4/organizations/:organization_guid/stream_access', {
    scope: 'admin',
    access: adminOfOthers,
    response,
    summary: 'Revoke the click stream access of an organization',
    description: `Disconnects current readers. ${onlyOperators}`,
    answer: async ({ params }, admin) =>
      present(await changeStreamAccess(deps, admin, params.organization_guid, false)),
  })
}
