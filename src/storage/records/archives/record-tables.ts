/** All tables as they are. What each method promises: core/archives/record-tables.ts. */
import { type Kysely, sql } from 'kysely'
import type { LostRows, RecordTables, TableReader } from '../../../core/archives/record-tables.js'
import { decryptIfPossible, type Encryption } from '../../sql/database/encryption.js'
import { readAtOneMoment, type TablePages } from '../../sql/database/table-pages.js'
import { namesOf, type TableName, tableNames, tables } from '../../sql/tables/index.js'
import type { Schema } from '../../sql/tables/schema.js'
import { decryptedIn, requireEmpty, tableInserts } from './archive-store.js'

const movedTables = tableNames.filter((name) => tables[name].copied !== 'never')

/** `db` has no timeout: whole tables take long. */
export function sqlRecordTables(db: Kysely<Schema>, pages: TablePages, encryption: Encryption): RecordTables {
  return {
    read: (work) => readAtOneMoment(db, pages, (connection) => work(reader(connection, pages, encryption))),

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
            for await (const rows of pages.read(connection, whole(name))) {
              count += rows.filter((row) => encrypted.some((column) => isLost(row[column]))).length
            }
          }
          if (count > 0) found.push({ kind, count })
        }
        return found
      }),

    fill: (work) =>
      db.transaction().execute(async (tx) => {
        await requireEmpty(tx)
        // What a migration or a process without records left: counters, positions.
        for (const name of movedTables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(tx)
        const insert = tableInserts(tx, encryption)
        return work({
          ...reader(tx, pages, encryption),
          write: (name, rows) => insert(name as TableName, rows),
        })
      }),
  }
}

function reader(connection: Kysely<Schema>, pages: TablePages, encryption: Encryption): TableReader {
  return {
    tables: movedTables,
    async *rows(table) {
      const name = table as TableName
      const decrypted = decryptedIn(name, encryption)
      for await (const rows of pages.read(connection, whole(name))) yield rows.map(decrypted)
    },
  }
}

function whole(name: TableName) {
  return { name, columns: [sql`*`], where: sql<boolean>`1 = 1`, sorted: false }
}
