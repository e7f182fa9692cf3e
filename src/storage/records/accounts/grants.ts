import type { Kysely, Transaction } from 'kysely'
import type { NewToken } from '../../../core/accounts/account-store.js'
import type {
  ApplicationStore,
  NewApplication,
  Quota,
  Redemption,
  Renewal,
  RenewalOutcome,
} from '../../../core/accounts/application-store.js'
import type { Scope } from '../../../core/accounts/scopes.js'
import { changesRow, type Transact } from '../../sql/database/transact.js'
import { undoable } from '../../sql/database/undoable.js'
import { codec } from '../../sql/tables/codec.js'
import type { Schema } from '../../sql/tables/schema.js'
import { findRow, hasRow, holdRow, insertMissing, insertRows, readHeldRow, updateRows } from '../steps/rows.js'
import { insertToken, tokenColumns } from './tokens.js'
import { deleteUnused } from './unused-applications.js'

const clientColumns = codec('applications', ['login', 'answersIn', 'allowedAt', 'createdAt', 'revokedAt'])
const applicationColumns = codec('applications')

/** Authorization codes and the tokens made from them. */
export function sqlGrants(db: Kysely<Schema>, transact: Transact) {
  return {
    async client(clientId) {
      const row = await findRow(db, 'applications', { client_id: clientId, revoked_at: null })
      return row && clientColumns.fields(row)
    },

    addCode: (code) =>
      transact(async (tx) => {
        if (!(await holdUser(tx, code.login))) return 'refused'
        if (code.application) await describe(tx, code.application)
        const isThere = { client_id: code.clientId, revoked_at: null }
        if (!(await updateRows(tx, 'applications', isThere, { allowed_at: code.at }))) return 'refused'
        if (await hasRow(tx, 'applications', { client_id: code.clientId, login: null })) await deleteUnused(tx, code.at)
        await tx
          .deleteFrom('oauth_codes')
          .where('expires_at', '<', code.at - keptFor)
          .execute()
        await insertRows(tx, 'oauth_codes', {
          code_hash: code.codeHash,
          client_id: code.clientId,
          login: code.login,
          redirect_uri: code.redirectUri,
          challenge: code.challenge ?? null,
          scopes: JSON.stringify(code.scopes),
          created_at: code.at,
          expires_at: code.expiresAt,
        })
        return 'added'
      }),

    async code(codeHash) {
      const row = await db.selectFrom('oauth_codes').selectAll().where('code_hash', '=', codeHash).executeTakeFirst()
      return (
        row && {
          clientId: row.client_id,
          login: row.login,
          redirectUri: row.redirect_uri,
          challenge: row.challenge ?? undefined,
          scopes: JSON.parse(row.scopes) as readonly Scope[],
          expiresAt: row.expires_at,
        }
      )
    },

    // A refusal after the code was claimed does not use it up.
    redeem: (codeHash, token, quota) =>
      undoable<Redemption>(transact, async (tx, undo) => {
        const updated = await changesRow(
          tx
            .updateTable('oauth_codes')
            .set({ token_guid: token.guid })
            .where('code_hash', '=', codeHash)
            .where('token_guid', 'is', null)
            .where('expires_at', '>', token.at),
        )
        if (!updated) return revokeGiven(tx, codeHash, token.at)
        const outcome = await addToken(tx, token, quota)
        return outcome === 'granted' ? { outcome: 'redeemed' } : undo({ outcome })
      }),

    grant: (token, quota) => transact((tx) => addToken(tx, token, quota)),

    renew: (renewal) => transact((tx) => renew(tx, renewal)),

    revokeToken: (clientId, { secretHash, refreshKey }, at) =>
      transact((tx) =>
        tx
          .updateTable('tokens')
          .set({ revoked_at: at })
          .where('client_id', '=', clientId)
          .where('revoked_at', 'is', null)
          .where((or) => or.or([or('secret_hash', '=', secretHash), or('refresh_key', '=', refreshKey)]))
          .returning(['guid', 'login'])
          .executeTakeFirst(),
      ),
  } satisfies Partial<ApplicationStore>
}

