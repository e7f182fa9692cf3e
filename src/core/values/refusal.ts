/**
 * The errors a caller can cause. Core throws a `Refusal` with a code from this closed list; only the edges map codes to
 * statuses, envelopes and frames. Any other thrown error is a bug.
 */
export const refusalCodes = [
  'ALREADY_A_SHORTLINK',
  'API_USAGE_LIMIT_EXCEEDED',
  'BAD_REQUEST',
  'BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED',
  'CONFLICT',
  'DNS_CONFIGURATION_ERROR',
  'FORBIDDEN',
  'GONE',
  'IDEMPOTENCY_KEY_IN_USE',
  'IDEMPOTENCY_KEY_REUSED',
  'INSUFFICIENT_SCOPE',
  'INVALID_ARG_DOMAIN',
  'INVALID_ARG_SHORTLINK',
  'INVALID_ARGUMENT',
  'INVALID_TAG',
  'KEYWORD_OVERRIDES_LIMIT_EXCEEDED',
  'KEYWORD_UNAVAILABLE',
  'LIMIT_EXCEEDED_DESTINATION_OVERRIDES',
  'MONTHLY_ENCODE_LIMIT_REACHED',
  'MONTHLY_LIMIT_EXCEEDED',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'PRECONDITION_FAILED',
  'RATE_LIMIT_EXCEEDED',
  'SESSION_EXPIRED',
  'STORAGE_DAMAGED',
  'STORAGE_FULL',
  'TEMPORARILY_UNAVAILABLE',
  'TOO_MANY_TAGS_PER_GROUP',
  'TOO_MANY_TAGS_PER_SHORTLINK',
  'UNPROCESSABLE_ENTITY',
  'UNSUPPORTED_MEDIA_TYPE',
  'UPGRADE_REQUIRED',
] as const

export type RefusalCode = (typeof refusalCodes)[number]

/** The resource type that the error is about. */
export type Resource =
  | 'annotations'
  | 'api_keys'
  | 'apps'
  | 'audit_log'
  | 'bulk_jobs'
  | 'campaigns'
  | 'channels'
  | 'deeplinks'
  | 'domains'
  | 'exports'
  | 'groups'
  | 'images'
  | 'invitations'
  | 'mobile_apps'
  | 'organizations'
  | 'passkeys'
  | 'qr_codes'
  | 'sessions'
  | 'shortlinks'
  | 'site_templates'
  | 'sites'
  | 'tags'
  | 'tokens'
  | 'users'
  | 'utm_templates'
  | 'views'
  | 'webhooks'

export interface RefusalDetails {
  readonly resource?: Resource
  /** The invalid argument, as core spells it (`longUrl`); edges translate it to their wire name. */
  readonly field?: string
  /** What was found and what to do, where the message is not enough. */
  readonly reason?: string
  /** A scope that would be enough. */
  readonly scope?: string
  /** Seconds to wait before a retry. */
  readonly retryAfter?: number
  /** The limit that was reached. */
  readonly rate?: Rate
}

interface Rate {
  /** For programs and logs, such as `account per minute`. */
  readonly reason: string
  readonly limit: number
  readonly remaining: number
  /** Epoch milliseconds; undefined for a limit without a time window. */
  readonly resetAt: number | undefined
}

export class Refusal extends Error {
  override readonly name = 'Refusal'

  readonly details: RefusalDetails

  constructor(
    readonly code: RefusalCode,
    message: string,
    details: RefusalDetails = {},
  ) {
    super(message)
    // Whoever is told to try again is told when.
    this.details = code === 'TEMPORARILY_UNAVAILABLE' ? { retryAfter: 1, ...details } : details
  }
}

/** Every request would meet it, so it is no result of a single one: whoever works on many stops, or tries again later. */
export function isOutage(error: unknown): error is Refusal {
  return error instanceof Refusal && outages.has(error.code)
}

const outages: ReadonlySet<RefusalCode> = new Set(['TEMPORARILY_UNAVAILABLE', 'STORAGE_DAMAGED', 'STORAGE_FULL'])

/** Nothing can be stored: the disk is full or read-only. */
export function storageFull(cause: unknown): Refusal {
  const message =
    'The service cannot store anything at the moment: its disk is full or read-only. Try again in a minute.'
  return Object.assign(new Refusal('STORAGE_FULL', message, { retryAfter: 60 }), { cause })
}

/** Quotes user input in an error message: shortened, never cut within a character. */
export function quoted(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}...` : text
  return `"${shown.replace(/\p{Cs}/gu, '\ufffd')}"`
}

/** Without a resource, the error is about the resource of the request. */
export function invalid(field: string, message: string, resource?: Resource): Refusal {
  return new Refusal('INVALID_ARGUMENT', message, { field, ...(resource && { resource }) })
}
