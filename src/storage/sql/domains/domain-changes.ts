import type { Kysely, Transaction } from 'kysely'
import type { Schema } from '../database/schema.js'

/**
 * Call in every transaction that changes domains, which groups use them, or what groups prefer: processes that hold
 * all of this in memory look at the version every few seconds, and read the rest only when it has moved.
 */
export async function noteDomainChange(tx: Transaction<Schema>): Promise<void> {
  await tx
    .updateTable('domain_changes')
    .set((row) => ({ version: row('version', '+', 1) }))
    .execute()
}

/** An update that changes nothing: until this transaction is over, nobody else changes domains. */
export async function lockDomains(tx: Transaction<Schema>): Promise<void> {
  await tx
    .updateTable('domain_changes')
    .set((row) => ({ version: row.ref('version') }))
    .execute()
}

export async function domainVersion(db: Kysely<Schema>): Promise<number> {
  const { version } = await db.selectFrom('domain_changes').select('version').executeTakeFirstOrThrow()
  return version
}
