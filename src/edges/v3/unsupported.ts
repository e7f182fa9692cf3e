/** Answers unknown paths (404) and operations of the old service that are not offered (DEPRECATED), in the envelope. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TypedFastify } from '../http/typed-fastify.js'
import { Arguments } from './arguments.js'
import { formForError, write } from './envelope.js'
import type { Status } from './errors.js'

/** HistoryPage in docs/api/v3.md. A star stands for one or more path segments. */
const deprecatedPaths = [
  ...['/v3/authenticate', '/v3/highvalue', '/v3/search'],
  ...['/v3/bundle/*', '/v3/organization/*', '/v3/realtime/*'],
  ...['category', 'content', 'language', 'location', 'social'].map((name) => `/v3/link/${name}`),
  ...['bundle_history', 'realtime_links'].map((name) => `/v3/user/${name}`),
  ...['popular_earned_by_clicks', 'popular_earned_by_shortens'].map((name) => `/v3/user/${name}`),
  ...['popular_owned_by_clicks', 'popular_owned_by_shortens'].map((name) => `/v3/user/${name}`),
]

const deprecated: Status = { code: 500, text: 'DEPRECATED' }
const notFound: Status = { code: 404, text: 'NOT_FOUND' }

/** These need no token. */
export function unsupportedRoutes(http: TypedFastify): void {
  for (const path of deprecatedPaths) http.get(path, { schema: { hide: true } }, refuseWith(deprecated))
  for (const path of ['/v3', '/v3/*']) http.get(path, { schema: { hide: true } }, refuseWith(notFound))
}

function refuseWith(status: Status) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { httpStatus, type, body } = write(formForError(new Arguments(request.url)), status, null)
    return reply.code(httpStatus).header('cache-control', 'no-store').type(type).send(body)
  }
}
