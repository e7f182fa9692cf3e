/** The records as whole tables, for archives. What each method promises: core/archives/archive-store.ts. */
import { type Kysely, sql, type Transaction } from 'kysely'
import {
  type ArchiveReader,
  type ArchiveStore,
  type ArchiveTable,
  type ArchiveWriter,
  NotEmpty,
  type StoredBlob,
} from '../../../core/archives/archive-store.js'
import type { StoredRow } from '../../../core/archives/values.js'
import { chunks } from '../../../lib/chunks.js'
import type { Encryption } from '../../sql/database/encryption.js'
import { readAtOneMoment, type TablePages } from '../../sql/database/table-pages.js'
import { type MultiInsert, multiInsert } from '../../sql/database/transact.js'
import { columnsOf, namesOf, type TableName, tableNames, tables } from '../../sql/tables/index.js'
import type { Schema } from '../../sql/tables/schema.js'
import { defaultGroupIn, rowsOf } from './scopes.js'

/** `db` has no timeout: whole tables take long. */
export function sqlArchiveStore(db: Kysely<Schema>, pages: TablePages, encryption: Encryption): ArchiveStore {
  return {
    tables: (secrets) => archiveTables(secrets).map((name) => archiveTable(name, secrets)),
    leftOut: Object.fromEntries(
      tableNames.filter((name) => !archiveTables(true).includes(name)).map((name) => [name, tables[name].about]),
    ),

    read: (work) => readAtOneMoment(db, pages, (connection) => work(reader(connection, pages, encryption))),

    rowCounts: () => rowCounts(db),

    restore: (work) =>
      db.transaction().execute(async (tx) => {
        await requireEmpty(tx)
        await work(writer(tx, encryption))
      }),
  }
}

function archiveTables(secrets: boolean): readonly TableName[] {
  return tableNames.filter((name) => {
    const { copied } = tables[name]
    return copied === 'in archives' || (secrets && copied === 'in archives with secrets')
  })
}

function archiveTable(name: TableName, secrets: boolean): ArchiveTable {
  const columns = columnsOf(name)
  const renewed = columns.flatMap((column) => (column.renewed && !secrets ? [[column.name, column.renewed]] : []))
  return {
    ...{ name, about: tables[name].about },
    columns: columns.filter((column) => secrets || !column.secret),
    renewed: Object.fromEntries(renewed),
  }
}

function reader(connection: Kysely<Schema>, pages: TablePages, encryption: Encryption): ArchiveReader {
  return {
    async *rows(table, organizationGuid) {
      const decrypted = decryptedIn(table.name as TableName, encryption)
      for await (const rows of pages.read(connection, wholeTable(table, organizationGuid))) yield rows.map(decrypted)
    },

    async blobs(organizationGuid) {
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

function wholeTable(table: ArchiveTable, organizationGuid: string | undefined) {
  const columns = table.columns.map(({ name }) =>
    name === 'default_group_guid' && organizationGuid !== undefined ? defaultGroupIn(organizationGuid) : sql.ref(name),
  )
  const name = table.name as TableName
  return { name, columns, where: rowsOf(name, organizationGuid) }
}

function writer(tx: Transaction<Schema>, encryption: Encryption): ArchiveWriter {
  const insert = tableInserts(tx, encryption)
  return {
    write: ({ name }, rows) => insert(name as TableName, rows),

    async useBlob(sha256, key) {
      await tx.insertInto('image_blobs').values({ sha256, blob_key: key }).execute()
    },
  }
}

/** Inserts plain rows, all with the same columns, into tables by name. */
export function tableInserts(
  tx: Transaction<Schema>,
  { encrypt }: Encryption,
): (table: TableName, rows: readonly StoredRow[]) => Promise<void> {
  const inserts = new Map<string, MultiInsert<StoredRow, unknown>>()
  return async (table, plain) => {
    const [first] = plain
    if (!first) return
    const encrypted = namesOf(table, (column) => column.encrypted)
    const rows = plain.map((row) => changed(row, encrypted, encrypt))
    const insert = inserts.get(table) ?? multiInsert((some) => insertInto(tx, table, some))
    inserts.set(table, insert)
    for (const some of chunks(rows, Math.floor(maxParameters / Object.keys(first).length))) await insert(tx, some)
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

export function decryptedIn(table: TableName, { decrypt }: Encryption): (row: StoredRow) => StoredRow {
  const encrypted = namesOf(table, (column) => column.encrypted)
  return (row) => changed(row, encrypted, (text) => decrypt(text, `a secret of the table ${table}`))
}

/** The row with these columns encrypted, or decrypted. */
function changed(row: StoredRow, columns: readonly string[], change: (text: string) => string): StoredRow {
  if (columns.length === 0) return row
  const copy = { ...row }
  for (const name of columns) {
    const value = row[name]
    if (typeof value === 'string') copy[name] = change(value)
  }
  return copy
}

export async function requireEmpty(tx: Kysely<Schema>): Promise<void> {
  const counts = await rowCounts(tx)
  if (Object.keys(counts).length > 0) throw new NotEmpty(counts)
}

async function rowCounts(tx: Kysely<Schema>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of new Set<TableName>(['organizations', 'users', 'links', ...archiveTables(true)])) {
    const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(name)}`.execute(tx)
    const total = Number(rows[0]?.total ?? 0)
    if (total > 0) counts[name] = total
  }
  return counts
}
