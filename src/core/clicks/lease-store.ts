/**
 * One lease in the records: what one process at a time may hold, among all that share them. Each method is one atomic
 * step; lease-store.contract.ts says what is promised, and lease.ts uses it.
 */
export interface LeaseStore {
  /** Undefined while nobody has held it yet, or when nothing was left of it. */
  read(): Promise<LeaseRow | undefined>
  /** Writes `next` if what was `seen` is still there, heartbeat included; false when it is not. Undefined removes it. */
  replace(seen: LeaseRow | undefined, next: LeaseRow | undefined): Promise<boolean>
}

export interface LeaseRow {
  /** What is held: the id of a data directory or of a file, or `inClickhouse`. */
  readonly id: string
  /** For people: host and folder, or the server. */
  readonly place: string
  /** The process that uses it; empty when it was stopped in an orderly way. */
  readonly holder: string
  /** Grows while the holder lives. */
  readonly heartbeat: number
}
