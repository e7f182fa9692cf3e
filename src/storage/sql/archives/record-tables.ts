/** All tables as they are. What each method promises: core/archives/record-tables.ts. */
import { type Kysely, sql } from 'kysely'
import {
  type LostRows,
  type RecordTable,
  type RecordTables,
  recordTables,
  type TableReader,
} from '../../../core/archives/record-tables.js'
import { decryptIfPossible, type Encryption } from '../database/encryption.js'
import type { Schema } from '../database/schema.js'
import { changed, decryptIn, requireEmpty, tableInserts } from './archive-store.js'
import { readAtOneMoment, type TablePages } from './table-pages.js'

/** `db` has no timeout: whole tables take long. */
export function sqlRecordTables(db: Kysely<Schema>, pages: TablePages, encryption: Encryption): RecordTables {
  return {
    read: (work) => readAtOneMoment(db, pages, (connection) => work(reader(connection, pages, encryption))),

    undecryptable: (tables) =>
      readAtOneMoment(db, pages, async (connection) => {
        // The database of an earlier version may lack some.
        const present = new Set((await connection.introspection.getTables()).map(({ name }) => name))
        const isLost = (value: unknown) =>
          typeof value === 'string' && decryptIfPossible(value, encryption) === undefined
        const found: LostRows[] = []
        for (const table of tables.filter(({ name }) => present.has(name))) {
          let count = 0
          for await (const rows of pages.read(connection, whole(table))) {
            count += rows.filter((row) => table.encrypted.some((column) => isLost(row[column]))).length
          }
          if (count > 0) found.push({ table: table.name, count })
        }
        return found
      }),

    fill: (work) =>
      db.transaction().execute(async (tx) => {
        await requireEmpty(tx)
        // What a migration or a process without records left: counters, positions.
        for (const { name } of recordTables.toReversed()) await sql`delete from ${sql.table(name)}`.execute(tx)
        const insert = tableInserts(tx)
        return work({
          ...reader(tx, pages, encryption),
          write: ({ name, encrypted }, rows) =>
            insert(
              name,
              rows.map((row) => changed(row, encrypted, encryption.encrypt)),
            ),
        })
      }),
  }
}

function reader(connection: Kysely<Schema>, pages: TablePages, encryption: Encryption): TableReader {
  return {
    async *rows(table) {
      for await (const rows of pages.read(connection, whole(table))) {
        yield rows.map((row) => changed(row, table.encrypted, decryptIn(table.name, encryption)))
      }
    },
  }
}

function whole({ name, key }: RecordTable) {
  return { name, key, columns: [sql`*`], where: sql<boolean>`1 = 1`, sorted: false }
}
