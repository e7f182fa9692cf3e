import type { Kysely } from 'kysely'
import type { StreamStore } from '../../../core/stream/stream-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'
import { sqlStreamAccess } from './access.js'
import { sqlLeasedCursors } from './leased-cursors.js'
import { sqlLinkFacts } from './link-facts.js'
import { sqlNewLinks } from './new-links.js'

/** What the stream needs of the records, in SQL. What each method promises: stream-store.contract.ts. */
export function sqlStreamStore(db: Kysely<Schema>, transact: Transact, openFor: StreamStore['openFor']): StreamStore {
  return {
    ...sqlStreamAccess(db, transact),
    ...sqlNewLinks(db, openFor),
    ...sqlLinkFacts(db),
    ...sqlLeasedCursors(transact),
  }
}
