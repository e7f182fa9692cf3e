/** `POST /oauth/register`: applications register themselves (RFC 7591, docs/oauth.md#dynamic-registration). */
import type { FastifyError, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { type RegistrationDeps, registerClient } from '../../core/oauth/self-registered.js'
import { clientIpOf } from '../http/client-ip.js'
import { documentOnly } from '../http/described.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { OauthError, standardProblem } from './errors.js'
import type { OauthConfig } from './metadata.js'

export type RegisterDeps = RegistrationDeps & { readonly config: OauthConfig & { readonly trustProxy: number } }

export function registerRoute(http: TypedFastify, deps: RegisterDeps): void {
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: 16 * 1024 }, (_request, text, done) => {
    try {
      done(null, JSON.parse(String(text)))
    } catch {
      done(unreadable)
    }
  })
  http.post('/oauth/register', { schema, ...documentOnly }, async (request, reply) => {
    if (deps.config.oauthRegistration === 'off') throw new OauthError(403, 'REGISTRATION_OFF')
    const address = clientIpOf(request, deps.config)
    const client = await registerClient(deps, request.body, address)
    const { clientId, name, redirectUris } = client
    request.log.info({ clientId, name, redirectUri: redirectUris[0], address }, 'an application registered itself')
    const body = {
      client_id: client.clientId,
      client_id_issued_at: Math.floor(client.at / 1000),
      ...(client.clientSecret !== undefined && { client_secret: client.clientSecret, client_secret_expires_at: 0 }),
      client_name: client.name,
      ...(client.link !== '' && { client_uri: client.link }),
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: client.method,
      scope: client.scopes.join(' '),
    }
    return reply.code(201).type('application/json; charset=utf-8').send(JSON.stringify(body))
  })
}

/** Answered like a body that is cut off. */
const unreadable: Partial<FastifyError> & Error = Object.assign(new Error('the body is no JSON'), {
  code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
})

const metadata = {
  redirect_uris: Type.Array(Type.String(), { description: 'Where codes may be sent; at least one, at most 20' }),
  client_name: Type.Optional(Type.String({ description: 'Shown to users; by default the host of the first URI' })),
  client_uri: Type.Optional(Type.String({ description: 'Home page' })),
  scope: Type.Optional(Type.String({ description: 'What its tokens may do at most, separated by spaces' })),
  token_endpoint_auth_method: Type.Optional(
    Type.String({
      enum: ['client_secret_basic', 'client_secret_post', 'none'],
      description: '`client_secret_basic` by default; `none` for a public client',
    }),
  ),
}
const example = {
  redirect_uris: ['https://desk.example.com/back'],
  client_name: 'Newsletter desk',
  client_uri: 'https://desk.example.com/',
  scope: 'links:read links:write',
  token_endpoint_auth_method: 'none',
}
const schema: FastifySchema = {
  operationId: 'registerClient',
  tags: ['OAuth'],
  summary: 'Register an application by itself',
  description:
    'Dynamic registration (RFC 7591), if the operator has turned it on. Other fields are ignored. What nobody allows is ' +
    'deleted after a day.',
  security: [],
  body: Type.Object(metadata, { examples: [example] }),
  response: {
    201: {
      description: 'The application, with the secret if it has one',
      content: {
        'application/json': {
          schema: Type.Object({ client_id: Type.String(), client_secret: Type.Optional(Type.String()), ...metadata }),
          example: { client_id: 'R7q0xkav8y8jpgorrni4f99nfplf5b6dx519jwnm', ...example },
        },
      },
    },
    400: standardProblem('invalid_redirect_uri', 'A field is not valid'),
    403: standardProblem('access_denied', 'Registration is turned off'),
    413: standardProblem('invalid_request', 'The body is larger than 16 KiB'),
    415: standardProblem('invalid_request', 'The body is not JSON'),
    429: standardProblem('temporarily_unavailable', 'Too many; `Retry-After` says when to try again'),
  },
}
