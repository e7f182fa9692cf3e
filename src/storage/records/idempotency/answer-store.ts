/** Answers of keyed requests in SQL. answer-store.contract.ts defines the behaviour. */
import type { Kysely, Transaction } from 'kysely'
import type { Answer, AnswerStore, KeptAnswer, KeyedRequest } from '../../../core/idempotency/answer-store.js'
import { decryptIfPossible, type Encryption } from '../../sql/database/encryption.js'
import { changesRow, type RequestParts, type Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'

export interface AnswerStoreOptions {
  /** Answers can contain secrets that are shown once, such as the one of a webhook. */
  readonly encryption: Encryption
  /** Runs everything in one transaction, and again if it only lost a race. */
  readonly runAsOne: <T>(parts: RequestParts<T>) => Promise<T>
}

export function sqlAnswerStore(
  db: Kysely<Schema>,
  transact: Transact,
  { encryption, runAsOne }: AnswerStoreOptions,
): AnswerStore {
  async function find(id: string, since: number): Promise<KeptAnswer | undefined> {
    const row = await db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('id', '=', id)
      .where('created_at', '>=', since)
      .executeTakeFirst()
    if (!row) return undefined
    const body = decryptIfPossible(row.body, encryption)
    return { fingerprint: row.fingerprint, answer: body === undefined ? undefined : { status: row.status, body } }
  }

  return {
    find,

    async keep(request, work) {
      const { id, fingerprint, since } = request
      let isTaken = false
      try {
        const answer = await runAsOne({
          begin: async (tx) => {
            isTaken = !(await claim(tx, request))
            if (isTaken) throw new Error(`another process answered the request ${id}`)
          },
          work,
          end: (tx, { status, body }) => writeAnswer(tx, id, { status, body: encryption.encrypt(body) }),
        })
        return { fingerprint, answer, isNew: true }
      } catch (error) {
        if (!isTaken) throw error
      }
      const other = await find(id, since)
      if (!other) throw new Error(`the answer ${id} is claimed and not there`)
      return { ...other, isNew: false }
    },

    deleteOld: (before, limit) =>
      transact(async (tx) => {
        const old = tx.selectFrom('idempotency_keys').select('id').where('created_at', '<', before).limit(limit)
        const { numDeletedRows } = await tx.deleteFrom('idempotency_keys').where('id', 'in', old).executeTakeFirst()
        return Number(numDeletedRows)
      }),
  }
}

/**
 * Before anything else is written: a process with the same key waits here until the other one has committed. The answer
 * follows in the same transaction, so nobody reads a row without one.
 */
function claim(tx: Transaction<Schema>, { id, fingerprint, at, since }: KeyedRequest): Promise<boolean> {
  const row = { fingerprint, status: 0, body: '', created_at: at }
  return changesRow(
    tx
      .insertInto('idempotency_keys')
      .values({ id, ...row })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet(row).where('idempotency_keys.created_at', '<', since),
      ),
  )
}

async function writeAnswer(tx: Transaction<Schema>, id: string, answer: Answer): Promise<void> {
  await tx.updateTable('idempotency_keys').set(answer).where('id', '=', id).execute()
}
