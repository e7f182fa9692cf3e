/**
 * Stores a lease that one process at a time may hold, among all that share the database. Each method is one atomic step;
 * lease-store.contract.ts defines the behaviour. Used by lease.ts.
 */
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
