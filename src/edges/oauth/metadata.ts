/** `/.well-known/oauth-authorization-server` (RFC 8414): metadata for client libraries. */
import type { TypedFastify } from '../http/typed-fastify.js'

export interface MetadataDeps {
  readonly config: { readonly baseUrl: string }
}

export function metadataRoutes(http: TypedFastify, deps: MetadataDeps): void {
  const { baseUrl } = deps.config
  const document = JSON.stringify({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/access_token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    grant_types_supported: ['authorization_code', 'password'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
  })
  http.get('/.well-known/oauth-authorization-server', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=3600')
      // Programs in a browser read it too.
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8')
      .send(document),
  )
}
