import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TypedFastify } from './typed-fastify.js'

/**
 * Plain-text 405 for a known path with another method and 404 for an unknown path, before anything else is looked at
 * (docs/api/README.md#order-of-checks). Must be called before routes are added: it learns of them as they come.
 */
export function rejectUnrouted(http: TypedFastify, answerUnknown: AnswerUnknown = () => false): void {
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

/** May answer a request for an unknown path instead, and then says true. */
export type AnswerUnknown = (request: FastifyRequest, reply: FastifyReply) => boolean

/** `/v4/groups/:group_guid` -> a pattern in which a parameter is one segment. */
function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : literal(segment)))
  return new RegExp(`^${segments.join('/')}$`)
}

function literal(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&')
}
