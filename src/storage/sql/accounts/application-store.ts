import type { Kysely, Selectable } from 'kysely'
import type { Application, ApplicationStore } from '../../../core/accounts/application-store.js'
import type { Schema } from '../database/schema.js'
import { changesRow, type Transact } from '../database/transact.js'
import { sqlGrants } from './grants.js'

/** Registered OAuth applications in SQL. application-store.contract.ts defines the behaviour. */
export function sqlApplicationStore(db: Kysely<Schema>, transact: Transact): ApplicationStore {
  return {
    ...sqlGrants(db, transact),
    add: (application) =>
      transact(async (tx) => {
        const { clientId, secretHash, login, name, description, link, redirectUris, requirePkce, answersIn, at } =
          application
        const user = await tx.selectFrom('users').select('login').where('login', '=', login).executeTakeFirst()
        if (!user) return 'no-user'
        await tx
          .insertInto('applications')
          .values({
            client_id: clientId,
            secret_hash: secretHash,
            login,
            name,
            description,
            link,
            redirect_uris: JSON.stringify(redirectUris),
            require_pkce: requirePkce ? 1 : 0,
            answers_in: answersIn ?? null,
            created_at: at,
          })
          .execute()
        return 'added'
      }),

    async get(clientId) {
      const row = await db.selectFrom('applications').selectAll().where('client_id', '=', clientId).executeTakeFirst()
      return row && applicationFrom(row)
    },

    async list(login) {
      const rows = await db
        .selectFrom('applications')
        .selectAll()
        .$if(login !== undefined, (query) => query.where('login', '=', login ?? ''))
        .orderBy('created_at')
        .orderBy('client_id')
        .execute()
      return rows.map(applicationFrom)
    },

    change: (clientId, login, { name, description, link, redirectUris, requirePkce }) =>
      transact(async (tx) => {
        const row = await tx
          .updateTable('applications')
          .set({
            // An update needs at least one column.
            client_id: clientId,
            ...(name !== undefined && { name }),
            ...(description !== undefined && { description }),
            ...(link !== undefined && { link }),
            ...(redirectUris !== undefined && { redirect_uris: JSON.stringify(redirectUris) }),
            ...(requirePkce !== undefined && { require_pkce: requirePkce ? 1 : 0 }),
          })
          .where('client_id', '=', clientId)
          .where('login', '=', login)
          .where('revoked_at', 'is', null)
          .returningAll()
          .executeTakeFirst()
        return row && applicationFrom(row)
      }),

    replaceSecret: (clientId, login, secretHash) =>
      transact((tx) =>
        changesRow(
          tx
            .updateTable('applications')
            .set({ secret_hash: secretHash })
            .where('client_id', '=', clientId)
            .where('login', '=', login)
            .where('revoked_at', 'is', null),
        ),
      ),

    revoke: (clientId, at) =>
      transact(async (tx) => {
        const updated = await changesRow(
          tx
            .updateTable('applications')
            .set({ revoked_at: at })
            .where('client_id', '=', clientId)
            .where('revoked_at', 'is', null),
        )
        if (!updated) return false
        await tx
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where('client_id', '=', clientId)
          .where('revoked_at', 'is', null)
          .execute()
        return true
      }),
  }
}

function applicationFrom(row: Selectable<Schema['applications']>): Application {
  return {
    clientId: row.client_id,
    login: row.login,
    name: row.name,
    description: row.description,
    link: row.link,
    // Written above as JSON of strings.
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    requirePkce: row.require_pkce === 1,
    answersIn: row.answers_in ?? undefined,
    createdAt: row.created_at,
    revokedAt: row.revoked_at ?? undefined,
  }
}
