import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Fields of links for the v3 API, and finding all links of a long URL. Never edited after release. */
export const legacy: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('links').addColumn('note', 'text').execute()
    await db.schema
      .alterTable('links')
      .addColumn('private', 'smallint', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('links').addColumn('user_ts', 'bigint').execute()

    // The unique index of these keys also finds links by their long URL, now that it comes first: a separate index
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
