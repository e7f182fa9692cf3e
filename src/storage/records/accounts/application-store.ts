import type { Kysely, Selectable } from 'kysely'
import type { Application, ApplicationStore } from '../../../core/accounts/application-store.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { sqlGrants } from './grants.js'

/** Registered OAuth applications in SQL. application-store.contract.ts defines the behaviour. */
export function sqlApplicationStore(db: Kysely<Schema>, transact: Transact): ApplicationStore {
  return {
    ...sqlGrants(db, transact),
    add: (application) =>
      transact(async (tx) => {
        const { login, at } = application
        const user = await tx.selectFrom('users').select('login').where('login', '=', login).executeTakeFirst()
        if (!user) return 'no-user'
        const row = applicationColumns.columns({ ...application, createdAt: at })
        await tx.insertInto('applications').values(row).execute()
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

    change: (clientId, login, change) =>
      transact(async (tx) => {
        const row = await tx
          .updateTable('applications')
          // An update needs at least one column.
          .set({ ...applicationColumns.columns(change), client_id: clientId })
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

const applicationColumns = codec('applications', ['secretHash'])

function applicationFrom(row: Selectable<Schema['applications']>): Application {
  return applicationColumns.fields(row)
}
