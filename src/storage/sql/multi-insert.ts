import type { Compilable, CompiledQuery, Transaction } from 'kysely'
import type { Schema } from './schema.js'

export type MultiInsert<Row, Answer> = (tx: Transaction<Schema>, rows: readonly Row[]) => Promise<Inserted<Answer>>

export interface Inserted<Answer> {
  /** How many rows were written; fewer than given where a conflict lets some fall. */
  readonly count: number
  /** What the statement returns, if it does. */
  readonly rows: readonly Answer[]
}

/**
 * An insert of many rows at once that is compiled only once for each number of rows; after that, only the values are
 * new. Building it anew took a tenth of the time of a new link. All rows must name the same columns in the same order.
 */
export function multiInsert<Row extends object, Answer>(
  build: (rows: readonly Row[]) => Compilable<Answer>,
): MultiInsert<Row, Answer> {
  const compiled: CompiledQuery<Answer>[] = []
  return async (tx, rows) => {
    if (rows.length === 0) return { count: 0, rows: [] }
    const parameters: unknown[] = []
    for (const row of rows) for (const name in row) parameters.push(row[name])
    let query = compiled[rows.length]
    if (!query) {
      query = build(rows).compile()
      if (query.parameters.length !== parameters.length) {
        throw new Error(`not every value is a parameter in: ${query.sql}`)
      }
      compiled[rows.length] = query
    }
    const answer = await tx.executeQuery<Answer>({ ...query, parameters })
    return { count: Number(answer.numAffectedRows ?? answer.rows.length), rows: answer.rows }
  }
}
