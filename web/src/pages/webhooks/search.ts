import { text } from '../../parts/search-params.js'

export interface WebhookSearch {
  /** Only deliveries that were not accepted. */
  readonly failed?: true | undefined
  /** The delivery that is open. */
  readonly delivery?: string | undefined
}

export function readWebhookSearch(raw: Record<string, unknown>): WebhookSearch {
  return { failed: raw.failed === true ? true : undefined, delivery: text(raw.delivery) }
}
