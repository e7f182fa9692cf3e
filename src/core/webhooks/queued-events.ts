/** Events on their way to a webhook, as the queue stores them: clicks and new links as in the stream, and others. */
import type { WebhookEvent } from './webhook.js'

export interface NotedEvent {
  readonly type: WebhookEvent
  readonly at: number
  /** `shortlink` is a stored address, `custom_shortlinks` are some. */
  readonly details: Readonly<Record<string, unknown>>
}

/** As JSON. */
export function notedMessage(id: string, groupGuid: string | undefined, { type, at, details }: NotedEvent): string {
  return JSON.stringify({ event_id: `event/${id}`, type, at, group_guid: groupGuid, details })
}

/** Events of one webhook that are sent in order. */
export interface QueuedEvents {
  /** Of events that may be added again, which changes nothing. */
  readonly id?: string
  readonly webhookGuid: string
  readonly dueAt: number
  /** Attempts so far. */
  readonly tries: number
  /** Each as JSON. */
  readonly events: readonly string[]
}

export interface QueueRow {
  readonly id: string
  readonly tries: number
  /** How many of the events need not be sent any more. */
  readonly done: number
  readonly events: readonly Readonly<Record<string, unknown>>[]
}

/** What was sent, or failed and waits in another row. */
export interface QueueProgress {
  readonly rows: readonly RowProgress[]
  readonly retries: readonly QueuedEvents[]
}

export interface RowProgress {
  readonly id: string
  readonly done: number
  readonly isOver: boolean
}

let made = 0

/**
 * Ids of this thread sort in the order in which they were made, if the time does not go back. They are counted for ever: a
 * long change makes many of one time, with others between.
 */
export function queueId(at: number): string {
  made += 1
  const random = Math.floor(Math.random() * 36 ** 4).toString(36)
  return `${String(at).padStart(15, '0')}-${made.toString(36).padStart(6, '0')}-${random}-`
}
