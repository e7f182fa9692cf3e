/** Live updates as server-sent events (docs/api/events.md): clicks of a group or of a short link as they happen. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type Actor, requireGroup } from '../../core/accounts/actor.js'
import { neededSet, requireScope } from '../../core/accounts/scopes.js'
import { type FindDeps, readLink } from '../../core/links/read.js'
import type { LiveReader, LiveReaders } from '../../core/live/live-readers.js'
import { keyOf, type LiveSubject } from '../../core/live/live-subject.js'
import { Refusal } from '../../core/values/refusal.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { callerOf, type RequestDeps, route } from './route.js'
import { refusals } from './schemas/error.js'

export type EventRouteDeps = RequestDeps & FindDeps & { readonly live: LiveReaders }

/** Unsent bytes of a reader beyond which it is too slow. */
const maxUnsent = 16 * 1024

const scope = 'analytics:read'
const needed = neededSet(scope)

// An addition: the public API has no live updates.
const shared = {
  description:
    'Server-sent events: `click` for each click, `clicks` with a count of those beyond 20 a second, `ready` at the ' +
    'beginning, `missed` when clicks were not told. The header `Last-Event-ID` resumes after an event. A comment every 15 ' +
    'seconds keeps the connection open.',
  config: { sameOriginSession: true },
  headers: Type.Object({
    'last-event-id': Type.Optional(Type.String({ description: 'The `id` of the last event, to resume after it' })),
  }),
}

const stream = {
  description: 'Events until the client disconnects or loses its access',
  content: { 'text/event-stream': { schema: Type.String() } },
}

export function eventRoutes(http: TypedFastify, deps: EventRouteDeps): void {
  const { live } = deps

  route(http, 'Metrics', 'getGroupEvents: GET /v4/groups/:group_guid/events', {
    scope,
    access: ({ actor, params }) => groupOf(actor, params.group_guid),
    ...shared,
    summary: 'Follow the clicks of a group as they happen',
    response: { 200: stream },
    answer: (request, subject, reply) => {
      const { group_guid: guid } = request.params
      return follow(request, reply, subject, async (actor) => groupOf(actor, guid)) as never
    },
  })

  route(http, 'Metrics', 'getShortlinkEvents: GET /v4/shortlinks/:domain/:hash/events', {
    scope,
    access: ({ actor, params }) => linkOf(actor, params.domain, params.hash),
    ...shared,
    summary: 'Follow the clicks of a short link as they happen',
    response: { 200: stream, ...refusals(404, 410) },
    answer: (request, subject, reply) => {
      const { domain, hash } = request.params
      return follow(request, reply, subject, (actor) => linkOf(actor, domain, hash)) as never
    },
  })

  function groupOf(actor: Actor, groupGuid: string): LiveSubject {
    const { organizationGuid } = requireGroup(actor, groupGuid)
    return { organizationGuid, kind: 'group', id: groupGuid }
  }

  async function linkOf(actor: Actor, domain: string, hash: string): Promise<LiveSubject> {
    const { link } = await readLink(deps, actor, domain, hash)
    const { organizationGuid } = requireGroup(actor, link.groupGuid)
    return { organizationGuid, kind: 'link', id: link.id }
  }

  /** `find` checks the access again, and says what the path leads to by then. */
  async function follow(
    request: FastifyRequest,
    reply: FastifyReply,
    subject: LiveSubject,
    find: (actor: Actor) => Promise<LiveSubject>,
  ): Promise<FastifyReply> {
    reply.header('content-type', 'text/event-stream; charset=utf-8')
    // nginx collects responses otherwise.
    reply.header('x-accel-buffering', 'no')
    if (request.method === 'HEAD') return reply.send()
    const { raw } = reply
    const caller = callerOf(deps, request)
    const reader: LiveReader = {
      subject,
      write(text) {
        raw.write(text)
        return raw.writableLength <= maxUnsent
      },
      // An unsent rest is of no use to a slow reader, and would keep its memory.
      end: () => (raw.writableLength > maxUnsent ? raw.destroy() : raw.end()),
      async authorize() {
        const actor = await caller.authenticate()
        requireScope(actor, needed, scope)
        const { organizationGuid, ...found } = await find(actor)
        if (keyOf(found) !== keyOf(subject) || organizationGuid !== subject.organizationGuid) throw moved()
      },
    }
    let isGone = false
    raw.once('close', () => {
      isGone = true
      live.leave(reader)
    })
    const lastEventId = request.headers['last-event-id']
    const first = await live.join(reader, typeof lastEventId === 'string' ? lastEventId : undefined)
    reply.hijack()
    if (isGone) live.leave(reader)
    // An open stream is no request in progress: other requests of the client must not wait for it.
    request.leaveConnections?.()
    // Without chunks, so that an event is written to the connection as it is.
    raw.removeHeader('transfer-encoding')
    raw.writeHead(200, { ...headersOf(reply), connection: 'close' })
    raw.write(first)
    return reply
  }
}

function headersOf(reply: FastifyReply): Record<string, string | number | string[]> {
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined)
  return Object.fromEntries(headers) as Record<string, string | number | string[]>
}

function moved(): Refusal {
  return new Refusal('NOT_FOUND', 'The link or the group was moved. Connect again.')
}
