/** Thrown instead of the error of a script that cannot be loaded because the service does not answer. */
export class Unreachable extends Error {}

/** Whether the service answers, whatever it says. */
export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('/account/session', { cache: 'no-store', signal: AbortSignal.timeout(10_000) })).status < 500
  } catch {
    return false
  }
}
