/**
 * Every way the service says no. Core throws a `Refusal` with a code from this closed list; only the edges know
 * which status, envelope or frame a code becomes. Anything else that is thrown is a bug.
 */
export type RefusalCode =
  | 'ALREADY_A_SHORTLINK'
  | 'API_USAGE_LIMIT_EXCEEDED'
  | 'BAD_REQUEST'
  | 'BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED'
  | 'CONFLICT'
  | 'DNS_CONFIGURATION_ERROR'
  | 'FORBIDDEN'
  | 'GONE'
  | 'INVALID_ARG_DOMAIN'
  | 'INVALID_ARG_SHORTLINK'
  | 'INVALID_ARGUMENT'
  | 'INVALID_TAG'
  | 'KEYWORD_OVERRIDES_LIMIT_EXCEEDED'
  | 'KEYWORD_UNAVAILABLE'
  | 'LIMIT_EXCEEDED_DESTINATION_OVERRIDES'
  | 'MONTHLY_ENCODE_LIMIT_REACHED'
  | 'MONTHLY_LIMIT_EXCEEDED'
  | 'NOT_FOUND'
  | 'RATE_LIMIT_EXCEEDED'
  | 'TEMPORARILY_UNAVAILABLE'
  | 'TOO_MANY_TAGS_PER_GROUP'
  | 'TOO_MANY_TAGS_PER_SHORTLINK'
  | 'UNPROCESSABLE_ENTITY'
  | 'UPGRADE_REQUIRED'

/** The collection the refused object belongs to. */
export type Resource =
  | 'api_keys'
  | 'apps'
  | 'audit_log'
  | 'campaigns'
  | 'channels'
  | 'deeplinks'
  | 'domains'
  | 'groups'
  | 'invitations'
  | 'mobile_apps'
  | 'organizations'
  | 'shortlinks'
  | 'tokens'
  | 'users'

export interface RefusalDetails {
  readonly resource?: Resource
  /** The argument at fault, spelled as core spells it (`longUrl`); edges translate it into their wire name. */
  readonly field?: string
  /** What was found and what to do about it, where the message alone is not enough. */
  readonly reason?: string
  /** Seconds after which it is worth trying again. */
  readonly retryAfter?: number
  /** Which limit was reached, and how much of it is left until when. */
  readonly rate?: Rate
}

interface Rate {
  /** For machines and logs: `account per minute`. */
  readonly reason: string
  readonly limit: number
  readonly remaining: number
  /** Epoch milliseconds; undefined for a limit that knows no time. */
  readonly resetAt: number | undefined
}

export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly details: RefusalDetails = {},
  ) {
    super(message)
  }
}

/** What somebody sent, for the message that refuses it: recognisable, not a megabyte of it, and no half character. */
export function quoted(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}...` : text
  return `"${shown.replace(/\p{Cs}/gu, '\ufffd')}"`
}

/** Without a resource: whatever the request was about. */
export function invalid(field: string, message: string, resource?: Resource): Refusal {
  return new Refusal('INVALID_ARGUMENT', message, { field, ...(resource && { resource }) })
}
