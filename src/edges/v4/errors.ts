/**
 * v4 errors: an HTTP status and a body with message, resource, description and, for invalid arguments, the fields
 * (docs/api/README.md#errors).
 */
import type { FastifyError } from 'fastify'
import { invalid, Refusal, type RefusalCode } from '../../core/values/refusal.js'
import { rateHeaders } from '../http/request-limits.js'
import type { V4Error } from './schemas/error.js'

export interface V4Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: V4Error
}

/** A refusal code without a status does not compile. */
const statusOf: Readonly<Record<RefusalCode, number>> = {
  ALREADY_A_SHORTLINK: 400,
  API_USAGE_LIMIT_EXCEEDED: 429,
  BAD_REQUEST: 400,
  BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED: 429,
  CONFLICT: 409,
  DNS_CONFIGURATION_ERROR: 417,
  FORBIDDEN: 403,
  GONE: 410,
  IDEMPOTENCY_KEY_IN_USE: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
  INSUFFICIENT_SCOPE: 403,
  INVALID_ARG_DOMAIN: 400,
  INVALID_ARG_SHORTLINK: 400,
  INVALID_ARGUMENT: 400,
  INVALID_TAG: 400,
  KEYWORD_OVERRIDES_LIMIT_EXCEEDED: 429,
  KEYWORD_UNAVAILABLE: 409,
  LIMIT_EXCEEDED_DESTINATION_OVERRIDES: 429,
  MONTHLY_ENCODE_LIMIT_REACHED: 429,
  MONTHLY_LIMIT_EXCEEDED: 429,
  NOT_FOUND: 404,
  PAYLOAD_TOO_LARGE: 413,
  PRECONDITION_FAILED: 412,
  RATE_LIMIT_EXCEEDED: 429,
  SESSION_EXPIRED: 401,
  STORAGE_DAMAGED: 503,
  STORAGE_FULL: 503,
  TEMPORARILY_UNAVAILABLE: 503,
  TOO_MANY_TAGS_PER_GROUP: 400,
  TOO_MANY_TAGS_PER_SHORTLINK: 400,
  UNPROCESSABLE_ENTITY: 422,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UPGRADE_REQUIRED: 402,
}

/** `bodyLimit`: bytes that the body of the request may have. */
export function answerV4(error: unknown, url: string, bodyLimit = 1024 * 1024): V4Answer {
  if (error instanceof Refusal) return refused(error, url)
  if (isSchemaFailure(error)) return invalidField(fieldAtFault(error.validation), error.validationContext, url)
  const known = error instanceof Error ? frameworkAnswers[(error as FastifyError).code ?? ''] : undefined
  const { status, message, description } = known ?? unexpected
  const limit = `${Math.floor(bodyLimit / (1024 * 1024))} MiB`
  return { status, body: { message, resource: resourceOf(url), description: description.replace('1 MiB', limit) } }
}

