/**
 * Which click log belongs to shared records: the one of a data directory, which one process at a time may use, or
 * ClickHouse, which all may. Each method is one atomic step; click-log-home-store.contract.ts says what is promised.
 */
export interface ClickLogHomeStore {
  /** Undefined before the first start. */
  read(): Promise<ClickLogHome | undefined>
  /** Writes `next` if what was `seen` is still there, heartbeat included; false when it is not. */
  replace(seen: ClickLogHome | undefined, next: ClickLogHome): Promise<boolean>
}

export interface ClickLogHome {
  /** The id of a data directory, or `inClickhouse`. */
  readonly id: string
  /** For people: host and folder, or the server. */
  readonly place: string
  /** The process that uses it; empty when it was stopped in an orderly way. */
  readonly holder: string
  /** Grows while the holder lives. */
  readonly heartbeat: number
}

/** Stands for the id of a data directory. */
export const inClickhouse = 'clickhouse'
