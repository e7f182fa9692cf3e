import { invalid } from '../values/refusal.js'
import { parseTimestamp } from '../values/timestamp.js'

const fiveMinutes = 5 * 60_000

/** At least five minutes and at most one year from now; empty means none (docs/api/links.md#expiry). */
export function readExpiry(text: string, now: number): number | undefined {
  if (text === '') return undefined
  const at = parseTimestamp(text)?.at
  if (at === undefined) throw refused('The expiry must look like 2026-01-31T23:59:59+0000.')
  // Timestamps have whole seconds, the clock has not: exactly five minutes must not be a fraction too early.
  const second = now - (now % 1000)
  if (at < second + fiveMinutes) throw refused('The expiry must be at least five minutes from now.')
  if (at > oneYearAfter(second)) throw refused('The expiry must be at most one year from now.')
  return at
}

function oneYearAfter(at: number): number {
  const date = new Date(at)
  return date.setUTCFullYear(date.getUTCFullYear() + 1)
}

function refused(message: string) {
  return invalid('expirationAt', message, 'shortlinks')
}
