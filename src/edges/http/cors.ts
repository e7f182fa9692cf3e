/**
 * Cross-origin requests: scripts of the configured origins may call an API with a token. Cookies are never allowed, so a
 * browser's session is of no use to them (docs/security.md#scripts-of-other-sites).
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TypedFastify } from './typed-fastify.js'

export interface CorsOptions {
  /** Exact origins, or `*` for all. */
  readonly origins: readonly string[]
  /** The beginning of the paths concerned. */
  readonly under: string
}

// X-CSRF-Token is missing on purpose: it belongs to the session of the service's own pages.
const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
].join(', ')

/** What scripts may read, besides the few headers that browsers always show. */
const exposedHeaders = [
  'Allow',
  'Content-Disposition',
  'ETag',
  'Idempotent-Replayed',
  'Retry-After',
  'WWW-Authenticate',
  'X-Bsd-Error',
  'X-RateLimit-Limit',
  'X-RateLimit-Reason',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ')

/** Seconds that a browser may keep the answer to a preflight; Chromium keeps none for longer. */
const maxAge = '7200'

/** Must be called before other hooks answer, so that errors carry the headers too. */
export function allowOrigins(
  http: TypedFastify,
  options: CorsOptions,
  methodsOf: (path: string) => readonly string[],
): void {
  http.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(options.under)) return done()
    const isAllowed = addCorsHeaders(options, request, reply)
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers
    const methods = isAllowed && isPreflight ? methodsOf(request.url) : []
    if (methods.length === 0) return done()
    reply
      .code(204)
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', maxAge)
      .send()
  })
}

/** Returns whether scripts of the request's origin may read the answer. */
export function addCorsHeaders({ origins }: CorsOptions, request: FastifyRequest, reply: FastifyReply): boolean {
  const { origin } = request.headers
  const isForAll = origins.includes('*')
  // Without an origin too: caches must not give this answer to a page.
  if (!isForAll) addVary(reply, 'Origin')
  if (origin === undefined || !(isForAll || origins.includes(origin))) return false
  reply.header('access-control-allow-origin', isForAll ? '*' : origin)
  if (request.method !== 'OPTIONS') reply.header('access-control-expose-headers', exposedHeaders)
  return true
}

/** The answer depends on this header of the request, besides those already named. */
export function addVary(reply: FastifyReply, header: string): void {
  const named = reply.getHeader('vary')
  reply.header('vary', named === undefined ? header : `${named}, ${header}`)
}
