import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from './account-store.js'
import type { ApiKeyStore, NewApiKey } from './api-key-store.js'
import { bootstrap } from './stores.builder.js'

export type OpenApiKeyStore = () => Promise<
  { readonly accounts: AccountStore; readonly apiKeys: ApiKeyStore } & Closable
>

/** What an `ApiKeyStore` promises. `open` gives empty stores. */
export function apiKeyStoreContract(open: OpenApiKeyStore): void {
  describe('ApiKeyStore', () => {
    let stores: Awaited<ReturnType<OpenApiKeyStore>>
    let apiKeys: ApiKeyStore
    beforeEach(async () => {
      stores = await open()
      apiKeys = stores.apiKeys
      await bootstrap(stores.accounts)
      await apiKeys.add(aKey())
    })
    afterEach(() => stores.close())

    const shown = {
      guid: 'Y1',
      hint: 'abcd',
      login: 'admin',
      label: 'old script',
      createdAt: 50,
      lastUsedAt: undefined,
    }

    it('finds a key beside the login it belongs to', async () => {
      expect(await apiKeys.find('admin', 'hash')).toEqual(shown)
      expect(await apiKeys.find('ada', 'hash')).toBeUndefined()
      expect(await apiKeys.find('admin', 'other')).toBeUndefined()
    })

    it('lists keys oldest first, without their hashes', async () => {
      await apiKeys.add(aKey({ guid: 'Y0', keyHash: 'younger', at: 60 }))
      expect(await apiKeys.list('admin')).toEqual([shown, { ...shown, guid: 'Y0', createdAt: 60 }])
      expect(await apiKeys.list('ada')).toEqual([])
    })

    it('revokes a key of its owner once', async () => {
      expect(await apiKeys.revoke('ada', 'Y1', 60)).toBe(false)
      const answers = await Promise.all([1, 2, 3].map(() => apiKeys.revoke('admin', 'Y1', 60)))
      expect(answers.filter((answer) => answer)).toHaveLength(1)
      expect(await apiKeys.find('admin', 'hash')).toBeUndefined()
      expect(await apiKeys.list('admin')).toEqual([])
    })

    it('remembers the newest use', async () => {
      await apiKeys.touch('Y1', 70)
      await apiKeys.touch('Y1', 60)
      expect((await apiKeys.find('admin', 'hash'))?.lastUsedAt).toBe(70)
    })
  })
}

function aKey(changes: Partial<NewApiKey> = {}): NewApiKey {
  return { guid: 'Y1', keyHash: 'hash', hint: 'abcd', login: 'admin', label: 'old script', at: 50, ...changes }
}
