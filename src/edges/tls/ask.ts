/**
 * On-demand TLS check for certificate servers: is this host name one of ours? 200 or 404, in plain text. Only for the
 * proxy in front, which should not forward `/internal/` from outside.
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
