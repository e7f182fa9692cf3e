import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Applications that register themselves, and tokens that are renewed. Never edited after release. */
export const selfRegisteredApplications: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await withoutOwners(db)
    for (const column of ['refresh_key', 'refresh_hash', 'former_refresh_hash', 'refresh_salt'] as const) {
      await db.schema.alterTable('tokens').addColumn(column, 'text').execute()
    }
    for (const column of ['refreshed_at', 'refresh_expires_at'] as const) {
      await db.schema.alterTable('tokens').addColumn(column, 'bigint').execute()
    }
    await db.schema.createIndex('tokens_refresh_key').unique().on('tokens').column('refresh_key').execute()
  },
}

/** The login may be null now. SQLite cannot change that of a column, so the table is made anew; none refers to it. */
async function withoutOwners(db: Kysely<Schema>): Promise<void> {
  const all = (column: ColumnDefinitionBuilder) => column.notNull().defaultTo('["all"]')
  await db.schema
    .createTable('applications_0053')
    .addColumn('client_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('secret_hash', 'text', required)
    .addColumn('login', 'text', (column) => column.references('users.login'))
    .addColumn('name', 'text', required)
    .addColumn('description', 'text', required)
    .addColumn('link', 'text', required)
    .addColumn('redirect_uris', 'text', required)
    .addColumn('require_pkce', 'smallint', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('revoked_at', 'bigint')
    .addColumn('answers_in', 'text')
    .addColumn('scopes', 'text', all)
    .addColumn('is_public', 'smallint', (column) => column.notNull().defaultTo(0))
    .addColumn('allowed_at', 'bigint')
    .execute()
  const columns = sql.raw(
    'client_id, secret_hash, login, name, description, link, redirect_uris, require_pkce, created_at, revoked_at, answers_in, scopes',
  )
  await sql`insert into applications_0053 (${columns}) select ${columns} from applications`.execute(db)
  await db.schema.dropTable('applications').execute()
  await db.schema.alterTable('applications_0053').renameTo('applications').execute()
  await db.schema.createIndex('applications_login').on('applications').column('login').execute()
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
