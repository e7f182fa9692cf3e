import { type By, doneTo, type NoteParts, noting } from '../audit/audit.js'
import type { AccountStore, TokenRecord } from '../auth/account-store.js'
import { invalid, Refusal, type Resource } from '../refusal.js'
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
  by: By = 'operator',
): Promise<CreatedToken> {
  const { login } = wish
  const label = requireLabel(wish.label ?? '', 'tokens')
  const secret = newTokenSecret()
  const token = tokenFrom(secret)
  const at = parts.clock.now()
  const outcome = await noting(
    parts,
    ({ accounts }) => accounts.addToken({ ...token, login, label, at }),
    (answer) => answer === 'added' && { action: 'token_made', ...doneTo(login, by), subject: token.guid },
  )
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  return { guid: token.guid, login, label, secret }
}

export function listTokens(parts: TokenParts, wish: { login?: string | undefined }): Promise<readonly TokenRecord[]> {
  return parts.accounts.listTokens(wish.login)
}

export async function revokeToken(parts: TokenParts, wish: { guid: string }): Promise<{ guid: string }> {
  const token = (await parts.accounts.listTokens(undefined)).find(({ guid }) => guid === wish.guid)
  if (!token || !(await revokeAndNote(parts, token, 'operator'))) throw noToken(wish.guid)
  parts.onTokenRevoked?.(wish.guid)
  return { guid: wish.guid }
}

export async function labelToken(
  parts: TokenParts,
  wish: { guid: string; label: string },
): Promise<{ guid: string; label: string }> {
  const token = (await parts.accounts.listTokens(undefined)).find(({ guid }) => guid === wish.guid)
  if (!token || !(await labelAndNote(parts, token, wish.label, 'operator'))) throw noToken(wish.guid)
  return wish
}

/** False when it was revoked before. */
export function labelAndNote(
  parts: NoteParts,
  { guid, login }: Pick<TokenRecord, 'guid' | 'login'>,
  wish: string,
  by: By,
): Promise<boolean> {
  const label = requireLabel(wish, 'tokens')
  return noting(
    parts,
    ({ accounts }) => accounts.labelToken(guid, label),
    (done) => done && { action: 'token_renamed', ...doneTo(login, by), subject: guid, details: { label } },
  )
}

/** What a token or key is for, in its owner's words; may be empty. */
export function requireLabel(label: string, resource: Resource): string {
  if (label.length > 255 || /[\p{Cc}\p{Cs}]/u.test(label)) {
    throw invalid('label', 'A label has at most 255 characters, and no control characters.', resource)
  }
  return label
}

function noToken(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no token "${guid}", or it was revoked before.`, { resource: 'tokens' })
}

/** False when it was revoked before. */
export function revokeAndNote(
  parts: NoteParts,
  { guid, login }: Pick<TokenRecord, 'guid' | 'login'>,
  by: By,
): Promise<boolean> {
  const at = parts.clock.now()
  return noting(
    parts,
    ({ accounts }) => accounts.revokeToken(guid, at),
    (revoked) => revoked && { action: 'token_revoked', ...doneTo(login, by), subject: guid },
  )
}
