/**
 * The Fastify instance for all APIs: limits of size and time, plain-text 404 and 405, validation, OpenAPI. Knows nothing of
 * links, tokens or the error format of an API; the APIs are mounted on it.
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
import { addCorsHeaders, allowOrigins, type CorsOptions } from './cors.js'
import { type LinkWordOptions, LinkWords } from './link-words.js'
import { openApiRoute, swaggerOptions } from './openapi.js'
import { brokenRequests, originForm } from './raw-requests.js'
import type { TypedFastify } from './typed-fastify.js'
import { buildSerializer, validatorCompiler } from './validation.js'

export interface HttpDeps {
  readonly log: FastifyBaseLogger
}

/** Returns true if it answered the request for an unknown path. */
type AnswerUnknown = (request: FastifyRequest, reply: FastifyReply) => boolean

export type OnAnswered = (request: FastifyRequest, reply: FastifyReply) => void

export interface HttpOptions {
  /** Creates the server that passes requests to the API: redirects share its port. */
  readonly serverFactory?: (api: RequestListener) => Server
  readonly answerUnknown?: AnswerUnknown
  /** Called with each request; must call `next`. */
  readonly onAsked?: ((request: FastifyRequest, next: () => void) => void) | undefined
  /** Called after each response. */
  readonly onAnswered?: readonly OnAnswered[]
  readonly cors?: CorsOptions | undefined
  readonly linkWords?: LinkWordOptions | undefined
  /** Milliseconds in which a client must send its headers, and the whole request. */
  readonly timeouts?: { readonly headers: number; readonly request: number }
  /** The collection that a path is about, for errors that come before any route. */
  readonly resourceOf?: (url: string) => string
}

// Long enough for bad networks, short enough that incomplete requests do not pile up.
const defaultTimeouts = { headers: 10_000, request: 30_000 }

export async function createHttp(
  deps: HttpDeps,
  options: HttpOptions,
  mount: (routes: TypedFastify) => void,
): Promise<TypedFastify> {
  const { serverFactory, cors, resourceOf = () => '' } = options
  const broken = brokenRequests()
  const words = options.linkWords && new LinkWords(options.linkWords)
  const settings: FastifyServerOptions<Server, FastifyBaseLogger> = {
    loggerInstance: deps.log,
    // No log lines for each request; failures are logged where they are answered.
    logController: new LogController({ disableRequestLogging: true }),
    // At most one line is logged for a request, so it needs no request id.
    childLoggerFactory: (log) => log,
    bodyLimit: 1024 * 1024,
    // node:http bounds the request line; ids of any length reach their route, which answers 404.
    routerOptions: { maxParamLength: 64 * 1024 },
    rewriteUrl: words
      ? (request) => splitLinkId(words.readUrl(request, originForm(request.url ?? '/')))
      : (request) => splitLinkId(originForm(request.url ?? '/')),
    frameworkErrors: (error, request, reply) => {
      if (cors && request.url.startsWith(cors.under)) addCorsHeaders(cors, request, reply)
      const resource = resourceOf(request.url)
      answerBadUrl(error, words ? words.name(request, resource) : resource, reply)
    },
    clientErrorHandler: broken.answer,
    schemaController: { compilersFactory: { buildSerializer: words?.buildSerializer ?? buildSerializer } },
    ...(serverFactory && { serverFactory: (handler) => serverFactory(handler) }),
  }
  const http = fastify(settings).withTypeProvider<TypeBoxTypeProvider>()
  const { headers, request } = options.timeouts ?? defaultTimeouts
  http.server.headersTimeout = headers
  http.server.requestTimeout = request
  broken.watch(http.server)

  http.setValidatorCompiler(validatorCompiler)
  // Otherwise a scope with shared schemas falls back to Fastify's validator, which converts types.
  http.addHook('onRegister', (scope) => {
    scope.setValidatorCompiler(validatorCompiler)
  })
  http.setErrorHandler(answerPlainly)
  // Synchronous hooks call back: a promise in each hook costs every API request some microseconds.
  http.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
  http.addHook('preParsing', (_request, _reply, payload, done) => {
    payload.on('error', markAborted)
    done(null, payload)
  })
  const { onAsked, onAnswered = [] } = options
  if (onAsked) http.addHook('onRequest', (request, _reply, done) => onAsked(request, done))
  for (const tell of onAnswered) {
    http.addHook('onResponse', (request, reply, done) => {
      tell(request, reply)
      done()
    })
  }
  if (words) {
    http.decorate('linkWords', words)
    words.install(http)
  }
  const methodsOf = collectMethods(http)
  if (cors) allowOrigins(http, cors, methodsOf)
  rejectUnrouted(http, methodsOf, options.answerUnknown)
  await http.register(fastifySwagger, swaggerOptions)
  mount(http)
  openApiRoute(http)
  await http.ready()
  return http
}

/** The client disconnected within its body, which is not a failure of the service. ECONNRESET alone could come from a store. */
function markAborted(error: Error): void {
  Object.assign(error, { code: 'FST_ERR_CTP_INVALID_CONTENT_LENGTH' })
}

/** Tells the methods of a URL. Must be called before routes are added, because it collects them. */
function collectMethods(http: TypedFastify): (url: string) => readonly string[] {
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
  return (url) => {
    const [path = ''] = url.split('?')
    return [...new Set(patterns.flatMap(([pattern, methods]) => (pattern.test(path) ? [...methods] : [])))]
  }
}

/**
 * Plain-text 405 for a known path with another method and 404 for an unknown path, before all other checks
 * (docs/api/README.md#order-of-checks).
 */
function rejectUnrouted(
  http: TypedFastify,
  methodsOf: (url: string) => readonly string[],
  answerUnknown: AnswerUnknown = () => false,
): void {
  // In a hook: the not-found handler runs only after the body was read and parsed.
  http.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const allowed = methodsOf(request.url)
    if (allowed.length === 0 && answerUnknown(request, reply)) return
    reply.type('text/plain; charset=utf-8')
    if (allowed.length === 0) reply.code(404).send('404 page not found\n')
    else reply.code(405).header('allow', allowed.join(', ')).send('Method not allowed\n')
  })
}

/** `/v4/groups/:group_guid` -> a pattern in which each parameter matches one segment. */
function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : literal(segment)))
  return new RegExp(`^${segments.join('/')}$`)
}

function literal(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&')
}

/** A link id in a path may have a slash or %2F, and may be a whole short URL; routes see `domain/back-half`. */
function splitLinkId(url: string): string {
  if (!url.includes('%') && !url.includes(':')) return url
  return url
    .replace(/^(\/v4\/(?:custom_)?shortlinks\/)https?(?::|%3a)(?:\/|%2f){2}/i, '$1')
    .replace(/^(\/v4\/(?:custom_)?shortlinks\/[^/?#]*?)%2f/i, '$1/')
}

/** A path with broken percent-encoding reaches no route of any API, so it gets v4's error format. */
function answerBadUrl(error: FastifyError, resource: string, reply: FastifyReply): void {
  const description = 'The path of the request is not valid percent-encoding.'
  reply
    .code(error.statusCode ?? 400)
    .header('x-content-type-options', 'nosniff')
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ message: 'BAD_REQUEST', resource, description }))
}

/** Errors outside of the APIs with their own error format. */
function answerPlainly(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const isClientError = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  if (!isClientError) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
  const [status, text] = isClientError ? [error.statusCode ?? 400, 'Bad request\n'] : [500, 'Internal error\n']
  reply.code(status).type('text/plain; charset=utf-8').send(text)
}
