import { describe, expect, it } from 'vitest'
import { grantsContract } from './grants.contract.js'
import { type AccountStores, anApplication, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `ApplicationStore` promises. `open` gives empty stores. */
export function applicationStoreContract(open: () => Promise<AccountStores>): void {
  grantsContract(open)

  describe('ApplicationStore', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))

    it('keeps an application without showing its hash', async () => {
      expect(await stores.applications.add(anApplication())).toBe('added')
      const { secretHash: _, at, ...shown } = anApplication()
      expect(await stores.applications.get('app1')).toEqual({ ...shown, createdAt: at, revokedAt: undefined })
      expect(await stores.applications.get('none')).toBeUndefined()
    })

    it('refuses an owner that does not exist', async () => {
      expect(await stores.applications.add(anApplication({ login: 'nobody' }))).toBe('no-user')
      expect(await stores.applications.get('app1')).toBeUndefined()
    })

    it('lists all or those of one owner, oldest first', async () => {
      await stores.applications.add(anApplication({ clientId: 'younger', at: 3 }))
      await stores.applications.add(anApplication({ clientId: 'older', at: 2 }))
      expect((await stores.applications.list(undefined)).map(({ clientId }) => clientId)).toEqual(['older', 'younger'])
      expect(await stores.applications.list('admin')).toHaveLength(2)
      expect(await stores.applications.list('nobody')).toEqual([])
    })

    it('changes what is named, for its owner, until it is revoked', async () => {
      await stores.applications.add(anApplication())
      const before = await stores.applications.get('app1')
      const changed = { ...before, name: 'Writer', redirectUris: ['writer://back'], requirePkce: false }
      const change = { name: 'Writer', redirectUris: ['writer://back'], requirePkce: false }
      expect(await stores.applications.change('app1', 'nobody', change)).toBeUndefined()
      expect(await stores.applications.get('app1')).toEqual(before)
      expect(await stores.applications.change('app1', 'admin', change)).toEqual(changed)
      expect(await stores.applications.change('app1', 'admin', {})).toEqual(changed)
      expect(await stores.applications.get('app1')).toEqual(changed)
      await stores.applications.revoke('app1', 5)
      expect(await stores.applications.change('app1', 'admin', { name: 'Gone' })).toBeUndefined()
    })

    it('replaces the secret, for its owner, until it is revoked', async () => {
      await stores.applications.add(anApplication())
      expect(await stores.applications.replaceSecret('app1', 'nobody', 'new')).toBe(false)
      expect(await stores.applications.replaceSecret('app1', 'admin', 'new')).toBe(true)
      await stores.applications.revoke('app1', 5)
      expect(await stores.applications.replaceSecret('app1', 'admin', 'newer')).toBe(false)
    })

    it('revokes once, also when several callers race', async () => {
      await stores.applications.add(anApplication())
      const answers = await Promise.all([5, 5, 5].map((at) => stores.applications.revoke('app1', at)))
      expect(answers.filter((answer) => answer)).toHaveLength(1)
      expect(await stores.applications.revoke('app1', 6)).toBe(false)
      expect(await stores.applications.revoke('none', 6)).toBe(false)
      expect((await stores.applications.get('app1'))?.revokedAt).toBe(5)
    })
  })
}
