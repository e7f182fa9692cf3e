import { type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Usage of each group by UTC day. Counts existing links too. Never edited after release. */
export const usage: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    // The organization is part of the key: the usage of a moved group stays with its former organization.
    await db.schema
      .createTable('usage')
      .addColumn('group_guid', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('day', 'bigint', (column) => column.notNull())
      .addColumn('organization_guid', 'text', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_key', ['group_guid', 'name', 'day', 'organization_guid'])
      .execute()
    await db.schema
      .createIndex('usage_organization')
      .on('usage')
      .columns(['organization_guid', 'name', 'day', 'group_guid'])
      .execute()

    await count(db, 'links', sql`links`)
    await count(db, 'branded_links', sql`(select links.* from links join domains on domains.name = links.domain)`)
    await count(
      db,
      'custom_back_halves',
      sql`(select group_guid, created_at from keyword_history where created_at = first_created_at)`,
    )
  },
}

async function count(db: Kysely<Schema>, name: string, things: ReturnType<typeof sql>): Promise<void> {
  await sql`
    insert into usage (group_guid, name, day, organization_guid, count)
    select made.group_guid, ${sql.lit(name)}, made.created_at - made.created_at % 86400000, groups.organization_guid, count(*)
    from ${things} made join groups on groups.guid = made.group_guid
    group by 1, 3, 4`.execute(db)
}
