import type { AccountStore, TokenRecord } from '../auth/account-store.js'
import type { Clock } from '../clock.js'
import { Refusal } from '../refusal.js'
import { newTokenSecret, tokenFrom } from './secrets.js'

export interface TokenParts {
  readonly accounts: AccountStore
  readonly clock: Clock
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
): Promise<CreatedToken> {
  const { login, label = '' } = wish
  const secret = newTokenSecret()
  const token = tokenFrom(secret)
  const outcome = await parts.accounts.addToken({ ...token, login, label, at: parts.clock.now() })
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  return { guid: token.guid, login, label, secret }
}

export function listTokens(parts: TokenParts, wish: { login?: string | undefined }): Promise<readonly TokenRecord[]> {
  return parts.accounts.listTokens(wish.login)
}

export async function revokeToken(parts: TokenParts, wish: { guid: string }): Promise<{ guid: string }> {
  const revoked = await parts.accounts.revokeToken(wish.guid, parts.clock.now())
  if (!revoked) {
    const message = `There is no token "${wish.guid}", or it was revoked before.`
    throw new Refusal('NOT_FOUND', message, { resource: 'tokens' })
  }
  parts.onTokenRevoked?.(wish.guid)
  return { guid: wish.guid }
}
