/**
 * OAuth 2 for programs: tokens, registration and metadata. The authorize page for people is in edges/pages. Only
 * translates; core/oauth decides who gets a token.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readForms } from '../http/form-body.js'
import { logFailure } from '../http/log-failure.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AccessTokenDeps, accessTokenRoutes, isBasicFlow, isFromSelfRegistered } from './access-token.js'
import { answerOauth, standardAnswer } from './errors.js'
import { metadataRoutes } from './metadata.js'
import { type RegisterDeps, registerRoute } from './register.js'

export type OauthDeps = AccessTokenDeps & RegisterDeps

export function oauthRoutes(http: TypedFastify, deps: OauthDeps): void {
  http.register(async (oauth: TypedFastify) => {
    readForms(oauth)
    oauth.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    })
    oauth.setErrorHandler(sayNo)
    accessTokenRoutes(oauth, deps)
    oauth.register(async (registration: TypedFastify) => registerRoute(registration, deps))
  })
  metadataRoutes(http, deps.config)
}

function sayNo(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, statusText } = answerOauth(error)
  const isStandard = request.routeOptions.url !== '/oauth/access_token' || isFromSelfRegistered(request)
  const standard = isStandard ? standardAnswer(error) : undefined
  if ((standard?.status ?? status) >= 500) logFailure(request, error)
  if (standard) {
    reply.code(standard.status).headers(standard.headers).type('application/json; charset=utf-8')
    return reply.send(JSON.stringify(standard.body))
  }
  reply.code(status).headers(headers)
  // The basic flow answers plain text, errors included.
  if (isBasicFlow(request)) return reply.type('text/plain; charset=utf-8').send(statusText)
  const envelope = { status_code: status, data: null, status_txt: statusText }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(envelope))
}
