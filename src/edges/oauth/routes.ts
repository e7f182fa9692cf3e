/**
 * OAuth 2 for programs: the token endpoint and the metadata document. The authorize page for people is in edges/pages.
 * Only translates; core/oauth decides who gets a token.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readForms } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { type AccessTokenDeps, accessTokenRoutes, isBasicFlow } from './access-token.js'
import { answerOauth } from './errors.js'
import { type MetadataDeps, metadataRoutes } from './metadata.js'

export type OauthDeps = AccessTokenDeps & MetadataDeps

export function oauthRoutes(http: TypedFastify, deps: OauthDeps): void {
  http.register(async (oauth: TypedFastify) => {
    readForms(oauth)
    oauth.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
    })
    oauth.setErrorHandler(sayNo)
    accessTokenRoutes(oauth, deps)
  })
  metadataRoutes(http, deps)
}

function sayNo(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, headers, statusText } = answerOauth(error)
  if (status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
  reply.code(status).headers(headers)
  // The basic flow answers plain text, errors included.
  if (isBasicFlow(request)) return reply.type('text/plain; charset=utf-8').send(statusText)
  const envelope = { status_code: status, data: null, status_txt: statusText }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(envelope))
}
