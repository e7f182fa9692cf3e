/**
 * Legacy keys, which v3 clients send beside a login. Each method is one atomic step; api-key-store.contract.ts says what
 * they promise. Keys arrive here already hashed.
 */
export interface ApiKeyStore {
  add(key: NewApiKey): Promise<void>
  /** Oldest first, without revoked ones. Hashes stay inside. */
  list(login: string): Promise<readonly ApiKeyRecord[]>
  /** False when the user has no such key, or it was revoked before. */
  revoke(login: string, guid: string, at: number): Promise<boolean>
  /** Undefined when the key is not that user's, was revoked, or the user is inactive. */
  find(login: string, keyHash: string): Promise<ApiKeyRecord | undefined>
  /** The newest time wins. */
  touch(guid: string, at: number): Promise<void>
}

export interface ApiKeyRecord {
  readonly guid: string
  readonly hint: string
  readonly login: string
  readonly label: string
  readonly createdAt: number
  readonly lastUsedAt: number | undefined
}

export interface NewApiKey {
  readonly guid: string
  readonly keyHash: string
  /** The last four characters, so that people can tell their keys apart. */
  readonly hint: string
  readonly login: string
  readonly label: string
  readonly at: number
}
