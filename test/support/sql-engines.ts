import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { Client } from 'pg'
import { afterAll, inject, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/storage/records/postgres.js'
import type { Records } from '../../src/storage/records/records.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import type { Allowances } from '../../src/storage/records/usage/count-usage.js'
import { engineNames, enginesWanted } from './engines-wanted.js'

/** One of the engines that records are kept on, ready for a suite: `describe.skipIf(engine.skip)(engine.title, ...)`. */
export interface SqlEngine {
  readonly name: 'sqlite' | 'postgres'
  /** The name, with the reason when the engine is skipped. */
  readonly title: string
  readonly skip: string | undefined
  /** A database of its own, empty. */
  create(): Promise<TestDatabase>
  /** One that is migrated and empty, opened. */
  open(allowances?: Allowances): Promise<Records>
}

export interface TestDatabase {
  /** For a service that shares it; SQLite has none. */
  readonly databaseUrl: string | undefined
  /** The file, or the URL. */
  readonly location: string
  /** May be called several times: each is a connection (or pool) of its own, as another process would have. */
  connect(allowances?: Allowances, secretsKey?: string): Promise<Records>
  /** Runs SQL past our own code, for states that no method produces yet. */
  run(sql: string): Promise<void>
  /** Deletes every row. */
  empty(): Promise<void>
  remove(): Promise<void>
}

/** The default domain of every test database. */
export const defaultDomain = 'sho.rt'

/** Both engines; ENGINES=sqlite,postgres narrows the run. */
export function sqlEngines(): readonly SqlEngine[] {
  return engineNames.filter((name) => enginesWanted().has(name)).map(sqlEngine)
}

/** For tests of PostgreSQL alone: also when it is not wanted, since a file without any test counts as failed. */
export function postgresEngine(): SqlEngine {
  return sqlEngine('postgres')
}

/** A database for one test. When the test is over, its connections are closed, and it is removed. */
export async function databaseOfTest(engine: SqlEngine): Promise<TestDatabase> {
  const database = await engine.create()
  onTestFinished(() => database.remove())
  return {
    ...database,
    async connect(allowances, secretsKey) {
      const records = await database.connect(allowances, secretsKey)
      onTestFinished(() => records.close())
      return records
    },
  }
}

/** The same, with the tables and records on it. */
export async function recordsOfTest(engine: SqlEngine): Promise<{ database: TestDatabase; records: Records }> {
  const database = await databaseOfTest(engine)
  const records = await database.connect()
  await records.migrate()
  return { database, records }
}

function sqlEngine(name: SqlEngine['name']): SqlEngine {
  const skip = name === 'postgres' ? whyNoPostgres() : undefined
  const create = name === 'postgres' ? createPostgresDatabase : createSqliteDatabase
  const title = skip === undefined ? name : `${name} (skipped: ${skip})`
  return { name, title, skip, create, open: usedAgain(create) }
}

/** Making a database and migrating it takes longer than most tests: it is emptied and used again within a file. */
function usedAgain(create: () => Promise<TestDatabase>): SqlEngine['open'] {
  const free: TestDatabase[] = []
  afterAll(async () => {
    for (const database of free) await database.remove()
  })
  return async (allowances) => {
    const database = free.pop() ?? (await migrated(create))
    const records = await database.connect(allowances)
    return {
      ...records,
      async close() {
        await records.close()
        await database.empty()
        free.push(database)
      },
    }
  }
}

async function migrated(create: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await create()
  const records = await database.connect()
  await records.migrate()
  await records.close()
  return database
}

async function createSqliteDatabase(): Promise<TestDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'shortlink-sqlite-'))
  const file = join(directory, 'records.db')
  async function run(sql: string): Promise<void> {
    const database = new Database(file)
    database.exec(sql)
    database.close()
  }
  return {
    databaseUrl: undefined,
    location: file,
    connect: (allowances, secretsKey) => openSqlite(file, { secretsKey, ...(allowances && { allowances }) }),
    run,
    empty: () =>
      run(
        `pragma foreign_keys = off; ${tablesOf(file)
          .map((table) => `delete from "${table}";`)
          .join('')}`,
      ),
    async remove() {
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function tablesOf(file: string): readonly string[] {
  const database = new Database(file)
  const rows = database.prepare(`select name from sqlite_master where type = 'table' and ${notKept('name')}`).all()
  database.close()
  return rows.map((row) => String((row as { name: unknown }).name))
}

/** Kept is what a migrated database holds before anybody used it. */
function notKept(column: string): string {
  return `${column} not like 'kysely_%' and ${column} not like 'sqlite_%' and ${column} <> 'domain_changes'`
}

async function createPostgresDatabase(): Promise<TestDatabase> {
  const server = inject('postgres')
  if ('skip' in server) throw new Error(`there is no PostgreSQL to test with: ${server.skip}`)
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = new URL(server.url)
  url.pathname = `/${name}`
  await runOnce(server.url, `create database ${name}`)
  return {
    databaseUrl: url.href,
    location: url.href,
    connect: (allowances, secretsKey) => openPostgres(url.href, { secretsKey, ...(allowances && { allowances }) }),
    run: (sql) => runOnce(url.href, sql),
    empty: () => runOnce(url.href, emptyPostgres),
    remove: () => runOnce(server.url, `drop database ${name} with (force)`),
  }
}

/** As a replica, which does not ask which rows belong to which. */
const emptyPostgres = `set session_replication_role = replica;
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public' and ${notKept('tablename')} loop
      execute format('delete from %I', name);
    end loop;
  end $$`

async function runOnce(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function whyNoPostgres(): string | undefined {
  const server = inject('postgres')
  return 'skip' in server ? server.skip : undefined
}
