/** The events that webhooks send, for the `webhooks` section of the OpenAPI document (docs/api/webhooks.md#events). */
import type { WebhookEvent } from '../../core/webhooks/webhook.js'

type Fields = Readonly<Record<string, object>>

const text = (example: string, description?: string) => ({
  type: 'string',
  ...(description !== undefined && { description }),
  examples: [example],
})

const common: Fields = {
  event_id: text('8bq1w0-2k-0', 'The same for every try: drop duplicates by it'),
  timestamp: text('2026-11-02T09:30:00+0000', 'UTC, as `YYYY-MM-DDThh:mm:ss+0000`'),
  account_guid: text('Og5Rt1Yw7Zc', 'The organization'),
  group_guid: text('Bd3Kx8Qm2Lp', 'Empty if the event belongs to no group'),
  webhook_guid: text('Wk2Hs9Rt4Vb'),
  references: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'URLs of related data',
    examples: [{ organization: 'https://api.example.com/v4/organizations/Og5Rt1Yw7Zc' }],
  },
}
const shortlink = text('go.example.com/autumn')
const longUrl = text('https://example.com/products?id=42')
const title = text('Autumn sale')
const tags = { type: 'array', items: { type: 'string' }, examples: [['autumn']] }
const expirationAt = text('2026-12-01T00:00:00+0000')

const events: Readonly<Record<WebhookEvent | 'ping', { readonly summary: string; readonly fields: Fields }>> = {
  engagement: {
    summary: 'Somebody clicked a link or scanned a QR code',
    fields: {
      engagement_type: { type: 'string', enum: ['click', 'scan', 'button'], examples: ['click'] },
      timezone: text('UTC'),
      long_url: longUrl,
      shortlink,
      country: text('FR', 'Two letters; empty if unknown'),
      referrer: text('https://www.example.org/', 'A URL, or `direct`'),
      device_type: text('Mobile'),
      tags: { ...tags, description: 'Only with `fetch_tags`' },
    },
  },
  'link.created': {
    summary: 'A link was created',
    fields: {
      shortlink,
      long_url: longUrl,
      created_by: text('anna', 'Login of its creator'),
      custom_shortlink: text('go.example.com/autumn', 'Only if it was created with a custom back-half'),
      client_id: text('zwc4rkav8y8jpgorrni4f99nfplf5b6dx519jwnm', 'The application that created it, if any'),
    },
  },
  'link.updated': {
    summary: 'A link was changed',
    fields: {
      shortlink,
      long_url: longUrl,
      title,
      tags,
      archived: { type: 'boolean', examples: [false] },
      expiration_at: { ...expirationAt, description: 'Empty if it does not expire' },
      custom_shortlinks: {
        type: 'array',
        items: { type: 'string' },
        description: 'Its custom short URLs, newest first',
        examples: [['https://go.example.com/autumn']],
      },
    },
  },
  'link.expired': {
    summary: 'The expiration time of a link has passed',
    fields: { shortlink, long_url: longUrl, expiration_at: expirationAt },
  },
  'qr_code.created': {
    summary: 'A QR code was created',
    fields: { qr_code_id: text('Qm4Tn6Vb9Xs'), shortlink, title },
  },
  'site.published': {
    summary: 'A site was published',
    fields: { site_id: text('Mq7Wd2Jh5Ng'), url: text('https://go.example.com/m/anna'), title: text('Anna') },
  },
  'domain.status_changed': {
    summary: 'A branded domain was added, verified or removed',
    fields: {
      domain: text('go.example.com'),
      status: { type: 'string', enum: ['pending', 'active', 'removed'], examples: ['active'] },
    },
  },
  'limit.reached': {
    summary: 'A monthly limit of the plan is used up by 80 % or 100 %',
    fields: {
      limit: text('encodes', 'Name of the limit'),
      percent: { type: 'integer', enum: [80, 100], examples: [80] },
      maximum: { type: 'integer', examples: [500] },
      used: { type: 'integer', examples: [400] },
    },
  },
  ping: { summary: 'Sent by verify', fields: {} },
}

const optional = new Set(['tags', 'custom_shortlink', 'client_id'])

/** By the name of the event, as OpenAPI 3.1 wants them. */
export const webhookEventDocuments: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(events).map(([name, { summary, fields }]) => {
    const properties = { event_type: { type: 'string', const: name, examples: [name] }, ...common, ...fields }
    const required = Object.keys(properties).filter((field) => !(name !== 'link.updated' && optional.has(field)))
    const schema = { type: 'object', properties, required }
    const post = {
      operationId: `on_${name.replaceAll('.', '_')}`,
      tags: ['Webhooks'],
      summary,
      description: 'Signed by the Standard Webhooks convention. With `batch`, events come in a list.',
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header),
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Accepted; everything else is tried again, 410 deactivates the webhook' } },
    }
    return [name, { post }]
  }),
)

function header(name: string): object {
  return { name, in: 'header', required: true, schema: { type: 'string' } }
}
