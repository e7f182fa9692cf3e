/**
 * The records of each app that a test starts: a copy of a database that this process has migrated once, since migrating
 * takes a fifth of a start. API_RECORDS=postgres lets the tests of the API (those that start the app in their process) keep them on
 * PostgreSQL; API_RECORDS=sqlite,postgres runs them twice, once on each (vitest.config.ts).
 */
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { openPostgres } from '../../src/storage/records/postgres.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { recordsFile } from '../../src/storage/sql/records-file.js'
import type {} from './postgres-for-all.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly apiRecords?: 'postgres'
  }
}

export interface ApiRecords {
  readonly config: { readonly databaseUrl: string; readonly secretsKey: string }
  remove(): Promise<void>
}

/** Puts migrated SQLite records into a new data directory. */
export async function copyRecordsTo(dataDir: string): Promise<void> {
  sqliteTemplate ??= migratedFile()
  copyFileSync(await sqliteTemplate, recordsFile(dataDir))
}

let sqliteTemplate: Promise<string> | undefined

async function migratedFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-test-records-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = recordsFile(folder)
  const records = await openSqlite(file)
  await records.migrate()
  await records.close()
  return file
}

/** Undefined: on SQLite, in the data directory. */
export async function recordsForApi(): Promise<ApiRecords | undefined> {
  if (inject('apiRecords') !== 'postgres') return undefined
  const server = inject('postgres')
  if ('skip' in server) throw new Error(`there is no PostgreSQL to test with: ${server.skip}`)
  template ??= migrated(server.url)
  const name = aName()
  await run(server.url, `create database ${name} template ${await template}`)
  return {
    // SQLite has a key beside it; with PostgreSQL second factors are encrypted when one is configured.
    config: { databaseUrl: urlOf(server.url, name), secretsKey: 'e'.repeat(40) },
    remove: () => run(server.url, `drop database ${name} with (force)`),
  }
}

let template: Promise<string> | undefined

async function migrated(server: string): Promise<string> {
  const name = aName()
  await run(server, `create database ${name}`)
  const records = await openPostgres(urlOf(server, name))
  await records.migrate()
  await records.close()
  return name
}

function aName(): string {
  return `api_${randomBytes(6).toString('hex')}`
}

function urlOf(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function run(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
