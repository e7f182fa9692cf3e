import type { Transaction } from 'kysely'
import type { Schema } from '../../sql/tables/schema.js'

const day = 86_400_000

/** Deletes applications that registered themselves, with their tokens. Revoked ones stay: they must not come back. */
export async function deleteUnused(tx: Transaction<Schema>, at: number): Promise<void> {
  const deleted = await tx
    .deleteFrom('applications')
    .where('login', 'is', null)
    .where('revoked_at', 'is', null)
    .where(({ and, or, eb, exists, not, selectFrom }) => {
      const inUse = selectFrom('tokens')
        .select('guid')
        .whereRef('tokens.client_id', '=', 'applications.client_id')
        .where('tokens.revoked_at', 'is', null)
        .where('tokens.refresh_expires_at', '>', at)
      const wasAllowed = and([eb('allowed_at', '<', at - 90 * day), not(exists(inUse))])
      return or([wasAllowed, and([eb('allowed_at', 'is', null), eb('created_at', '<', at - day)])])
    })
    .returning('client_id')
    .execute()
  const clientIds = deleted.map(({ client_id }) => client_id)
  if (clientIds.length > 0) await tx.deleteFrom('tokens').where('client_id', 'in', clientIds).execute()
}
