import type { Kysely } from 'kysely'
import type { User, UserStore } from '../../../core/accounts/user-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'

/** What users see of themselves, in SQL. What each method promises: user-store.contract.ts. */
export function sqlUserStore(db: Kysely<Schema>, transact: Transact): UserStore {
  return {
    user: (login) => selectUser(db, login),

    users: async () => (await selectUsers(db).orderBy('users.login').execute()).map(userFrom),

    changeUser: (login, { name, defaultGroupGuid }, at) =>
      transact(async (tx) => {
        await tx
          .updateTable('users')
          .set({
            modified_at: at,
            ...(name !== undefined && { name }),
            ...(defaultGroupGuid !== undefined && { default_group_guid: defaultGroupGuid }),
          })
          .where('login', '=', login)
          .execute()
        return selectUser(tx, login)
      }),
  }
}

async function selectUser(db: Kysely<Schema>, login: string): Promise<User | undefined> {
  const row = await selectUsers(db).where('users.login', '=', login).executeTakeFirst()
  return row && userFrom(row)
}

function selectUsers(db: Kysely<Schema>) {
  return db
    .selectFrom('users')
    .leftJoin('two_factors', 'two_factors.login', 'users.login')
    .selectAll('users')
    .select('two_factors.kind')
}

type UserRow = Awaited<ReturnType<ReturnType<typeof selectUsers>['executeTakeFirstOrThrow']>>

function userFrom(row: UserRow): User {
  return {
    login: row.login,
    name: row.name,
    email: row.email ?? undefined,
    isEmailVerified: row.email_verified_at !== null,
    hasTwoFactor: row.kind !== null,
    isActive: row.is_active === 1,
    createdAt: row.created_at,
    modifiedAt: row.modified_at,
    defaultGroupGuid: row.default_group_guid,
  }
}
