import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Domains that wait for proof of ownership; existing domains stay proven. Never edited after release. */
export const pendingDomains: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema
      .createTable('pending_domains')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
      .addColumn('group_guids', 'text', (column) => column.notNull())
      .addColumn('root_url', 'text')
      .addColumn('not_found_url', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('created_by', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('pending_domains_key', ['name', 'organization_guid'])
      .execute()
  },
}
