/** OpenAPI 3.1, generated from the schemas of the routes and from nothing else. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { described } from './described.js'
import type { TypedFastify } from './typed-fastify.js'

export const swaggerOptions: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'shortlink',
      version: '4.0.0',
      description:
        'Short links, their destinations and their clicks. Errors carry a machine-readable `message`, the `resource` ' +
        'they belong to, a `description` for people and, for bad arguments, the `errors` by field.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Links', description: 'Make short links and read them' },
      { name: 'Domains', description: 'Bring branded short domains and look after them' },
      { name: 'Mobile apps', description: 'Mobile apps that deep links open' },
      { name: 'Images', description: 'Pictures of a group, such as logos of QR codes' },
      { name: 'Metrics', description: 'How short links are used' },
      { name: 'Groups', description: 'Subdivisions of an organization, which own links' },
      { name: 'Organizations', description: 'Accounts, which own groups and domains' },
      { name: 'Campaigns', description: 'Marketing efforts of a group' },
      { name: 'Channels', description: 'Ways in which links of campaigns go out' },
      { name: 'User', description: 'Who you are' },
      { name: 'Applications', description: 'Programs that act for users' },
    ],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token: `Authorization: Bearer <token>`' },
      },
    },
    security: [{ bearer: [] }],
  },
  // Shared schemas keep their own names as components.
  refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `schema-${i}`) },
}

export function openApiRoute(http: TypedFastify): void {
  let document: string | undefined
  http.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(described(http.swagger()))
    return reply.type('application/json; charset=utf-8').send(document)
  })
}
