import { Type } from 'typebox'
import { type ApplicationDeps, readApplication } from '../../core/accounts/applications.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody } from './access.js'
import { route } from './route.js'
import { refusals } from './schemas/error.js'

export type ApplicationRouteDeps = ApplicationDeps

const ApplicationAnswer = Type.Object(
  {
    name: Type.String(),
    client_id: Type.String(),
    description: Type.String(),
    link: Type.String({ description: 'Web page of the application' }),
    require_oauth_pkce: Type.Boolean(),
    internal_app: Type.Boolean(),
  },
  { description: 'The application' },
)

export function applicationRoutes(http: TypedFastify, deps: ApplicationRouteDeps): void {
  route(http, 'GET /v4/apps/:client_id', {
    access: everybody,
    schema: {
      operationId: 'getApp',
      tags: ['Applications'],
      summary: 'Get a registered OAuth application',
      params: Type.Object({ client_id: Type.String() }),
      response: { 200: ApplicationAnswer, ...refusals(403, 404) },
    },
    answer: async (request) => {
      const { name, clientId, description, link, requirePkce } = await readApplication(deps, request.params.client_id)
      // Operators and users register all applications; none is built in.
      return { name, client_id: clientId, description, link, require_oauth_pkce: requirePkce, internal_app: false }
    },
  })
}
