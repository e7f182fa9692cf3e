import type {
  IdentityStore,
  ProvidedSession,
  ProviderTokens,
  SessionProvenance,
} from '../../../core/accounts/identity-store.js'
import { decryptIfPossible, type Encryption } from '../../sql/database/encryption.js'
import type { Transact } from '../../sql/database/transact.js'
import { updateRows } from '../steps/rows.js'
import { revokeAllTokens } from './tokens.js'

/** Sessions that began at an identity provider: what they know of it, and when it was asked about them. */
export function sqlProvidedSessions(transact: Transact, encryption: Encryption) {
  return {
    claimSessionCheck: (secretHash, lastCheck, at) =>
      transact(async (tx) => {
        const row = await tx
          .updateTable('sessions')
          .set({ checked_at: at })
          .where('secret_hash', '=', secretHash)
          .where('checked_at', '=', lastCheck)
          .returning('provider_tokens')
          .executeTakeFirst()
        if (!row) return { outcome: 'not-mine' }
        return { outcome: 'mine', tokens: tokensFrom(row.provider_tokens, encryption) }
      }),

    confirmSession: (secretHash, at) =>
      transact(async (tx) => {
        await updateRows(tx, 'sessions', { secret_hash: secretHash }, { confirmed_at: at })
      }),

    keepProviderTokens: (secretHash, tokens) =>
      transact(async (tx) => {
        const row = { provider_tokens: tokensColumn(tokens, encryption) }
        await updateRows(tx, 'sessions', { secret_hash: secretHash }, row)
      }),

    endProviderSessions: ({ issuer, subject, providerSession, begunUntil, tokensOf }) =>
      transact(async (tx) => {
        // Neither would end the sessions of everybody.
        if (subject === undefined && providerSession === undefined) return { logins: [], revoked: [] }
        const ended = await tx
          .deleteFrom('sessions')
          .where('issuer', '=', issuer)
          .where('created_at', '<=', begunUntil)
          .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''))
          .$if(providerSession !== undefined, (query) => query.where('provider_session', '=', providerSession ?? ''))
          .returning('login')
          .execute()
        const revoked = tokensOf === undefined ? [] : await revokeAllTokens(tx, tokensOf, begunUntil)
        return { logins: [...new Set(ended.map(({ login }) => login))].sort(), revoked }
      }),
  } satisfies Partial<IdentityStore>
}

export function providedColumns(provided: ProvidedSession, at: number, encryption: Encryption) {
  return {
    issuer: provided.issuer,
    subject: provided.subject,
    provider_session: provided.providerSession ?? null,
    provider_tokens: tokensColumn(provided.tokens, encryption),
    checked_at: at,
    confirmed_at: at,
  }
}

interface ProvenanceRow {
  readonly issuer: string | null
  readonly subject: string | null
  readonly checked_at: number | null
  readonly confirmed_at: number | null
}

export function provenanceFrom(row: ProvenanceRow): SessionProvenance | undefined {
  const { issuer, subject, checked_at: checkedAt, confirmed_at: confirmedAt } = row
  if (issuer === null || subject === null || checkedAt === null || confirmedAt === null) return undefined
  return { issuer, subject, checkedAt, confirmedAt }
}

function tokensColumn(tokens: ProviderTokens, encryption: Encryption): string {
  return encryption.encrypt(JSON.stringify(tokens))
}

/** Undefined when they were encrypted with another key. */
export function tokensFrom(column: string | null, encryption: Encryption): ProviderTokens | undefined {
  const text = column === null ? '{}' : decryptIfPossible(column, encryption)
  return text === undefined ? undefined : (JSON.parse(text) as ProviderTokens)
}
