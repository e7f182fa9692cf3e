/**
 * What certificate servers ask before they make a certificate on demand: is this name one of ours? 200 or 404, in
 * plain text. It is for the proxy in front alone, which should not pass `/internal/` on to the world.
 */
import { Type } from 'typebox'
import type { Domains } from '../../core/domains/domains.js'
import type { TypedFastify } from '../http/typed-fastify.js'

export interface TlsDeps {
  readonly domains: Pick<Domains, 'isServed'>
}

const AskQuery = Type.Object({ domain: Type.Optional(Type.Unknown()) })

export function tlsRoutes(http: TypedFastify, deps: TlsDeps): void {
  http.get('/internal/tls/ask', { schema: { hide: true, querystring: AskQuery } }, async (request, reply) => {
    const { domain } = request.query
    const served = typeof domain === 'string' && deps.domains.isServed(domain.toLowerCase())
    reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store')
    return reply.code(served ? 200 : 404).send(served ? 'one of ours\n' : 'not one of ours\n')
  })
}
