/**
 * The way of a request through v4: token and rate limits, content type, JSON, access, fields, answer. A route declares the
 * last three; the order is documented (docs/api/README.md#order-of-checks). What the access check loads is passed to the
 * answer, so nothing is read twice.
 */
import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { isInjection } from 'light-my-request'
import { type TObject, type TSchema, type TString, Type } from 'typebox'
import type { Actor } from '../../core/accounts/actor.js'
import { type NeededScope, neededSet, requireScope } from '../../core/accounts/scopes.js'
import type { Domains } from '../../core/domains/domains.js'
import { type NamedDomain, requireDomainsOfToken } from '../../core/domains/token-domains.js'
import type { IdempotentRequests } from '../../core/idempotency/idempotent-requests.js'
import { actorOfOwnPage, actorOfSession, type SessionDeps } from '../../core/sign-in/sessions.js'
import { Refusal } from '../../core/values/refusal.js'
import { readCookie, sessionCookie } from '../http/cookies.js'
import { scopesIn } from '../http/described.js'
import { discardBody } from '../http/discard-body.js'
import { isAny, isExpected, isKnown } from '../http/etag.js'
import { logFailure } from '../http/log-failure.js'
import { type Caller, type RequestLimitDeps, requestLimits } from '../http/request-limits.js'
import { isFromAnotherOrigin, isFromOwnPage } from '../http/same-origin.js'
import type { TypedFastify, TypedHandler } from '../http/typed-fastify.js'
import { allowsNoBody, isJson, mediaTypeOf, readJsonBodies, wantsBody } from '../http/validation.js'
import { bearerChallenge } from './bearer-challenge.js'
import { answerV4, unacceptableContentType } from './errors.js'
import { type PagedList, pagedSchema, pageOf } from './paged-lists.js'
import { keyConflicts, refusals, refusalsOfAll } from './schemas/error.js'
import { pathSchema } from './schemas/path.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller. */
    actor: Actor
    /** The result of the route's access check. */
    granted: unknown
  }
  interface FastifyInstance {
    /** Answers requests with an Idempotency-Key. */
    idempotency: Pick<IdempotentRequests, 'answer'>
    /** Answers requests with If-Match. */
    changeIf: ChangeIf
    /** Of the API, for URLs in answers. */
    apiBase: string
    /** Of the service, for tokens that are limited to some. */
    domains: Pick<Domains, 'named' | 'addressOf'>
  }
  interface FastifyContextConfig {
    /** Media types that the body may have, where it is not JSON. */
    contentTypes?: readonly string[]
    /** The body is a stream, which may be unread when the request is refused. */
    streamsBody?: boolean
    /** Needs no token, and is not limited. */
    isPublic?: boolean
    /** Accepts the session of a page of the service itself without a CSRF value, which EventSource cannot send. */
    sameOriginSession?: boolean
  }
}

/** Runs the check and what the work writes in one transaction, which nobody else disturbs. */
type ChangeIf = <Result>(check: () => Promise<void>, work: () => Promise<Result>) => Promise<Result>

/** For URLs in answers. */
export interface BaseUrlDeps {
  readonly config: { readonly baseUrl: string }
}

export type RequestDeps = RequestLimitDeps &
  BaseUrlDeps &
  SessionDeps & {
    readonly tokens: { authenticate(token: string): Promise<Actor> }
    readonly idempotency: Pick<IdempotentRequests, 'answer'>
    readonly changeIf: ChangeIf
    readonly domains: Pick<Domains, 'named' | 'addressOf'>
  }

