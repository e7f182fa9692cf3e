import type { Transaction } from 'kysely'
import type { Schema } from '../tables/schema.js'
import { changesRow } from './transact.js'

/** An update that changes nothing, as a lock: others who hold the row wait for this transaction. False if there is no row. */
export function holdRow(tx: Transaction<Schema>, table: 'organizations' | 'groups', guid: string): Promise<boolean> {
  return changesRow(
    tx
      .updateTable(table)
      .set((row) => ({ name: row.ref('name') }))
      .where('guid', '=', guid),
  )
}
