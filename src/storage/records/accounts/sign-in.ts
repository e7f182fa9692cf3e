import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Account, TwoFactor } from '../../../core/accounts/account.js'
import type {
  EmailStore,
  NewSecret,
  PasswordStore,
  PendingEmail,
  SessionStore,
} from '../../../core/accounts/account-store.js'
import type { Encryption } from '../../sql/database/encryption.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { deleteRows, findRow, hasRow, updateRows, upsert } from '../steps/rows.js'
import { countPasskeys } from './passkeys.js'
import { provenanceFrom, providedColumns, tokensFrom } from './provided-sessions.js'

/** Passwords and sessions of the account store. */
export function sqlSignIn(db: Kysely<Schema>, transact: Transact, encryption: Encryption) {
  const sessions = expiringSecrets(db, transact, 'sessions')
  const halfSessions = expiringSecrets(db, transact, 'half_sessions')
  const resets = expiringSecrets(db, transact, 'password_resets')

  return {
    async account(loginOrEmail) {
      const row = await db
        .selectFrom('users')
        .leftJoin('two_factors', 'two_factors.login', 'users.login')
        .select(['users.login', 'name', 'email', 'password_hash', 'is_active', 'kind', 'value'])
        .select(countPasskeys)
        .where((where) => where.or([where('users.login', '=', loginOrEmail), where('email_key', '=', loginOrEmail)]))
        .limit(1)
        .executeTakeFirst()
      return row && accountFrom(row, encryption)
    },

    setPassword: (login, passwordHash, at) => transact((tx) => setPassword(tx, login, passwordHash, at)),

    // Serializable: an email address and a login that are equal must not be assigned concurrently.
    setEmail: (login, email, at) => transact((tx) => setEmail(tx, login, email, at), 'serializable'),

    addReset: (reset) => resets.add(reset),
    loginOfReset: async (secretHash, now) => (await resets.find(secretHash, now))?.login,
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
        await updateRows(tx, 'users', { login: used.login, email_verified_at: null }, { email_verified_at: at })
        return used.login
      }),

    addEmailChange: ({ secretHash, login, email, at, expiresAt }) =>
      transact(async (tx) => {
        await tx.deleteFrom('email_changes').where('expires_at', '<=', at).execute()
        const row = { secret_hash: secretHash, email, created_at: at, expires_at: expiresAt }
        await upsert(tx, 'email_changes', { login }, row)
      }),
    emailChange: (secretHash, now) => pendingEmail(db, secretHash, now),
    // Serializable for the same reason as `setEmail`.
    useEmailChange: (secretHash, at) =>
      transact(async (tx) => {
        const pending = await pendingEmail(tx, secretHash, at)
        if (!pending) return { outcome: 'gone' }
        const { login, email } = pending
        if ((await setEmail(tx, login, email, at, at)) === 'taken') return { outcome: 'taken', email }
        return { outcome: 'changed', ...pending }
      }, 'serializable'),

    addSession: (session) =>
      sessions.add(session, {
        ip_address: session.origin?.address ?? null,
        user_agent: session.origin?.userAgent ?? null,
        ...(session.provided && providedColumns(session.provided, session.at, encryption)),
      }),
    async listSessions(login, now) {
      const rows = await db
        .selectFrom('sessions')
        .selectAll()
        .where('login', '=', login)
        .where('expires_at', '>', now)
        .orderBy('created_at', 'desc')
        .orderBy('secret_hash')
        .execute()
      return rows.map((row) => ({
        secretHash: row.secret_hash,
        login: row.login,
        at: row.created_at,
        expiresAt: row.expires_at,
        address: row.ip_address ?? undefined,
        userAgent: row.user_agent ?? undefined,
      }))
    },
    endOtherSessions: (login, keptHash) =>
      transact(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('sessions')
          .where('login', '=', login)
          .$if(keptHash !== undefined, (query) => query.where('secret_hash', '<>', keptHash ?? ''))
          .executeTakeFirstOrThrow()
        return Number(numDeletedRows)
      }),
    async session(secretHash, now) {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('users', 'users.login', 'sessions.login')
        .select(['users.login', 'expires_at', 'issuer', 'subject', 'checked_at', 'confirmed_at'])
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', now)
        .where('is_active', '=', 1)
        .executeTakeFirst()
      return row && { login: row.login, expiresAt: row.expires_at, provided: provenanceFrom(row) }
    },
    async providedSession(secretHash) {
      const row = await findRow(db, 'sessions', { secret_hash: secretHash }, ['issuer', 'provider_tokens'])
      if (!row || row.issuer === null) return undefined
      return { issuer: row.issuer, tokens: tokensFrom(row.provider_tokens, encryption) ?? {} }
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
    endSession: sessions.end,

    addHalfSession: (session) => halfSessions.add(session),
    halfSession: async (secretHash, now) => (await halfSessions.find(secretHash, now))?.login,
    endHalfSession: halfSessions.end,
  } satisfies PasswordStore & EmailStore & SessionStore
}

