import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Authorization codes of OAuth. Never edited after release. */
export const oauth: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('oauth_codes')
      .addColumn('code_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('client_id', 'text', (column) => column.notNull())
      .addColumn('login', 'text', (column) => column.notNull())
      .addColumn('redirect_uri', 'text', (column) => column.notNull())
      .addColumn('challenge', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      // The token it was exchanged for; null until then.
      .addColumn('token_guid', 'text')
      .execute()
    await db.schema.createIndex('oauth_codes_expires').on('oauth_codes').column('expires_at').execute()
    // Counts the recent tokens of a user, for every new token.
    await db.schema.createIndex('tokens_login_created').on('tokens').columns(['login', 'created_at']).execute()
  },
}
