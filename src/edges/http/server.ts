/**
 * The Fastify instance for all APIs: limits of size and time, 404 and 405, request ids, compression, validation, OpenAPI. Knows nothing of
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
import { compressAnswers } from './compress.js'
import { addCorsHeaders, allowOrigins, type CorsOptions } from './cors.js'
import { type LinkWordOptions, LinkWords } from './link-words.js'
import { logFailure } from './log-failure.js'
import { openApiRoute, swaggerOptions } from './openapi.js'
import { brokenRequests, originForm } from './raw-requests.js'
import { requestIds } from './request-id.js'
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
  const sendError = errorSender(resourceOf, words)
  const settings: FastifyServerOptions<Server, FastifyBaseLogger> = {
    loggerInstance: deps.log,
    // No log lines for each request; failures are logged where they are answered.
    logController: new LogController({ disableRequestLogging: true }),
    // At most one line is logged for a request, which names its id (request-id.ts) itself: no logger of its own.
    childLoggerFactory: (log) => log,
    genReqId: requestIds(),
    bodyLimit: 1024 * 1024,
    // node:http bounds the request line; ids of any length reach their route, which answers 404.
    routerOptions: { maxParamLength: 64 * 1024 },
    rewriteUrl: words
      ? (request) => splitLinkId(words.readUrl(request, originForm(request.url ?? '/')))
      : (request) => splitLinkId(originForm(request.url ?? '/')),
    frameworkErrors: (error, request, reply) => {
      if (cors && request.url.startsWith(cors.under)) addCorsHeaders(cors, request, reply)
      reply.headers({ 'x-content-type-options': 'nosniff', 'x-request-id': request.id })
      const description = 'The path of the request is not valid percent-encoding.'
      sendError(request, reply, { status: error.statusCode ?? 400, message: 'BAD_REQUEST', description })
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
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    reply.header('x-request-id', request.id)
    done()
  })
  compressAnswers(http)
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
  rejectUnrouted(http, methodsOf, sendError, options.answerUnknown)
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
 * 405 for a known path with another method and 404 for an unknown path, before all other checks
 * (docs/api/README.md#order-of-checks): in the error format of v4 below /v4, elsewhere in plain text.
 */
function rejectUnrouted(
  http: TypedFastify,
  methodsOf: (url: string) => readonly string[],
  sendError: SendError,
  answerUnknown: AnswerUnknown = () => false,
): void {
  // In a hook: the not-found handler runs only after the body was read and parsed.
  http.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const allowed = methodsOf(request.url)
    if (allowed.length === 0 && answerUnknown(request, reply)) return
    if (allowed.length > 0) reply.header('allow', allowed.join(', '))
    reply.code(allowed.length === 0 ? 404 : 405)
    if (/^\/v4(?:[/?]|$)/.test(request.url)) sendError(request, reply, unroutedError(request, allowed))
    else
      reply
        .type('text/plain; charset=utf-8')
        .send(allowed.length === 0 ? '404 page not found\n' : 'Method not allowed\n')
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

type SendError = (
  request: FastifyRequest,
  reply: FastifyReply,
  error: { readonly status: number; readonly message: string; readonly description: string },
) => void

/** The error format of v4, for requests that reach no route of any API. */
function errorSender(resourceOf: (url: string) => string, words: LinkWords | undefined): SendError {
  return (request, reply, { status, message, description }) => {
    const name = resourceOf(request.url)
    const resource = words ? words.name(request, name) : name
    const body = { message, resource, description, request_id: request.id }
    reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
  }
}

function unroutedError({ method }: FastifyRequest, allowed: readonly string[]) {
  if (allowed.length === 0) {
    const description = 'There is no such operation. /docs lists the operations of this service.'
    return { status: 404, message: 'NOT_FOUND', description }
  }
  const description = `This path does not take ${method}, but ${allowed.join(', ')}.`
  return { status: 405, message: 'METHOD_NOT_ALLOWED', description }
}

/** Errors outside of the APIs with their own error format. */
function answerPlainly(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const isClientError = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
  if (!isClientError) logFailure(request, error)
  const [status, text] = isClientError ? [error.statusCode ?? 400, 'Bad request\n'] : [500, 'Internal error\n']
  reply.code(status).type('text/plain; charset=utf-8').send(text)
}
