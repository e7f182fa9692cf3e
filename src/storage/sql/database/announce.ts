import type { Transaction } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** Notifies other processes, at the commit, that the targets of these addresses changed. */
export type Announce = (tx: Transaction<Schema>, addresses: readonly string[]) => Promise<void>
