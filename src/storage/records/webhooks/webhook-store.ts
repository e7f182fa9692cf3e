/** Webhooks in SQL. webhook-store.contract.ts defines the behaviour. */
import type { Kysely, Selectable } from 'kysely'
import type { LostField, SigningSecret, Webhook, WebhookEvent } from '../../../core/webhooks/webhook.js'
import type { WebhookChange, WebhookStore } from '../../../core/webhooks/webhook-store.js'
import { decryptIfPossible, type Encryption } from '../../sql/database/encryption.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { holdRow, readHeldRow } from '../steps/rows.js'
import { sqlDeliveries } from './deliveries.js'
import { dropQueue, sqlWebhookQueue } from './queue.js'

export function sqlWebhookStore(db: Kysely<Schema>, transact: Transact, encryption: Encryption): WebhookStore {
  const webhookFrom = (row: Selectable<Schema['webhooks']>) => decrypted(row, encryption)

  async function webhooksOf(from: Kysely<Schema>, organizationGuid: string | 'all'): Promise<readonly Webhook[]> {
    const rows = await from
      .selectFrom('webhooks')
      .selectAll()
      .$if(organizationGuid !== 'all', (query) => query.where('organization_guid', '=', organizationGuid))
      .orderBy('created_at')
      .orderBy('guid')
      .execute()
    return rows.map(webhookFrom)
  }

  return {
    add: (webhook) =>
      transact(async (tx) => {
        const { guid, organizationGuid, secret, by, at, limit, ...fields } = webhook
        if (!(await holdRow(tx, 'organizations', { guid: organizationGuid }))) return 'no-organization'
        if ((await webhooksOf(tx, organizationGuid)).length >= limit) return 'too-many'
        const row = {
          ...columnsOf({ ...fields, secret: { current: secret, previous: undefined } }, encryption),
          guid,
          organization_guid: organizationGuid,
          created_at: at,
          modified_at: at,
          modified_by: by,
        }
        // All columns are present: `fields` is complete.
        await tx
          .insertInto('webhooks')
          .values(row as Required<typeof row>)
          .execute()
        return 'added'
      }),

    async get(guid) {
      const row = await db.selectFrom('webhooks').selectAll().where('guid', '=', guid).executeTakeFirst()
      return row && webhookFrom(row)
    },

    list: (organizationGuid) => webhooksOf(db, organizationGuid),

    update: (guid, change, { login, at }) =>
      transact(async (tx) => {
        const current = await readHeldRow(tx, 'webhooks', { guid })
        if (!current) return undefined
        const changed = change(webhookFrom(current))
        const activated = changed.isActive && {
          alerted_at: null,
          alert_delivery: null,
          deactivated_at: null,
          failures: 0,
        }
        const row = await tx
          .updateTable('webhooks')
          .set({ ...columnsOf(changed, encryption), ...activated, modified_at: at, modified_by: login })
          .where('guid', '=', guid)
          .returningAll()
          .executeTakeFirst()
        if (row?.is_active === 0) await dropQueue(tx, guid)
        return row && webhookFrom(row)
      }),

    setAlertDelivery: (guid, delivery) =>
      transact(async (tx) => {
        await tx
          .updateTable('webhooks')
          .set({ alert_delivery: delivery })
          .where('guid', '=', guid)
          .where((is) => is.or([is('alerted_at', 'is not', null), is('deactivated_at', 'is not', null)]))
          .execute()
      }),

    remove: (guid) =>
      transact(async (tx) => {
        await tx.deleteFrom('webhook_deliveries').where('webhook_guid', '=', guid).execute()
        await tx.deleteFrom('webhook_failures').where('webhook_guid', '=', guid).execute()
        await dropQueue(tx, guid)
        return changesRow(tx.deleteFrom('webhooks').where('guid', '=', guid))
      }),

    async failing() {
      const { count } = await db
        .selectFrom('webhooks')
        .select((eb) => eb.fn.countAll().as('count'))
        .where('is_active', '=', 1)
        .where('alerted_at', 'is not', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    async wanted() {
      const rows = await db
        .selectFrom('webhooks')
        .innerJoin('organizations', 'organizations.guid', 'webhooks.organization_guid')
        .select(['webhooks.guid', 'organization_guid', 'group_guid', 'events', 'webhooks.modified_at'])
        .where('webhooks.is_active', '=', 1)
        .where('organizations.is_active', '=', 1)
        .orderBy('webhooks.created_at')
        .execute()
      return rows.map(({ guid, organization_guid, group_guid, events, modified_at }) => ({
        guid,
        organizationGuid: organization_guid,
        groupGuid: group_guid ?? undefined,
        events: JSON.parse(events) as WebhookEvent[],
        since: modified_at,
      }))
    },

    ...sqlDeliveries(db, transact, webhookFrom),
    ...sqlWebhookQueue(db, transact),
  }
}

const webhookColumns = codec('webhooks', [
  'url',
  'oauthUrl',
  'clientId',
  'clientSecret',
  'secret',
  'previousSecret',
  'previousUntil',
  'failures',
])

/** Only those of the fields that are given; `oauth: undefined` removes it if the key is there. */
function columnsOf(fields: WebhookChange, { encrypt }: Encryption) {
  const { name, events, url, isActive, fetchTags, batch, oauth, secret } = fields
  return {
    ...webhookColumns.columns({ name, events, isActive, fetchTags, batch }),
    ...(url !== undefined && { url: encrypt(url) }),
    ...('groupGuid' in fields && { group_guid: fields.groupGuid ?? null }),
    ...('linkWord' in fields && { link_word: fields.linkWord ?? null }),
    ...('oauth' in fields && {
      oauth_url: oauth ? encrypt(oauth.url) : null,
      client_id: oauth?.clientId ?? null,
      client_secret: oauth ? encrypt(oauth.clientSecret) : null,
    }),
    ...(secret && {
      secret: encrypt(secret.current),
      previous_secret: secret.previous ? encrypt(secret.previous.secret) : null,
      previous_until: secret.previous?.until ?? null,
    }),
  }
}

function decrypted(row: Selectable<Schema['webhooks']>, encryption: Encryption): Webhook {
  const lost = new Set<LostField>()
  const read = (text: string, field: LostField) => {
    const found = decryptIfPossible(text, encryption)
    if (found === undefined) lost.add(field)
    return found ?? ''
  }
  const fields = {
    url: read(row.url, 'url'),
    oauth:
      row.oauth_url === null
        ? undefined
        : {
            url: read(row.oauth_url, 'oauth'),
            clientId: row.client_id ?? '',
            clientSecret: read(row.client_secret ?? '', 'oauth'),
          },
    secret: { current: read(row.secret, 'secret'), previous: previousSecret(row, encryption) },
  }
  return webhookColumns.fieldsWith(row, { ...fields, lost: [...lost] })
}

/** One that cannot be decrypted is not needed: there is a newer one. */
function previousSecret(
  { previous_secret, previous_until }: Selectable<Schema['webhooks']>,
  encryption: Encryption,
): SigningSecret['previous'] {
  const secret = previous_secret === null ? undefined : decryptIfPossible(previous_secret, encryption)
  return secret === undefined ? undefined : { secret, until: Number(previous_until ?? 0) }
}
