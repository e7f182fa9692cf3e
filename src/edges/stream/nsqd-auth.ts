/**
 * The authorization endpoint for external nsqd daemons (--auth-http-address): who sent AUTH, and which topics may they
 * read? It translates core's answer into nsqd's patterns. Not public: nsqd can send neither a header nor a query of its
 * own, so the shared secret is the last part of the path.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type AuthorizeReaderDeps,
  authorizationTtl,
  authorizeReader,
  publisherSecret,
} from '../../core/stream/access.js'
import { isObject } from '../../lib/is-object.js'
import { isSameText } from '../../lib/same-text.js'
import type { TypedFastify } from '../http/typed-fastify.js'

export type NsqdAuthDeps = AuthorizeReaderDeps & {
  readonly config: {
    readonly nsqdAuthSecret: string | undefined
    readonly nsqdTcpAddresses: readonly string[]
    readonly nsqdHttpAddresses: readonly string[]
  }
}

interface NsqdAuthorization {
  readonly ttl: number
  readonly identity: string
  readonly identity_url: string
  readonly authorizations: readonly {
    readonly topic: string
    readonly channels: readonly string[]
    readonly permissions: readonly ('subscribe' | 'publish')[]
  }[]
}

export function nsqdAuthRoutes(http: TypedFastify, deps: NsqdAuthDeps): void {
  const { nsqdAuthSecret: secret, nsqdTcpAddresses, nsqdHttpAddresses } = deps.config
  // The embedded nsqd asks core directly.
  if (nsqdTcpAddresses.length + nsqdHttpAddresses.length === 0) return
  const publishing = secret === undefined ? undefined : publisherSecret(secret)

  http.route({
    method: ['GET', 'POST'],
    url: secret === undefined ? '/internal/nsq/auth' : '/internal/nsq/auth/:secret',
    schema: { hide: true },
    async handler(request, reply) {
      if (!(secret === undefined ? isFromThisMachine(request) : knows(secret, request))) return hide(reply)
      const given = secretOf(request)
      const answer = publishing !== undefined && isSameText(given, publishing) ? ourselves : await reader(deps, given)
      return reply.header('cache-control', 'no-store').send(answer)
    },
  })
}

/** An empty list is a normal answer: nsqd would treat a 403 as a redirect to https. */
async function reader(deps: NsqdAuthDeps, token: string): Promise<NsqdAuthorization> {
  const found = await authorizeReader(deps, token)
  return {
    ttl: found?.ttl ?? authorizationTtl,
    identity: found?.login ?? '',
    identity_url: '',
    authorizations: (found?.topics ?? []).map((topic) => ({
      topic: exactly(topic),
      channels: ['^.*$'],
      permissions: ['subscribe'],
    })),
  }
}

/** The service itself: its publisher over TCP, and its own readers. nsqd asks for publishing with the channel "". */
const ourselves: NsqdAuthorization = {
  // Only a new nsqdAuthSecret can revoke this permission, so a long TTL is safe; nsqd asks again after each TTL.
  ttl: 3600,
  identity: 'shortlink',
  identity_url: '',
  authorizations: [{ topic: '^.*$', channels: ['^.*$'], permissions: ['publish', 'subscribe'] }],
}

/**
 * nsqd matches regular expressions: without anchors `clicks` would also allow `clicks.another`, and a dot any
 * character.
 */
function exactly(topic: string): string {
  return `^${topic.replace(/[^\w-]/g, '\\$&')}$`
}

/** From the query; newer daemons may POST it, with every value as a list. */
function secretOf({ method, query, body }: FastifyRequest): string {
  const fields = method === 'POST' ? body : query
  const secret = isObject(fields) ? fields.secret : undefined
  const first: unknown = Array.isArray(secret) ? secret[0] : secret
  return typeof first === 'string' ? first : ''
}

function knows(secret: string, { params }: FastifyRequest): boolean {
  return isObject(params) && typeof params.secret === 'string' && isSameText(params.secret, secret)
}

/** Without a secret, only direct requests from this machine are allowed, not those of a proxy. */
function isFromThisMachine({ headers, socket }: FastifyRequest): boolean {
  if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return false
  return /^(127\.|::1$|::ffff:127\.)/.test(socket.remoteAddress ?? '')
}

function hide(reply: FastifyReply): FastifyReply {
  return reply.code(404).type('text/plain; charset=utf-8').send('404 page not found\n')
}
