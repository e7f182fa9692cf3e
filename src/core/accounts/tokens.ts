import { isLonger } from '../../lib/is-longer.js'
import { invalid, quoted, Refusal, type Resource } from '../values/refusal.js'
import { timestamp } from '../values/time.js'
import type { TokenRecord } from './account.js'
import type { TokenStore } from './account-store.js'
import type { Actor } from './actor.js'
import { type AuditDeps, audited, changedBy } from './audit.js'
import { requireScopes, type Scope, scopeNames } from './scopes.js'
import { newTokenSecret, tokenFrom } from './secrets.js'

export interface TokenDeps extends AuditDeps {
  readonly accounts: TokenStore
  /** Those of the service, by a name that a user typed. */
  readonly domains: {
    named(name: string): { name: string; branded: boolean; groupGuids: readonly string[] } | undefined
  }
  /** Removes the token from caches. */
  readonly onTokenRevoked?: (guid: string) => void
}

export interface CreatedToken {
  readonly guid: string
  readonly login: string
  readonly label: string
  readonly answersIn: string | undefined
  readonly scopes: readonly Scope[]
  readonly groupGuids: readonly string[] | undefined
  readonly domains: readonly string[] | undefined
  readonly expiresAt: number | undefined
  /** Returned once: only its hash is stored. */
  readonly secret: string
}

export interface TokenInput {
  /** What the token is for. */
  readonly label: string
  readonly answersIn?: string | undefined
  /** All when left out. */
  readonly scopes?: readonly string[] | undefined
  /** The only groups that it reaches; undefined: all of its user. */
  readonly groupGuids?: readonly string[] | undefined
  /** The only domains whose links it reaches; undefined: all. */
  readonly domains?: readonly string[] | undefined
  readonly expiresAt?: number | undefined
}

export async function createToken(
  deps: TokenDeps,
  actor: Actor,
  input: TokenInput & { readonly login: string },
): Promise<CreatedToken> {
  const { login, answersIn, expiresAt } = input
  const label = requireLabel(input.label, 'tokens')
  if (label.trim() === '') throw invalid('label', 'Say in the label what the token is for.', 'tokens')
  requireLinkWord(answersIn, 'tokens')
  const scopes = requireScopes(input.scopes ?? ['all'], scopeNames, 'tokens')
  const at = deps.clock.now()
  requireExpiry(actor, expiresAt, at)
  const groupGuids = await requireGroups(deps, login, input.groupGuids)
  const domains = await requireDomains(deps, login, input.domains)
  const secret = newTokenSecret()
  const token = tokenFrom(secret)
  const outcome = await audited(
    deps,
    ({ accounts }) =>
      accounts.addToken({ ...token, login, label, answersIn, scopes, groupGuids, domains, expiresAt, at }),
    (answer) => {
      const details = {
        label,
        scopes: scopes.join(' '),
        ...(expiresAt !== undefined && { expires: timestamp(expiresAt) }),
      }
      return answer === 'added' && { action: 'token_made', ...changedBy(actor, login), subject: token.guid, details }
    },
  )
  if (outcome === 'no-user') throw new Refusal('NOT_FOUND', `There is no user "${login}".`, { resource: 'users' })
  return { guid: token.guid, login, label, answersIn, scopes, groupGuids, domains, expiresAt, secret }
}

export const maxTokenGroups = 100

/** Groups that the user may use by now. */
async function requireGroups(
  { accounts }: TokenDeps,
  login: string,
  groupGuids: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (groupGuids === undefined) return undefined
  const some = [...new Set(groupGuids)]
  if (some.length === 0 || some.length > maxTokenGroups) {
    throw invalid('groupGuids', `Choose 1 to ${maxTokenGroups} groups, or leave them out for all.`, 'tokens')
  }
  const user = await accounts.actorByLogin(login)
  const other = some.find((guid) => !user?.groups.some(({ groupGuid }) => groupGuid === guid))
  if (other === undefined) return some
  throw invalid('groupGuids', `${quoted(other)} is not a group of the user ${quoted(login)}.`, 'tokens')
}

export const maxTokenDomains = 20

