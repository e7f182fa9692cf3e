/** What the click log needs of a ClickHouse server; httpSession implements it. Knows nothing about clicks. */
export interface ClickhouseSession {
  /** The database of the tables. */
  readonly database: string
  /** The server for messages, without the password. */
  readonly place: string
  /** Why the server is unavailable; undefined while it answers, or if it is not watched. */
  readonly trouble: string | undefined
  run(sql: string, limits?: Limits): Promise<void>
  /** Each row as an array of values. */
  query(sql: string): Promise<readonly (readonly unknown[])[]>
  /** Saves the answer of a query, in the format that it names, as a file. */
  save(sql: string, file: string, limits?: Limits): Promise<void>
  /** Inserts the rows of a file in this format, without recognising repeated ones; `table` as for `insert`. */
  load(table: string, format: string, file: string, limits?: Limits): Promise<void>
  /** Inserts all rows or none, as one block; `table` is `name (column, ...)`. */
  insert(table: string, rows: readonly (readonly Value[])[], options?: InsertOptions): Promise<void>
  /** Aborts running queries. */
  close(): Promise<void>
}

export type Value = string | number | null

interface Limits {
  /** Milliseconds. */
  readonly timeLimit: number
}

export interface InsertOptions {
  /** The server keeps only the first of several inserts with the same token. */
  readonly deduplicationToken: string
}

/** The server answered with an error. */
export class ClickhouseError extends Error {
  override readonly name = 'ClickhouseError'

  constructor(
    message: string,
    /** The code as in system.errors. */
    readonly code: number,
  ) {
    super(message)
  }
}

/**
 * Settings that make an insert one block, which the server writes atomically as one part. Inserts have at most some
 * ten thousand rows, far below these limits.
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
