import { type NoteParts, note } from '../audit/audit.js'
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
  const outcome = await parts.accounts.addToken({ ...token, login, label, at: parts.clock.now() })
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  await note(parts, { action: 'token_made', login, subject: token.guid, details: { by } })
  return { guid: token.guid, login, label, secret }
}

export function listTokens(parts: TokenParts, wish: { login?: string | undefined }): Promise<readonly TokenRecord[]> {
  return parts.accounts.listTokens(wish.login)
}

export async function revokeToken(parts: TokenParts, wish: { guid: string }): Promise<{ guid: string }> {
  const token = (await parts.accounts.listTokens(undefined)).find(({ guid }) => guid === wish.guid)
  const revoked = token && (await parts.accounts.revokeToken(wish.guid, parts.clock.now()))
  if (!revoked) {
    const message = `There is no token "${wish.guid}", or it was revoked before.`
    throw new Refusal('NOT_FOUND', message, { resource: 'tokens' })
  }
  parts.onTokenRevoked?.(wish.guid)
  await note(parts, { action: 'token_revoked', login: token.login, subject: wish.guid, details: { by: 'operator' } })
  return { guid: wish.guid }
}
