import { Refusal } from '../../../core/values/refusal.js'

/** The refusal while the database is unreachable or locked. */
export function unavailable(cause: unknown): Refusal {
  const message = 'The database does not answer at the moment. Try again in a few seconds.'
  return Object.assign(new Refusal('TEMPORARILY_UNAVAILABLE', message, { retryAfter: 1 }), { cause })
}
