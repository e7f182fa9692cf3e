import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Changes of links by organization, for its audit log. Never edited after release. */
export const auditedLinkChanges: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('link_history').addColumn('organization_guid', 'text').execute()
    await sql`
      update link_history set organization_guid = (
        select groups.organization_guid from links join groups on groups.guid = links.group_guid
        where links.id = link_history.link_id
      )
    `.execute(db)
    await db.schema
      .createIndex('link_history_organization')
      .on('link_history')
      .columns(['organization_guid', 'created_at', 'guid'])
      .execute()
  },
}
