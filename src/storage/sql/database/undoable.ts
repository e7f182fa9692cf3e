import type { Transaction } from 'kysely'
import type { Schema } from '../tables/schema.js'
import type { Transact } from './transact.js'

/** Rolls back the transaction, which then returns this answer. */
export type Undo<Answer> = (answer: Answer) => never

/** A transaction that can be rolled back and still return an answer. */
export async function undoable<Answer>(
  transact: Transact,
  work: (tx: Transaction<Schema>, undo: Undo<Answer>) => Promise<Answer>,
): Promise<Answer> {
  let undone: { readonly answer: Answer } | undefined
  const undo = (answer: Answer): never => {
    undone = { answer }
    throw new Undone('the transaction was undone')
  }
  try {
    return await transact((tx) => work(tx, undo))
  } catch (error) {
    if (error instanceof Undone && undone) return undone.answer
    throw error
  }
}

class Undone extends Error {
  override readonly name = 'Undone'
}