/** 406 where JSON is wanted, else 415: core does not know media types of bodies, so the edge makes this error. */
export function unacceptableContentType(contentTypes: readonly string[] | undefined): Error {
  if (contentTypes) return new Refusal('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${contentTypes.join(', ')}.`)
  return Object.assign(new Error('content type is not application/json'), { code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' })
}

/** 406: the client accepts none of the media types. */
export function notAcceptable(): Error {
  return Object.assign(new Error('no media type is acceptable'), { code: 'NOT_ACCEPTABLE' })
}

function refused(refusal: Refusal, url: string): V4Answer {
  const resource = refusal.details.resource ?? resourceOf(url)
  const field = refusal.details.field && wireName(refusal.details.field)
  const message = refusal.code === 'INVALID_ARGUMENT' && field ? argumentCode(field) : refusal.code
  const body = { message, resource, description: refusal.message }
  if (refusal.code === 'DNS_CONFIGURATION_ERROR') return wrongDns(body, refusal.details.reason ?? refusal.message)
  return {
    status: forbidsInstead(refusal, url) ? statusOf.FORBIDDEN : statusOf[refusal.code],
    headers: rateHeaders(refusal.details),
    body: field ? { ...body, errors: [{ field, error_code: 'invalid' }] } : body,
  }
}

/**
 * /v4/shorten and /v4/bsds document a 403 with `X-Ratelimit-Reason`. They send it for too many concurrent connections
 * (docs/api/limits.md#connections) with the usual code, so that clients do not take it for a rejected token.
 */
function forbidsInstead({ details }: Refusal, url: string): boolean {
  return details.rate !== undefined && details.rate.resetAt === undefined && /^\/v4\/(?:shorten|bsds)(?:\?|$)/.test(url)
}

/** The header explains the DNS error (docs/api/domains.md#dns); clients also read the code from `code`. */
function wrongDns(body: V4Error, explanation: string): V4Answer {
  return {
    status: statusOf.DNS_CONFIGURATION_ERROR,
    headers: dnsHeaders(explanation),
    body: { ...body, code: body.message, description: `${body.description} ${explanation}` },
  }
}

/** Also sent with a created link whose domain has a DNS problem. */
export function dnsHeaders(explanation: string): Readonly<Record<string, string>> {
  // DNS records of others can contain any byte; headers cannot.
  return { 'x-bsd-error': explanation.replace(/[^\x20-\x7e]/g, '?') }
}

function invalidField(field: string | undefined, place: string | undefined, url: string): V4Answer {
  const resource = resourceOf(url)
  if (field === undefined) {
    return { status: 400, body: { message: 'BAD_REQUEST', resource, description: `The ${place} is not valid.` } }
  }
  const body = {
    message: argumentCode(field),
    resource,
    description: wrongArgument(field),
    errors: [{ field, error_code: 'invalid' }],
  }
  return { status: 400, body }
}

/** For a part of a body that was checked alone. */
export function refusalOf(failures: readonly object[]): Refusal {
  const field = fieldAtFault(failures)
  if (field === undefined) return new Refusal('BAD_REQUEST', 'This part of the body is not valid.')
  return invalid(field, wrongArgument(field))
}

function wrongArgument(field: string): string {
  return `The argument ${field} is missing or is not of the documented type or value.`
}

const unexpected = {
  status: 500,
  message: 'INTERNAL_ERROR',
  description: 'Something went wrong on our side. It was logged.',
}

/** Errors that Fastify raises before a handler runs. Any other error is a bug. */
const frameworkAnswers: Readonly<Record<string, typeof unexpected>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    message: 'PAYLOAD_TOO_LARGE',
    description: 'The body is larger than 1 MiB.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    message: 'BAD_REQUEST',
    description: 'The length of the body does not match its Content-Length.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 406,
    message: 'INVALID_CONTENT_TYPE_HEADER',
    description: 'Send the body with "Content-Type: application/json".',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    message: 'NOT_ACCEPTABLE',
    description:
      'No media type of the Accept header is available. Send "Accept: application/json", or a documented type.',
  },
}

type SchemaFailure = FastifyError & { validation: readonly object[] }

function isSchemaFailure(error: unknown): error is SchemaFailure {
  return error instanceof Error && Array.isArray((error as FastifyError).validation)
}

/** The path of the invalid or missing argument of the first validation failure, such as `destination.long_url`. */
function fieldAtFault(failures: readonly object[]): string | undefined {
  const [failure = {}] = failures
  const [, ...path] = 'instancePath' in failure ? String(failure.instancePath).split('/') : []
  const missing = 'params' in failure ? Reflect.get(failure.params as object, 'requiredProperties') : undefined
  if (Array.isArray(missing)) path.push(String(missing[0]))
  return path.length === 0 ? undefined : path.join('.')
}

/** Of the argument itself; a path inside it is only in `errors`. */
function argumentCode(field: string): string {
  const [argument = field] = field.split('.')
  return `INVALID_ARG_${argument.toUpperCase()}`
}

/** `longUrl` -> `long_url` */
function wireName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Clients identify errors by resource, so every error has one: the collection in the path. */
export function resourceOf(url: string): string {
  const [, , collection = '', item = '', nested = ''] = url.split(/[/?]/)
  if (collection === 'custom_domains' || nested === 'domains') return 'domains'
  if (collection === 'bulk' && item === 'jobs') return 'bulk_jobs'
  if (collection === 'sites' || collection === 'aggregate') return 'sites'
  if (collection === 'user') return ownThings.get(item) ?? 'users'
  if (nestedResources.has(nested)) return nested
  if (collection === 'qr-codes' || nested === 'qr-codes') return 'qr_codes'
  return aboutLinks.has(collection) ? 'shortlinks' : collection
}

const nestedResources: ReadonlySet<string> = new Set([
  'annotations',
  'audit_log',
  'images',
  'invitations',
  'mobile_apps',
  'shortlinks',
  'utm_templates',
  'views',
  'webhooks',
])

const ownThings: ReadonlyMap<string, string> = new Map([
  ['api_keys', 'api_keys'],
  ['applications', 'apps'],
  ['tokens', 'tokens'],
])

const aboutLinks: ReadonlySet<string> = new Set(['shorten', 'bulk', 'expand', 'shortlinks', 'custom_shortlinks'])
