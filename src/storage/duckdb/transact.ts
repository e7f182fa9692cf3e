import type { DuckDBConnection } from '@duckdb/node-api'

/** All of the work or nothing of it. */
export async function transact<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run('BEGIN')
  try {
    const answer = await work()
    await connection.run('COMMIT')
    return answer
  } catch (error) {
    await rollBack(connection, error)
    throw error
  }
}

/** A failed COMMIT has ended the transaction already; then there is nothing to roll back and the engine says so. */
async function rollBack(connection: DuckDBConnection, cause: unknown): Promise<void> {
  try {
    await connection.run('ROLLBACK')
  } catch (error) {
    if (error instanceof Error && error.message.includes('no transaction is active')) return
    throw new AggregateError([cause, error], `The click log could not be written or rolled back: ${String(cause)}`)
  }
}
