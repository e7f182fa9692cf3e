import type { DuckDBConnection } from '@duckdb/node-api'

/** All of the work or nothing of it. */
export async function transact<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('BEGIN')
  let answer: T
  try {
    answer = await work()
  } catch (error) {
    await rollBack(connection, error)
    throw error
  }
  // When it fails the transaction has ended all the same, with nothing of it written: there is nothing to roll back.
  await connection.run('COMMIT')
  return answer
}

async function rollBack(connection: DuckDBConnection, cause: unknown): Promise<void> {
  try {
    await connection.run('ROLLBACK')
  } catch (error) {
    throw new AggregateError([cause, error], `The click log could not be written or rolled back: ${String(cause)}`)
  }
}
