import type { BatchTarget } from './click-batch.js'

/**
 * Click state that processes share through the records: leases, salts and import targets. The clicks themselves are in
 * the click log. Each method is one atomic step; the promises are tested in click-store.contract.ts.
 */
export interface ClickStore {
  /** A lease by name, held by one process at a time: the click log, or the import of a file (lease.ts). */
  lease(name: string): LeaseStore

  /**
   * Stores the given salts for days without one, and returns the salts of all days: the first one stored wins, so that
   * all processes hash visitors alike. Deletes the salts of days before `since`.
   */
  storeSalts(drawn: ReadonlyMap<number, string>, since: number): Promise<ReadonlyMap<number, string>>

  /** What waits in the journal of each process, by its last report (journal-reports.ts). */
  journals(): Promise<readonly JournalReport[]>
  reportJournal(report: JournalReport): Promise<void>
  /** Returns false if there is no such journal. */
  removeJournal(journalId: string): Promise<boolean>

  /** The current targets of these addresses, for imports. Includes deleted and expired links, omits unknown ones. */
  importTargets(addresses: readonly string[]): Promise<ReadonlyMap<string, BatchTarget>>
}

export interface JournalReport {
  readonly journalId: string
  /** For people: host and folder. */
  readonly place: string
  readonly waitingRows: number
  /** When the oldest of them was written. */
  readonly waitingSince: number | undefined
  readonly seenAt: number
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
