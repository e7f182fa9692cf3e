/**
 * `POST /oauth/access_token`: the grant types (docs/oauth.md), selected by the form fields, and `POST /oauth/revoke`.
 */
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { isOwnResource } from '../../core/oauth/authorize.js'
import type { ClientCredentials } from '../../core/oauth/clients.js'
import { renewToken, revokeByClient } from '../../core/oauth/renewal.js'
import { isSelfRegistered } from '../../core/oauth/self-registered.js'
import {
  grantByBasicFlow,
  grantByPassword,
  type PasswordDeps,
  type RedeemDeps,
  type Renewable,
  redeemCode,
  type TokenOutcome,
} from '../../core/oauth/tokens.js'
import { clientIpOf } from '../http/client-ip.js'
import { documentOnly } from '../http/described.js'
import { type Fields, formOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { missing, OauthError, refusedToken, standardProblem, tooManyTokens } from './errors.js'

export type AccessTokenDeps = RedeemDeps &
  PasswordDeps & {
    readonly config: { readonly trustProxy: number; readonly baseUrl: string }
  }

export function accessTokenRoutes(http: TypedFastify, deps: AccessTokenDeps): void {
  http.post('/oauth/access_token', { schema, ...documentOnly }, async (request, reply) => {
    const form = formOf(request)
    const isSelf = isFromSelfRegistered(request)
    const twice = form.repeated(isSelf ? [...known, 'refresh_token'] : known)
    if (twice !== undefined) throw new OauthError(400, `INVALID_ARG_${twice.toUpperCase()}`)
    const isOwn = isOwnResource(deps.config.baseUrl, form.all('resource'))
    if (isSelf && !isOwn) throw new OauthError(400, 'INVALID_TARGET')
    if (isBasicFlow(request)) return answerBasicFlow(deps, request, reply)
    const grantType = form.get('grant_type') ?? 'authorization_code'
    if (grantType === 'authorization_code') return answerCode(deps, request, reply)
    if (grantType === 'refresh_token' && isSelf) return answerRenewal(deps, request, reply)
    if (grantType === 'password') return answerPassword(deps, request, reply)
    throw new OauthError(400, 'INVALID_GRANT_TYPE')
  })

  http.post('/oauth/revoke', { schema: revokeSchema, ...documentOnly }, async (request, reply) => {
    const form = formOf(request)
    const twice = form.repeated([...known, 'token'])
    if (twice !== undefined) throw new OauthError(400, `INVALID_ARG_${twice.toUpperCase()}`)
    const credentials = credentialsOf(request)
    if (!credentials) throw missing('client_id')
    const refused = await revokeByClient(deps, { ...credentials, token: wanted(form, 'token') })
    if (refused) throw refusedToken(refused)
    // Empty, but simple-oauth2 asks for the type.
    return reply.type('application/json; charset=utf-8').send('')
  })
}

const TokenForm = Type.Object(
  {
    grant_type: Type.Optional(
      Type.String({
        enum: ['authorization_code', 'refresh_token', 'password'],
        description: '`authorization_code` by default',
      }),
    ),
    client_id: Type.Optional(Type.String({ description: 'Id of the application; or a Basic header' })),
    client_secret: Type.Optional(Type.String({ description: 'Secret of the application; not with PKCE alone' })),
    code: Type.Optional(Type.String({ description: 'The code from the redirect; with a password, the second factor' })),
    redirect_uri: Type.Optional(Type.String({ description: 'The same as in the authorization request' })),
    code_verifier: Type.Optional(Type.String({ description: 'PKCE: what the challenge was made of' })),
    refresh_token: Type.Optional(Type.String({ description: 'For applications that registered themselves' })),
    resource: Type.Optional(
      Type.String({
        description: 'The URL of this service (RFC 8707). Ignored unless the application registered itself',
        examples: ['https://api.example.com'],
      }),
    ),
    username: Type.Optional(Type.String({ description: 'Login or e-mail address; for the password grant' })),
    password: Type.Optional(Type.String({ description: 'For the password grant' })),
  },
  {
    examples: [
      {
        client_id: 'zwc4rkav8y8jpgorrni4f99nfplf5b6dx519jwnm',
        client_secret: '32ca4d62e1f15cf119ebfdb38b135c36c6efc72f',
        code: '8f14e45fceea167a5a36dedd4bea2543',
        redirect_uri: 'https://desk.example.com/back',
      },
    ],
  },
)
const Token = Type.Object({
  access_token: Type.String({ description: 'Does not expire without `expires_in`; users revoke it' }),
  token_type: Type.Optional(Type.String()),
  login: Type.Optional(Type.String({ description: 'The user that the token belongs to' })),
  expires_in: Type.Optional(
    Type.Integer({ description: 'Seconds. This and the next two: for applications that registered themselves' }),
  ),
  refresh_token: Type.Optional(Type.String({ description: 'Changes with each use' })),
  scope: Type.Optional(Type.String({ description: 'What the user allowed, separated by spaces' })),
})
const token = {
  access_token: '3276b58ced2e36a0ca8bea9299e0b79b49383995',
  token_type: 'bearer',
  login: 'anna',
}
const Problem = Type.Object({ status_code: Type.Integer(), data: Type.Null(), status_txt: Type.String() })
const problem = (status: number, text: string, description: string) => ({
  description,
  content: {
    'application/json': { schema: Problem, example: { status_code: status, data: null, status_txt: text } },
  },
})

const schema: FastifySchema = {
  operationId: 'getAccessToken',
  tags: ['OAuth'],
  summary: 'Get an access token',
  description:
    'Exchanges the code of the authorization page, or a login and a password, for an access token. A form without ' +
    'fields and with the login and password of a user in a Basic header returns the token as text.',
  security: [],
  consumes: ['application/x-www-form-urlencoded'],
  body: TokenForm,
  response: {
    200: {
      description: 'The token: as JSON if the header Accept asks for it, otherwise as a form',
      content: {
        'application/json': { schema: Token, example: token },
        'application/x-www-form-urlencoded': { schema: Token, example: token },
        'text/plain': { schema: Type.String(), example: token.access_token },
      },
    },
    400: problem(400, 'MISSING_ARG_CODE', 'A field is missing, was sent twice, or is invalid'),
    401: problem(401, 'INVALID_CODE', 'The application, the code, the login or the second factor is wrong'),
    413: problem(413, 'PAYLOAD_TOO_LARGE', 'The form is larger than 16 KiB'),
    415: problem(415, 'INVALID_CONTENT_TYPE_HEADER', 'The body is not a form'),
    429: problem(429, 'RATE_LIMIT_EXCEEDED', 'Too many attempts; `Retry-After` says when to try again'),
    500: problem(500, 'INTERNAL_ERROR', 'Internal error'),
    503: problem(503, 'TEMPORARILY_UNAVAILABLE', 'Temporarily unavailable; try again'),
  },
}

const revokeSchema: FastifySchema = {
  operationId: 'revokeToken',
  tags: ['OAuth'],
  summary: 'Revoke a token',
  description: 'For the application that has it (RFC 7009). With a refresh token, its access token ends too.',
  security: [],
  consumes: ['application/x-www-form-urlencoded'],
  body: Type.Object(
    {
      token: Type.String({ description: 'An access token or a refresh token' }),
      client_id: Type.Optional(Type.String({ description: 'Id of the application; or a Basic header' })),
      client_secret: Type.Optional(Type.String({ description: 'Secret of the application, if it has one' })),
    },
    { examples: [{ token: token.access_token, client_id: 'zwc4rkav8y8jpgorrni4f99nfplf5b6dx519jwnm' }] },
  ),
  response: {
    200: Type.Null({ description: 'It is revoked, or there was no such token' }),
    400: standardProblem('invalid_request', 'A field is missing or was sent twice'),
    401: standardProblem('invalid_client', 'The application is unknown, or its secret wrong'),
  },
}

const known = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'code_verifier',
  'username',
  'password',
]