/** Domains that a group of the user may use by now. Returns their names of today. */
async function requireDomains(
  { accounts, domains }: TokenDeps,
  login: string,
  names: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (names === undefined) return undefined
  if (names.length === 0 || names.length > maxTokenDomains) {
    throw invalid('domains', `Choose 1 to ${maxTokenDomains} domains, or leave them out for all.`, 'tokens')
  }
  const user = await accounts.actorByLogin(login)
  const found = names.map((name) => {
    const domain = domains.named(name)
    const isOwn = user?.groups.some(({ groupGuid }) => domain?.groupGuids.includes(groupGuid))
    if (domain && (!domain.branded || isOwn)) return domain.name
    throw invalid('domains', `${quoted(name)} is not a short domain that a group of the user may use.`, 'tokens')
  })
  return [...new Set(found)]
}

/** A token must not make one that outlives it. */
function requireExpiry(actor: Actor, expiresAt: number | undefined, at: number): void {
  if (expiresAt !== undefined && expiresAt <= at)
    throw invalid('expirationAt', 'The expiry must be in the future.', 'tokens')
  if (actor.expiresAt === undefined || (expiresAt !== undefined && expiresAt <= actor.expiresAt)) return
  const message = `The token of this request expires at ${timestamp(actor.expiresAt)}. The new one must not expire later.`
  throw invalid('expirationAt', message, 'tokens')
}

export const maxOverlap = 30 * 86_400_000

export interface Rotation {
  /** Milliseconds for which the older secret stays valid. */
  readonly overlap: number
  /** Of the new secret; undefined: that of the older one. */
  readonly expiresAt?: number | undefined
}

/** Another secret with the same label, scopes and groups. */
export async function rotateToken(
  deps: TokenDeps,
  actor: Actor,
  input: Rotation & { readonly guid: string },
): Promise<{ guid: string; secret: string; login: string; oldExpiresAt: number; expiresAt: number | undefined }> {
  const { guid, overlap } = input
  const old = (await deps.accounts.listTokens(undefined)).find((token) => token.guid === guid)
  if (!old) throw noToken(guid)
  // It holds its secret, and nobody could give it another one.
  if (old.clientId !== undefined) throw refusedRotation('belongs to an application, which asks for its tokens itself')
  if (!(overlap >= 0 && overlap <= maxOverlap)) {
    throw invalid('overlap', `The overlap must be 0 to ${maxOverlap / 86_400_000} days.`, 'tokens')
  }
  const at = deps.clock.now()
  const expiresAt = input.expiresAt ?? old.expiresAt
  if (old.expiresAt !== undefined && old.expiresAt <= at) throw refusedRotation('has expired')
  requireExpiry(actor, expiresAt, at)
  const secret = newTokenSecret()
  const token = tokenFrom(secret)
  const oldExpiresAt = Math.min(at + overlap, old.expiresAt ?? Number.POSITIVE_INFINITY)
  const outcome = await audited(
    deps,
    ({ accounts }) => accounts.rotateToken(guid, { ...token, expiresAt, oldExpiresAt, at }),
    (answer) => {
      const details = { label: old.label, replaces: guid }
      return (
        answer === 'rotated' && {
          action: 'token_rotated',
          ...changedBy(actor, old.login),
          subject: token.guid,
          details,
        }
      )
    },
  )
  if (outcome === 'no-token') throw noToken(guid)
  if (outcome === 'rotated-before') throw refusedRotation('was rotated before, or has expired')
  deps.onTokenRevoked?.(guid)
  return { guid: token.guid, secret, login: old.login, oldExpiresAt, expiresAt }
}

function refusedRotation(why: string): Refusal {
  return new Refusal('CONFLICT', `This token ${why}.`, { resource: 'tokens' })
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
  { guid, login, label }: Pick<TokenRecord, 'guid' | 'login' | 'label'>,
): Promise<boolean> {
  const at = deps.clock.now()
  return audited(
    deps,
    ({ accounts }) => accounts.revokeToken(guid, at),
    (revoked) => revoked && { action: 'token_revoked', ...changedBy(actor, login), subject: guid, details: { label } },
  )
}
