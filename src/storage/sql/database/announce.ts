import type { Transaction } from 'kysely'
import type { Schema } from './schema.js'

/**
 * Tells other processes, as part of the transaction, that these addresses lead elsewhere from its commit on. An engine
 * on which they find out by themselves says nothing.
 */
export type Announce = (tx: Transaction<Schema>, addresses: readonly string[]) => Promise<void>
