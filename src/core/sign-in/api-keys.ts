/** API keys of the v3 API, which clients send as `apiKey` together with `login`. They are valid for v3 only. */
import { hash, randomBytes } from 'node:crypto'
import type { ApiKeyRecord } from '../accounts/account.js'
import type { ApiKeyStore } from '../accounts/account-store.js'
import { type Actor, requireOwnToken } from '../accounts/actor.js'
import { type AuditDeps, audited } from '../accounts/audit.js'
import { requireLabel } from '../accounts/tokens.js'
import { newGuid } from '../values/guid.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'

export interface ApiKeyDeps extends AuditDeps {
  readonly accounts: ApiKeyStore
}

export interface CreatedApiKey extends ApiKeyRecord {
  /** Returned only once; the store has only its hash. */
  readonly apiKey: string
}

export async function createApiKey(
  deps: ApiKeyDeps,
  actor: Actor,
  input: { readonly label: string | undefined },
): Promise<CreatedApiKey> {
  requireOwnToken(actor)
  // Keys do not expire.
  if (actor.expiresAt !== undefined) throw new Refusal('FORBIDDEN', 'A token that expires cannot create an API key.')
  const label = requireLabel(input.label ?? '', 'api_keys')
  // The format that v3 clients expect.
  const apiKey = `R_${randomBytes(16).toString('hex')}`
  const { login } = actor
  const record = { guid: newGuid('api-key'), hint: apiKey.slice(-4), login, label }
  const at = deps.clock.now()
  await audited(
    deps,
    ({ accounts }) => accounts.addApiKey({ ...record, keyHash: hashKey(apiKey), at }),
    () => ({ action: 'api_key_made', login, subject: record.guid, details: { label } }),
  )
  return { ...record, createdAt: at, lastUsedAt: undefined, apiKey }
}

export async function listApiKeys(deps: ApiKeyDeps, actor: Actor): Promise<readonly ApiKeyRecord[]> {
  requireOwnToken(actor)
  return deps.accounts.listApiKeys(actor.login)
}

export async function revokeApiKey(deps: ApiKeyDeps, actor: Actor, guid: string): Promise<void> {
  requireOwnToken(actor)
  const key = (await deps.accounts.listApiKeys(actor.login)).find((each) => each.guid === guid)
  if (!key || !(await revokeAudited(deps, key))) {
    const message = 'You have no such key, or it was revoked before.'
    throw new Refusal('NOT_FOUND', message, { resource: 'api_keys' })
  }
}

function revokeAudited(deps: AuditDeps, { login, guid, label }: ApiKeyRecord): Promise<boolean> {
  const at = deps.clock.now()
  return audited(
    deps,
    ({ accounts }) => accounts.revokeApiKey(login, guid, at),
    (revoked) => revoked && { action: 'api_key_revoked', login, subject: guid, details: { label } },
  )
}

// The time of last use is exact to a minute: a write per request would cost more than the request.
const touchAfter = 60_000

/** The login that the key belongs to. */
export async function findByApiKey(
  deps: { readonly accounts: ApiKeyStore; readonly clock: Clock },
  login: string,
  apiKey: string,
): Promise<string | undefined> {
  if (!/^[\x21-\x7e]{1,254}$/.test(login)) return undefined
  const found = await deps.accounts.findApiKey(login.toLowerCase(), hashKey(apiKey))
  if (!found) return undefined
  const now = deps.clock.now()
  if (now - (found.lastUsedAt ?? 0) >= touchAfter) await deps.accounts.touchApiKey(found.guid, now)
  return found.login
}

function hashKey(apiKey: string): string {
  return hash('sha256', apiKey)
}
