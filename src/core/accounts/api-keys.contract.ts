import { beforeEach, describe, expect, it } from 'vitest'
import type { NewApiKey } from './account-store.js'
import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about legacy keys. `open` gives empty stores. */
export function apiKeysContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: legacy keys', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    beforeEach(() => stores.accounts.addApiKey(aKey()))

    const shown = {
      guid: 'Y1',
      hint: 'abcd',
      login: 'admin',
      label: 'old script',
      createdAt: 50,
      lastUsedAt: undefined,
    }

    it('finds a key beside the login it belongs to', async () => {
      expect(await stores.accounts.findApiKey('admin', 'hash')).toEqual(shown)
      expect(await stores.accounts.findApiKey('ada', 'hash')).toBeUndefined()
      expect(await stores.accounts.findApiKey('admin', 'other')).toBeUndefined()
    })

    it('lists keys oldest first, without their hashes', async () => {
      await stores.accounts.addApiKey(aKey({ guid: 'Y0', keyHash: 'younger', at: 60 }))
      expect(await stores.accounts.listApiKeys('admin')).toEqual([shown, { ...shown, guid: 'Y0', createdAt: 60 }])
      expect(await stores.accounts.listApiKeys('ada')).toEqual([])
    })

    it('revokes a key of its owner once', async () => {
      expect(await stores.accounts.revokeApiKey('ada', 'Y1', 60)).toBe(false)
      const answers = await Promise.all([1, 2, 3].map(() => stores.accounts.revokeApiKey('admin', 'Y1', 60)))
      expect(answers.filter((answer) => answer)).toHaveLength(1)
      expect(await stores.accounts.findApiKey('admin', 'hash')).toBeUndefined()
      expect(await stores.accounts.listApiKeys('admin')).toEqual([])
    })

    it('remembers the newest use', async () => {
      await stores.accounts.touchApiKey('Y1', 70)
      await stores.accounts.touchApiKey('Y1', 60)
      expect((await stores.accounts.findApiKey('admin', 'hash'))?.lastUsedAt).toBe(70)
    })
  })
}

function aKey(changes: Partial<NewApiKey> = {}): NewApiKey {
  return { guid: 'Y1', keyHash: 'hash', hint: 'abcd', login: 'admin', label: 'old script', at: 50, ...changes }
}
