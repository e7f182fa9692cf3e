import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/**
 * Counts the keywords of each link: rankings must know which links of a group have most. Never edited after release.
 */
export const keywordCounts: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .alterTable('links')
      .addColumn('keyword_count', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await sql`update links
      set keyword_count = (select count(*) from addresses named where named.link_id = links.id and named.kind = 'keyword')
      where id in (select link_id from addresses where kind = 'keyword')`.execute(db)
    // A partial index, so creating a link without keywords costs nothing more.
    await db.schema
      .createIndex('links_keywords')
      .on('links')
      .columns(['group_guid', 'keyword_count', 'id'])
      .where(sql.ref('keyword_count'), '>', sql.lit(0))
      .execute()
  },
}
