import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Whether mails about invitations and failing webhooks were sent. Never edited after release. */
export const mailDelivery: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('invitations').addColumn('delivery', 'text').execute()
    await db.schema.alterTable('webhooks').addColumn('alert_delivery', 'text').execute()
  },
}
