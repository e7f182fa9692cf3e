import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Account, TwoFactor } from '../../../core/accounts/account.js'
import type { AccountStore, ActiveAnswer } from '../../../core/accounts/account-store.js'
import type { Schema } from '../database/schema.js'
import type { Transact } from '../database/transact.js'
import type { Encryption } from './encryption.js'
import { lastAdminOf } from './members.js'

/** Passwords and sessions of the account store. */
export function sqlSignIn(db: Kysely<Schema>, transact: Transact, encryption: Encryption) {
  return {
    async account(loginOrEmail) {
      const row = await db
        .selectFrom('users')
        .leftJoin('two_factors', 'two_factors.login', 'users.login')
        .select(['users.login', 'name', 'email', 'password_hash', 'is_active', 'kind', 'value'])
        .where((where) => where.or([where('users.login', '=', loginOrEmail), where('email_key', '=', loginOrEmail)]))
        .limit(1)
        .executeTakeFirst()
      return row && accountFrom(row, encryption)
    },

    setPassword: (login, passwordHash, at) => transact((tx) => setPassword(tx, login, passwordHash, at)),

    // Serializable: an email address and a login that are equal must not be assigned concurrently.
    setEmail: (login, email, at) => transact((tx) => setEmail(tx, login, email, at), 'serializable'),

    // Serializable: of two administrators deactivated concurrently, one must stay.
    setActive: (login, active, at) =>
      transact((tx) => (active ? activate(tx, login, at) : deactivate(tx, login, at)), 'serializable'),

    addReset: ({ secretHash, login, at, expiresAt }) =>
      transact(async (tx) => {
        await tx.deleteFrom('password_resets').where('login', '=', login).where('expires_at', '<=', at).execute()
        const row = { secret_hash: secretHash, login, created_at: at, expires_at: expiresAt }
        await tx.insertInto('password_resets').values(row).execute()
      }),

    async loginOfReset(secretHash, now) {
      const row = await db
        .selectFrom('password_resets')
        .innerJoin('users', 'users.login', 'password_resets.login')
        .select('users.login')
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', now)
        .where('is_active', '=', 1)
        .executeTakeFirst()
      return row?.login
    },

    useReset: (secretHash, passwordHash, at) =>
      transact(async (tx) => {
        const used = await tx
          .deleteFrom('password_resets')
          .where('secret_hash', '=', secretHash)
          .where('expires_at', '>', at)
          .returning('login')
          .executeTakeFirst()
        if (!used) return undefined
        await setPassword(tx, used.login, passwordHash, at)
        await tx
          .updateTable('users')
          .set({ email_verified_at: at })
          .where('login', '=', used.login)
          .where('email_verified_at', 'is', null)
          .execute()
        return used.login
      }),

    addSession: ({ secretHash, login, at, expiresAt }) =>
      transact(async (tx) => {
        await tx.deleteFrom('sessions').where('login', '=', login).where('expires_at', '<=', at).execute()
        const row = { secret_hash: secretHash, login, created_at: at, expires_at: expiresAt }
        await tx.insertInto('sessions').values(row).execute()
      }),

    async session(secretHash, now) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('users', 'users.login', 'sessions.login')
        .select(['users.login', 'expires_at'])
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', now)
        .where('is_active', '=', 1)
        .executeTakeFirst()
      return row && { login: row.login, expiresAt: row.expires_at }
    },

    renewSession: (secretHash, expiresAt) =>
      transact(async (tx) => {
        await tx
          .updateTable('sessions')
          .set({ expires_at: expiresAt })
          .where('secret_hash', '=', secretHash)
          .where('expires_at', '<', expiresAt)
          .execute()
      }),

    endSession: (secretHash) =>
      transact(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('sessions')
          .where('secret_hash', '=', secretHash)
          .executeTakeFirstOrThrow()
        return numDeletedRows > 0n
      }),

    addHalfSession: ({ secretHash, login, at, expiresAt }) =>
      transact(async (tx) => {
        // Abandoned sign-ins leave rows behind; the next one deletes them.
        await tx.deleteFrom('half_sessions').where('expires_at', '<=', at).execute()
        const row = { login, created_at: at, expires_at: expiresAt }
        await tx
          .insertInto('half_sessions')
          .values({ secret_hash: secretHash, ...row })
          .onConflict((conflict) => conflict.column('secret_hash').doUpdateSet(row))
          .execute()
      }),

    async halfSession(secretHash, now) {
      const row = await db
        .selectFrom('half_sessions')
        .innerJoin('users', 'users.login', 'half_sessions.login')
        .select('users.login')
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', now)
        .where('is_active', '=', 1)
        .executeTakeFirst()
      return row?.login
    },

    endHalfSession: (secretHash) =>
      transact(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('half_sessions')
          .where('secret_hash', '=', secretHash)
          .executeTakeFirstOrThrow()
        return numDeletedRows > 0n
      }),
  } satisfies Partial<AccountStore>
}