/** The checks before access, for all routes that are added afterwards. Unknown paths and methods were refused earlier. */
export function checkRequests(v4: TypedFastify, deps: RequestDeps): void {
  v4.decorate('idempotency', deps.idempotency)
  v4.decorate('changeIf', deps.changeIf)
  v4.decorate('apiBase', deps.config.baseUrl)
  v4.decorate('domains', deps.domains)
  v4.decorateRequest('actor')
  v4.decorateRequest('granted')
  v4.setErrorHandler(async (error, request, reply) => {
    const { status, headers = {}, body } = answerV4(error, request.url, request.routeOptions.bodyLimit)
    if (status >= 500) logFailure(request, error)
    const challenge = bearerChallenge(error, request, deps.config.baseUrl)
    if (challenge !== undefined) reply.header('www-authenticate', challenge)
    const mayBeUnread = status === 413 || request.routeOptions.config.streamsBody
    if (mayBeUnread && !request.raw.complete) await discardBody(request.raw)
    return reply
      .code(status)
      .headers(headers)
      .send({ ...body, request_id: request.id })
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
export function callerOf(deps: RequestDeps, { headers, routeOptions }: FastifyRequest): Caller {
  const { authorization, 'x-csrf-token': csrf } = headers
  const isOwnPage = routeOptions.config.sameOriginSession && isFromOwnPage(headers, deps.config.baseUrl)
  const hasSession = typeof csrf === 'string' || isOwnPage
  if (authorization !== undefined || !hasSession) {
    return { authenticate: () => deps.tokens.authenticate(tokenOf(authorization)), isBrowser: false }
  }
  const secret = readCookie(deps.config, headers.cookie, sessionCookie)
  const authenticate = async () => {
    if (isFromAnotherOrigin(headers, deps.config.baseUrl)) {
      throw new Refusal('FORBIDDEN', 'Pages of other origins cannot use a session. Use an access token.')
    }
    return typeof csrf === 'string' ? actorOfSession(deps, secret, csrf) : actorOfOwnPage(deps, secret)
  }
  return { authenticate, isBrowser: true }
}

/** `Bearer <token>`, or the token alone, as the most used client sends it. */
function tokenOf(authorization: string | undefined): string {
  const [, token] = /^(?:bearer +)?([^\s]+)$/i.exec(authorization?.trim() ?? '') ?? []
  if (token === undefined) {
    throw new Refusal('FORBIDDEN', 'Send an access token in the header "Authorization: Bearer <token>".')
  }
  return token
}

/** The method and path; before them the id of the operation, as in `getThing: GET /v4/things/:guid`. */
type Operation = `${'' | `${string}: `}${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /v4/${string}`

/** `group_guid` and `login` of `/v4/groups/:group_guid/members/:login`. */
type ParameterNames<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterNames<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

/** What a request is checked by, and the answers. */
interface Schemas<Path extends string, Query, Body, Answers> {
  readonly params: TObject<Record<ParameterNames<Path>, TString>>
  readonly querystring: Query
  readonly body: Body
  readonly response: Answers
}

type Handler<Path extends string, Query, Body, Answers> = TypedHandler<Schemas<Path, Query, Body, Answers>>

interface Route<Path extends string, Query, Body, Answers, Granted>
  extends Pick<
    FastifySchema,
    'operationId' | 'summary' | 'description' | 'deprecated' | 'security' | 'headers' | 'consumes'
  > {
  /** Parameters of the path that are not as in schemas/path.ts. */
  readonly params?: Readonly<Record<string, TSchema>>
  readonly querystring?: Query
  readonly body?: Body
  /** By status, without those of `refusalsOfAll`. With two successes, the answer sets the status. */
  readonly response: Answers
  /** The scope that a token needs, one of several, or `any`: every token may (docs/api/identity.md#scopes). */
  readonly scope: NeededScope
  /**
   * All that a request names the domain of its short link with, if not its path; nothing that the answer ignores. Without
   * any, tokens limited to domains are refused.
   */
  readonly domainsIn?: (request: RouteRequest) => readonly NamedDomain[]
  /** Throws if the actor has no access. Returns what it loaded to decide that. */
  readonly access: (request: RouteRequest<Readonly<Record<ParameterNames<Path>, string>>>) => Granted | Promise<Granted>
  /** The answer has everything in this list, and a page of it if `size` is sent (docs/api/README.md#pagination). */
  readonly list?: PagedList
  readonly config?: Pick<FastifyContextConfig, 'contentTypes' | 'streamsBody' | 'isPublic' | 'sameOriginSession'>
  /**
   * Accepts an Idempotency-Key (docs/api/README.md#safe-retries). Then everything that the answer writes to the records
   * is one transaction: after its first write it must not wait for anything but the records.
   */
  readonly idempotent?: true
  /**
   * The ETag of the object that the access check loaded. GET sends it and accepts If-None-Match; changes accept If-Match
   * (docs/api/README.md#changes-that-do-not-overwrite-others). Then they are one transaction, as with an Idempotency-Key.
   */
  readonly etag?: (granted: Granted) => string
  /** Bytes of the body. */
  readonly bodyLimit?: number
  readonly answer: (
    request: Parameters<Handler<Path, Query, Body, Answers>>[0],
    granted: Granted,
    reply: Parameters<Handler<Path, Query, Body, Answers>>[1],
  ) => ReturnType<Handler<Path, Query, Body, Answers>>
}

/** A request before validation: path parameters are strings, query and body may be anything. */
export interface RouteRequest<Params = unknown> {
  readonly actor: Actor
  readonly params: Params
  readonly query: unknown
  readonly body: unknown
}

export function route<Path extends Operation, Query, Body, const Answers, Granted>(
  http: TypedFastify,
  tag: string,
  operation: Path,
  route: Route<Path, Query, Body, Answers, Granted>,
): void {
  const [url = '', method = '', id = ''] = operation.split(' ').reverse()
  const {
    params,
    scope,
    domainsIn = ofOneLink.test(url) ? addressInPath : () => [],
    access,
    list,
    config,
    idempotent,
    etag,
    bodyLimit,
    answer,
    ...described
  } = route
  type Asked = Parameters<typeof access>[0]
  const path = pathSchema(url, params)
  const own = {
    ...(id !== '' && { operationId: id.slice(0, -1) }),
    ...described,
    ...(path && { params: path }),
    ...scopesIn(scope),
    tags: [tag],
  } as FastifySchema
  const isPublic = config?.isPublic === true
  const readsJson = own.body !== undefined && !config?.contentTypes
  const mayBeMissing = allowsNoBody(own.body)
  const answersJson = !Object.values(Object(own.response)).some((each) => isOnlyOther(each))
  const needed = neededSet(scope)
  const schema = list ? pagedSchema(own) : own
  const [status, another] = Object.keys(Object(own.response)).filter((each) => each.startsWith('2'))
  const success = another === undefined ? Number(status) : undefined
  const handler: Handler<Path, Query, Body, Answers> = (request, reply) => {
    if (list) return answerPage(request, list, answer(request, request.granted as Granted, reply)) as never
    if (success !== undefined) reply.code(success as never)
    const granted = request.granted as Granted
    if (etag && method === 'GET') {
      const current = etag(granted)
      reply.header('etag', current)
      if (isKnown(request.headers['if-none-match'], current))
        return reply.code(304 as never).send(null as never) as never
    }
    const ifMatch = method === 'GET' || (method === 'POST' && !etag) ? undefined : request.headers['if-match']
    if (!etag && ifMatch !== undefined && !isAny(ifMatch)) throw hasNoEtag()
    // Access has found the object, so there is a version.
    if (etag && ifMatch !== undefined && !isAny(ifMatch)) {
      requireExpected(ifMatch, etag(granted))
      const check = async () => requireExpected(ifMatch, etag(await access(request as Asked)))
      return request.server.changeIf(check, async () => answer(request, granted, reply)) as never
    }
    const key = idempotent && request.headers['idempotency-key']
    if (typeof key !== 'string') return answer(request, granted, reply)
    return answerOnce(request, reply, key, () => answer(request, granted, reply)) as never
  }
  const conditions = etag && (method === 'GET' ? readConditions : changeConditions)
  http.route({
    method,
    url,
    config: {
      ...config,
      ...(idempotent && { documentedHeaders: IdempotencyHeaders }),
      ...(conditions && { documentedHeaders: conditions.headers }),
    },
    ...(bodyLimit !== undefined && { bodyLimit }),
    schema: {
      ...schema,
      response: {
        ...refusalsOfAll(method, isPublic, readsJson),
        ...(idempotent && keyConflicts),
        ...conditions?.response,
        ...Object(schema.response),
      },
    } as Schemas<Path, Query, Body, Answers>,
    // Calls back when access is synchronous: a promise would cost some microseconds.
    preValidation(request, _reply, done) {
      if (!isPublic) {
        requireScope(request.actor, needed, scope)
        if (scope !== 'any') requireDomainsOfToken(http.domains, request.actor, domainsIn(request as RouteRequest))
      }
      if (mayBeMissing) request.body ??= {} as never
      if (!answersJson && isInjection(request.raw)) throw notInBatch()
      const granted = access(request as Asked)
      if (granted instanceof Promise) return keep(request, granted)
      request.granted = granted
      done()
    },
    handler,
  })
}

function addressInPath({ params }: RouteRequest): readonly NamedDomain[] {
  const { domain = '', hash = '', keyword = hash } = Object(params) as Readonly<Record<string, string | undefined>>
  return [{ domain, backHalf: keyword }]
}

/** With all below them. */
const ofOneLink = /^\/v4\/(?:shortlinks\/:domain\/:hash|custom_shortlinks\/:domain\/:keyword)(?:\/|$)/

/** An answer that is never JSON: a picture, a file or a stream of events. */
function isOnlyOther(answer: unknown): boolean {
  const { content } = Object(answer)
  return content !== undefined && content['application/json'] === undefined
}

/** Reads of a batch are the only requests that come from the service itself. */
function notInBatch(): Refusal {
  return new Refusal('BAD_REQUEST', 'This operation does not answer JSON. Send it as a request of its own.')
}

async function answerPage(request: FastifyRequest, list: PagedList, answer: unknown): Promise<unknown> {
  return pageOf(Object(await answer), list, Object(request.query), request.server.apiBase + request.url)
}

const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]+$',
      description:
        'A new value for each new request, such as a UUID. A retry with the same value within 24 hours gets the first ' +
        'answer again, with the header `Idempotent-Replayed: true`.',
      examples: ['8f14e45f-ceea-4672-a8d7-1c3b5e9f2a60'],
    }),
  ),
})

