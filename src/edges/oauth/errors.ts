/**
 * Errors of the token endpoint: the envelope of v3 with a real status (docs/oauth.md#errors). 401 for wrong
 * credentials, 400 for missing or invalid input. Applications that registered themselves, and the other endpoints, get
 * what RFC 6749 says instead.
 */
import type { FastifyError } from 'fastify'
import { Type } from 'typebox'
import type { TokenRefusal } from '../../core/oauth/tokens.js'
import { isOutage, Refusal } from '../../core/values/refusal.js'

export interface OauthAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly statusText: string
}

export class OauthError extends Error {
  override readonly name = 'OauthError'

  constructor(
    readonly status: number,
    readonly statusText: string,
    readonly retryAfter?: number,
  ) {
    super(statusText)
  }
}

/** A new refusal without a text does not compile. */
const textOf: Readonly<Record<TokenRefusal, string>> = {
  client: 'INVALID_CLIENT_ID',
  'client-secret': 'INVALID_CLIENT_SECRET',
  'unauthorized-client': 'UNAUTHORIZED_CLIENT',
  code: 'INVALID_CODE',
  'refresh-token': 'INVALID_REFRESH_TOKEN',
  'redirect-uri': 'INVALID_REDIRECT_URI',
  // Not part of v3: PKCE is an addition.
  verifier: 'INVALID_CODE_VERIFIER',
  login: 'INVALID_LOGIN',
  'second-factor': '2FA_CODE_REQUESTED',
}

export function refusedToken(why: TokenRefusal, retryAfter?: number): OauthError {
  return new OauthError(401, textOf[why], retryAfter)
}

export function tooManyTokens(retryAfter: number): OauthError {
  return new OauthError(429, 'RATE_LIMIT_EXCEEDED', retryAfter)
}

export function missing(argument: string): OauthError {
  return new OauthError(400, `MISSING_ARG_${argument.toUpperCase()}`)
}

export function answerOauth(error: unknown): OauthAnswer {
  if (error instanceof OauthError) return answer(error.status, error.statusText, error.retryAfter)
  if (error instanceof Refusal && error.code === 'RATE_LIMIT_EXCEEDED') {
    return answer(429, error.code, error.details.retryAfter)
  }
  if (isOutage(error)) return answer(503, error.code, error.details.retryAfter)
  const code = error instanceof Error ? ((error as FastifyError).code ?? '') : ''
  const [status, text] = frameworkAnswers[code] ?? [500, 'INTERNAL_ERROR']
  return answer(status, text)
}

/** Errors that Fastify raises before a handler runs. An error that is not listed is a bug. */
const frameworkAnswers: Readonly<Record<string, readonly [status: number, statusText: string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'PAYLOAD_TOO_LARGE'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'BAD_REQUEST'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'INVALID_CONTENT_TYPE_HEADER'],
}

function answer(status: number, statusText: string, retryAfter?: number): OauthAnswer {
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Basic realm="shortlink", charset="UTF-8"' }),
    ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
  }
  return { status, headers, statusText }
}

/** `invalid_grant` and its like, with their descriptions (RFC 6749, 5.2, and RFC 7591, 3.2.2). */
export function standardAnswer(error: unknown): Omit<OauthAnswer, 'statusText'> & { readonly body: object } {
  const metadata = error instanceof Refusal && error.code === 'INVALID_ARGUMENT' ? error : undefined
  if (metadata) {
    const code = metadata.details.field === 'redirectUris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    return { status: 400, headers: {}, body: { error: code, error_description: metadata.message } }
  }
  const { status, headers, statusText } = answerOauth(error)
  const [code, description] = standard[statusText] ?? generalAnswer(status, statusText)
  const keepsStatus = code === 'invalid_client' || status >= 402
  const { 'www-authenticate': challenge, ...others } = headers
  return {
    status: keepsStatus ? status : 400,
    headers: { ...others, ...(keepsStatus && challenge !== undefined && { 'www-authenticate': challenge }) },
    body: { error: code, error_description: description },
  }
}

const standard: Readonly<Record<string, readonly [code: string, description: string]>> = {
  INVALID_CLIENT_ID: ['invalid_client', 'The application is unknown, or was revoked.'],
  INVALID_CLIENT_SECRET: ['invalid_client', 'The client secret is missing or wrong.'],
  UNAUTHORIZED_CLIENT: ['unauthorized_client', 'This application must send its users to the authorization page.'],
  INVALID_CODE: ['invalid_grant', 'The code is unknown, used or expired, or of another application.'],
  INVALID_REDIRECT_URI: ['invalid_grant', 'The redirect_uri is not the one that the code was issued for.'],
  INVALID_CODE_VERIFIER: ['invalid_grant', 'The code_verifier is missing or wrong.'],
  INVALID_REFRESH_TOKEN: [
    'invalid_grant',
    'The refresh token is unknown, used, expired or revoked. Ask the user again.',
  ],
  INVALID_GRANT_TYPE: ['unsupported_grant_type', 'The grant_type is authorization_code or refresh_token.'],
  INVALID_TARGET: ['invalid_target', 'The resource is not this service.'],
  RATE_LIMIT_EXCEEDED: ['temporarily_unavailable', 'Too many requests. Retry-After says when to try again.'],
  REGISTRATION_OFF: ['access_denied', 'Applications cannot register themselves here. Ask the operator of the service.'],
  PAYLOAD_TOO_LARGE: ['invalid_request', 'The body is larger than 16 KiB.'],
  INVALID_CONTENT_TYPE_HEADER: ['invalid_request', 'The body does not have the documented content type.'],
}

function generalAnswer(status: number, statusText: string): readonly [code: string, description: string] {
  if (status >= 500) {
    const code = status === 503 ? 'temporarily_unavailable' : 'server_error'
    return [code, 'The request could not be completed. Try again later.']
  }
  const [, problem, argument = ''] = /^(MISSING|INVALID)_ARG_(\w+)$/.exec(statusText) ?? []
  if (problem === undefined) return ['invalid_request', 'The body cannot be read.']
  const name = argument.toLowerCase()
  return ['invalid_request', problem === 'MISSING' ? `${name} is missing.` : `${name} was sent twice.`]
}

/** For the OpenAPI document. */
export function standardProblem(error: string, description: string) {
  const schema = Type.Object({ error: Type.String(), error_description: Type.String() })
  const example = { error, error_description: `${description}.` }
  return { description, content: { 'application/json': { schema, example } } }
}
