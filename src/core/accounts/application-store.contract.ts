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

    it('deletes applications without owner that nobody allowed for a day, or used for 90', async () => {
      const day = 86_400_000
      const ownerless = (clientId: string, at: number) => anApplication({ clientId, login: undefined, at })
      const left = async () =>
        (await stores.applications.list(undefined)).filter(({ login }) => !login).map(({ clientId }) => clientId)
      const code = { login: 'admin', redirectUri: 'x', challenge: 'x', scopes: ['qr' as const], expiresAt: 2 }
      for (const clientId of ['never', 'allowed', 'used', 'revoked']) {
        expect(await stores.applications.add(ownerless(clientId, 1))).toBe('added')
      }
      for (const clientId of ['allowed', 'used']) {
        expect(await stores.applications.addCode({ ...code, codeHash: clientId, clientId, at: 1 })).toBe('added')
      }
      const token = { guid: 'N1', secretHash: 'x', hint: 'x', login: 'admin', label: 'x', at: 1 }
      const renewable = { refreshKey: 'x', refreshHash: 'x', refreshExpiresAt: 200 * day }
      await stores.applications.grant({ ...token, ...renewable, clientId: 'used' }, { most: 1, since: 0 })
      await stores.applications.revoke('revoked', 1)
      await stores.applications.add(ownerless('second', day))
      expect(await left()).toEqual(['allowed', 'never', 'revoked', 'used', 'second'])
      await stores.applications.add(ownerless('third', day + 2))
      expect(await left()).toEqual(['allowed', 'revoked', 'used', 'second', 'third'])
      await stores.applications.add(ownerless('fourth', 90 * day + 2))
      expect(await left()).toEqual(['revoked', 'used', 'fourth'])
      await stores.applications.add(anApplication({ clientId: 'own', at: 900 * day }))
      expect(await left()).toEqual(['revoked', 'used', 'fourth'])
      const own = { ...code, codeHash: 'own', clientId: 'own', at: 900 * day }
      expect(await stores.applications.addCode(own)).toBe('added')
      expect(await left()).toEqual(['revoked', 'used', 'fourth'])
      expect(await stores.accounts.listTokens('admin')).toMatchObject([{ guid: 'N1' }, { guid: 'T1' }])
      const application = ownerless('document', 900 * day)
      const described = { ...code, codeHash: 'document', clientId: 'document', application, at: 900 * day }
      expect(await stores.applications.addCode(described)).toBe('added')
      expect(await left()).toEqual(['revoked', 'document'])
      expect(await stores.accounts.listTokens('admin')).toMatchObject([{ guid: 'T1' }])
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
