import { hourlyCleanUp } from '../../lib/clean-up.js'
import type { PeriodicTask } from '../../lib/periodic-task.js'
import type { Clock } from '../values/time.js'
import type { WebhookStore } from './webhook-store.js'

export interface OldDeliveriesDeps {
  readonly webhookStore: Pick<WebhookStore, 'deleteOld'>
  readonly clock: Clock
  /** Called when they cannot be deleted; tried again an hour later. */
  readonly onFailure: (error: unknown) => void
}

const keptFor = 7 * 24 * 3_600_000

/** Deletes attempts and failed events that are too old (docs/api/webhooks.md#delivery-log). Several processes may do it. */
export function oldDeliveries({ webhookStore, clock, onFailure }: OldDeliveriesDeps): PeriodicTask {
  return hourlyCleanUp((limit) => webhookStore.deleteOld(clock.now() - keptFor, limit), onFailure)
}
