/** All tables as they are. What each method promises: core/archives/record-tables.ts. */
import { type Kysely, sql } from 'kysely'
import { type RecordTables, recordTables, type TableReader } from '../../../core/archives/record-tables.js'
import type { Encryption } from '../database/encryption.js'
import type { Schema } from '../database/schema.js'
import { changed, decryptIn, requireEmpty, tableInserts } from './archive-store.js'
import { readAtOneMoment, type TablePages } from './table-pages.js'

/** `db` has no timeout: whole tables take long. */
export function sqlRecordTables(db: Kysely<Schema>, pages: TablePages, encryption: Encryption): RecordTables {
  return {
    read: (work) => readAtOneMoment(db, pages, (connection) => work(reader(connection, pages, encryption))),

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
    async *rows({ name, key, encrypted }) {
      const whole = { name, key, columns: [sql`*`], where: sql<boolean>`1 = 1`, sorted: false }
      for await (const rows of pages.read(connection, whole)) {
        yield rows.map((row) => changed(row, encrypted, decryptIn(name, encryption)))
      }
    },
  }
}