/** Basic credentials without any field of an application are those of a user. */
export function isBasicFlow(request: FastifyRequest): boolean {
  const form = formOf(request)
  if (isSelfRegistered(basicOf(request)?.name ?? '')) return false
  return hasBasic(request) && form.get('grant_type') === undefined && form.get('code') === undefined
}

/** Errors and answers follow the standards for it; the id tells, even when it is unknown. */
export function isFromSelfRegistered(request: FastifyRequest): boolean {
  return isSelfRegistered(formOf(request).get('client_id') ?? basicOf(request)?.name ?? '')
}

async function answerCode(deps: AccessTokenDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = formOf(request)
  const credentials = credentialsOf(request)
  if (!credentials) throw missing('client_id')
  const input = {
    ...credentials,
    code: wanted(form, 'code'),
    redirectUri: wanted(form, 'redirect_uri'),
    verifier: form.get('code_verifier'),
  }
  const { accessToken, login, renewable } = granted(await redeemCode(deps, input))
  if (renewable) return sendRenewable(reply, accessToken, renewable)
  if (wantsJson(request.headers.accept)) {
    // Libraries require token_type (RFC 6749, 5.1).
    const body = { access_token: accessToken, token_type: 'bearer', login }
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
  }
  const body = new URLSearchParams({ access_token: accessToken, login })
  return reply.type('application/x-www-form-urlencoded').send(body.toString())
}

