import type { MailDelivery } from '../../../core/accounts/account.js'
import type { Counter } from '../../../core/usage/usage-store.js'
import type { WebhookEvent } from '../../../core/webhooks/webhook.js'
import {
  archived,
  defaulted,
  encrypted,
  flag,
  groupGuid,
  id,
  json,
  key,
  moved,
  namesUser,
  neverCopied,
  number,
  optional,
  organizationGuid,
  secret,
  text,
  time,
  times,
} from './table.js'

const name = key(text())

/** Webhooks, the stream, usage, icons of sites, and what processes tell each other. */
export const service = {
  webhooks: archived('organization', 'Webhooks. A URL may itself be a secret: treat the file accordingly.', {
    guid: id,
    organization_guid: organizationGuid,
    group_guid: optional(text('The group whose events are sent; empty for all groups.')),
    name: text('Its name.'),
    events: json<readonly WebhookEvent[]>('The events that are sent.'),
    url: encrypted('webhook', text('Where they are sent.')),
    batch: number('How many events are sent together at most.'),
    is_active: flag('False when it is switched off.'),
    fetch_tags: flag('Whether tags are sent too.'),
    link_word: optional(text('The word for short links in events; empty for that of the service.')),
    oauth_url: encrypted('webhook', optional(text('Where a token is fetched before events are sent.'))),
    client_id: optional(text('The client id for that.')),
    client_secret: secret(encrypted('webhook', optional(text('The client secret for that.')))),
    secret: secret(encrypted('webhook', text('The secret that signs requests.')), 'signing secret'),
    previous_secret: secret(encrypted('webhook', optional(text('The secret before the last rotation.')))),
    previous_until: secret(optional(time('Until when the previous secret signs too.'))),
    ...times,
    modified_by: namesUser(text('The login of the user who changed it last.')),
    failures: defaulted(number('Failed attempts since the last success.')),
    alerted_at: optional(time('Since when it is in alert because of failures.')),
    // Null while nobody was told, and for alerts from before this was stored.
    alert_delivery: optional(
      text<MailDelivery>('Whether a mail about that was sent to its owners: `sent` or `not_sent`.'),
    ),
    deactivated_at: optional(time('When it was switched off because of failures.')),
  }),
  webhook_deliveries: moved('nobody', 'the log of requests to receivers', {
    id,
    webhook_guid: text(),
    at: time(),
    status: optional(number()),
    failure: optional(text()),
    answer: text(),
    duration_ms: number(),
    tries: number(),
    next_try_at: optional(time()),
    events: json<readonly (readonly [string, string])[]>('Ids and payloads.'),
  }),
  // Or that are never sent.
  webhook_failures: moved('nobody', 'events that failed for good', {
    webhook_guid: key(text()),
    event_id: key(text()),
    id: text('For the order of those that failed at the same time.'),
    state: text<'dead' | 'marked'>('`dead`, or `marked` to be sent once more.'),
    tries: number(),
    failed_at: time(),
    status: optional(number()),
    failure: text(),
    payload: text(),
  }),
  webhook_queue: moved('nobody', 'events that wait for webhooks', {
    id,
    webhook_guid: text(),
    due_at: time(),
    tries: number(),
    done: number('How many of the events, from the first on, need not be sent any more.'),
    events: json(),
  }),
  stream_access: archived('subject', 'Who may read the stream.', {
    kind: key(text<'organization' | 'login'>('`organization` or `login`.')),
    subject: key(text('The organization or the user.')),
    allowed_by: namesUser(text('Who allowed it.')),
    allowed_at: time('When.'),
  }),
  usage: archived('organization', 'What groups used per day, for the limits of plans.', {
    group_guid: key(groupGuid),
    name: key(text<Counter>('What was counted.')),
    day: key(time('Midnight UTC.')),
    organization_guid: key(text('The organization of the group on that day.')),
    count: number('How much.'),
  }),
  plan_turns: archived('organization', 'Order of changes to the use of plans.', {
    organization_guid: key(organizationGuid),
    turns: number('The number of changes.'),
  }),
  reached_limits: archived('organization', 'Limits that organizations were told about.', {
    organization_guid: key(organizationGuid),
    name: key(text('The limit.')),
    month: key(time('The start of the month.')),
    percent: key(number('How much of it was used.')),
  }),
  idempotency_keys: moved('nobody', 'answers for repeated requests, kept for a day', {
    id: key(text('A hash of the caller and the key.')),
    fingerprint: text(),
    status: number(),
    body: encrypted('kept answer', text()),
    created_at: time(),
  }),
  site_icons: moved('nobody', 'icons of sites that links lead to, which can be fetched again', {
    host: key(text()),
    image: text('A `data:` URL.'),
    fetched_at: time(),
  }),
  bookmarks: moved('nobody', 'positions of readers inside one installation', {
    name,
    holder: text('The process that holds the lease on this cursor.'),
    moved_at: time(),
    position: number(),
  }),
  // Each start claims them anew. See core/clicks/click-store.ts.
  leases: neverCopied('which process does what', {
    name,
    id: text(),
    place: text(),
    holder: text(),
    heartbeat: number(),
  }),
  journals: neverCopied('what waits in the journals of processes', {
    journal_id: key(text()),
    place: text(),
    waiting_rows: number(),
    waiting_since: optional(time()),
    seen_at: time(),
  }),
  // With SQLite they are in a file instead.
  visitor_salts: neverCopied('secrets of two days, without which nobody can check who visited', {
    day: key(number('Days since 1970, in UTC.')),
    salt: text(),
  }),
}
