/** The described tables are those that the migrations make, on both engines. */
import Database from 'libsql'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { type SqlEngine, sqlEngines, type TestDatabase } from '../../../../test/support/sql-engines.js'
import { columnsOf, type TableName, tableNames } from './index.js'

interface FoundColumn {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly optional: boolean
  readonly defaulted: boolean
  readonly key: boolean
}

describe.each(sqlEngines().map((engine) => [engine.title, engine] as const))('on %s', (_, engine) => {
  it.skipIf(engine.skip)('every table, column, kind, key and optional value is described', async () => {
    await withDatabase(engine, async (database) => {
      const found = await columnsIn(engine, database)
      const expected = Object.fromEntries(tableNames.map((name) => [name, described(name)]))
      const actual = new Map<string, Record<string, string>>()
      for (const column of found) {
        actual.set(column.table, { ...actual.get(column.table), [column.name]: asFound(column) })
      }
      expect(Object.fromEntries(actual)).toEqual(expected)
    })
  })

  it.skipIf(engine.skip)('the database fills in what inserts may leave out', async () => {
    await withDatabase(engine, async (database) => {
      const filledIn = new Set(
        (await columnsIn(engine, database))
          .filter((column) => column.defaulted || (column.table === 'address_changes' && column.key))
          .map(({ table, name }) => `${table}.${name}`),
      )
      const promised = tableNames.flatMap((table) =>
        columnsOf(table).flatMap(({ name, defaulted }) => (defaulted ? [`${table}.${name}`] : [])),
      )
      expect(promised.filter((column) => !filledIn.has(column))).toEqual([])
    })
  })

  it.skipIf(engine.skip)('a table comes after those that it refers to', async () => {
    await withDatabase(engine, async (database) => {
      const place = (table: string) => tableNames.indexOf(table as TableName)
      const references = await referencesIn(engine, database)
      expect(references).not.toEqual([])
      expect(references.filter(({ from, to }) => place(from) <= place(to))).toEqual([])
    })
  })
})

// A column that was added to a table with rows could not be declared; every row has a value since.
const neverNull = new Set(['qr_codes.image_id'])
// A table with a single row.
const withoutKey = new Set(['domain_changes'])

function described(table: TableName): Record<string, string> {
  return Object.fromEntries(
    columnsOf(table).map(({ name, kind, optional = false, key = false }) => [
      name,
      words(kind === 'text' || kind === 'json' ? 'text' : 'number', optional, key && !withoutKey.has(table)),
    ]),
  )
}

function asFound({ table, name, type, optional, key }: FoundColumn): string {
  // SQLite allows null in keys that are not integers, unless they are declared otherwise.
  const mayBeNull = optional && !key && !neverNull.has(`${table}.${name}`)
  return words(/text|varchar/i.test(type) ? 'text' : 'number', mayBeNull, key)
}

function words(type: string, optional: boolean, key: boolean): string {
  return `${type}${optional ? ' or null' : ''}${key ? ', key' : ''}`
}

async function withDatabase(engine: SqlEngine, work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await engine.create()
  const records = await database.connect()
  try {
    await records.migrate()
    await work(database)
  } finally {
    await records.close()
    await database.remove()
  }
}

async function columnsIn(engine: SqlEngine, { location }: TestDatabase): Promise<readonly FoundColumn[]> {
  const rows = await (engine.name === 'sqlite'
    ? sqliteRows(
        location,
        `select tables.name as "table", columns.name, columns.type, columns."notnull" = 0 as optional,
          columns.dflt_value is not null as defaulted, columns.pk > 0 as key
        from sqlite_master tables, pragma_table_info(tables.name) columns
        where tables.type = 'table' and tables.name not like 'kysely%' and tables.name not like 'sqlite%'`,
      )
    : postgresRows(
        location,
        `select columns.table_name as "table", column_name as name, data_type as type, is_nullable = 'YES' as optional,
          column_default is not null or is_identity = 'YES' as defaulted,
          exists (select 1 from information_schema.key_column_usage used
            join information_schema.table_constraints on table_constraints.constraint_name = used.constraint_name
              and constraint_type = 'PRIMARY KEY'
            where used.table_name = columns.table_name and used.column_name = columns.column_name) as key
        from information_schema.columns columns
        where table_schema = current_schema() and columns.table_name not like 'kysely%'`,
      ))
  return rows.map(({ table, name, type, optional, defaulted, key }) => ({
    table: String(table),
    name: String(name),
    type: String(type),
    optional: Boolean(optional),
    defaulted: Boolean(defaulted),
    key: Boolean(key),
  }))
}

async function referencesIn(engine: SqlEngine, { location }: TestDatabase) {
  const rows = await (engine.name === 'sqlite'
    ? sqliteRows(
        location,
        `select tables.name as "from", keys."table" as "to"
        from sqlite_master tables, pragma_foreign_key_list(tables.name) keys where tables.type = 'table'`,
      )
    : postgresRows(
        location,
        `select source.relname as "from", target.relname as "to" from pg_constraint
        join pg_class source on source.oid = conrelid join pg_class target on target.oid = confrelid where contype = 'f'`,
      ))
  return rows.map(({ from, to }) => ({ from: String(from), to: String(to) }))
}

type Rows = readonly Readonly<Record<string, unknown>>[]

function sqliteRows(file: string, query: string): Rows {
  const database = new Database(file)
  try {
    return database.prepare(query).all() as Rows
  } finally {
    database.close()
  }
}

async function postgresRows(url: string, query: string): Promise<Rows> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(query)).rows as Rows
  } finally {
    await client.end()
  }
}