async function answerRenewal(
  deps: AccessTokenDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const credentials = credentialsOf(request)
  if (!credentials) throw missing('client_id')
  const refreshToken = wanted(formOf(request), 'refresh_token')
  const { accessToken, renewable } = granted(await renewToken(deps, { ...credentials, refreshToken }))
  if (!renewable) throw new Error('a renewed token has no refresh token')
  return sendRenewable(reply, accessToken, renewable)
}

function sendRenewable(reply: FastifyReply, accessToken: string, renewable: Renewable): FastifyReply {
  const { refreshToken, expiresIn, scopes } = renewable
  const expiry = { expires_in: expiresIn, refresh_token: refreshToken, scope: scopes.join(' ') }
  const body = { access_token: accessToken, token_type: 'Bearer', ...expiry }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

async function answerPassword(
  deps: AccessTokenDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const form = formOf(request)
  const credentials = credentialsOf(request)
  if (!credentials) throw missing('client_id')
  const attempt = {
    username: wanted(form, 'username'),
    password: wanted(form, 'password'),
    code: form.get('code'),
    address: clientIpOf(request, deps.config),
  }
  const { accessToken } = granted(await grantByPassword(deps, credentials, attempt))
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ access_token: accessToken }))
}

async function answerBasicFlow(
  deps: AccessTokenDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const basic = basicOf(request)
  if (!basic) throw refusedToken('login')
  const { name: username, secret: password } = basic
  const credentials = formCredentials(formOf(request))
  const attempt = { username, password, address: clientIpOf(request, deps.config) }
  const { accessToken } = granted(await grantByBasicFlow(deps, credentials, attempt))
  return reply.type('text/plain; charset=utf-8').send(accessToken)
}

function granted(outcome: TokenOutcome): TokenOutcome & { outcome: 'granted' } {
  if (outcome.outcome === 'granted') return outcome
  throw outcome.outcome === 'throttled'
    ? tooManyTokens(outcome.retryAfter)
    : refusedToken(outcome.why, outcome.retryAfter)
}

function wanted(form: Fields, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw missing(name)
  return value
}

/** Credentials of the application, from the header, the form, or both. If they differ, they are refused. */
function credentialsOf(request: FastifyRequest): ClientCredentials | undefined {
  const inForm = formCredentials(formOf(request))
  if (!hasBasic(request)) return inForm
  const basic = basicOf(request)
  if (!basic || (inForm && inForm.clientId !== basic.name)) throw refusedToken('client')
  const clientSecret = basic.secret || undefined
  if (inForm?.clientSecret !== undefined && inForm.clientSecret !== clientSecret) throw refusedToken('client-secret')
  return { clientId: basic.name, clientSecret }
}

function formCredentials(form: Fields): ClientCredentials | undefined {
  const clientId = form.get('client_id')
  return clientId === undefined ? undefined : { clientId, clientSecret: form.get('client_secret') }
}

function hasBasic({ headers }: FastifyRequest): boolean {
  return /^basic(?: |$)/i.test(headers.authorization ?? '')
}

/** Undefined when the value after `Basic` is invalid. */
function basicOf({ headers }: FastifyRequest): { name: string; secret: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(headers.authorization ?? '') ?? []
  const text = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const at = text.indexOf(':')
  return at < 1 ? undefined : { name: text.slice(0, at), secret: text.slice(at + 1) }
}

/** JSON only when requested explicitly: the default is form encoding. */
function wantsJson(accept: string | undefined): boolean {
  const ranges = accept?.split(',').map((range) => range.trim().toLowerCase()) ?? []
  return ranges.some(
    (range) => /^application\/json(?![\w+.-])/.test(range) && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(range),
  )
}
