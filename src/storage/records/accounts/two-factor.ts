import type { Kysely, Transaction } from 'kysely'
import type { TwoFactor } from '../../../core/accounts/account.js'
import type { TurnedOn, TwoFactorStore } from '../../../core/accounts/account-store.js'
import type { Encryption } from '../../sql/database/encryption.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import type { Schema } from '../../sql/tables/schema.js'
import { deleteRows, upsert } from '../steps/rows.js'
import { lockUser } from './members.js'
import { deleteUnusedRecoveryCodes, replaceRecoveryCodes } from './passkeys.js'
import { twoFactorFrom } from './sign-in.js'

/** The second factors of the account store. */
export function sqlTwoFactor(db: Kysely<Schema>, transact: Transact, encryption: Encryption) {
  return {
    beginTwoFactor: (login, factor, expiresAt) =>
      transact(async (tx) => {
        const begun = { kind: factor.by, value: storedValue(factor, encryption), expires_at: expiresAt }
        await upsert(tx, 'two_factor_setups', { login }, begun)
      }),

    async begunTwoFactor(login, now) {
      const row = await db
        .selectFrom('two_factor_setups')
        .select(['kind', 'value'])
        .where('login', '=', login)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row && twoFactorFrom({ login, ...row }, encryption)
    },

    turnTwoFactorOn: (login, on) => transact((tx) => turnOn(tx, login, on, encryption)),

    turnTwoFactorOff: (login, withPasskeys = false) =>
      transact(async (tx) => {
        await lockUser(tx, login)
        const deleted = await deleteRows(tx, 'two_factors', { login })
        for (const table of ['two_factor_setups', 'sms_codes'] as const) await deleteRows(tx, table, { login })
        const passkeysDeleted = withPasskeys && (await deleteRows(tx, 'passkeys', { login }))
        await deleteUnusedRecoveryCodes(tx, login)
        return deleted || passkeysDeleted
      }),

    useTotpStep: (login, step) =>
      transact((tx) =>
        changesRow(
          tx
            .updateTable('two_factors')
            .set({ last_step: step })
            .where('login', '=', login)
            .where('last_step', '<', step),
        ),
      ),

    replaceRecoveryCodes: (login, codeHashes) => transact((tx) => replaceRecoveryCodes(tx, login, codeHashes)),

    useRecoveryCode: (login, codeHash) =>
      transact((tx) => deleteRows(tx, 'recovery_codes', { login, code_hash: codeHash })),

    async recoveryCodesLeft(login) {
      const rows = await db.selectFrom('recovery_codes').select('code_hash').where('login', '=', login).execute()
      return rows.length
    },

    addSmsCode: ({ login, codeHash, tries, sentAt, expiresAt }, notSince) =>
      transact(async (tx) => {
        const code = { code_hash: codeHash, tries, sent_at: sentAt, expires_at: expiresAt }
        const written = await tx
          .insertInto('sms_codes')
          .values({ login, ...code })
          .onConflict((conflict) =>
            conflict.column('login').doUpdateSet(code).where('sms_codes.sent_at', '<=', notSince),
          )
          .executeTakeFirstOrThrow()
        return (written.numInsertedOrUpdatedRows ?? 0n) > 0n
      }),

    forgetSmsCode: (login) =>
      transact(async (tx) => {
        await tx.deleteFrom('sms_codes').where('login', '=', login).execute()
      }),

    checkSmsCode: (login, codeHash, now) =>
      transact(async (tx) => {
        // One statement uses up the attempt and returns whether any was left, so concurrent callers cannot share it.
        const code = await tx
          .updateTable('sms_codes')
          .set((update) => ({ tries: update('tries', '-', 1) }))
          .where('login', '=', login)
          .where('tries', '>', 0)
          .where('expires_at', '>', now)
          .returning('code_hash')
          .executeTakeFirst()
        if (code?.code_hash !== codeHash) return false
        await tx.updateTable('sms_codes').set({ tries: 0 }).where('login', '=', login).execute()
        return true
      }),
  } satisfies TwoFactorStore
}

async function turnOn(tx: Transaction<Schema>, login: string, on: TurnedOn, encryption: Encryption): Promise<boolean> {
  const { factor, recoveryCodeHashes, usedStep } = on
  const value = storedValue(factor, encryption)
  await lockUser(tx, login)
  const deleted = await deleteRows(tx, 'two_factor_setups', { login, kind: factor.by, value })
  if (!deleted) return false
  const row = { kind: factor.by, value, last_step: usedStep ?? 0 }
  await upsert(tx, 'two_factors', { login }, row)
  await replaceRecoveryCodes(tx, login, recoveryCodeHashes)
  return true
}

function storedValue(factor: TwoFactor, encryption: Encryption): string {
  return encryption.encrypt(factor.by === 'sms' ? factor.phone : factor.secret)
}
