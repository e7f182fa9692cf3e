import { type Static, Type } from 'typebox'
import type { Application as CoreApplication } from '../../core/accounts/application-store.js'
import { type ApplicationDeps, readApplication, registrableScopes } from '../../core/accounts/applications.js'
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
import { bounds, emptyRemoves } from '../http/validation.js'
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
import { choice, moment } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

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
  route(http, 'Applications', 'getApp: GET /v4/apps/:client_id', {
    scope: 'any',
    access: everybody,
    summary: 'Get a registered OAuth application',
    description: 'What people see when an application asks for access to their account.',
    response: { 200: ApplicationAnswer, ...refusals(404) },
    answer: async (request) => {
      const { name, clientId, description, link, requirePkce } = await readApplication(deps, request.params.client_id)
      // None is built in.
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
    scopes: Type.Array(choice(registrableScopes, 'A scope'), { description: 'What its tokens may do at most' }),
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
  scopes: Type.Optional(
    Type.Array(choice(registrableScopes, 'A scope'), {
      ...bounds({ minItems: 1, maxItems: registrableScopes.length }),
      description: 'What its tokens may do at most; `all` for a new application',
      examples: [['links:read', 'analytics:read']],
    }),
  ),
}
const NewBody = Type.Object({ name: Type.String(nameBounds), ...fields })
const ChangeBody = Type.Object({ name: Type.Optional(Type.String(nameBounds)), ...fields })

/** OAuth applications of the caller. An addition: the public service offers this only as web pages. */
export function userApplicationRoutes(http: TypedFastify, deps: UserApplicationRouteDeps): void {
  const tag = 'Applications'

  route(http, tag, 'listUserApplications: GET /v4/user/applications', {
    scope: 'all',
    list: { name: 'applications', by: 'client_id' },
    access: everybody,
    summary: 'List your OAuth applications',
    description: 'Those you registered yourself, without their secrets.',
    response: { 200: listAnswer('applications', Application, 'Oldest first, without revoked ones') },
    answer: async ({ actor }) => ({ applications: (await listOwnApplications(deps, actor)).map(presentApplication) }),
  })

  route(http, tag, 'createUserApplication: POST /v4/user/applications', {
    scope: 'all',
    access: everybody,
    summary: 'Register an OAuth application',
    description: 'The client secret is shown only in this answer. Redirect URIs must match exactly.',
    body: NewBody,
    response: { 201: ApplicationWithSecret },
    answer: async ({ actor, body }) => {
      const input = { name: body.name, ...changeFrom(body) }
      const { application, clientSecret } = await registerOwnApplication(deps, actor, input)
      return { ...presentApplication(application), client_secret: clientSecret }
    },
  })

  route(http, tag, 'updateUserApplication: PATCH /v4/user/applications/:client_id', {
    scope: 'all',
    access: ({ actor, params }) => requireOwnApplication(deps, actor, params.client_id),
    summary: 'Update an OAuth application',
    description: 'Fields that are not sent stay unchanged; `redirect_uris` replaces the list.',
    body: ChangeBody,
    response: { 200: Application, ...refusals(404) },
    answer: async ({ actor, body }, application) => {
      const input = { name: body.name, ...changeFrom(body) }
      return presentApplication(await changeOwnApplication(deps, actor, application, input))
    },
  })

  route(http, tag, 'rotateUserApplicationSecret: POST /v4/user/applications/:client_id/secret', {
    scope: 'all',
    access: ({ actor, params }) => requireOwnApplication(deps, actor, params.client_id),
    summary: 'Rotate the client secret of an OAuth application',
    description: 'The old secret stops working at once.',
    response: { 200: ApplicationWithSecret, ...refusals(404) },
    answer: async ({ actor }, application) => {
      const { clientSecret } = await rotateOwnSecret(deps, actor, application)
      return { ...presentApplication(application), client_secret: clientSecret }
    },
  })

  route(http, tag, 'deleteUserApplication: DELETE /v4/user/applications/:client_id', {
    scope: 'all',
    access: ({ actor, params }) => requireOwnApplication(deps, actor, params.client_id),
    summary: 'Revoke an OAuth application',
    description: 'The application and all its access tokens stop working at once.',
    response: { 204: Type.Null({ description: 'The application was revoked' }), ...refusals(404) },
    answer: ({ actor }, application) => revokeOwnApplication(deps, actor, application),
  })
}

function changeFrom(body: Static<typeof ChangeBody>) {
  const { description, link, redirect_uris: redirectUris, require_oauth_pkce: requirePkce, scopes } = body
  return { description, link, redirectUris, requirePkce, scopes }
}

function presentApplication(application: CoreApplication): Static<typeof Application> {
  return {
    client_id: application.clientId,
    name: application.name,
    description: application.description,
    link: application.link,
    redirect_uris: [...application.redirectUris],
    require_oauth_pkce: application.requirePkce,
    scopes: [...application.scopes],
    created: timestamp(application.createdAt),
  }
}
