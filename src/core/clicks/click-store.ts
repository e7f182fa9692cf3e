import type { BatchTarget } from './click-batch.js'

/**
 * What processes that share records have to agree on about clicks; the clicks themselves are in the click log. Each
 * method is one atomic step; click-store.contract.ts says what is promised.
 */
export interface ClickStore {
  /** What one process at a time may hold, by name: the click log, or the import of a file (lease.ts). */
  lease(name: string): LeaseStore

  // The salts of days: a visitor of two processes is one visitor.

  /**
   * Stores the given salts for days without one, and returns the salts of all days: the first one stored wins. Deletes the
   * salts of days before `since`.
   */
  settleSalts(drawn: ReadonlyMap<number, string>, since: number): Promise<ReadonlyMap<number, string>>

  // For imports.

  /** Where these addresses lead at this moment, deleted and expired links too; unknown ones are left out. */
  leads(addresses: readonly string[]): Promise<ReadonlyMap<string, BatchTarget>>
}

export interface LeaseStore {
  /** Undefined before the first claim, or after the lease was removed. */
  read(): Promise<LeaseRow | undefined>
  /** Writes `next` if the row still equals `seen`, heartbeat included; false otherwise. Undefined removes the row. */
  replace(seen: LeaseRow | undefined, next: LeaseRow | undefined): Promise<boolean>
}

export interface LeaseRow {
  /** What is held: the id of a data directory or of a file, or `inClickhouse`. */
  readonly id: string
  /** For people: host and folder, or the server. */
  readonly place: string
  /** The process that holds it; empty after a regular stop. */
  readonly holder: string
  /** Increases while the holder is alive. */
  readonly heartbeat: number
}
