import { setTimeout as wait } from 'node:timers/promises'
import { atMostEvery } from '../../lib/at-most-every.js'

/** Milliseconds. Probes of readiness often give up after a second. */
const patience = 250

/**
 * Runs a check that may take long. Whoever asks waits for a moment, and then gets the reason why the check before failed:
 * undefined when it passed, or when there was none yet.
 */
export function slowCheck(check: () => Promise<void>): () => Promise<string | undefined> {
  let failure: string | undefined
  const run = atMostEvery(1000, async () => {
    failure = await check().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  })
  return async () => {
    await Promise.race([run(), wait(patience, undefined, { ref: false })])
    return failure
  }
}
