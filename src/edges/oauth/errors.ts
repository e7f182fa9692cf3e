/**
 * Errors of the token endpoint: the envelope of v3 with a real status (docs/oauth.md#errors). 401 for wrong
 * credentials, 400 for missing or invalid input.
 */
import type { FastifyError } from 'fastify'
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
  code: 'INVALID_CODE',
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
