/** Errors of SCIM (RFC 7644, 3.12): the status as text, and for 400 and 409 a `scimType`. docs/sso.md#errors-of-scim */
import type { FastifyError } from 'fastify'
import { isOutage, Refusal } from '../../core/values/refusal.js'

type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'uniqueness'

export class ScimError extends Error {
  override readonly name = 'ScimError'

  constructor(
    readonly scimType: ScimType,
    message: string,
  ) {
    super(message)
  }
}

interface ScimAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

export function answerScim(error: unknown): ScimAnswer {
  if (error instanceof ScimError) return answer(400, error.message, error.scimType)
  if (error instanceof Refusal) {
    const { code, message, details } = error
    const retryAfter = details.retryAfter
    if (code === 'NOT_FOUND') return answer(404, message)
    if (code === 'CONFLICT') return answer(409, message, 'uniqueness')
    if (code === 'INVALID_ARGUMENT') return answer(400, message, 'invalidValue')
    if (code === 'FORBIDDEN') return answer(401, message, undefined, { 'www-authenticate': 'Bearer realm="scim"' })
    if (code === 'RATE_LIMIT_EXCEEDED') return answer(429, message, undefined, waiting(retryAfter))
    if (isOutage(error)) return answer(503, message, undefined, waiting(retryAfter))
  }
  const code = error instanceof Error ? ((error as FastifyError).code ?? '') : ''
  return frameworkAnswers[code] ?? answer(500, 'Internal error')
}

function answer(status: number, detail: string, scimType?: ScimType, headers: ScimAnswer['headers'] = {}): ScimAnswer {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
  return { status, headers, body: { schemas, status: String(status), ...(scimType && { scimType }), detail } }
}

function waiting(seconds: number | undefined): ScimAnswer['headers'] {
  return seconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }
}

/** Errors that Fastify raises before a handler runs. An error that is not listed is a bug. */
const frameworkAnswers: Readonly<Record<string, ScimAnswer>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: answer(413, 'The body is larger than 1 MiB. Send members in several requests.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: answer(400, 'The body is not as long as announced.', 'invalidSyntax'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: answer(415, 'Send application/scim+json.'),
}
