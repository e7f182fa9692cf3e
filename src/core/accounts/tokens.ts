import { isLonger } from '../../lib/is-longer.js'
import { invalid, Refusal, type Resource } from '../values/refusal.js'
import type { TokenRecord } from './account.js'
import type { TokenStore } from './account-store.js'
import type { Actor } from './actor.js'
import { type AuditDeps, audited, changedBy } from './audit.js'
import { newTokenSecret, tokenFrom } from './secrets.js'

export interface TokenDeps extends AuditDeps {
  readonly accounts: TokenStore
  /** Removes the token from caches. */
  readonly onTokenRevoked?: (guid: string) => void
}

export interface CreatedToken {
  readonly guid: string
  readonly login: string
  readonly label: string
  readonly answersIn: string | undefined
  /** Returned once: only its hash is stored. */
  readonly secret: string
}

export async function createToken(
  deps: TokenDeps,
  actor: Actor,
  input: { login: string; label?: string | undefined; answersIn?: string | undefined },
): Promise<CreatedToken> {
  const { login, answersIn } = input
  const label = requireLabel(input.label ?? '', 'tokens')
  requireLinkWord(answersIn, 'tokens')
  const secret = newTokenSecret()
  const token = tokenFrom(secret)
  const at = deps.clock.now()
  const outcome = await audited(
    deps,
    ({ accounts }) => accounts.addToken({ ...token, login, label, answersIn, at }),
    (answer) => answer === 'added' && { action: 'token_made', ...changedBy(actor, login), subject: token.guid },
  )
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  return { guid: token.guid, login, label, answersIn, secret }
}

export function listTokens(deps: TokenDeps, input: { login?: string | undefined }): Promise<readonly TokenRecord[]> {
  return deps.accounts.listTokens(input.login)
}

export async function revokeToken(deps: TokenDeps, actor: Actor, input: { guid: string }): Promise<{ guid: string }> {
  const token = (await deps.accounts.listTokens(undefined)).find(({ guid }) => guid === input.guid)
  if (!token || !(await revokeAudited(deps, actor, token))) throw noToken(input.guid)
  deps.onTokenRevoked?.(input.guid)
  return { guid: input.guid }
}

export async function labelToken(
  deps: TokenDeps,
  actor: Actor,
  input: { guid: string; label: string },
): Promise<{ guid: string; label: string }> {
  const token = (await deps.accounts.listTokens(undefined)).find(({ guid }) => guid === input.guid)
  if (!token || !(await labelAudited(deps, actor, token, input.label))) throw noToken(input.guid)
  return input
}

/** False when it was revoked before. */
export function labelAudited(
  deps: AuditDeps,
  actor: Actor,
  { guid, login }: Pick<TokenRecord, 'guid' | 'login'>,
  input: string,
): Promise<boolean> {
  const label = requireLabel(input, 'tokens')
  return audited(
    deps,
    ({ accounts }) => accounts.labelToken(guid, label),
    (done) => done && { action: 'token_renamed', ...changedBy(actor, login), subject: guid, details: { label } },
  )
}

/** The word need not be configured yet: until then it has no effect. */
export function requireLinkWord(word: string | undefined, resource: Resource): void {
  if (word === undefined || /^[a-z]{2,30}$/.test(word)) return
  throw invalid('answers', 'A word for short links must have 2 to 30 lower-case letters.', resource)
}

/** For tokens and API keys. */
export const maxLabelLength = 255

/** A label, in which owners write what a token or key is for; may be empty. */
export function requireLabel(label: string, resource: Resource): string {
  if (isLonger(label, maxLabelLength) || /[\p{Cc}\p{Cs}]/u.test(label)) {
    throw invalid(
      'label',
      `A label must have at most ${maxLabelLength} characters and no control characters.`,
      resource,
    )
  }
  return label
}

function noToken(guid: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no token "${guid}", or it was revoked before.`, { resource: 'tokens' })
}

/** False when it was revoked before. */
export function revokeAudited(
  deps: AuditDeps,
  actor: Actor,
  { guid, login }: Pick<TokenRecord, 'guid' | 'login'>,
): Promise<boolean> {
  const at = deps.clock.now()
  return audited(
    deps,
    ({ accounts }) => accounts.revokeToken(guid, at),
    (revoked) => revoked && { action: 'token_revoked', ...changedBy(actor, login), subject: guid },
  )
}
