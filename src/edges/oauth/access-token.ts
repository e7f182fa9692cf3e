/** `POST /oauth/access_token`: three grant types (docs/oauth.md), selected by the form fields. */
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import type { ClientCredentials } from '../../core/oauth/clients.js'
import {
  grantByBasicFlow,
  grantByPassword,
  type PasswordDeps,
  type RedeemDeps,
  redeemCode,
  type TokenOutcome,
} from '../../core/oauth/tokens.js'
import { clientIpOf } from '../http/client-ip.js'
import { documentOnly } from '../http/described.js'
import { type Fields, formOf } from '../http/form-body.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { missing, OauthError, refusedToken, tooManyTokens } from './errors.js'

export type AccessTokenDeps = RedeemDeps & PasswordDeps & { readonly config: { readonly trustProxy: number } }

export function accessTokenRoutes(http: TypedFastify, deps: AccessTokenDeps): void {
  http.post('/oauth/access_token', { schema, ...documentOnly }, async (request, reply) => {
    const form = formOf(request)
    const twice = form.repeated(known)
    if (twice !== undefined) throw new OauthError(400, `INVALID_ARG_${twice.toUpperCase()}`)
    if (isBasicFlow(request)) return answerBasicFlow(deps, request, reply)
    const grantType = form.get('grant_type') ?? 'authorization_code'
    if (grantType === 'authorization_code') return answerCode(deps, request, reply)
    if (grantType === 'password') return answerPassword(deps, request, reply)
    throw new OauthError(400, 'INVALID_GRANT_TYPE')
  })
}

const TokenForm = Type.Object(
  {
    grant_type: Type.Optional(
      Type.String({ enum: ['authorization_code', 'password'], description: '`authorization_code` by default' }),
    ),
    client_id: Type.Optional(Type.String({ description: 'Id of the application; or a Basic header' })),
    client_secret: Type.Optional(Type.String({ description: 'Secret of the application; not with PKCE alone' })),
    code: Type.Optional(Type.String({ description: 'The code from the redirect; with a password, the second factor' })),
    redirect_uri: Type.Optional(Type.String({ description: 'The same as in the authorization request' })),
    code_verifier: Type.Optional(Type.String({ description: 'PKCE: what the challenge was made of' })),
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
  access_token: Type.String({ description: 'Does not expire; users revoke it' }),
  token_type: Type.Optional(Type.String()),
  login: Type.Optional(Type.String({ description: 'The user that the token belongs to' })),
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
  return hasBasic(request) && form.get('grant_type') === undefined && form.get('code') === undefined
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
  const { accessToken, login } = granted(await redeemCode(deps, input))
  if (wantsJson(request.headers.accept)) {
    // Libraries require token_type (RFC 6749, 5.1).
    const body = { access_token: accessToken, token_type: 'bearer', login }
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
  }
  const body = new URLSearchParams({ access_token: accessToken, login })
  return reply.type('application/x-www-form-urlencoded').send(body.toString())
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
