import type { ExpressionBuilder, Kysely, Transaction } from 'kysely'
import type { AddedPasskey, NewPasskey, PasskeyStore } from '../../../core/accounts/passkey-store.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { countRows, deleteRows, hasRow, insertMissing, insertRows, updateRows } from '../steps/rows.js'
import { lockUser } from './members.js'

/** Passkeys of the account store. core/accounts/passkeys.contract.ts defines the behaviour. */
export function sqlPasskeys(db: Kysely<Schema>, transact: Transact) {
  return {
    addPasskeyChallenge: ({ challengeHash, boundTo, at, expiresAt }) =>
      transact(async (tx) => {
        await tx.deleteFrom('passkey_challenges').where('expires_at', '<=', at).execute()
        const row = { challenge_hash: challengeHash, bound_to: boundTo, created_at: at, expires_at: expiresAt }
        await insertRows(tx, 'passkey_challenges', row)
      }),

    usePasskeyChallenge: (challengeHash, boundTo, now) =>
      transact((tx) =>
        changesRow(
          tx
            .deleteFrom('passkey_challenges')
            .where('challenge_hash', '=', challengeHash)
            .where('bound_to', '=', boundTo)
            .where('expires_at', '>', now),
        ),
      ),

    addPasskey: (passkey, limit, recoveryCodeHashes) =>
      transact((tx) => addPasskey(tx, passkey, limit, recoveryCodeHashes)),

    async passkeys(login) {
      const rows = await db
        .selectFrom('passkeys')
        .selectAll()
        .where('login', '=', login)
        .orderBy('created_at')
        .orderBy('guid')
        .execute()
      return rows.map(passkeyColumns.fields)
    },

    async passkeyByCredential(credentialId) {
      const row = await db
        .selectFrom('passkeys')
        .innerJoin('users', 'users.login', 'passkeys.login')
        .selectAll('passkeys')
        .where('credential_id', '=', credentialId)
        .where('is_active', '=', 1)
        .executeTakeFirst()
      return row && passkeyColumns.fields(row)
    },

    usePasskey: (guid, counter, at) =>
      transact((tx) =>
        changesRow(
          tx
            .updateTable('passkeys')
            .set({ counter, last_used_at: at })
            .where('guid', '=', guid)
            .where('counter', counter === 0 ? '=' : '<', counter),
        ),
      ),

    renamePasskey: (login, guid, name) => transact((tx) => updateRows(tx, 'passkeys', { login, guid }, { name })),

    removePasskey: (login, guid) =>
      transact(async (tx) => {
        await lockUser(tx, login)
        if (!(await deleteRows(tx, 'passkeys', { login, guid }))) return 'no-passkey'
        return (await deleteUnusedRecoveryCodes(tx, login)) ? 'last-factor' : 'removed'
      }),
  } satisfies PasskeyStore
}

const passkeyColumns = codec('passkeys')

async function addPasskey(
  tx: Transaction<Schema>,
  passkey: NewPasskey,
  limit: number,
  recoveryCodeHashes: readonly string[],
): Promise<AddedPasskey> {
  const { login } = passkey
  if (!(await lockUser(tx, login))) return 'no-user'
  if ((await countRows(tx, 'passkeys', { login })) >= limit) return 'too-many'
  const isFirst = !(await hasSecondFactor(tx, login))
  if (!(await insertMissing(tx, 'passkeys', passkeyColumns.columns(passkey)))) return 'taken'
  // The password alone began it, which is no longer enough.
  await deleteRows(tx, 'two_factor_setups', { login })
  if (!isFirst) return 'added'
  await replaceRecoveryCodes(tx, login, recoveryCodeHashes)
  return 'first-factor'
}

export async function replaceRecoveryCodes(
  tx: Transaction<Schema>,
  login: string,
  codeHashes: readonly string[],
): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('login', '=', login).execute()
  const rows = codeHashes.map((code_hash) => ({ login, code_hash }))
  await tx.insertInto('recovery_codes').values(rows).execute()
}

/** True when the user has no second factor, so that there is nothing that they would replace. */
export async function deleteUnusedRecoveryCodes(tx: Transaction<Schema>, login: string): Promise<boolean> {
  if (await hasSecondFactor(tx, login)) return false
  await deleteRows(tx, 'recovery_codes', { login })
  return true
}

async function hasSecondFactor(tx: Transaction<Schema>, login: string): Promise<boolean> {
  return (await hasRow(tx, 'two_factors', { login })) || (await hasRow(tx, 'passkeys', { login }))
}

/** For queries of users. */
export function countPasskeys(row: ExpressionBuilder<Schema, 'users'>) {
  return row
    .selectFrom('passkeys')
    .whereRef('passkeys.login', '=', 'users.login')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .as('passkeys')
}