/** Hashes of secrets, each of which lets one user in until it expires. */
function expiringSecrets(
  db: Kysely<Schema>,
  transact: Transact,
  table: 'sessions' | 'half_sessions' | 'password_resets',
) {
  return {
    add: ({ secretHash, login, at, expiresAt }: NewSecret, more: object = {}) =>
      transact(async (tx) => {
        const expired = tx.deleteFrom(table).where('expires_at', '<=', at)
        // The table of half sessions is small, and many belong to users who never return: delete theirs too.
        await (table === 'half_sessions' ? expired : expired.where('login', '=', login)).execute()
        const row = { login, created_at: at, expires_at: expiresAt, ...more }
        await upsert(tx, table, { secret_hash: secretHash }, row)
      }),

    find: (secretHash: string, now: number) =>
      db
        .selectFrom(table)
        .innerJoin('users', 'users.login', `${table}.login`)
        .select(['users.login', 'expires_at'])
        .where('secret_hash', '=', secretHash)
        .where('expires_at', '>', now)
        .where('is_active', '=', 1)
        .executeTakeFirst(),

    end: (secretHash: string) =>
      transact((tx) => changesRow(tx.deleteFrom(table).where('secret_hash', '=', secretHash))),
  }
}

export function twoFactorFrom(
  { login, kind, value: encrypted }: { login: string; kind: 'sms' | 'app'; value: string },
  encryption: Encryption,
): TwoFactor {
  const value = encryption.decrypt(encrypted, `the second factor of ${login}`)
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
  return hasRow(tx, 'removed_users', { login })
}

async function setPassword(tx: Transaction<Schema>, login: string, hash: string, at: number): Promise<boolean> {
  const updated = await updateRows(tx, 'users', { login }, { password_hash: hash, modified_at: at })
  await endSessionsAndRequests(tx, login)
  return updated
}

export async function endSessionsAndRequests(tx: Transaction<Schema>, login: string): Promise<void> {
  const begun = ['half_sessions', 'password_resets', 'email_changes', 'two_factor_setups'] as const
  for (const table of ['sessions', ...begun] as const) {
    await deleteRows(tx, table, { login })
  }
}

async function pendingEmail(db: Kysely<Schema>, secretHash: string, now: number): Promise<PendingEmail | undefined> {
  const row = await db
    .selectFrom('email_changes')
    .innerJoin('users', 'users.login', 'email_changes.login')
    .select(['users.login', 'email_changes.email', 'users.email as former'])
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .where('is_active', '=', 1)
    .executeTakeFirst()
  return row && { login: row.login, email: row.email, former: row.former ?? undefined }
}

export async function setEmail(
  tx: Transaction<Schema>,
  login: string,
  email: string,
  at: number,
  verifiedAt: number | null = null,
): Promise<'set' | 'taken' | 'no-user'> {
  const key = email.toLowerCase()
  if (await isTaken(tx, key, login)) return 'taken'
  const values = { email, email_key: key, email_verified_at: verifiedAt, modified_at: at }
  const updated = await updateRows(tx, 'users', { login }, values)
  // Links that were sent to the old address must not open the account.
  await tx.deleteFrom('password_resets').where('login', '=', login).execute()
  await tx.deleteFrom('email_changes').where('login', '=', login).execute()
  return updated ? 'set' : 'no-user'
}

type AccountRow = Pick<Selectable<Schema['users']>, 'login' | 'name' | 'email' | 'password_hash' | 'is_active'> & {
  readonly kind: 'sms' | 'app' | null
  readonly value: string | null
  readonly passkeys: number | null
}

function accountFrom(row: AccountRow, encryption: Encryption): Account {
  const { login, kind, value } = row
  return {
    login,
    name: row.name,
    email: row.email ?? undefined,
    passwordHash: row.password_hash,
    isActive: row.is_active === 1,
    twoFactor: kind === null || value === null ? undefined : twoFactorFrom({ login, kind, value }, encryption),
    passkeys: Number(row.passkeys),
  }
}
