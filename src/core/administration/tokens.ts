import { type NoteParts, noting } from '../audit/audit.js'
import type { AccountStore, TokenRecord } from '../auth/account-store.js'
import { Refusal } from '../refusal.js'
import { newTokenSecret, tokenFrom } from './secrets.js'

export interface TokenParts extends NoteParts {
  readonly accounts: AccountStore
  /** Tells whoever remembers tokens in memory that one is no longer good. */
  readonly onTokenRevoked?: (guid: string) => void
}

export interface CreatedToken {
  readonly guid: string
  readonly login: string
  readonly label: string
  /** Shown now and never again: only its hash is kept. */
  readonly secret: string
}

export async function createToken(
  parts: TokenParts,
  wish: { login: string; label?: string | undefined },
  by: 'owner' | 'operator' = 'operator',
): Promise<CreatedToken> {
  const { login, label = '' } = wish
  const secret = newTokenSecret()
  const token = tokenFrom(secret)
  const at = parts.clock.now()
  const outcome = await noting(
    parts,
    ({ accounts }) => accounts.addToken({ ...token, login, label, at }),
    (answer) => answer === 'added' && { action: 'token_made', login, subject: token.guid, details: { by } },
  )
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  return { guid: token.guid, login, label, secret }
}

export function listTokens(parts: TokenParts, wish: { login?: string | undefined }): Promise<readonly TokenRecord[]> {
  return parts.accounts.listTokens(wish.login)
}

export async function revokeToken(parts: TokenParts, wish: { guid: string }): Promise<{ guid: string }> {
  const token = (await parts.accounts.listTokens(undefined)).find(({ guid }) => guid === wish.guid)
  if (!token || !(await revokeAndNote(parts, token, 'operator'))) {
    const message = `There is no token "${wish.guid}", or it was revoked before.`
    throw new Refusal('NOT_FOUND', message, { resource: 'tokens' })
  }
  parts.onTokenRevoked?.(wish.guid)
  return { guid: wish.guid }
}

/** False when it was revoked before. */
export function revokeAndNote(
  parts: NoteParts,
  { guid, login }: Pick<TokenRecord, 'guid' | 'login'>,
  by: 'owner' | 'operator',
): Promise<boolean> {
  const at = parts.clock.now()
  return noting(
    parts,
    ({ accounts }) => accounts.revokeToken(guid, at),
    (revoked) => revoked && { action: 'token_revoked', login, subject: guid, details: { by } },
  )
}
