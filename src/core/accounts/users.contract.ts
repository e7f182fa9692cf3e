import { describe, expect, it } from 'vitest'
import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about users. `open` gives empty stores. */
export function usersContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: users', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))

    const admin = {
      login: 'admin',
      name: 'admin',
      email: undefined,
      isEmailVerified: false,
      hasTwoFactor: false,
      isActive: true,
      createdAt: 1_000,
      modifiedAt: 1_000,
      defaultGroupGuid: 'B1',
      defaultLinkPrivacy: 'public',
    }

    it('answers a user by login', async () => {
      expect(await stores.accounts.user('admin')).toEqual(admin)
      expect(await stores.accounts.user('nobody')).toBeUndefined()
    })

    it('answers everybody, by login', async () => {
      const ada = { login: 'ada', name: 'Ada', email: undefined, passwordHash: 'x', groupGuid: 'B1', at: 2_000 }
      await stores.accounts.addUser(ada)
      expect((await stores.accounts.users()).map(({ login }) => login)).toEqual(['ada', 'admin'])
      expect((await stores.accounts.users())[1]).toEqual(admin)
    })

    it('changes what is named and nothing else', async () => {
      expect(await stores.accounts.changeUser('admin', { name: 'Ada' }, 2_000)).toEqual({
        ...admin,
        name: 'Ada',
        modifiedAt: 2_000,
      })
      expect(await stores.accounts.changeUser('admin', { defaultGroupGuid: 'B1' }, 3_000)).toMatchObject({
        name: 'Ada',
      })
      expect(await stores.accounts.changeUser('admin', { defaultLinkPrivacy: 'private' }, 3_000)).toMatchObject({
        name: 'Ada',
        defaultLinkPrivacy: 'private',
      })
      const holder = await stores.accounts.actorByToken('admin')
      expect(holder?.actor.defaultLinkPrivacy).toBe('private')
      expect(await stores.accounts.changeUser('nobody', { name: 'x' }, 4_000)).toBeUndefined()
    })

    it('keeps both changes when two callers change different things at once', async () => {
      const { accounts } = stores
      await Promise.all([
        accounts.changeUser('admin', { name: 'Ada' }, 2_000),
        accounts.changeUser('admin', { defaultGroupGuid: 'B1' }, 2_000),
      ])
      expect(await accounts.user('admin')).toMatchObject({ name: 'Ada', defaultGroupGuid: 'B1' })
    })
  })
}