const readConditions = {
  headers: Type.Object({
    'if-none-match': Type.Optional(
      Type.String({ description: 'The ETag of what you have: 304 without a body if it is still the same' }),
    ),
  }),
  response: { 304: Type.Null({ description: 'You have it already (`If-None-Match`)' }) },
}

const changeConditions = {
  headers: Type.Object({
    'if-match': Type.Optional(
      Type.String({ description: 'The ETag of what you read: 412, and no change, if it was changed since' }),
    ),
  }),
  response: refusals(412),
}

/** Ignoring the header would overwrite what it should protect. */
function hasNoEtag(): Refusal {
  return new Refusal('PRECONDITION_FAILED', 'This operation knows no ETags. Send the request without If-Match.')
}

function requireExpected(ifMatch: string, etag: string): void {
  if (isExpected(ifMatch, etag)) return
  const message =
    'It was changed since you got the ETag of If-Match. Read it again, apply your change to that, and send its ETag: with ' +
    'its quotes, and strong (one that begins with W/ was weakened on the way and never matches).'
  throw new Refusal('PRECONDITION_FAILED', message)
}

/** Serializes inside the transaction, so that exactly what is sent is kept. */
async function answerOnce(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  answer: () => unknown,
): Promise<string> {
  const { server, actor, method, url, body } = request
  const asked = { actor, key, operation: `${method} ${url}`, body }
  const given = await server.idempotency.answer(asked, async () => {
    const sent = await answer()
    const named = server.linkWords ? server.linkWords.answer(request, sent) : sent
    return { status: reply.statusCode, body: reply.serialize(named as typeof sent) as string }
  })
  // An answer that was undone may have set an ETag.
  if (given.isReplayed) reply.removeHeader('etag').header('idempotent-replayed', 'true')
  reply.code(given.status).type('application/json; charset=utf-8')
  return given.body
}

async function keep(request: { granted: unknown }, granted: Promise<unknown>): Promise<void> {
  request.granted = await granted
}
