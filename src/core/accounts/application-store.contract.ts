import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplicationStore, NewApplication } from './application-store.js'
import { grantsContract } from './grants.contract.js'
import { type AccountStores, openBootstrapped } from './stores.builder.js'

/** What an `ApplicationStore` promises. `open` gives empty stores. */
export function applicationStoreContract(open: () => Promise<AccountStores>): void {
  grantsContract(open)

  describe('ApplicationStore', () => {
    let stores: AccountStores
    let applications: ApplicationStore
    beforeEach(async () => {
      stores = await openBootstrapped(open)
      applications = stores.applications
    })
    afterEach(() => stores.close())

    it('keeps an application without showing its hash', async () => {
      expect(await applications.add(anApplication())).toBe('added')
      const { secretHash: _, at, ...shown } = anApplication()
      expect(await applications.get('app1')).toEqual({ ...shown, createdAt: at, revokedAt: undefined })
      expect(await applications.get('none')).toBeUndefined()
    })

    it('refuses an owner that does not exist', async () => {
      expect(await applications.add(anApplication({ login: 'nobody' }))).toBe('no-user')
      expect(await applications.get('app1')).toBeUndefined()
    })

    it('lists all or those of one owner, oldest first', async () => {
      await applications.add(anApplication({ clientId: 'younger', at: 3 }))
      await applications.add(anApplication({ clientId: 'older', at: 2 }))
      expect((await applications.list(undefined)).map(({ clientId }) => clientId)).toEqual(['older', 'younger'])
      expect(await applications.list('admin')).toHaveLength(2)
      expect(await applications.list('nobody')).toEqual([])
    })

    it('changes what is named, for its owner, until it is revoked', async () => {
      await applications.add(anApplication())
      const before = await applications.get('app1')
      const changed = { ...before, name: 'Writer', redirectUris: ['writer://back'], requirePkce: false }
      const change = { name: 'Writer', redirectUris: ['writer://back'], requirePkce: false }
      expect(await applications.change('app1', 'nobody', change)).toBeUndefined()
      expect(await applications.get('app1')).toEqual(before)
      expect(await applications.change('app1', 'admin', change)).toEqual(changed)
      expect(await applications.change('app1', 'admin', {})).toEqual(changed)
      expect(await applications.get('app1')).toEqual(changed)
      await applications.revoke('app1', 5)
      expect(await applications.change('app1', 'admin', { name: 'Gone' })).toBeUndefined()
    })

    it('replaces the secret, for its owner, until it is revoked', async () => {
      await applications.add(anApplication())
      expect(await applications.replaceSecret('app1', 'nobody', 'new')).toBe(false)
      expect(await applications.replaceSecret('app1', 'admin', 'new')).toBe(true)
      await applications.revoke('app1', 5)
      expect(await applications.replaceSecret('app1', 'admin', 'newer')).toBe(false)
    })

    it('revokes once, also when several callers race', async () => {
      await applications.add(anApplication())
      const answers = await Promise.all([5, 5, 5].map((at) => applications.revoke('app1', at)))
      expect(answers.filter((answer) => answer)).toHaveLength(1)
      expect(await applications.revoke('app1', 6)).toBe(false)
      expect(await applications.revoke('none', 6)).toBe(false)
      expect((await applications.get('app1'))?.revokedAt).toBe(5)
    })
  })
}

function anApplication(changes: Partial<NewApplication> = {}): NewApplication {
  return {
    clientId: 'app1',
    secretHash: 'hashed',
    login: 'admin',
    name: 'Reader',
    description: 'Reads',
    link: 'https://reader.example/',
    redirectUris: ['https://reader.example/back', 'reader://back'],
    requirePkce: true,
    at: 2_000,
    ...changes,
  }
}
