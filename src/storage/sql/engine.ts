/** What the records need of a SQL database, and what a caller may choose about it. Each engine has its own file. */
import type { Kysely } from 'kysely'
import type { ExternalChanges } from '../../core/links/redirect-cache.js'
import type { Remote } from '../../lib/circuit-breaker.js'
import type { Announce } from './database/announce.js'
import type { Lookup } from './database/lookup.js'
import type { TablePages } from './database/table-pages.js'
import type { RequestTransactions } from './database/transact.js'
import type { Schema } from './tables/schema.js'

export interface Engine {
  readonly db: Kysely<Schema>
  readonly requests: RequestTransactions
  /** Without a timeout. */
  readonly migrations: Kysely<Schema>
  readonly lookup: Lookup
  /** True if nothing was written and a retry may succeed. */
  readonly isTransient: (error: unknown) => boolean
  /** Maximum concurrent transactions of new links. */
  readonly parallelInserts: number
  /** Whether many rows are inserted faster from JSON. */
  readonly readsJson: boolean
  readonly announce: Announce
  readonly position: PositionFunction
  readonly tablePages: TablePages
  /** Age in milliseconds of the oldest open transaction of any process; 0 if there is none. */
  readonly openFor: () => Promise<number>
  readonly externalChanges: ExternalChanges
  readonly server?: Remote['server']
  readonly notices?: Notices | undefined
  readonly faults?: RecordFaults
  /** Closes every connection. */
  close(): Promise<void>
}

/** The engine's function for the position of a substring. */
export type PositionFunction = 'instr' | 'strpos'

export interface RecordFaults {
  /** Why some records cannot be read. */
  readonly damage: string | undefined
  /** Why nothing can be written. */
  readonly full: string | undefined
  /** Another thread met damage in the same file. */
  damaged(): void
}

export interface EngineOptions {
  /** Called with the reason when the database stops answering, and with `undefined` when it answers again. */
  readonly onAvailability?: (failure: string | undefined) => void
  /** Called once, when records in a file cannot be read. */
  readonly onDamage?: (reason: string) => void
  /** Called with the reason when a file cannot be written, and with `undefined` when it can be again. */
  readonly onFull?: (failure: string | undefined) => void
  /** False: SQLite reads the file without mapping it into memory, for work that touches all of it. Default: true. */
  readonly mapped?: boolean
  readonly onQuery?: OnQuery
  /** Called if notifications of other processes do not arrive although the connection works. */
  readonly onUnresponsive?: () => void
}

/** Called after each query with its duration. */
export type OnQuery = (milliseconds: number) => void

/** Short messages to all processes that share the database, this one included. Best effort. */
export interface Notices {
  send(text: string): Promise<void>
  listen(listener: NoticeListener): void
}

export interface NoticeListener {
  onNotice(text: string): void
  /** Also after an interruption: notices meanwhile were missed. */
  onConnected(): void
}
