import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from './account-store.js'
import type { UserStore } from './user-store.js'

export type OpenUserStore = () => Promise<{ readonly accounts: AccountStore; readonly users: UserStore } & Closable>

/** What a `UserStore` promises. `open` gives empty stores. */
export function userStoreContract(open: OpenUserStore): void {
  describe('UserStore', () => {
    let stores: Awaited<ReturnType<OpenUserStore>>
    beforeEach(async () => {
      stores = await open()
      await stores.accounts.bootstrap({
        organization: { guid: 'O1', name: 'One' },
        group: { guid: 'B1', name: 'First' },
        user: { login: 'admin', passwordHash: 'x' },
        token: { guid: 'T1', secretHash: 'admin', hint: 'h', label: 'l' },
        at: 1_000,
      })
    })
    afterEach(() => stores.close())

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
    }

    it('answers a user by login', async () => {
      expect(await stores.users.user('admin')).toEqual(admin)
      expect(await stores.users.user('nobody')).toBeUndefined()
    })

    it('answers everybody, by login', async () => {
      const ada = { login: 'ada', name: 'Ada', email: undefined, passwordHash: 'x', groupGuid: 'B1', at: 2_000 }
      await stores.accounts.addUser(ada)
      expect((await stores.users.users()).map(({ login }) => login)).toEqual(['ada', 'admin'])
      expect((await stores.users.users())[1]).toEqual(admin)
    })

    it('changes what is named and nothing else', async () => {
      expect(await stores.users.changeUser('admin', { name: 'Ada' }, 2_000)).toEqual({
        ...admin,
        name: 'Ada',
        modifiedAt: 2_000,
      })
      expect(await stores.users.changeUser('admin', { defaultGroupGuid: 'B1' }, 3_000)).toMatchObject({ name: 'Ada' })
      expect(await stores.users.changeUser('nobody', { name: 'x' }, 4_000)).toBeUndefined()
    })

    it('keeps both changes when two callers change different things at once', async () => {
      const { users } = stores
      await Promise.all([
        users.changeUser('admin', { name: 'Ada' }, 2_000),
        users.changeUser('admin', { defaultGroupGuid: 'B1' }, 2_000),
      ])
      expect(await users.user('admin')).toMatchObject({ name: 'Ada', defaultGroupGuid: 'B1' })
    })
  })
}
