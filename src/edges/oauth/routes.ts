/**
 * OAuth 2 for programs: the token endpoint and the metadata document. The authorize page for people is in edges/pages.
 * Only translates; core/oauth decides who gets a token.
 */
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { registrableScopes } from '../../core/accounts/applications.js'
import { readForms } from '../http/form-body.js'
import { logFailure } from '../http/log-failure.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AccessTokenDeps, accessTokenRoutes, isBasicFlow } from './access-token.js'
import { answerOauth } from './errors.js'

export type OauthDeps = AccessTokenDeps & { readonly config: { readonly baseUrl: string } }

export function oauthRoutes(http: TypedFastify, deps: OauthDeps): void {
  http.register(async (oauth: TypedFastify) => {
    readForms(oauth)
    oauth.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    })
    oauth.setErrorHandler(sayNo)
    accessTokenRoutes(oauth, deps)
  })
  metadataRoutes(http, deps.config.baseUrl)
}

function sayNo(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, statusText } = answerOauth(error)
  if (status >= 500) logFailure(request, error)
  reply.code(status).headers(headers)
  // The basic flow answers plain text, errors included.
  if (isBasicFlow(request)) return reply.type('text/plain; charset=utf-8').send(statusText)
  const envelope = { status_code: status, data: null, status_txt: statusText }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(envelope))
}

/** `/.well-known/oauth-authorization-server` (RFC 8414): metadata for client libraries. */
function metadataRoutes(http: TypedFastify, baseUrl: string): void {
  const document = JSON.stringify(metadataOf(baseUrl))
  http.get('/.well-known/oauth-authorization-server', { schema: metadataSchema }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      // Programs in a browser read it too.
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8')
      .send(document),
  )
}

function metadataOf(baseUrl: string) {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/access_token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    grant_types_supported: ['authorization_code', 'password'],
    scopes_supported: registrableScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
  }
}

const metadataSchema: FastifySchema = {
  operationId: 'getOauthMetadata',
  tags: ['OAuth'],
  summary: 'Get the metadata of the authorization server',
  description: 'For client libraries (RFC 8414): the endpoints and what they support.',
  security: [],
  response: {
    200: {
      description: 'The metadata',
      content: {
        'application/json': {
          schema: Type.Object({ issuer: Type.String() }),
          example: metadataOf('https://api.example.com'),
        },
      },
    },
  },
}
