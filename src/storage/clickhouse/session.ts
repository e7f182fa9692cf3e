/** What the click log needs of a ClickHouse server; httpSession is how it is reached. Knows nothing of clicks. */
export interface ClickhouseSession {
  /** The database that holds the tables. */
  readonly database: string
  /** The server as people know it, without its password. */
  readonly place: string
  /** Why it does not answer at the moment; undefined while it does, and where nobody watches. */
  readonly trouble: string | undefined
  run(sql: string, limits?: Limits): Promise<void>
  /** One array of values for each row. */
  query(sql: string): Promise<readonly (readonly unknown[])[]>
  /** All of the rows or none, as one block; `table` is `name (column, ...)`. */
  insert(table: string, rows: readonly (readonly Value[])[], options?: InsertOptions): Promise<void>
  /** Ends what is running. */
  close(): Promise<void>
}

export type Value = string | number | null

interface Limits {
  /** Milliseconds. */
  readonly timeLimit: number
}

export interface InsertOptions {
  /** Of several inserts with the same token only the first one leaves anything behind. */
  readonly deduplicationToken: string
}

/** The server was reached and said no. */
export class ClickhouseError extends Error {
  override readonly name = 'ClickhouseError'

  constructor(
    message: string,
    /** As in system.errors. */
    readonly code: number,
  ) {
    super(message)
  }
}

/**
 * What makes an insert one block, which the server writes as one part: all of it or nothing, whatever happens. Inserts are
 * at most some ten thousand rows, far from these bounds.
 */
export const oneBlock = {
  max_insert_block_size: 10_000_000,
  min_insert_block_size_rows: 10_000_000,
  min_insert_block_size_bytes: 10_000_000_000,
  max_insert_threads: 1,
  input_format_parallel_parsing: 0,
  async_insert: 0,
  insert_deduplicate: 1,
} as const
