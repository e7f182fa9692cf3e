/**
 * The way of a request through v4: token and rate limits, content type, JSON, access, fields, answer. A route declares the
 * last three; the order is documented (docs/api/README.md#order-of-checks). What the access check loads is passed to the
 * answer, so nothing is read twice.
 */
import type { FastifyContextConfig, FastifyRequest, FastifySchema } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Actor } from '../../core/accounts/actor.js'
import { actorOfSession, type SessionDeps } from '../../core/sign-in/sessions.js'
import { Refusal } from '../../core/values/refusal.js'
import { readCookie, sessionCookie } from '../http/cookies.js'
import { discardBody } from '../http/discard-body.js'
import { type Caller, type RequestLimitDeps, requestLimits } from '../http/request-limits.js'
import type { TypedFastify, TypedHandler } from '../http/typed-fastify.js'
import { isJson, mediaTypeOf, readJsonBodies, wantsBody } from '../http/validation.js'
import { answerV4, unacceptableContentType } from './errors.js'
import { brokenRequest } from './schemas/error.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. */
    actor: Actor
    /** The result of the route's access check. */
    granted: unknown
  }
  interface FastifyContextConfig {
    /** Media types that the body may have, where it is not JSON. */
    contentTypes?: readonly string[]
    /** Needs no token, and is not limited. */
    isPublic?: boolean
  }
}

export type RequestDeps = RequestLimitDeps &
  SessionDeps & {
    readonly tokens: { authenticate(token: string): Promise<Actor> }
    readonly config: { readonly baseUrl: string }
  }

/** The checks before access, for all routes that are added afterwards. Unknown paths and methods were refused earlier. */
export function checkRequests(v4: TypedFastify, deps: RequestDeps): void {
  v4.decorateRequest('actor')
  v4.decorateRequest('granted')
  v4.setErrorHandler(async (error, request, reply) => {
    const { status, headers = {}, body } = answerV4(error, request.url, request.routeOptions.bodyLimit)
    if (status >= 500) request.log.error({ err: error, route: request.routeOptions.url }, 'request failed')
    if (status === 413 && !request.raw.complete) await discardBody(request.raw)
    return reply.code(status).headers(headers).send(body)
  })

  const limits = requestLimits(v4, deps)
  v4.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (request.routeOptions.config.isPublic) return
    request.actor = await limits.admit(request, reply, callerOf(deps, request))
  })
  v4.addHook('preParsing', (request, _reply, _payload, done) => {
    const { contentTypes } = request.routeOptions.config
    const contentType = request.headers['content-type']
    const isAccepted = contentTypes ? contentTypes.includes(mediaTypeOf(contentType)) : isJson(contentType)
    if (!isAccepted && wantsBody(request)) throw unacceptableContentType(contentTypes)
    done()
  })
  readJsonBodies(v4)
}

/** A program with a token, or the dashboard: a browser with a session and its CSRF value (docs/api/README.md#sessions). */
function callerOf(deps: RequestDeps, { headers }: FastifyRequest): Caller {
  const csrf = headers['x-csrf-token']
  if (headers.authorization !== undefined || typeof csrf !== 'string') {
    return { authenticate: () => deps.tokens.authenticate(tokenOf(headers.authorization)), isBrowser: false }
  }
  const secret = readCookie(deps.config, headers.cookie, sessionCookie)
  return { authenticate: () => actorOfSession(deps, secret, csrf), isBrowser: true }
}

/** `Bearer <token>`, or the token alone, as the most used client sends it. */
function tokenOf(authorization: string | undefined): string {
  const [, token] = /^(?:bearer +)?([^\s]+)$/i.exec(authorization?.trim() ?? '') ?? []
  if (token === undefined) {
    throw new Refusal('FORBIDDEN', 'Send an access token in the header "Authorization: Bearer <token>".')
  }
  return token
}

export interface Route<Schema extends FastifySchema, Granted> {
  /** Throws if the actor has no access. Returns what it loaded to decide that. */
  readonly access: (request: RouteRequest<Schema>) => Granted | Promise<Granted>
  readonly schema: Schema
  /** Status of a success; 200 by default. */
  readonly status?: 201 | 204
  readonly config?: Pick<FastifyContextConfig, 'contentTypes' | 'isPublic'>
  /** Bytes of the body. */
  readonly bodyLimit?: number
  readonly answer: (
    request: Parameters<TypedHandler<Schema>>[0],
    granted: Granted,
    reply: Parameters<TypedHandler<Schema>>[1],
  ) => ReturnType<TypedHandler<Schema>>
}

/** A request before validation: path parameters are strings, query and body may be anything. */
export interface RouteRequest<Schema = unknown> {
  readonly actor: Actor
  readonly params: Schema extends { readonly params: infer Path extends TSchema }
    ? Readonly<Record<keyof Static<Path>, string>>
    : unknown
  readonly query: unknown
  readonly body: unknown
}

export function route<const Schema extends FastifySchema, Granted>(
  http: TypedFastify,
  operation: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /v4/${string}`,
  { access, schema, status, config, bodyLimit, answer }: Route<Schema, Granted>,
): void {
  const [method = '', url = ''] = operation.split(' ')
  const handler: TypedHandler<Schema> = (request, reply) => {
    if (status !== undefined) reply.code(status as never)
    return answer(request, request.granted as Granted, reply)
  }
  http.route({
    method,
    url,
    ...(config && { config }),
    ...(bodyLimit !== undefined && { bodyLimit }),
    schema: { ...schema, response: { ...brokenRequest(method), ...Object(schema.response) } },
    // Calls back when access is synchronous: a promise would cost some microseconds.
    preValidation(request, _reply, done) {
      const granted = access(request as RouteRequest<Schema>)
      if (granted instanceof Promise) return keep(request, granted)
      request.granted = granted
      done()
    },
    handler,
  })
}

async function keep(request: { granted: unknown }, granted: Promise<unknown>): Promise<void> {
  request.granted = await granted
}
