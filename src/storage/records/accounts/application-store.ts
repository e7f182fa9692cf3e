import type { Kysely, Selectable } from 'kysely'
import type { Application, ApplicationStore } from '../../../core/accounts/application-store.js'
import type { Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { hasRow, updateRows } from '../steps/rows.js'
import { sqlGrants } from './grants.js'
import { deleteUnused } from './unused-applications.js'

/** Registered OAuth applications in SQL. application-store.contract.ts defines the behaviour. */
export function sqlApplicationStore(db: Kysely<Schema>, transact: Transact): ApplicationStore {
  return {
    ...sqlGrants(db, transact),
    add: (application) =>
      transact(async (tx) => {
        const { login, at } = application
        if (login === undefined) await deleteUnused(tx, at)
        else if (!(await hasRow(tx, 'users', { login }))) return 'no-user'
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
        updateRows(tx, 'applications', { client_id: clientId, login, revoked_at: null }, { secret_hash: secretHash }),
      ),

    revoke: (clientId, at) =>
      transact(async (tx) => {
        const updated = await updateRows(
          tx,
          'applications',
          { client_id: clientId, revoked_at: null },
          { revoked_at: at },
        )
        if (!updated) return false
        await updateRows(tx, 'tokens', { client_id: clientId, revoked_at: null }, { revoked_at: at })
        return true
      }),
  }
}

const applicationColumns = codec('applications', ['secretHash', 'isPublic', 'allowedAt'])

function applicationFrom(row: Selectable<Schema['applications']>): Application {
  return applicationColumns.fields(row)
}
