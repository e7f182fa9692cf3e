/**
 * The records of PostgreSQL for a backup: each table as CSV, as COPY writes it, all of one moment. They are restored in one
 * transaction into tables of the same migration, so constraints hold and an interruption leaves nothing.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { Client, escapeIdentifier } from 'pg'
import { filesIn, nameOf } from '../../core/copies/copy.js'
import type { RecordCopier } from '../../core/copies/make-backup.js'
import type { CopiedFile } from '../../core/copies/manifest.js'
import type { Backup } from '../../core/copies/restore-backup.js'
import { OperatorError } from '../../lib/operator-error.js'
import { openPostgres } from '../records/postgres.js'
import { primaryUrl } from '../sql/postgres-primary.js'
import type { RestoredStore } from './empty-place.js'
import { copyIn, copyOut } from './postgres-copy.js'
import { countedImports, recordFacts } from './record-facts.js'

export function postgresRecordCopier(url: string): RecordCopier {
  return {
    engine: 'postgres',
    countedImports: () => withClient(url, (client) => countedImports(async (sql) => (await client.query(sql)).rows)),
    copy: (folder) =>
      withClient(url, async (client) => {
        await client.query('begin isolation level repeatable read read only')
        const files: { name: string; rows: number }[] = []
        for (const table of await tablesOf(client)) {
          const name = `${table}.csv`
          files.push({ name, rows: await copyTable(client, table, join(folder, name)) })
        }
        const facts = await recordFacts(async (sql) => (await client.query(sql)).rows)
        await client.query('rollback')
        return { files, ...facts }
      }),
  }
}

/** Returns the number of rows. */
async function copyTable(client: Client, table: string, path: string): Promise<number> {
  const to = createWriteStream(path, { mode: 0o600, flush: true })
  const closed = finished(to)
  const copied = copyOut(client, `copy ${escapeIdentifier(table)} to stdout (format csv, header)`, to)
  try {
    // A full disk ends the file, and then the copy would wait for it for ever.
    const rows = await Promise.race([copied, closed.then(() => copied)])
    to.end()
    await closed
    return rows
  } catch (error) {
    to.destroy()
    throw error
  }
}

/** An interrupted restore has left this table behind: what is in the others was put there by it. */
const mark = 'restore_unfinished'

export function restoredPostgresRecords(url: string): RestoredStore {
  return {
    begin: () => withClient(url, requireEmpty),

    async restore(backup) {
      const { manifest } = backup
      await withRecords(url, (records) => records.migrate(manifest.schema))
      await withClient(url, async (client) => {
        await requireSchema(client, manifest.schema)
        await client.query('begin')
        await client.query(`create table if not exists ${mark} ()`)
        await load(client, backup)
        await client.query('commit')
      })
      await withRecords(url, (records) => records.migrate())
    },

    finish: () =>
      withClient(url, async (client) => {
        await client.query(`drop table if exists ${mark}`)
      }),
  }
}

async function requireEmpty(client: Client): Promise<void> {
  const tables = new Set(await tablesOf(client, [mark]))
  if (tables.has(mark)) return
  const found: string[] = []
  for (const table of ['organizations', 'users', 'links'].filter((name) => tables.has(name))) {
    const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${escapeIdentifier(table)}`)
    if (Number(rows[0]?.n) > 0) found.push(`${rows[0]?.n} ${table}`)
  }
  if (found.length === 0) return
  throw new OperatorError(
    `The PostgreSQL database is not empty (${found.join(', ')}). Restore into an empty one (databaseUrl).`,
  )
}

async function requireSchema(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name desc limit 1')
  if (rows[0]?.name === schema) return
  throw new OperatorError(
    `The PostgreSQL database has the tables of another version (${rows[0]?.name}, the backup has ${schema}). ` +
      'Restore into a database without tables.',
  )
}

async function load(client: Client, backup: Backup): Promise<void> {
  const files = new Map(filesIn(backup.manifest, 'records').map((file) => [nameOf(file).replace(/\.csv$/, ''), file]))
  const tables = await inOrderOfReferences(client, await tablesOf(client))
  const unknown = [...files.keys()].filter((name) => !tables.includes(name))
  if (unknown.length > 0)
    throw new OperatorError(`The backup has tables that this version lacks: ${unknown.join(', ')}.`)
  await client.query(`truncate ${tables.map(escapeIdentifier).join(', ')}`)
  for (const table of tables) {
    const file = files.get(table)
    if (file) await backup.withFile(file, (path) => loadTable(client, table, file, path))
  }
}

async function loadTable(client: Client, table: string, file: CopiedFile, path: string): Promise<void> {
  const columns = (await firstLine(path)).split(',').map((name) => escapeIdentifier(name.replace(/^"|"$/g, '')))
  const sql = `copy ${escapeIdentifier(table)} (${columns.join(', ')}) from stdin (format csv, header)`
  const rows = await copyIn(client, sql, createReadStream(path, { highWaterMark: 1 << 18 }))
  if (rows !== file.rows) throw new Error(`${path} has ${rows} rows instead of ${file.rows}`)
}

/** Names of columns contain no line ends. */
async function firstLine(path: string): Promise<string> {
  for await (const chunk of createReadStream(path, { encoding: 'utf8', end: 65_535 }))
    return chunk.split('\n', 1)[0] ?? ''
  return ''
}

async function tablesOf(client: Client, also: readonly string[] = []): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`,
  )
  return rows
    .map((row) => row.name)
    .filter((name) => !name.startsWith('kysely_') && (name !== mark || also.includes(name)))
}

/** A table after all that it refers to. */
async function inOrderOfReferences(client: Client, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ source: string; target: string }>(
    `select source.relname as source, target.relname as target from pg_constraint
    join pg_class source on source.oid = conrelid join pg_class target on target.oid = confrelid
    where contype = 'f' and source.relnamespace = current_schema()::regnamespace and conrelid <> confrelid`,
  )
  const ordered: string[] = []
  const visit = (table: string) => {
    if (ordered.includes(table)) return
    for (const { target } of rows.filter(({ source }) => source === table)) visit(target)
    ordered.push(table)
  }
  for (const table of tables) visit(table)
  return ordered
}

/**
 * With another name than the service: its stream waits for open transactions of the service, and this one stays open for
 * long.
 */
async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const socket = new Socket()
  let client: Client
  try {
    client = new Client({
      connectionString: await primaryUrl(url),
      application_name: 'shortlink backup',
      connectionTimeoutMillis: 5000,
      stream: () => socket,
    })
    client.on('error', () => {})
    await client.connect()
  } catch (error) {
    throw new OperatorError(`Cannot use the PostgreSQL database (${(error as Error).message}). Check databaseUrl.`)
  }
  try {
    const result = await work(client)
    await client.end()
    return result
  } finally {
    // Within a failed COPY nobody reads, so the server would not hear a goodbye.
    socket.destroy()
  }
}

async function withRecords<T>(url: string, work: (records: Awaited<ReturnType<typeof openPostgres>>) => Promise<T>) {
  const records = await openPostgres(url)
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}
