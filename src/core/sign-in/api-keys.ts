/** Legacy keys: v3 clients send them as `apiKey` beside `login`. They open v3 and nothing else. */

import { hash, randomBytes } from 'node:crypto'
import { requireLabel } from '../administration/tokens.js'
import { type NoteParts, noting } from '../audit/audit.js'
import type { Actor } from '../auth/actor.js'
import type { Clock } from '../clock.js'
import { isGuid, newGuid } from '../guid.js'
import { Refusal } from '../refusal.js'
import type { ApiKeyRecord, ApiKeyStore } from './api-key-store.js'
import { requireOwnToken } from './own-account.js'

export interface ApiKeyParts extends NoteParts {
  readonly apiKeys: ApiKeyStore
}

export interface CreatedApiKey extends ApiKeyRecord {
  /** Shown now and never again: only its hash is kept. */
  readonly apiKey: string
}

export async function createApiKey(
  parts: ApiKeyParts,
  actor: Actor,
  wish: { readonly label: string | undefined },
): Promise<CreatedApiKey> {
  requireOwnToken(actor)
  const label = requireLabel(wish.label ?? '', 'api_keys')
  // Our choice: shaped like the keys that v3 clients have always known.
  const apiKey = `R_${randomBytes(16).toString('hex')}`
  const { login } = actor
  const record = { guid: newGuid('api-key'), hint: apiKey.slice(-4), login, label }
  const at = parts.clock.now()
  await noting(
    parts,
    ({ apiKeys }) => apiKeys.add({ ...record, keyHash: hashKey(apiKey), at }),
    () => ({ action: 'api_key_made', login, subject: record.guid }),
  )
  return { ...record, createdAt: at, lastUsedAt: undefined, apiKey }
}

export async function listApiKeys(parts: ApiKeyParts, actor: Actor): Promise<readonly ApiKeyRecord[]> {
  requireOwnToken(actor)
  return parts.apiKeys.list(actor.login)
}

export async function revokeApiKey(parts: ApiKeyParts, actor: Actor, guid: string): Promise<void> {
  requireOwnToken(actor)
  if (!isGuid(guid) || !(await revokeAndNote(parts, actor.login, guid))) {
    const message = 'You have no such key, or it was revoked before.'
    throw new Refusal('NOT_FOUND', message, { resource: 'api_keys' })
  }
}

function revokeAndNote(parts: NoteParts, login: string, guid: string): Promise<boolean> {
  const at = parts.clock.now()
  return noting(
    parts,
    ({ apiKeys }) => apiKeys.revoke(login, guid, at),
    (revoked) => revoked && { action: 'api_key_revoked', login, subject: guid },
  )
}

// Our choice: the time of last use is exact to a minute; a write for each request would cost more than the request.
const touchAfter = 60_000

/** The login the key speaks for, or undefined. */
export async function findByApiKey(
  parts: { readonly apiKeys: Pick<ApiKeyStore, 'find' | 'touch'>; readonly clock: Clock },
  login: string,
  apiKey: string,
): Promise<string | undefined> {
  if (!/^[\x21-\x7e]{1,254}$/.test(login)) return undefined
  const found = await parts.apiKeys.find(login.toLowerCase(), hashKey(apiKey))
  if (!found) return undefined
  const now = parts.clock.now()
  if (now - (found.lastUsedAt ?? 0) >= touchAfter) await parts.apiKeys.touch(found.guid, now)
  return found.login
}

function hashKey(apiKey: string): string {
  return hash('sha256', apiKey)
}
