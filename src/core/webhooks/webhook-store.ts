/**
 * Stores webhooks, their delivery log, and the deliveries that failed. Each method is one atomic step;
 * webhook-store.contract.ts defines the behaviour. Fields are validated before they get here.
 */
import type { MailDelivery } from '../accounts/account.js'
import type { QueuedEvents, QueueProgress, QueueRow } from './queued-events.js'
import type { SigningSecret, Webhook, WebhookEvent, WebhookFields } from './webhook.js'

export interface WebhookStore {
  add(webhook: NewWebhook): Promise<'added' | 'no-organization' | 'too-many'>
  /** Without fields that cannot be decrypted (`lost`). */
  get(guid: string): Promise<Webhook | undefined>
  /** All of an organization, or of all organizations; oldest first. */
  list(organizationGuid: string | 'all'): Promise<readonly Webhook[]>
  /**
   * Changes what `change` returns for the current state. An active webhook is no longer deactivated. Undefined when there
   * is no such webhook.
   */
  update(guid: string, change: (current: Webhook) => WebhookChange, by: ChangedBy): Promise<Webhook | undefined>
  /** Whether the mail about an alert or a deactivation was sent. Changes nothing if the webhook works again. */
  setAlertDelivery(guid: string, delivery: MailDelivery): Promise<void>
  /** Also removes its log and its failed deliveries. False when there is no such webhook. */
  remove(guid: string): Promise<boolean>
  /** What active webhooks of active organizations want. */
  wanted(): Promise<readonly WantedEvents[]>

  // Deliveries. webhook-queue.ts decides when to try again.

  /**
   * Adds attempts to the log, oldest first, keeps failed events until they are delivered, and updates the state of the
   * webhooks. Moves on in the queue. Returns the webhooks whose state this call changed.
   */
  record(attempts: readonly Attempt[], limits: LogLimits, progress?: QueueProgress): Promise<readonly StateChange[]>
  /** Deletes at most `limit` attempts, failed and waiting events from before `before`, of all webhooks. Returns how many. */
  deleteOld(before: number, limit: number): Promise<number>
  /** Newest first. */
  deliveries(webhookGuid: string, page: LogPage): Promise<readonly Delivery[]>
  delivery(webhookGuid: string, id: string): Promise<SentDelivery | undefined>
  /** Events that will not be tried again, newest first. */
  deadLetters(webhookGuid: string, page: LogPage): Promise<readonly DeadLetter[]>
  /**
   * Marks events to be sent once more: those of a delivery, or all that failed since a time. Returns how many. `check` gets
   * their types, each once; nothing is marked when it throws.
   */
  redeliver(webhookGuid: string, which: Redelivered, check?: (types: readonly WebhookEvent[]) => void): Promise<number>
  /** The marked events of these webhooks, oldest first. They stay marked until an attempt of them is recorded. */
  marked(webhookGuids: readonly string[], size: number): Promise<readonly MarkedEvent[]>

  // The queue: events that wait for a webhook. Other stores write theirs together with the change they are about.

  /** Adds events of active webhooks, and stores how far their source was read. */
  enqueue(events: readonly QueuedEvents[], source?: SourcePosition): Promise<void>
  /** Undefined before the first `enqueue` of the source. */
  sourcePosition(name: string): Promise<number | undefined>
  /**
   * Claims the queue of a webhook for one process, so that its events stay in order, and returns rows that are due, in the
   * order in which they are sent. None while another process has it, whose claim is from this time at the latest.
   */
  claim(webhookGuid: string, claim: QueueClaim): Promise<readonly QueueRow[]>
  /** Gives up all queues of a process. */
  release(holder: string): Promise<void>
  /** Those of the webhooks that have rows that are due. */
  due(webhookGuids: readonly string[], now: number): Promise<readonly string[]>
  /**
   * Corrects rows of these webhooks that a process with a clock ahead of this one added: first tries are due now, later ones
   * within the longest pause.
   */
  correctDueTimes(webhookGuids: readonly string[], now: number, longestPause: number): Promise<void>
  /** When the first of all rows is or was due; undefined without any. */
  firstDue(): Promise<number | undefined>
  /** How many active webhooks are in alert. */
  failing(): Promise<number>
  /** Adds an event for every link that expired since the last call, for each webhook that wants it. Returns how many. */
  noteExpired(until: number): Promise<number>
}

