/** Webhooks of an organization (docs/api/webhooks.md). */

import { type Static, Type } from 'typebox'
import { requireOrganizationAdmin } from '../../core/accounts/actor.js'
import { invalid } from '../../core/values/refusal.js'
import { timestamp } from '../../core/values/time.js'
import { maxCredentialLength, type WebhookInput } from '../../core/webhooks/fields.js'
import { isReadable, maxBatch, maxWebhooks, type Webhook, webhookEvents } from '../../core/webhooks/webhook.js'
import {
  addWebhook,
  editableWebhook,
  listWebhooks,
  readWebhook,
  removeWebhook,
  rotateSecret,
  updateWebhook,
  verifyWebhook,
  type WebhookDeps,
} from '../../core/webhooks/webhooks.js'
import { isObject } from '../../lib/is-object.js'
import { etagOf, sendTagged } from '../http/etag.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { organizationAuditor } from './access.js'
import { type BaseUrlDeps, type RouteRequest, route } from './route.js'
import { nameBounds, noControls, webUrlOrNoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { moment, named, optionalText, tagged } from './schemas/fields.js'

export type WebhookRouteDeps = WebhookDeps & BaseUrlDeps

const time = 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`; empty if it did not happen'
const guid = 'Wk2Hs9Rt4Vb'

export const WebhookBody = Type.Object(
  {
    references: Type.Object(
      { organization: Type.String(), group: Type.Optional(Type.String()) },
      { description: 'URLs of related data' },
    ),
    guid: Type.String({ examples: [guid] }),
    created: moment(),
    modified: moment(),
    modified_by: Type.String({ description: 'Login of the user who changed it last', examples: ['anna'] }),
    alerted: Type.String({ description: `Since when deliveries have failed; ${time}`, examples: [''] }),
    alert_delivery: optionalText(
      'While it fails or after it was turned off: whether an administrator was told by mail. `not_sent` without a mail ' +
        'server, without an administrator who has an e-mail address, or if the mail server refused',
      { enum: ['sent', 'not_sent'], examples: ['sent'] },
    ),
    deactivated: Type.String({ description: `When the service turned it off; ${time}`, examples: [''] }),
    is_active: Type.Boolean({ examples: [true] }),
    is_alert: Type.Boolean({ description: 'Whether deliveries fail at the moment', examples: [false] }),
    status: Type.String({
      enum: ['active', 'alert', 'inactive', 'deactivated'],
      description: '`inactive`: turned off by a user; `deactivated`: by the service',
      examples: ['active'],
    }),
    organization_guid: Type.String(),
    group_guid: Type.String({ description: 'Only events of this group; empty: of the whole organization' }),
    name: Type.String({ examples: ['Data warehouse'] }),
    event: Type.String({ description: 'The first of `events`', examples: ['engagement'] }),
    events: Type.Array(Type.String({ enum: [...webhookEvents] }), { examples: [['engagement', 'link.created']] }),
    url: Type.String({ examples: ['https://hooks.example.com/shortlink'] }),
    oauth_url: Type.String({ description: 'Empty without OAuth', examples: [''] }),
    client_id: Type.String({ examples: [''] }),
    client_secret: Type.String({ description: 'Never shown: always empty', examples: [''] }),
    fetch_tags: Type.Boolean({ description: 'Whether engagements contain the tags of the link', examples: [false] }),
    batch: Type.Integer({ description: 'The largest number of events in one request', examples: [1] }),
    link_word: Type.String({
      description: 'The word for short links in events; empty: that of the service',
      examples: [''],
    }),
    signing_secret: optionalText('Signs every request. Shown only when it was created or rotated', {
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    }),
  },
  { $id: 'Webhook' },
)

const text = (description: string, options = {}) => Type.Optional(Type.String({ description, ...options }))
const credential = bounds({ maxLength: maxCredentialLength, pattern: noControls })
const event = `One of ${webhookEvents.map((name) => `\`${name}\``).join(', ')}; \`decodes\` is a former name of \`engagement\``
const webUrl = bounds({ maxLength: 2048, pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' })
const eventBounds = bounds({ enum: [...webhookEvents, 'decodes', 'click'] })
const options = {
  events: Type.Optional(
    Type.Array(Type.String({ ...eventBounds, description: event }), { description: 'More events; with `event`' }),
  ),
  is_active: Type.Optional(Type.Boolean({ description: 'true by default' })),
  group_guid: text('Only events of this group; send an empty string for the whole organization', emptyRemoves),
  oauth_url: text('Token endpoint of the receiver (client credentials); send an empty string to remove it', {
    ...emptyRemoves,
    ...webUrlOrNoneBounds,
  }),
  client_id: text('For `oauth_url`', credential),
  client_secret: text('For `oauth_url`', credential),
  fetch_tags: Type.Optional(Type.Boolean({ description: 'Adds the tags of the link to engagements' })),
  batch: Type.Optional(
    Type.Integer({
      ...bounds({ minimum: 1, maximum: maxBatch }),
      description: `1 by default; up to ${maxBatch} events are sent in one request`,
    }),
  ),
  link_word: text(
    'The word for short links in events, one of `link_words`; send an empty string for that of the service',
    {
      ...emptyRemoves,
    },
  ),
}
const example = {
  name: 'Data warehouse',
  event: 'engagement',
  events: ['link.created'],
  url: 'https://hooks.example.com/shortlink',
}
const AddBody = Type.Object(
  {
    organization_guid: Type.String({ minLength: 1 }),
    name: Type.String({ ...nameBounds, description: 'At most 255 characters' }),
    event: Type.String({ ...eventBounds, description: event }),
    url: Type.String({ ...webUrl, description: 'http or https; it may contain a user name and password' }),
    ...options,
  },
  { examples: [{ organization_guid: 'Og5Rt1Yw7Zc', ...example }] },
)
const ChangeBody = Type.Object(
  {
    guid: text('The guid of the webhook; if sent, that of the path'),
    name: text('At most 255 characters', nameBounds),
    event: text(event, eventBounds),
    url: text('http or https', webUrl),
    ...options,
  },
  {
    examples: [{ guid, ...example }],
  },
)

type OfWebhook = RouteRequest<{ readonly webhook_guid: string }>

/** For routes with the guid of a webhook in the path; loads it, to read it. */
export function webhookAuditor(deps: WebhookDeps) {
  return ({ actor, params }: OfWebhook) => readWebhook(deps, actor, params.webhook_guid)
}

/** To change it. */
export function webhookAdmin(deps: WebhookDeps) {
  return ({ actor, params }: OfWebhook) => editableWebhook(deps, actor, params.webhook_guid)
}

export function webhookRoutes(http: TypedFastify, deps: WebhookRouteDeps): void {
  const tag = 'Webhooks'
  const shown = (webhook: Webhook) => present(webhook, deps.config.baseUrl)
  const access = webhookAdmin(deps)
  // Not all of it is shown: a client secret never is.
  const etag = (webhook: Webhook) => etagOf([shown(webhook), webhook.modifiedAt])
  const send = sendTagged(shown, etag)
  const sendNew = sendTagged(
    (webhook: Webhook) => ({ ...shown(webhook), signing_secret: webhook.secret.current }),
    etag,
  )

  route(http, tag, 'listWebhooks: GET /v4/organizations/:organization_guid/webhooks', {
    scope: 'webhooks',
    list: { name: 'webhooks', by: 'guid' },
    access: organizationAuditor,
    summary: 'List the webhooks of an organization',
    description: `For administrators and auditors of the organization. An organization has at most ${maxWebhooks}.`,
    response: {
      200: Type.Object(
        {
          webhooks: Type.Array(named(WebhookBody, 'A webhook')),
          link_words: Type.Array(Type.String(), {
            description: 'What `link_word` can be',
            examples: [['shortlink']],
          }),
        },
        { description: 'All of them, oldest first' },
      ),
      ...refusals(402, 404),
    },
    answer: async ({ actor, params }) => ({
      webhooks: (await listWebhooks(deps, actor, params.organization_guid)).map(shown),
      link_words: [...deps.linkWords.words],
    }),
  })

  route(http, tag, 'createWebhook: POST /v4/webhooks', {
    scope: 'webhooks',
    access: ({ actor, body }) => {
      const organizationGuid = isObject(body) ? body.organization_guid : undefined
      if (typeof organizationGuid === 'string' && organizationGuid !== '') {
        requireOrganizationAdmin(actor, organizationGuid)
      }
    },
    summary: 'Create a webhook',
    description:
      'Every event from the time of the response on is sent to the URL. The response contains the secret that requests are signed with; it is not shown again.',
    body: AddBody,
    response: { 201: tagged(WebhookBody, 'The new webhook, with its signing secret'), ...refusals(402, 404) },
    idempotent: true,
    answer: async ({ actor, body }, _granted, reply) => {
      return sendNew(reply, await addWebhook(deps, actor, body.organization_guid, inputFrom(body)))
    },
  })

  route(http, tag, 'getWebhook: GET /v4/webhooks/:webhook_guid', {
    scope: 'webhooks',
    access: webhookAuditor(deps),
    summary: 'Get a webhook',
    description: 'With its state, without its secrets.',
    response: { 200: tagged(WebhookBody, 'The webhook'), ...refusals(402, 404) },
    etag,
    answer: async (_request, webhook) => shown(webhook),
  })

  route(http, tag, 'updateWebhook: PATCH /v4/webhooks/:webhook_guid', {
    scope: 'webhooks',
    access,
    summary: 'Update a webhook',
    description:
      'Fields that are not sent stay unchanged; `event` and `events` together replace the events. `is_active: true` turns on a webhook that was deactivated.',
    body: ChangeBody,
    response: { 200: tagged(WebhookBody, 'The updated webhook'), ...refusals(402, 404) },
    etag,
    answer: async ({ actor, body }, webhook, reply) => {
      const { guid, event, events } = body
      if (event === undefined && events?.length === 0) {
        throw invalid('events', 'A webhook needs an event. Send is_active: false to get none.', 'webhooks')
      }
      return send(reply, await updateWebhook(deps, actor, webhook, { ...inputFrom(body), guid }))
    },
  })

  route(http, tag, 'deleteWebhook: DELETE /v4/webhooks/:webhook_guid', {
    scope: 'webhooks',
    access,
    summary: 'Delete a webhook',
    description: 'Events that wait for it are dropped, and its delivery log is deleted.',
    response: { 204: Type.Null({ description: 'The webhook was deleted' }), ...refusals(402, 404) },
    etag,
    answer: ({ actor }, webhook) => removeWebhook(deps, actor, webhook),
  })

  route(http, tag, 'verifyWebhook: POST /v4/webhooks/:webhook_guid/verify', {
    scope: 'webhooks',
    access,
    summary: 'Send a ping to a webhook',
    description: 'Waits for the receiver, at most 10 seconds; 400 if it does not answer with a status 2xx.',
    response: { 200: tagged(WebhookBody, 'The webhook; its receiver accepted the ping'), ...refusals(402, 404) },
    answer: async (_request, webhook, reply) => send(reply, await verifyWebhook(deps, webhook)),
  })

  route(http, tag, 'rotateWebhookSecret: POST /v4/webhooks/:webhook_guid/rotate_secret', {
    scope: 'webhooks',
    access,
    summary: 'Rotate the signing secret of a webhook',
    description: 'For 24 hours requests have two signatures, one with the former secret.',
    response: { 200: tagged(WebhookBody, 'The webhook, with its new signing secret'), ...refusals(402, 404) },
    answer: async ({ actor }, webhook, reply) => sendNew(reply, await rotateSecret(deps, actor, webhook)),
  })
}

function inputFrom(body: Static<typeof ChangeBody>): WebhookInput {
  return {
    name: body.name,
    event: body.event,
    events: body.events,
    url: body.url,
    groupGuid: body.group_guid,
    isActive: body.is_active,
    fetchTags: body.fetch_tags,
    batch: body.batch,
    linkWord: body.link_word,
    oauthUrl: body.oauth_url,
    clientId: body.client_id,
    clientSecret: body.client_secret,
  }
}

function present(webhook: Webhook, baseUrl: string): Static<typeof WebhookBody> {
  const { organizationGuid, groupGuid, events, oauth, alertedAt, alertDelivery, deactivatedAt, isActive } = webhook
  const inactive = deactivatedAt === undefined ? 'inactive' : 'deactivated'
  const isAlert = alertedAt !== undefined || !isReadable(webhook)
  return {
    references: {
      organization: `${baseUrl}/v4/organizations/${organizationGuid}`,
      ...(groupGuid !== undefined && { group: `${baseUrl}/v4/groups/${groupGuid}` }),
    },
    guid: webhook.guid,
    created: timestamp(webhook.createdAt),
    modified: timestamp(webhook.modifiedAt),
    modified_by: webhook.modifiedBy,
    alerted: alertedAt === undefined ? '' : timestamp(alertedAt),
    ...(alertDelivery && { alert_delivery: alertDelivery }),
    deactivated: deactivatedAt === undefined ? '' : timestamp(deactivatedAt),
    is_active: isActive,
    is_alert: isAlert,
    status: !isActive ? inactive : isAlert ? 'alert' : 'active',
    organization_guid: organizationGuid,
    group_guid: groupGuid ?? '',
    name: webhook.name,
    event: events[0] ?? '',
    events: [...events],
    url: webhook.url,
    oauth_url: oauth?.url ?? '',
    client_id: oauth?.clientId ?? '',
    client_secret: '',
    fetch_tags: webhook.fetchTags,
    batch: webhook.batch,
    link_word: webhook.linkWord ?? '',
  }
}
