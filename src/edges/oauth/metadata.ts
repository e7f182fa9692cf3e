/** Metadata for client libraries: of the authorization server (RFC 8414) and of the API that it protects (RFC 9728). */
import { Type } from 'typebox'
import { registrableScopes } from '../../core/accounts/applications.js'
import { applicationScopes } from '../../core/accounts/scopes.js'
import type { TypedFastify } from '../http/typed-fastify.js'

export interface OauthConfig {
  readonly baseUrl: string
  readonly oauthRegistration: 'on' | 'off'
  readonly oauthClientDocuments: 'on' | 'off'
}

export function metadataRoutes(http: TypedFastify, config: OauthConfig): void {
  const serve = (path: string, content: object, schema: object) => {
    const document = JSON.stringify(content)
    http.get(`/.well-known/${path}`, { schema }, async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=3600')
        // Programs in a browser read it too.
        .header('access-control-allow-origin', '*')
        .type('application/json; charset=utf-8')
        .send(document),
    )
  }
  serve('oauth-authorization-server', serverMetadata(config), {
    operationId: 'getOauthMetadata',
    summary: 'Get the metadata of the authorization server',
    description: 'For client libraries (RFC 8414): the endpoints and what they support.',
    ...answered('issuer', serverMetadata(example)),
  })
  serve('oauth-protected-resource', resourceMetadata(config.baseUrl), {
    operationId: 'getOauthResourceMetadata',
    summary: 'Get the metadata of the API',
    description:
      'For client libraries (RFC 9728): where tokens come from. There is one resource, the whole service. Refusals of ' +
      'version 4 link to it.',
    ...answered('resource', resourceMetadata(example.baseUrl)),
  })
}

function serverMetadata({ baseUrl, oauthRegistration, oauthClientDocuments }: OauthConfig) {
  const registers = oauthRegistration === 'on'
  const reads = oauthClientDocuments === 'on'
  const methods = ['client_secret_basic', 'client_secret_post', 'none']
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/access_token`,
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: methods,
    ...(registers && { registration_endpoint: `${baseUrl}/oauth/register` }),
    ...(reads && { client_id_metadata_document_supported: true }),
    grant_types_supported: ['authorization_code', ...(registers || reads ? ['refresh_token'] : []), 'password'],
    scopes_supported: registrableScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    service_documentation: `${baseUrl}/docs`,
  }
}

function resourceMetadata(baseUrl: string) {
  return {
    resource: baseUrl,
    authorization_servers: [baseUrl],
    scopes_supported: applicationScopes,
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs`,
  }
}

const example: OauthConfig = {
  baseUrl: 'https://api.example.com',
  oauthRegistration: 'on',
  oauthClientDocuments: 'on',
}

const url = Type.String({ examples: [example.baseUrl] })

function answered(name: string, shown: object) {
  const content = { 'application/json': { schema: Type.Object({ [name]: url }), example: shown } }
  return { tags: ['OAuth'], security: [], response: { 200: { description: 'The metadata', content } } }
}
