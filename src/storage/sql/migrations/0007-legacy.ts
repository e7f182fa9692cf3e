import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../database/schema.js'

/**
 * What the legacy interface adds to a link, and the way from a long URL to all links that lead there. Never edited after
 * release.
 */
export const legacy: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('links').addColumn('note', 'text').execute()
    await db.schema
      .alterTable('links')
      .addColumn('private', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('links').addColumn('user_ts', 'bigint').execute()

    // The unique index of these keys finds links by their long URL too, now that it comes first: an index of its own
    // would cost every new link another random page. Only the few links without a key need one.
    await sql`update links set reuse_key = long_url_key || '/' || group_guid || '/' || domain where reuse_key is not null`.execute(
      db,
    )
    await db.schema
      .createIndex('links_alone')
      .on('links')
      .column('long_url_key')
      .where(sql<boolean>`coalesce(reuse_key, '') = ''`)
      .where(sql.ref('deleted_at'), 'is', null)
      .execute()
  },
}
