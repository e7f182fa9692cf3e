/** The records as whole tables, for archives. What each method promises: core/archives/archive-store.ts. */
import { type Kysely, sql, type Transaction } from 'kysely'
import {
  type ArchiveReader,
  type ArchiveScope,
  type ArchiveStore,
  type ArchiveWriter,
  NotEmpty,
  type StoredBlob,
} from '../../../core/archives/archive-store.js'
import { type ArchiveTable, archiveTables, columnsWith } from '../../../core/archives/tables.js'
import type { StoredRow } from '../../../core/archives/values.js'
import { chunks } from '../../../lib/chunks.js'
import type { Encryption } from '../accounts/encryption.js'
import type { Schema } from '../database/schema.js'
import { type MultiInsert, multiInsert } from '../database/transact.js'
import { defaultGroupIn, rowsOf } from './scopes.js'
import type { TablePages } from './table-pages.js'

/** `db` has no timeout: whole tables take long. */
export function sqlArchiveStore(db: Kysely<Schema>, pages: TablePages, encryption: Encryption): ArchiveStore {
  return {
    read: (work) =>
      db.connection().execute(async (connection) => {
        await pages.begin.execute(connection)
        try {
          return await work(reader(connection, pages, encryption))
        } finally {
          await sql`rollback`.execute(connection)
        }
      }),

    rowCounts: () => rowCounts(db),

    restore: (work) =>
      db.transaction().execute(async (tx) => {
        const counts = await rowCounts(tx)
        if (Object.keys(counts).length > 0) throw new NotEmpty(counts)
        await work(writer(tx, encryption))
      }),
  }
}

function reader(connection: Kysely<Schema>, pages: TablePages, encryption: Encryption): ArchiveReader {
  return {
    async *rows(table, scope) {
      const encrypted = columnsWith(table, scope.secrets).filter((column) => column.encrypted)
      for await (const rows of pages.read(connection, wholeTable(table, scope))) {
        yield encrypted.length === 0 ? rows : rows.map((row) => changed(row, encrypted, encryption.open))
      }
    },

    async blobs({ organizationGuid }) {
      const { rows } = await sql<StoredBlob>`
        select distinct images.sha256 as "sha256", image_blobs.blob_key as "key", images.mime_type as "mimeType"
        from images inner join image_blobs on image_blobs.sha256 = images.sha256
        where ${rowsOf('images', organizationGuid)}`.execute(connection)
      return rows.toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1))
    },

    async groupsOf(organizationGuid) {
      const known = sql<{ guid: string }>`select guid from organizations where guid = ${organizationGuid}`
      if ((await known.execute(connection)).rows.length === 0) return undefined
      const groups = sql<{ guid: string }>`select guid from groups where organization_guid = ${organizationGuid}`
      const { rows } = await groups.execute(connection)
      return rows.map((row) => row.guid).sort()
    },
  }
}

function wholeTable(table: ArchiveTable, { organizationGuid, secrets }: ArchiveScope) {
  const columns = columnsWith(table, secrets).map(({ name }) =>
    name === 'default_group_guid' && organizationGuid !== undefined ? defaultGroupIn(organizationGuid) : sql.ref(name),
  )
  return { name: table.name, key: table.key, columns, where: rowsOf(table.name, organizationGuid) }
}

function writer(tx: Transaction<Schema>, encryption: Encryption): ArchiveWriter {
  const inserts = new Map<string, MultiInsert<StoredRow, unknown>>()
  return {
    async write(table, rows) {
      const encrypted = table.columns.filter((column) => column.encrypted)
      const insert = inserts.get(table.name) ?? multiInsert((some) => insertInto(tx, table.name, some))
      inserts.set(table.name, insert)
      const stored = rows.map((row) => changed(row, encrypted, encryption.encrypt))
      for (const some of chunks(stored, Math.floor(maxParameters / table.columns.length))) await insert(tx, some)
    },

    async useBlob(sha256, key) {
      await tx.insertInto('image_blobs').values({ sha256, blob_key: key }).execute()
    },
  }
}

/** SQLite accepts 32,766 parameters of a statement. */
const maxParameters = 10_000

function insertInto(tx: Transaction<Schema>, table: string, rows: readonly StoredRow[]) {
  // The list of tables names only tables of the schema, with their columns.
  return (tx as Transaction<never> as Transaction<Record<string, Record<string, unknown>>>)
    .insertInto(table)
    .values([...rows])
}

function changed(row: StoredRow, columns: ArchiveTable['columns'], change: (text: string) => string): StoredRow {
  const copy = { ...row }
  for (const { name } of columns) {
    const value = row[name]
    if (typeof value === 'string') copy[name] = change(value)
  }
  return copy
}

async function rowCounts(tx: Kysely<Schema>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of archiveTables) {
    const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(name)}`.execute(tx)
    const total = Number(rows[0]?.total ?? 0)
    if (total > 0) counts[name] = total
  }
  return counts
}
