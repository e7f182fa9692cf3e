/** Errors of v3: only `status_code` and `status_txt`, in the envelope (docs/api/v3.md#answers). */
import { Refusal } from '../../core/values/refusal.js'

export interface Status {
  readonly code: number
  readonly text: string
}

/** An error that only v3 knows, such as a missing argument. */
export class Failure extends Refusal {
  constructor(
    readonly text: string,
    readonly status = 500,
  ) {
    super('BAD_REQUEST', text)
  }
}

export function missing(argument: string): Failure {
  return new Failure(`MISSING_ARG_${nameOf(argument)}`)
}

export function invalidArgument(argument: string): Failure {
  const name = nameOf(argument)
  // INVALID_URI is the one code without ARG.
  return new Failure(name === 'URI' ? 'INVALID_URI' : `INVALID_ARG_${name}`)
}

/** Undefined if the error is not a Refusal, so a bug. */
export function statusOf(error: unknown): Status | undefined {
  if (error instanceof Failure) return { code: error.status, text: error.text }
  if (!(error instanceof Refusal)) return undefined
  const { code, details } = error
  if (code === 'INVALID_ARGUMENT') {
    const { text } = invalidArgument(
      details.field === undefined ? 'request' : fieldName(details.field, details.resource),
    )
    return { code: 500, text }
  }
  // v3 has no code for deleted resources.
  return code === 'GONE' ? { code: 404, text: 'NOT_FOUND' } : { code: codes[code] ?? 500, text: code }
}

/** The cause is logged, not sent. */
export const unexpected: Status = { code: 503, text: 'UNKNOWN_ERROR' }

/** Every other code is 500. */
const codes: Readonly<Record<string, number>> = {
  API_USAGE_LIMIT_EXCEEDED: 403,
  BRANDED_LINK_MONTHLY_LIMIT_EXCEEDED: 403,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPE: 403,
  MONTHLY_ENCODE_LIMIT_REACHED: 403,
  MONTHLY_LIMIT_EXCEEDED: 403,
  NOT_FOUND: 404,
  RATE_LIMIT_EXCEEDED: 403,
  STORAGE_DAMAGED: 503,
  STORAGE_FULL: 503,
  TEMPORARILY_UNAVAILABLE: 503,
  UPGRADE_REQUIRED: 403,
}

/** Maps a core field to the v3 argument it came from. */
function fieldName(field: string, resource: string | undefined): string {
  if (field === 'name') return resource === 'channels' ? 'channel' : 'title'
  return argumentOf[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter}`)
}

const argumentOf: Readonly<Record<string, string>> = {
  longUrl: 'longUrl',
  shortlinkId: 'link',
  unitReference: 'unit_reference_ts',
  zone: 'timezone',
  hostnamePathQuery: 'exact_domain',
  // Only a keyword can belong to another group.
  groupGuid: 'keyword_link',
}

/** Clients compare INVALID_URI, although the argument may be called longUrl or uri. */
function nameOf(argument: string): string {
  return argument === 'longUrl' ? 'URI' : argument.toUpperCase()
}
