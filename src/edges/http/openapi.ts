/** OpenAPI 3.1, generated from the schemas of the routes and from nothing else. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipOnce } from 'node:zlib'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { ownWord } from '../../core/values/link-word.js'
import { isObject } from '../../lib/is-object.js'
import { version } from '../../lib/version.js'
import { encodingFor } from './compress.js'
import { described } from './described.js'
import { withExamples } from './examples.js'
import { withSharedParts } from './shared-parts.js'
import type { TypedFastify } from './typed-fastify.js'
import { webhookEventDocuments } from './webhook-events.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A schema of the headers that a route accepts, for the document alone. */
    documentedHeaders?: object
  }
}

export const swaggerOptions: FastifyDynamicSwaggerOptions = {
  openapi: { openapi: '3.1.0', info: { title: 'shortlink', version: '' }, servers: [{ url: '/' }] },
  // Headers are documented without being checked: that would cost every request.
  transform: ({ schema, url, route }) => ({
    schema: { ...schema, ...(route.config?.documentedHeaders && { headers: route.config.documentedHeaders }) },
    url,
  }),
  // Shared schemas keep their own names as components.
  refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `schema-${i}`) },
}

const license = { name: 'MIT', identifier: 'MIT' }

/** Two documents, because clients are generated for one version of the API. */
const documents = [
  {
    url: '/openapi.json',
    covers: (path: string) => path.startsWith('/v4/'),
    info: {
      title: 'shortlink API',
      version: version(),
      description:
        'Short links, their destinations and their clicks. Errors carry a machine-readable `message`, the `resource` ' +
        'they belong to, a `description` for people and, for bad arguments, the `errors` by field.',
      license,
    },
    tags: [
      { name: 'Links', description: 'Make short links and read them' },
      { name: 'Custom short links', description: 'Back-halves of your own choice, and their history' },
      { name: 'Bulk', description: 'Many links at once: by one request, or by a file' },
      { name: 'QR codes', description: 'QR codes of short links: their design, pictures and scans' },
      { name: 'Domains', description: 'Bring branded short domains and look after them' },
      { name: 'Mobile apps', description: 'Mobile apps that deep links open' },
      { name: 'Sites', description: 'Pages with short links, their blocks and their looks' },
      { name: 'Images', description: 'Pictures of a group, such as logos of QR codes' },
      { name: 'Metrics', description: 'How short links are used' },
      { name: 'Groups', description: 'Subdivisions of an organization, which own links' },
      { name: 'Organizations', description: 'Accounts, which own groups and domains' },
      { name: 'Campaigns', description: 'Marketing efforts of a group' },
      { name: 'Channels', description: 'Ways in which links of campaigns go out' },
      { name: 'Webhooks', description: 'Events that are sent to URLs of an organization' },
      { name: 'User', description: 'Who you are' },
      { name: 'Applications', description: 'Programs that act for users' },
    ],
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An access token: `Authorization: Bearer <token>`' },
    },
    security: [{ bearer: [] }],
    webhooks: webhookEventDocuments,
  },
  {
    url: '/docs/v3.json',
    covers: (path: string) => !path.startsWith('/v4/'),
    info: {
      title: 'shortlink OAuth and API version 3',
      version: version(),
      description:
        'How programs get access tokens of users (OAuth 2), and version 3 of the API, for older clients. Version 3 ' +
        'reads all arguments from the query and answers with HTTP status 200: `status_code` and `status_txt` say ' +
        'whether it worked. New programs use version 4.',
      license,
    },
    tags: [
      { name: 'OAuth', description: 'Access tokens for applications' },
      { name: 'Links', description: 'Make short links and read them' },
      { name: 'History', description: 'The links of your account' },
      { name: 'Metrics', description: 'How short links are used' },
      { name: 'Campaigns', description: 'Marketing efforts of your account' },
      { name: 'User', description: 'Who you are' },
      { name: 'Stream', description: 'Where the click stream is read from' },
    ],
    securitySchemes: {
      token: { type: 'apiKey', in: 'query', name: 'access_token', description: 'An access token' },
    },
    security: [{ token: [] }],
  },
] as const

export function openApiRoute(http: TypedFastify): void {
  for (const { url, covers, securitySchemes, ...rest } of documents) {
    const written = new Map<string, Promise<Sent>>()
    const writtenIn = (word: string): Promise<Sent> => {
      const document = documentOf(http, covers, { ...rest, components: { securitySchemes } })
      const inWord = http.linkWords?.document(document, word) ?? document
      return compressed(JSON.stringify(withSharedParts(inWord as Readonly<Record<string, object>>), withoutMarks))
    }
    http.get<{ Querystring: { word?: unknown } }>(url, { schema: { hide: true } }, async (request, reply) => {
      const { word = ownWord } = request.query
      if (typeof word !== 'string' || !(word === ownWord || http.linkWords?.words.includes(word))) {
        return reply.code(404).type('text/plain; charset=utf-8').send('There is no such word for short links here.\n')
      }
      const known = written.get(word) ?? writtenIn(word)
      written.set(word, known)
      const sent = await known
      const encoding = encodingFor(request.headers['accept-encoding'])
      reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding')
      return encoding ? reply.header('content-encoding', encoding).send(sent[encoding]) : reply.send(sent.plain)
    })
  }
}

const marks: ReadonlySet<string> = new Set(['x-link-word', 'x-of-core', 'x-may-be-missing'])

/** For JSON.stringify: marks of ours are of no use to readers of the document. */
function withoutMarks(key: string, value: unknown): unknown {
  return marks.has(key) ? undefined : value
}

interface Sent {
  readonly plain: string
  readonly br: Buffer
  readonly gzip: Buffer
}

/** Half a megabyte becomes a tenth or less. Done once, in threads of Node: nobody else waits for it. */
async function compressed(plain: string): Promise<Sent> {
  // 11, the default, takes a second more for a hundredth less.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  const [br, gzip] = await Promise.all([promisify(brotliCompress)(plain, { params }), promisify(gzipOnce)(plain)])
  return { plain, br, gzip }
}

interface SwaggerDocument {
  readonly paths: object
  readonly components: { readonly schemas: object }
}

function documentOf(http: TypedFastify, covers: (path: string) => boolean, own: { components: object }): object {
  const { paths, components, ...rest } = described(http.swagger()) as SwaggerDocument
  const covered = Object.fromEntries(Object.entries(paths).filter(([path]) => covers(path)))
  const schemas = onlyUsed(covered, components.schemas)
  return withExamples({ ...rest, ...own, components: { ...own.components, schemas }, paths: covered })
}

/** The shared schemas that these paths refer to, directly or through others. */
function onlyUsed(paths: object, schemas: object): object {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isObject(value)) return
    Object.values(value).forEach(visit)
    const name = typeof value.$ref === 'string' ? value.$ref.slice(value.$ref.lastIndexOf('/') + 1) : undefined
    if (name === undefined || used.has(name)) return
    used.add(name)
    visit(Reflect.get(schemas, name))
  }
  visit(paths)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}
