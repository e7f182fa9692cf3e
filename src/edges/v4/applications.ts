import { type Static, Type } from 'typebox'
import type { Application as CoreApplication } from '../../core/accounts/application-store.js'
import { type ApplicationDeps, readApplication } from '../../core/accounts/applications.js'
import {
  changeOwnApplication,
  listOwnApplications,
  type OwnApplicationDeps,
  registerOwnApplication,
  requireOwnApplication,
  revokeOwnApplication,
  rotateOwnSecret,
} from '../../core/sign-in/own-applications.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { emptyRemoves } from '../http/validation.js'
import { everybody } from './access.js'
import { route } from './route.js'
import {
  descriptionBounds,
  nameBounds,
  redirectUriBounds,
  redirectUriListBounds,
  webPageOrNoneBounds,
} from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment } from './schemas/fields.js'

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
  route(http, 'Applications', 'GET /v4/apps/:client_id', {
    access: everybody,
    operationId: 'getApp',
    summary: 'Get a registered OAuth application',
    description: 'What people see when an application asks for access to their account.',
    params: Type.Object({ client_id: Type.String() }),
    response: { 200: ApplicationAnswer, ...refusals(403, 404) },
    answer: async (request) => {
      const { name, clientId, description, link, requirePkce } = await readApplication(deps, request.params.client_id)
      // Operators and users register all applications; none is built in.
      return { name, client_id: clientId, description, link, require_oauth_pkce: requirePkce, internal_app: false }
    },
  })
}

export type UserApplicationRouteDeps = OwnApplicationDeps

const Application = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    link: Type.String({ description: 'Web page of the application' }),
    redirect_uris: Type.Array(Type.String(), { description: 'Allowed redirect URIs; must match exactly' }),
    require_oauth_pkce: Type.Boolean(),
    created: moment(),
  },
  { title: 'Application', description: 'An application, without its secret' },
)
const ApplicationWithSecret = Type.Object(
  { ...Application.properties, client_secret: Type.String({ description: 'Shown only once' }) },
  { title: 'ApplicationWithSecret', description: 'The application and its new secret' },
)

const fields = {
  description: Type.Optional(Type.String({ ...emptyRemoves, ...descriptionBounds })),
  link: Type.Optional(Type.String({ ...emptyRemoves, ...webPageOrNoneBounds })),
  redirect_uris: Type.Optional(
    Type.Array(Type.String(redirectUriBounds), {
      ...redirectUriListBounds,
      description: 'At most 20; absolute, without a fragment',
    }),
  ),
  require_oauth_pkce: Type.Optional(Type.Boolean()),
}
const NewBody = Type.Object({ name: Type.String(nameBounds), ...fields })
const ChangeBody = Type.Object({ name: Type.Optional(Type.String(nameBounds)), ...fields })
const Path = Type.Object({ client_id: Type.String() })

/** OAuth applications of the caller. An addition: the public service offers this only as web pages. */
export function userApplicationRoutes(http: TypedFastify, deps: UserApplicationRouteDeps): void {
  const tag = 'Applications'

  route(http, tag, 'GET /v4/user/applications', {
    list: { name: 'applications', by: 'client_id' },
    access: everybody,
    operationId: 'listUserApplications',
    summary: 'List your OAuth applications',
    description: 'Those you registered yourself, without their secrets.',
    response: {
      200: Type.Object(
        { applications: Type.Array(Application) },
        { description: 'Oldest first, without revoked ones' },
      ),
      ...refusals(403),
    },
    answer: async ({ actor }) => ({
      applications: (await listOwnApplications(deps, actor)).map(presentApplication),
    }),
  })

  route(http, tag, 'POST /v4/user/applications', {
    access: everybody,
    operationId: 'createUserApplication',
    summary: 'Register an OAuth application',
    description: 'The client secret is shown only in this answer. Redirect URIs must match exactly.',
    body: NewBody,
    response: { 201: ApplicationWithSecret, ...refusals(400, 403, 406, 413, 422) },
    answer: async ({ actor, body }) => {
      const input = { name: body.name, ...changeFrom(body) }
      const { application, clientSecret } = await registerOwnApplication(deps, actor, input)
      return { ...presentApplication(application), client_secret: clientSecret }
    },
  })

  route(http, tag, 'PATCH /v4/user/applications/:client_id', {
    access: ({ actor, params }) => requireOwnApplication(deps, actor, params.client_id),
    operationId: 'updateUserApplication',
    summary: 'Update an OAuth application',
    description: 'Fields that are not sent stay unchanged; `redirect_uris` replaces the list.',
    params: Path,
    body: ChangeBody,
    response: { 200: Application, ...refusals(400, 403, 404, 406, 413, 422) },
    answer: async ({ actor, body }, application) => {
      const input = { name: body.name, ...changeFrom(body) }
      return presentApplication(await changeOwnApplication(deps, actor, application, input))
    },
  })

  route(http, tag, 'POST /v4/user/applications/:client_id/secret', {
    access: ({ actor, params }) => requireOwnApplication(deps, actor, params.client_id),
    operationId: 'rotateUserApplicationSecret',
    summary: 'Rotate the client secret of an OAuth application',
    description: 'The old secret stops working at once.',
    params: Path,
    response: { 200: ApplicationWithSecret, ...refusals(403, 404) },
    answer: async ({ actor }, application) => {
      const { clientSecret } = await rotateOwnSecret(deps, actor, application)
      return { ...presentApplication(application), client_secret: clientSecret }
    },
  })

  route(http, tag, 'DELETE /v4/user/applications/:client_id', {
    access: ({ actor, params }) => requireOwnApplication(deps, actor, params.client_id),
    operationId: 'deleteUserApplication',
    summary: 'Revoke an OAuth application',
    description: 'The application and all its access tokens stop working at once.',
    params: Path,
    response: { 204: Type.Null({ description: 'The application was revoked' }), ...refusals(403, 404) },
    answer: async ({ actor }, application) => {
      await revokeOwnApplication(deps, actor, application)
    },
  })
}

function changeFrom(body: Static<typeof ChangeBody>) {
  const { description, link, redirect_uris: redirectUris, require_oauth_pkce: requirePkce } = body
  return { description, link, redirectUris, requirePkce }
}

function presentApplication(application: CoreApplication): Static<typeof Application> {
  return {
    client_id: application.clientId,
    name: application.name,
    description: application.description,
    link: application.link,
    redirect_uris: [...application.redirectUris],
    require_oauth_pkce: application.requirePkce,
    created: timestamp(application.createdAt),
  }
}
