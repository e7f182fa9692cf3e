import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { Client } from 'pg'
import { inject } from 'vitest'
import { openPostgres } from '../../src/storage/sql/postgres.js'
import type { Records } from '../../src/storage/sql/records.js'
import { openSqlite } from '../../src/storage/sql/sqlite.js'
import type { Allowances } from '../../src/storage/sql/usage/count-usage.js'
import { engineNames, enginesWanted } from './engines-wanted.js'

/** One of the engines that records are kept on, ready for a suite: `describe.skipIf(engine.skip)(engine.title, ...)`. */
export interface SqlEngine {
  readonly name: 'sqlite' | 'postgres'
  /** The name, with the reason when the engine is skipped. */
  readonly title: string
  readonly skip: string | undefined
  /** A database of its own, empty. */
  create(): Promise<TestDatabase>
  /** The same, migrated and opened; closing it also removes it. */
  open(allowances?: Allowances): Promise<Records>
}

export interface TestDatabase {
  /** For a service that shares it; SQLite has none. */
  readonly databaseUrl: string | undefined
  /** The file, or the URL. */
  readonly location: string
  /** May be called several times: each is a connection (or pool) of its own, as another process would have. */
  connect(allowances?: Allowances): Promise<Records>
  /** Runs SQL past our own code, for states that no method produces yet. */
  run(sql: string): Promise<void>
  remove(): Promise<void>
}

/** The default domain of every test database. */
export const defaultDomain = 'sho.rt'

/** Both engines; ENGINES=sqlite,postgres narrows the run. */
export function sqlEngines(): readonly SqlEngine[] {
  return engineNames
    .filter((name) => enginesWanted().has(name))
    .map((name) => {
      const skip = name === 'postgres' ? whyNoPostgres() : undefined
      const create = name === 'postgres' ? createPostgresDatabase : createSqliteDatabase
      const title = skip === undefined ? name : `${name} (skipped: ${skip})`
      return { name, title, skip, create, open: (allowances) => openMigrated(create, allowances) }
    })
}

async function openMigrated(create: () => Promise<TestDatabase>, allowances?: Allowances): Promise<Records> {
  const database = await create()
  const records = await database.connect(allowances)
  await records.migrate()
  return {
    ...records,
    async close() {
      await records.close()
      await database.remove()
    },
  }
}

async function createSqliteDatabase(): Promise<TestDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'shortlink-sqlite-'))
  const file = join(directory, 'records.db')
  return {
    databaseUrl: undefined,
    location: file,
    connect: (allowances) => openSqlite(file, { defaultDomain, ...(allowances && { allowances }) }),
    async run(sql) {
      const database = new Database(file)
      database.exec(sql)
      database.close()
    },
    async remove() {
      rmSync(directory, { recursive: true, force: true })
    },
  }
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
    connect: (allowances) => openPostgres(url.href, { defaultDomain, ...(allowances && { allowances }) }),
    run: (sql) => runOnce(url.href, sql),
    remove: () => runOnce(server.url, `drop database ${name} with (force)`),
  }
}

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
