/** The delivery log of a webhook, and sending events again. An addition: the public API has none. */

import { type Static, Type } from 'typebox'
import { timestamp } from '../../core/values/time.js'
import {
  listDeadLetters,
  listDeliveries,
  readDelivery,
  redeliverOne,
  redeliverSince,
} from '../../core/webhooks/delivery-log.js'
import { requireEvents } from '../../core/webhooks/webhook.js'
import type { DeadLetter, Delivery } from '../../core/webhooks/webhook-store.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { route } from './route.js'
import { timestampBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment } from './schemas/fields.js'
import { defaultSize, pageAnswer, pageFields, pagination } from './schemas/lists.js'
import { type WebhookRouteDeps, webhookAdmin, webhookAuditor } from './webhooks.js'

const id = Type.String({ examples: ['Dq7Xc2Lm9Pw'] })
const eventId = '3f2a9c1e-17-0'
const status = Type.Union([Type.Integer(), Type.Null()], {
  description: 'HTTP status of the response; null without one',
  examples: [500],
})
const failure = Type.String({ description: 'Why it was not accepted; empty if it was', examples: ['status 500'] })
const tries = Type.Integer({ description: 'Tries of the event so far, this one included', examples: [1] })

const sentEvent = Type.Record(Type.String(), Type.Unknown(), {
  examples: [{ event_id: eventId, event_type: 'engagement' }],
})
const deliveryFields = {
  id,
  created: moment(),
  status,
  failure,
  answer: Type.String({
    description: 'The first KiB of the response; empty for auditors',
    examples: ['out of memory'],
  }),
  duration_ms: Type.Integer({ examples: [42] }),
  event_ids: Type.Array(Type.String(), { description: 'Empty for a ping', examples: [[eventId]] }),
  event_types: Type.Array(Type.String(), { description: 'Each once; empty for a ping', examples: [['engagement']] }),
  tries,
  next_try: Type.String({ description: 'Empty if there is none', examples: ['2026-11-02T09:30:30+0000'] }),
}
const DeliveryBody = Type.Object(deliveryFields, { description: 'One request to the receiver' })
const SentDeliveryBody = Type.Object(
  {
    ...deliveryFields,
    events: Type.Array(sentEvent, { description: 'As they were sent, in order; empty for a ping' }),
  },
  { description: 'One request to the receiver, with the events in it' },
)
const DeadLetterBody = Type.Object(
  {
    id,
    event_id: Type.String({ examples: [eventId] }),
    failed: moment('2026-11-02T10:31:00+0000'),
    tries,
    status,
    failure,
    event: sentEvent,
  },
  { description: 'An event that will not be tried again' },
)
const Redelivery = Type.Object(
  { redeliveries: Type.Integer({ description: 'How many events are sent once more', examples: [1] }) },
  { title: 'Redelivery', description: 'They are sent in the background; the log shows the result' },
)
const page = pageFields('Entries per page', { default: defaultSize })

