/**
 * The Fastify instance every API hangs on: limits of size and time, plain-text 404 and 405, validation, OpenAPI.
 * It knows nothing of links, tokens or the error shape of any one API; those are mounted on it.
 */
import type { RequestListener, Server } from 'node:http'
import fastifySwagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify'
import { openApiRoute, swaggerOptions } from './openapi.js'
import { brokenRequests } from './raw-requests.js'
import { buildSerializer, validatorCompiler } from './schema-compilers.js'
import type { TypedFastify } from './typed-fastify.js'

export interface HttpDeps {
  readonly log: FastifyBaseLogger
}

/** May answer a request for an unknown path instead, and then says true. */
type AnswerUnknown = (request: FastifyRequest, reply: FastifyReply) => boolean

export interface HttpOptions {
  /** Who owns the socket: the redirect handler stands in front of Fastify on the same port. */
  readonly serverFactory?: (api: RequestListener) => Server
  readonly answerUnknown?: AnswerUnknown
  /** Milliseconds a client has for sending its headers, and for sending a whole request. */
  readonly timeouts?: { readonly headers: number; readonly request: number }
  /** The collection that a path is about, for errors that come before any route. */
  readonly resourceOf?: (url: string) => string
}

// Our choice: slow enough for bad networks, quick enough that half-sent requests do not pile up.
const patience = { headers: 10_000, request: 30_000 }

export async function createHttp(
  deps: HttpDeps,
  options: HttpOptions,
  mount: (routes: TypedFastify) => void,
): Promise<TypedFastify> {
  const { serverFactory, resourceOf = () => '' } = options
  const broken = brokenRequests()
  const settings: FastifyServerOptions<Server, FastifyBaseLogger> = {
    loggerInstance: deps.log,
    // An API call is not worth two log lines; failures are logged where they are answered.
    logController: new LogController({ disableRequestLogging: true }),
    // One line at most is logged of a request, so there is nothing that a number of its own would tie together.
    childLoggerFactory: (log) => log,
    bodyLimit: 1024 * 1024,
    // Node bounds the request line, so ids of any length reach their route and are simply not found.
    routerOptions: { maxParamLength: 64 * 1024 },
    rewriteUrl: (request) => splitLinkId(originForm(request.url ?? '/')),
    frameworkErrors: (error, request, reply) => answerBadUrl(error, resourceOf(request.url), reply),
    clientErrorHandler: broken.answer,
    schemaController: { compilersFactory: { buildSerializer } },
    ...(serverFactory && { serverFactory: (handler) => serverFactory(handler) }),
  }
  const http = fastify(settings).withTypeProvider<TypeBoxTypeProvider>()
  const { headers, request } = options.timeouts ?? patience
  http.server.headersTimeout = headers
  http.server.requestTimeout = request
  broken.watch(http.server)

  http.setValidatorCompiler(validatorCompiler)
  // A scope that adds shared schemas would otherwise fall back to the built-in validator, which converts.
  http.addHook('onRegister', (scope) => {
    scope.setValidatorCompiler(validatorCompiler)
  })
  http.setErrorHandler(answerPlainly)
  // Hooks that wait for nothing call back: a promise for each would cost every API request some microseconds.
  http.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  http.addHook('preParsing', (_request, _reply, payload, done) => {
    payload.once('error', tellOfHalfABody)
    done(null, payload)
  })
  rejectUnrouted(http, options.answerUnknown)
  await http.register(fastifySwagger, swaggerOptions)
  mount(http)
  openApiRoute(http)
  await http.ready()
  return http
}

/** A client that goes away amid its body is no failure of ours. Every edge knows this code; a bare ECONNRESET may be a store's. */
function tellOfHalfABody(error: Error): void {
  Object.assign(error, { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' })
}

/**
 * Plain-text 405 for a known path with another method and 404 for an unknown path, before anything else is looked at
 * (docs/api/README.md#order-of-checks). Must be called before routes are added: it learns of them as they come.
 */
function rejectUnrouted(http: TypedFastify, answerUnknown: AnswerUnknown = () => false): void {
  const methodsByUrl = new Map<string, Set<string>>()
  http.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })

  const patterns: (readonly [RegExp, ReadonlySet<string>])[] = []
  http.addHook('onReady', async () => {
    for (const [url, methods] of methodsByUrl) patterns.push([patternOf(url), methods])
  })

  // In a hook and not in the not-found handler, which would only run after the body was read and parsed.
  http.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const [path = ''] = request.url.split('?')
    const allowed = patterns.flatMap(([pattern, methods]) => (pattern.test(path) ? [...methods] : []))
    if (allowed.length === 0 && answerUnknown(request, reply)) return
    reply.type('text/plain; charset=utf-8')
    if (allowed.length === 0) reply.code(404).send('404 page not found\n')
    else
      reply
        .code(405)
        .header('allow', [...new Set(allowed)].join(', '))
        .send('Method not allowed\n')
  })
}

/** `/v4/groups/:group_guid` -> a pattern in which a parameter is one segment. */
function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : literal(segment)))
  return new RegExp(`^${segments.join('/')}$`)
}

function literal(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&')
}

/** Proxies may put a whole URL into the request line (RFC 9112, 3.2.2); routes only ever see its path. */
function originForm(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

/**
 * The id in a path arrives with a raw slash or with %2F, and as a whole short URL too; routes only ever see domain, slash
 * and back-half.
 */
function splitLinkId(url: string): string {
  if (!url.includes('%') && !url.includes(':')) return url
  return url
    .replace(/^(\/v4\/(?:custom_)?shortlinks\/)https?(?::|%3a)(?:\/|%2f){2}/i, '$1')
    .replace(/^(\/v4\/(?:custom_)?shortlinks\/[^/?#]*?)%2f/i, '$1/')
}

/** A path whose percent-encoding is broken never reaches a route, so no edge can give it its own shape: it gets v4's. */
function answerBadUrl(error: FastifyError, resource: string, reply: FastifyReply): void {
  const description = 'The path of the request is not valid percent-encoding.'
  reply
    .code(error.statusCode ?? 400)
    .header('x-content-type-options', 'nosniff')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ message: 'BAD_REQUEST', resource, description }))
}

/** For what belongs to no API with an error shape of its own. */
function answerPlainly(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const isClientsFault = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  if (!isClientsFault) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
  const [status, text] = isClientsFault ? [error.statusCode ?? 400, 'Bad request\n'] : [500, 'Internal error\n']
  reply.code(status).type('text/plain; charset=utf-8').send(text)
}
