/**
 * Every way the service says no. Core throws a `Refusal` with a code from this closed list; only the edges know
 * which status, envelope or frame a code becomes. Anything else that is thrown is a bug.
 */
export type RefusalCode =
  | 'ALREADY_A_SHORTLINK'
  | 'BAD_REQUEST'
  | 'CONFLICT'
  | 'DNS_CONFIGURATION_ERROR'
  | 'FORBIDDEN'
  | 'GONE'
  | 'INVALID_ARG_DOMAIN'
  | 'INVALID_ARG_SHORTLINK'
  | 'INVALID_ARGUMENT'
  | 'INVALID_TAG'
  | 'KEYWORD_UNAVAILABLE'
  | 'NOT_FOUND'
  | 'TEMPORARILY_UNAVAILABLE'
  | 'TOO_MANY_TAGS_PER_GROUP'
  | 'TOO_MANY_TAGS_PER_SHORTLINK'
  | 'UNPROCESSABLE_ENTITY'

/** The collection the refused object belongs to. */
export type Resource =
  | 'apps'
  | 'campaigns'
  | 'channels'
  | 'deeplinks'
  | 'domains'
  | 'groups'
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

/** Without a resource: whatever the request was about. */
export function invalid(field: string, message: string, resource?: Resource): Refusal {
  return new Refusal('INVALID_ARGUMENT', message, { field, ...(resource && { resource }) })
}
