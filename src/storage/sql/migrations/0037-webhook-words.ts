import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** The word for short links in the events of a webhook. Never edited after release. */
export const webhookWords: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('webhooks').addColumn('link_word', 'text').execute()
  },
}
