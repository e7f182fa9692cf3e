import type { Transaction } from 'kysely'
import { changesRow } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'

/** An update that changes nothing, as a lock: others who hold the row wait for this transaction. False if there is no row. */
export function holdRow(tx: Transaction<Schema>, table: 'organizations' | 'groups', guid: string): Promise<boolean> {
  return changesRow(
    tx
      .updateTable(table)
      .set((row) => ({ name: row.ref('name') }))
      .where('guid', '=', guid),
  )
}
