import type { Kysely, Selectable } from 'kysely'
import type { ApiKeyRecord } from '../../../core/accounts/account.js'
import type { AccountStore } from '../../../core/accounts/account-store.js'
import type { Schema } from '../database/schema.js'
import { changesRow, type Transact } from '../database/transact.js'

/** The v3 API keys of the account store. */
export function sqlApiKeys(db: Kysely<Schema>, transact: Transact) {
  return {
    addApiKey: ({ guid, keyHash, hint, login, label, at }) =>
      transact(async (tx) => {
        const row = { guid, key_hash: keyHash, hint, login, label, created_at: at }
        await tx.insertInto('api_keys').values(row).execute()
      }),

    async listApiKeys(login) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('login', '=', login)
        .where('revoked_at', 'is', null)
        .orderBy('created_at')
        .orderBy('guid')
        .execute()
      return rows.map(keyFrom)
    },

    revokeApiKey: (login, guid, at) =>
      transact((tx) =>
        changesRow(
          tx
            .updateTable('api_keys')
            .set({ revoked_at: at })
            .where('login', '=', login)
            .where('guid', '=', guid)
            .where('revoked_at', 'is', null),
        ),
      ),

    async findApiKey(login, keyHash) {
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('users', 'users.login', 'api_keys.login')
        .selectAll('api_keys')
        .where('key_hash', '=', keyHash)
        .where('api_keys.login', '=', login)
        .where('revoked_at', 'is', null)
        .where('users.is_active', '=', 1)
        .executeTakeFirst()
      return row && keyFrom(row)
    },

    touchApiKey: (guid, at) =>
      transact(async (tx) => {
        await tx
          .updateTable('api_keys')
          .set({ last_used_at: at })
          .where('guid', '=', guid)
          .where((or) => or.or([or('last_used_at', 'is', null), or('last_used_at', '<', at)]))
          .execute()
      }),
  } satisfies Partial<AccountStore>
}

function keyFrom(row: Selectable<Schema['api_keys']>): ApiKeyRecord {
  return {
    guid: row.guid,
    hint: row.hint,
    login: row.login,
    label: row.label,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }
}