// A replayed code is recognised for a month. After that it is unknown, and just as useless.
const keptFor = 30 * 86_400_000

async function addToken(
  tx: Transaction<Schema>,
  token: NewToken,
  quota: Quota,
): Promise<'granted' | 'refused' | 'too-many'> {
  const { clientId } = token
  if (!(await holdUser(tx, token.login))) return 'refused'
  if (clientId !== undefined && !(await holdClient(tx, clientId))) return 'refused'

  const { taken } = await tx
    .selectFrom('tokens')
    .select((count) => count.fn.countAll<number | string>().as('taken'))
    .where('login', '=', token.login)
    .where('created_at', '>', quota.since)
    .where('client_id', clientId === undefined ? 'is' : '=', clientId ?? null)
    .executeTakeFirstOrThrow()
  if (Number(taken) >= quota.most) return 'too-many'

  await insertToken(tx, token)
  return 'granted'
}

async function revokeGiven(tx: Transaction<Schema>, codeHash: string, at: number): Promise<Redemption> {
  const row = await findRow(tx, 'oauth_codes', { code_hash: codeHash }, ['token_guid'])
  if (!row || row.token_guid === null) return { outcome: 'refused' }
  const revoked = await updateRows(tx, 'tokens', { guid: row.token_guid, revoked_at: null }, { revoked_at: at })
  return { outcome: 'replayed', revoked: revoked ? row.token_guid : undefined }
}

/** The application is held before its token, as where it is revoked. */
async function renew(tx: Transaction<Schema>, renewal: Renewal): Promise<RenewalOutcome> {
  const { clientId, refreshKey, presentedHash, repeatableSince, at, ...next } = renewal
  if (!(await holdClient(tx, clientId))) return { outcome: 'refused' }
  const where = { refresh_key: refreshKey, client_id: clientId, revoked_at: null }
  const row = await readHeldRow(tx, 'tokens', where)
  if (!row || (row.refresh_expires_at ?? 0) <= at) return { outcome: 'refused' }
  const { guid, login } = row
  if (!(await hasRow(tx, 'users', { login, is_active: 1 }))) return { outcome: 'refused' }
  const scopes = JSON.parse(row.scopes) as readonly Scope[]
  if (row.refresh_hash === presentedHash) {
    const changed = { ...next, formerRefreshHash: presentedHash, refreshedAt: at }
    await updateRows(tx, 'tokens', { guid }, tokenColumns.columns(changed))
    return { outcome: 'renewed', guid, login, scopes, refreshSalt: next.refreshSalt, expiresAt: next.expiresAt }
  }
  if (row.former_refresh_hash === presentedHash && (row.refreshed_at ?? 0) > repeatableSince) {
    const { refresh_salt: refreshSalt, expires_at: expiresAt } = row
    return { outcome: 'repeated', guid, login, scopes, refreshSalt: refreshSalt ?? '', expiresAt: expiresAt ?? at }
  }
  await updateRows(tx, 'tokens', { guid }, { revoked_at: at })
  return { outcome: 'reused', guid, login }
}

/** Keeps when it came, and whether it was revoked. */
async function describe(tx: Transaction<Schema>, application: NewApplication): Promise<void> {
  const { at, ...fields } = application
  await insertMissing(tx, 'applications', applicationColumns.columns({ ...fields, createdAt: at }))
  const { clientId, name, link, redirectUris, scopes } = fields
  const described = applicationColumns.columns({ name, link, redirectUris, scopes })
  await updateRows(tx, 'applications', { client_id: clientId }, described)
}

/** Whether the user is active; if so, locks the row, so that tokens of one user are counted one after the other. */
async function holdUser(tx: Transaction<Schema>, login: string): Promise<boolean> {
  return holdRow(tx, 'users', { login, is_active: 1 })
}

/** The same for an application: a token is either created before a revocation, which then revokes it, or not at all. */
async function holdClient(tx: Transaction<Schema>, clientId: string): Promise<boolean> {
  return holdRow(tx, 'applications', { client_id: clientId, revoked_at: null })
}