interface SourcePosition {
  readonly name: string
  readonly position: number
}

export interface QueueClaim {
  readonly holder: string
  readonly now: number
  /** Renews a claim of the holder from before this time, and takes over one of another process from before that time. */
  readonly renewBefore: number
  readonly staleBefore: number
  readonly size: number
  /** Rows that were sent, which is not recorded yet. */
  readonly except: readonly string[]
}

export interface NewWebhook extends WebhookFields {
  readonly guid: string
  readonly organizationGuid: string
  readonly secret: string
  readonly by: string
  readonly at: number
  /** Maximum number of webhooks of the organization, including this one. */
  readonly limit: number
}

export type WebhookChange = Partial<WebhookFields> & { readonly secret?: SigningSecret }

interface ChangedBy {
  readonly login: string
  readonly at: number
}

export interface WantedEvents extends Pick<Webhook, 'guid' | 'organizationGuid' | 'groupGuid' | 'events'> {
  readonly since: number
}

/** One request to a receiver. */
export interface Attempt extends Outcome {
  readonly id: string
  readonly webhookGuid: string
  readonly at: number
  readonly durationMs: number
  /** In the order they were sent. */
  readonly events: readonly AttemptedEvent[]
  /** The receiver wants nothing any more. */
  readonly isGone: boolean
}

interface Outcome {
  /** Undefined without a response. */
  readonly status: number | undefined
  /** Why there was no response, or why it was not accepted; undefined after a success. */
  readonly failure: string | undefined
  /** The beginning of the response. */
  readonly answer: string
}

export interface AttemptedEvent {
  readonly eventId: string
  /** Of this event, this attempt included. */
  readonly tries: number
  /** When it is tried again; undefined after a success, and when it will not be. */
  readonly nextTryAt: number | undefined
  /** The event as JSON. */
  readonly payload: string
}

export interface LogLimits {
  /** Attempts per webhook. */
  readonly entries: number
  readonly deadLetters: number
  /** Failed attempts in a row after which a webhook is in alert. */
  readonly alertAfter: number
  /** A webhook in alert since before this time is deactivated. */
  readonly deactivateBefore: number
}

export interface StateChange {
  readonly webhook: Webhook
  readonly change: 'alerted' | 'recovered' | 'deactivated'
}

export interface LogPage {
  readonly after: LogPosition | undefined
  readonly size: number
  readonly onlyFailed?: boolean
}

interface LogPosition {
  readonly at: number
  readonly id: string
}

/** An entry of the log. */
export interface Delivery extends Outcome, LogPosition {
  readonly durationMs: number
  readonly eventIds: readonly string[]
  /** Each once. */
  readonly eventTypes: readonly WebhookEvent[]
  readonly tries: number
  readonly nextTryAt: number | undefined
}

export interface SentDelivery extends Delivery {
  /** As JSON, in the order they were sent. */
  readonly payloads: readonly string[]
}

export interface DeadLetter extends LogPosition {
  /** `id` without the time is the event's. */
  readonly eventId: string
  readonly eventTypes: readonly WebhookEvent[]
  readonly tries: number
  readonly status: number | undefined
  readonly failure: string
  readonly payload: string
}

type Redelivered = { readonly delivery: string; readonly at: number } | { readonly since: number }

export interface MarkedEvent {
  readonly webhookGuid: string
  readonly eventId: string
  readonly tries: number
  readonly payload: string
}
