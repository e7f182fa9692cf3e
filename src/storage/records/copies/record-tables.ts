/** The records as whole tables. What each method promises: core/copies/record-tables.ts. */
import { type Kysely, sql, type Transaction } from 'kysely'
import {
  type CopiedTable,
  type CopyKind,
  type LostRows,
  NotEmpty,
  type RecordTables,
  type TableReader,
} from '../../../core/copies/record-tables.js'
import type { StoredRow } from '../../../core/copies/values.js'
import { chunks } from '../../../lib/chunks.js'
import { decryptIfPossible, type Encryption } from '../../sql/database/encryption.js'
import { readAtOneMoment, type TablePages } from '../../sql/database/table-pages.js'
import { type MultiInsert, multiInsert } from '../../sql/database/transact.js'
import { columnsOf, namesOf, type TableName, tableNames, tables } from '../../sql/tables/index.js'
import type { Schema } from '../../sql/tables/schema.js'
import type { Copied } from '../../sql/tables/table.js'
import { defaultGroupIn, rowsOf } from './scopes.js'

/** `db` has no timeout: whole tables take long. */
export function sqlRecordTables(db: Kysely<Schema>, pages: TablePages, encryption: Encryption): RecordTables {
  const archived = namesIn('archive with secrets')
  return {
    tables: (of) => namesIn(of).map((name) => copiedTable(name, of)),
    leftOut: Object.fromEntries(
      tableNames.filter((name) => !archived.includes(name)).map((name) => [name, tables[name].about]),
    ),

    read: (work) => readAtOneMoment(db, pages, (connection) => work(reader(connection, pages, encryption))),

    rowCounts: () => rowCounts(db),

    undecryptable: (kinds) =>
      readAtOneMoment(db, pages, async (connection) => {
        // The database of an earlier version may lack some.
        const present = new Set((await connection.introspection.getTables()).map(({ name }) => name))
        const isLost = (value: unknown) =>
          typeof value === 'string' && decryptIfPossible(value, encryption) === undefined
        const found: LostRows[] = []
        for (const kind of kinds) {
          let count = 0
          for (const name of tableNames.filter((table) => present.has(table))) {
            const encrypted = namesOf(name, (column) => column.encrypted === kind)
            if (encrypted.length === 0) continue
            const whole = { name, columns: [sql`*`], where: rowsOf(name, undefined), sorted: false }
            for await (const rows of pages.read(connection, whole)) {
              count += rows.filter((row) => encrypted.some((column) => isLost(row[column]))).length
            }
          }
          if (count > 0) found.push({ kind, count })
        }
        return found
      }),

    fill: (of, work) =>
      db.transaction().execute(async (tx) => {
        const counts = await rowCounts(tx)
        if (Object.keys(counts).length > 0) throw new NotEmpty(counts)
        // What a migration or a process without records left: counters, positions.
        for (const name of namesIn(of).toReversed()) await sql`delete from ${sql.table(name)}`.execute(tx)
        return work({ ...reader(tx, pages, encryption), write: tableInserts(tx, encryption) })
      }),
  }
}

const contents: Readonly<Record<CopyKind, readonly Copied[]>> = {
  archive: ['in archives'],
  'archive with secrets': ['in archives', 'in archives with secrets'],
  move: ['in archives', 'in archives with secrets', 'moved'],
}

function namesIn(of: CopyKind): readonly TableName[] {
  return tableNames.filter((name) => contents[of].includes(tables[name].copied))
}

function copiedTable(name: TableName, of: CopyKind): CopiedTable {
  const secrets = of !== 'archive'
  const columns = columnsOf(name)
  const renewed = columns.flatMap((column) => (column.renewed && !secrets ? [[column.name, column.renewed]] : []))
  return {
    name,
    about: tables[name].about,
    columns: columns.filter((column) => secrets || !column.secret),
    renewed: Object.fromEntries(renewed),
  }
}

function reader(connection: Kysely<Schema>, pages: TablePages, { decrypt }: Encryption): TableReader {
  return {
    async *rows(table, { organizationGuid, sorted = false } = {}) {
      const name = table.name as TableName
      const columns = table.columns.map((column) =>
        column.name === 'default_group_guid' && organizationGuid !== undefined
          ? defaultGroupIn(organizationGuid)
          : sql.ref(column.name),
      )
      const encrypted = namesOf(name, (column) => column.encrypted)
      const decrypted = (text: string) => decrypt(text, `a secret of the table ${name}`)
      const whole = { name, columns, where: rowsOf(name, organizationGuid), sorted }
      for await (const rows of pages.read(connection, whole))
        yield rows.map((row) => changed(row, encrypted, decrypted))
    },

    async blobs(organizationGuid) {
      const { rows } = await sql<{ sha256: string; key: string }>`
        select distinct images.sha256 as "sha256", image_blobs.blob_key as "key"
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

function tableInserts(tx: Transaction<Schema>, { encrypt }: Encryption) {
  const inserts = new Map<string, MultiInsert<StoredRow, unknown>>()
  return async (table: string, plain: readonly StoredRow[]): Promise<void> => {
    const [first] = plain
    if (!first) return
    const encrypted = namesOf(table as TableName, (column) => column.encrypted)
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

async function rowCounts(tx: Kysely<Schema>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const names = namesIn('archive with secrets')
  for (const name of new Set<TableName>(['organizations', 'users', 'links', ...names])) {
    const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(name)}`.execute(tx)
    const total = Number(rows[0]?.total ?? 0)
    if (total > 0) counts[name] = total
  }
  return counts
}
