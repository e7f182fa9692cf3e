/** Who may read the stream, in SQL. What is promised: stream-store.contract.ts. */
import type { Kysely } from 'kysely'
import type { StreamReader, StreamStore } from '../../../core/stream/stream-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'

export function sqlStreamAccess(db: Kysely<Schema>, transact: Transact) {
  return {
    allowReader: ({ kind, subject }, by, at) =>
      transact(async (tx) => {
        if (!(await isKnown(tx, { kind, subject }))) return 'unknown'
        const { numInsertedOrUpdatedRows: inserted = 0n } = await tx
          .insertInto('stream_access')
          .values({ kind, subject, allowed_by: by, allowed_at: at })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        return inserted > 0n ? 'allowed' : 'already'
      }),

    denyReader: ({ kind, subject }) =>
      transact(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('stream_access')
          .where('kind', '=', kind)
          .where('subject', '=', subject)
          .executeTakeFirst()
        return numDeletedRows > 0n
      }),

    async allowedReaders() {
      const rows = await db
        .selectFrom('stream_access')
        .selectAll()
        .orderBy('allowed_at')
        .orderBy('kind')
        .orderBy('subject')
        .execute()
      return rows.map((row) => ({
        kind: row.kind,
        subject: row.subject,
        allowedBy: row.allowed_by,
        allowedAt: Number(row.allowed_at),
      }))
    },
  } satisfies Partial<StreamStore>
}

async function isKnown(tx: Kysely<Schema>, { kind, subject }: StreamReader): Promise<boolean> {
  const found =
    kind === 'organization'
      ? await tx.selectFrom('organizations').select('guid').where('guid', '=', subject).executeTakeFirst()
      : await tx.selectFrom('users').select('login').where('login', '=', subject).executeTakeFirst()
  return found !== undefined
}
