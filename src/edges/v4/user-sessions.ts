/** The browsers in which the caller is signed in. An addition: the public service offers this only as web pages. */

import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { readAgent } from '../../core/clicks/user-agent.js'
import {
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  type OwnSession,
  type SessionDeps,
} from '../../core/sign-in/sessions.js'
import { timestamp } from '../../core/values/time.js'
import { readCookie, sessionCookie } from '../http/cookies.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { everybody } from './access.js'
import { type BaseUrlDeps, route } from './route.js'
import { refusals } from './schemas/error.js'
import { moment } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export type UserSessionRouteDeps = SessionDeps & BaseUrlDeps

const id = { description: 'Id of the session', examples: ['5f70bf18a086007016e9'] }

const Session = Type.Object(
  {
    id: Type.String(id),
    created: moment(),
    last_seen_at: Type.String({ description: 'UTC, within an hour', examples: ['2026-11-02T09:30:00+0000'] }),
    ip_address: Type.Optional(Type.String({ description: 'Where it was begun' })),
    browser: Type.Optional(Type.String({ description: 'Family of the browser', examples: ['Firefox'] })),
    os: Type.Optional(Type.String({ description: 'Family of the operating system', examples: ['Windows'] })),
    is_current: Type.Boolean({ description: 'The session that sent this request' }),
  },
  { description: 'A browser that is signed in' },
)

export function userSessionRoutes(http: TypedFastify, deps: UserSessionRouteDeps): void {
  const tag = 'User'
  const secretOf = (request: Pick<FastifyRequest, 'headers'>) => ownSessionOf(deps, request)

  route(http, tag, 'listUserSessions: GET /v4/user/sessions', {
    scope: 'all',
    list: { name: 'sessions', by: 'id' },
    access: everybody,
    summary: 'List your sessions',
    description: 'The browsers in which you are signed in. A session ends after two weeks without a visit.',
    response: { 200: listAnswer('sessions', Session, 'Newest first') },
    answer: async (request) => ({
      sessions: (await listOwnSessions(deps, request.actor, secretOf(request))).map(presentSession),
    }),
  })

  route(http, tag, 'deleteOtherUserSessions: DELETE /v4/user/sessions', {
    scope: 'all',
    access: everybody,
    summary: 'Sign out everywhere else',
    description: 'Ends all sessions but the one that asks. With an access token it ends all of them.',
    response: {
      200: Type.Object(
        { ended: Type.Integer({ description: 'How many sessions ended', examples: [2] }) },
        { description: 'They are signed out' },
      ),
    },
    answer: async (request) => ({ ended: await endOtherSessions(deps, request.actor, secretOf(request)) }),
  })

  route(http, tag, 'deleteUserSession: DELETE /v4/user/sessions/:session_id', {
    scope: 'all',
    access: everybody,
    summary: 'Sign out one browser',
    description: 'Its session ends at once.',
    params: { session_id: Type.String(id) },
    response: { 204: Type.Null({ description: 'It is signed out' }), ...refusals(404) },
    answer: ({ actor, params }) => endOwnSession(deps, actor, params.session_id),
  })
}

/** The secret of the session that asks; a request with a token has none. */
export function ownSessionOf(
  { config }: BaseUrlDeps,
  { headers }: Pick<FastifyRequest, 'headers'>,
): string | undefined {
  return headers.authorization === undefined ? readCookie(config, headers.cookie, sessionCookie) : undefined
}

function presentSession(session: OwnSession): Static<typeof Session> {
  const agent = session.userAgent === undefined ? undefined : readAgent(session.userAgent)
  return {
    id: session.id,
    created: timestamp(session.createdAt),
    last_seen_at: timestamp(session.lastSeenAt),
    ...(session.address !== undefined && { ip_address: session.address }),
    ...(agent?.browser && { browser: agent.browser }),
    ...(agent?.os && { os: agent.os }),
    is_current: session.isCurrent,
  }
}
