import { type ColumnDefinitionBuilder, type Kysely, type Migration, sql } from 'kysely'
import type { Schema } from '../tables/schema.js'

/**
 * Sign-in: unique email addresses, second factors, sessions, invitations, password resets, API keys, counted attempts
 * and the audit log. Never edited after release.
 */
export const identity: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await addresses(db)
    await secondFactors(db)
    await secrets(db)
    await auditLog(db)
  },
}

async function addresses(db: Kysely<Schema>): Promise<void> {
  // The email address in lower case, to find an account. If several accounts had the same address, the oldest one
  // keeps it for sign-in.
  await db.schema.alterTable('users').addColumn('email_key', 'text').execute()
  await db.schema.alterTable('users').addColumn('email_verified_at', 'bigint').execute()
  await sql`
    update users set email_key = lower(email)
    where email is not null and not exists (
      select 1 from users older
      where lower(older.email) = lower(users.email)
        and (older.created_at < users.created_at or (older.created_at = users.created_at and older.login < users.login))
    ) and not exists (select 1 from users other where other.login = lower(users.email) and other.login <> users.login)`.execute(
    db,
  )
  await db.schema.createIndex('users_email_key').on('users').column('email_key').unique().execute()
}

async function secondFactors(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('two_factors')
    .addColumn('login', 'text', owner)
    .addColumn('kind', 'text', required)
    .addColumn('value', 'text', required)
    .addColumn('last_step', 'bigint', required)
    .execute()
  await db.schema
    .createTable('two_factor_setups')
    .addColumn('login', 'text', owner)
    .addColumn('kind', 'text', required)
    .addColumn('value', 'text', required)
    .addColumn('expires_at', 'bigint', required)
    .execute()
  await db.schema
    .createTable('recovery_codes')
    .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
    .addColumn('code_hash', 'text', required)
    .addPrimaryKeyConstraint('recovery_codes_key', ['login', 'code_hash'])
    .execute()
  await db.schema
    .createTable('sms_codes')
    .addColumn('login', 'text', owner)
    .addColumn('code_hash', 'text', required)
    .addColumn('tries', 'integer', required)
    .addColumn('sent_at', 'bigint', required)
    .addColumn('expires_at', 'bigint', required)
    .execute()
}

async function secrets(db: Kysely<Schema>): Promise<void> {
  for (const table of ['sessions', 'password_resets'] as const) {
    await db.schema
      .createTable(table)
      .addColumn('secret_hash', 'text', key)
      .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
      .addColumn('created_at', 'bigint', required)
      .addColumn('expires_at', 'bigint', required)
      .execute()
    await db.schema.createIndex(`${table}_login`).on(table).column('login').execute()
  }

  await db.schema
    .createTable('invitations')
    .addColumn('guid', 'text', key)
    .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
    .addColumn('email', 'text', required)
    .addColumn('organization_guid', 'text', (column) => column.notNull().references('organizations.guid'))
    .addColumn('group_guid', 'text', (column) => column.notNull().references('groups.guid'))
    .addColumn('role', 'text', required)
    .addColumn('invited_by', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('accepted_at', 'bigint')
    .addColumn('accepted_by', 'text')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('invitations_organization')
    .on('invitations')
    .columns(['organization_guid', 'created_at'])
    .execute()

  await db.schema
    .createTable('api_keys')
    .addColumn('guid', 'text', key)
    .addColumn('key_hash', 'text', (column) => column.notNull().unique())
    .addColumn('hint', 'text', required)
    .addColumn('login', 'text', (column) => column.notNull().references('users.login'))
    .addColumn('label', 'text', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await db.schema.createIndex('api_keys_login').on('api_keys').column('login').execute()

  await db.schema
    .createTable('counted_tries')
    .addColumn('key', 'text', key)
    .addColumn('count', 'integer', required)
    .addColumn('until', 'bigint', required)
    .execute()
  await db.schema.createIndex('counted_tries_until').on('counted_tries').column('until').execute()
}

async function auditLog(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('audit_log')
    .addColumn('guid', 'text', key)
    .addColumn('at', 'bigint', required)
    .addColumn('action', 'text', required)
    .addColumn('login', 'text')
    .addColumn('organization_guid', 'text')
    .addColumn('subject', 'text')
    .addColumn('address', 'text')
    .addColumn('details', 'text', required)
    .execute()
  await db.schema.createIndex('audit_log_at').on('audit_log').columns(['at', 'guid']).execute()
  await db.schema
    .createIndex('audit_log_organization')
    .on('audit_log')
    .columns(['organization_guid', 'at', 'guid'])
    .execute()
  await db.schema.createIndex('audit_log_login').on('audit_log').columns(['login', 'at', 'guid']).execute()
}

function key(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().notNull()
}

/** One row per account. */
function owner(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().notNull().references('users.login')
}

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull()
}