export function webhookDeliveryRoutes(http: TypedFastify, deps: WebhookRouteDeps): void {
  const tag = 'Webhooks'
  const { baseUrl } = deps.config
  const ofEvents = withEvents(webhookAdmin(deps))
  const toReadEvents = withEvents(webhookAuditor(deps))

  route(http, tag, 'listWebhookDeliveries: GET /v4/webhooks/:webhook_guid/deliveries', {
    scope: 'webhooks',
    access: webhookAuditor(deps),
    summary: 'List the deliveries of a webhook',
    description: 'The last 1,000 requests of the last 7 days. Requests of the last second may be missing.',
    querystring: Type.Object({
      ...page,
      failed: Type.Optional(Type.Boolean({ description: 'Only requests that were not accepted' })),
    }),
    response: { 200: pageAnswer('deliveries', DeliveryBody, 'Newest first'), ...refusals(402, 404) },
    answer: async ({ actor, query, url }, webhook) => {
      const { size = defaultSize, search_after, failed = false } = query
      const found = await listDeliveries(deps, actor, webhook, { size, searchAfter: search_after, onlyFailed: failed })
      const { entries, searchAfter } = found
      return { deliveries: entries.map(presentDelivery), pagination: pagination(baseUrl + url, searchAfter, size) }
    },
  })

  route(http, tag, 'getWebhookDelivery: GET /v4/webhooks/:webhook_guid/deliveries/:delivery_id', {
    scope: 'webhooks',
    access: toReadEvents,
    summary: 'Get a delivery of a webhook',
    description: 'With the events that were sent.',
    params: { delivery_id: id },
    response: { 200: SentDeliveryBody, ...refusals(402, 404) },
    answer: async ({ actor, params }, webhook) => {
      const delivery = await readDelivery(deps, actor, webhook, params.delivery_id)
      return { ...presentDelivery(delivery), events: delivery.payloads.map(eventIn) }
    },
  })

  route(http, tag, 'redeliverWebhookDelivery: POST /v4/webhooks/:webhook_guid/deliveries/:delivery_id/redeliver', {
    scope: 'webhooks',
    access: ofEvents,
    summary: 'Send the events of a delivery again',
    description: 'Once, whether it was accepted or not.',
    params: { delivery_id: id },
    response: { 202: Redelivery, ...refusals(402, 404) },
    answer: async ({ actor, params }, webhook) => ({
      redeliveries: await redeliverOne(deps, actor, webhook, params.delivery_id),
    }),
  })

  route(http, tag, 'listWebhookDeadLetters: GET /v4/webhooks/:webhook_guid/dead_letters', {
    scope: 'webhooks',
    access: toReadEvents,
    summary: 'List the events that could not be delivered to a webhook',
    description: 'After five tries. They are kept for 7 days, at most 10,000 of them.',
    querystring: Type.Object(page),
    response: { 200: pageAnswer('dead_letters', DeadLetterBody, 'Newest first'), ...refusals(402, 404) },
    answer: async ({ actor, query, url }, webhook) => {
      const { size = defaultSize, search_after } = query
      const { entries, searchAfter } = await listDeadLetters(deps, actor, webhook, { size, searchAfter: search_after })
      return { dead_letters: entries.map(presentLetter), pagination: pagination(baseUrl + url, searchAfter, size) }
    },
  })

  route(http, tag, 'redeliverWebhookEvents: POST /v4/webhooks/:webhook_guid/redeliver', {
    scope: 'webhooks',
    access: ofEvents,
    summary: 'Send all events again that could not be delivered since a time',
    description: 'Each once. Those that fail again stay in the list of dead letters.',
    body: Type.Object(
      { since: Type.String({ ...timestampBounds, description: 'When the last try failed, or later' }) },
      { examples: [{ since: '2026-11-02T09:30:00+0000' }] },
    ),
    response: { 202: Redelivery, ...refusals(402, 404) },
    answer: async ({ actor, body }, webhook) => ({
      redeliveries: await redeliverSince(deps, actor, webhook, body.since),
    }),
  })
}

/** Of routes that show or send events again: for those who may read what the events tell. */
function withEvents(find: ReturnType<typeof webhookAdmin>): ReturnType<typeof webhookAdmin> {
  return async (request) => {
    const webhook = await find(request)
    requireEvents(request.actor, webhook.events)
    return webhook
  }
}

function presentDelivery(delivery: Delivery): Static<typeof DeliveryBody> {
  return {
    id: delivery.id,
    created: timestamp(delivery.at),
    status: delivery.status ?? null,
    failure: delivery.failure ?? '',
    answer: delivery.answer,
    duration_ms: delivery.durationMs,
    event_ids: [...delivery.eventIds],
    event_types: [...delivery.eventTypes],
    tries: delivery.tries,
    next_try: delivery.nextTryAt === undefined ? '' : timestamp(delivery.nextTryAt),
  }
}

function presentLetter(letter: DeadLetter): Static<typeof DeadLetterBody> {
  return {
    id: letter.id,
    event_id: letter.eventId,
    failed: timestamp(letter.at),
    tries: letter.tries,
    status: letter.status ?? null,
    failure: letter.failure,
    event: eventIn(letter.payload),
  }
}

/** Written by us. */
function eventIn(payload: string): Record<string, unknown> {
  return JSON.parse(payload) as Record<string, unknown>
}