export function twoFactorFrom(kind: 'sms' | 'app', encrypted: string, encryption: Encryption): TwoFactor {
  const value = encryption.open(encrypted)
  return kind === 'sms' ? { by: kind, phone: value } : { by: kind, secret: value }
}

/** Whether a login or email address, in lower case, is already used by another account. */
export async function isTaken(tx: Transaction<Schema>, word: string, except: string): Promise<boolean> {
  const holder = await tx
    .selectFrom('users')
    .select('login')
    .where((where) => where.or([where('login', '=', word), where('email_key', '=', word)]))
    .where('login', '<>', except)
    .limit(1)
    .executeTakeFirst()
  return holder !== undefined
}

/** A removed user's login is never reused: links still name it as their owner. */
export async function isLoginTaken(tx: Transaction<Schema>, login: string): Promise<boolean> {
  if (await isTaken(tx, login, '')) return true
  const removed = await tx.selectFrom('removed_users').select('login').where('login', '=', login).executeTakeFirst()
  return removed !== undefined
}

async function setPassword(tx: Transaction<Schema>, login: string, hash: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ password_hash: hash, modified_at: at })
    .where('login', '=', login)
    .executeTakeFirstOrThrow()
  await endSessionsAndResets(tx, login)
  return numUpdatedRows > 0n
}

async function endSessionsAndResets(tx: Transaction<Schema>, login: string): Promise<void> {
  await tx.deleteFrom('sessions').where('login', '=', login).execute()
  await tx.deleteFrom('half_sessions').where('login', '=', login).execute()
  await tx.deleteFrom('password_resets').where('login', '=', login).execute()
}

async function activate(tx: Transaction<Schema>, login: string, at: number): Promise<ActiveAnswer> {
  return (await switchTo(tx, login, 1, at)) ? { outcome: 'set' } : { outcome: await whyNot(tx, login) }
}

async function deactivate(tx: Transaction<Schema>, login: string, at: number): Promise<ActiveAnswer> {
  const organizationGuid = await lastAdminOf(tx, login)
  if (organizationGuid !== undefined) return { outcome: 'last-admin', organizationGuid }
  if (!(await switchTo(tx, login, 0, at))) return { outcome: await whyNot(tx, login) }
  await endSessionsAndResets(tx, login)
  return { outcome: 'set' }
}

async function switchTo(tx: Transaction<Schema>, login: string, active: 0 | 1, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ is_active: active, modified_at: at })
    .where('login', '=', login)
    .where('is_active', '<>', active)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

async function whyNot(tx: Transaction<Schema>, login: string): Promise<'as-before' | 'no-user'> {
  const user = await tx.selectFrom('users').select('login').where('login', '=', login).executeTakeFirst()
  return user ? 'as-before' : 'no-user'
}

async function setEmail(
  tx: Transaction<Schema>,
  login: string,
  email: string,
  at: number,
): Promise<'set' | 'taken' | 'no-user'> {
  const key = email.toLowerCase()
  if (await isTaken(tx, key, login)) return 'taken'
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ email, email_key: key, email_verified_at: null, modified_at: at })
    .where('login', '=', login)
    .executeTakeFirstOrThrow()
  // Links that were sent to the old address must not open the account.
  await tx.deleteFrom('password_resets').where('login', '=', login).execute()
  return numUpdatedRows > 0n ? 'set' : 'no-user'
}

type AccountRow = Pick<Selectable<Schema['users']>, 'login' | 'name' | 'email' | 'password_hash' | 'is_active'> & {
  readonly kind: 'sms' | 'app' | null
  readonly value: string | null
}

function accountFrom(row: AccountRow, encryption: Encryption): Account {
  return {
    login: row.login,
    name: row.name,
    email: row.email ?? undefined,
    passwordHash: row.password_hash,
    isActive: row.is_active === 1,
    twoFactor: row.kind === null || row.value === null ? undefined : twoFactorFrom(row.kind, row.value, encryption),
  }
}
