import type { Kysely } from 'kysely'
import type { ClickStore } from '../../../core/clicks/click-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'
import { sqlImportTargets } from './import-targets.js'
import { sqlLease } from './leases.js'
import { sqlSalts } from './salts.js'

/** What processes agree on about clicks, in SQL. What each method promises: click-store.contract.ts. */
export function sqlClickStore(db: Kysely<Schema>, transact: Transact): ClickStore {
  return {
    lease: (name) => sqlLease(db, transact, name),
    ...sqlSalts(transact),
    ...sqlImportTargets(db),
  }
}
