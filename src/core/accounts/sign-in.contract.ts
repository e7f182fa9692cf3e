import { beforeEach, describe, expect, it } from 'vitest'
import type { AccountStore } from './account-store.js'

import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about passwords and sessions. `open` gives empty stores. */
export function signInContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: passwords and sessions', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    let accounts: AccountStore
    beforeEach(async () => {
      accounts = stores.accounts
      await stores.accounts.addUser(aUser('ada', 'Ada@Example.com'))
    })

    const aUser = (login: string, email: string | undefined) => ({
      login,
      name: login,
      email,
      passwordHash: `hash of ${login}`,
      groupGuid: 'B1',
      at: 1_000,
    })
    const passwordOf = async (login: string) => (await accounts.account(login))?.passwordHash

    it('finds an account by its login and by its address in lower case', async () => {
      const ada = {
        login: 'ada',
        name: 'ada',
        email: 'Ada@Example.com',
        passwordHash: 'hash of ada',
        isActive: true,
        twoFactor: undefined,
        passkeys: 0,
      }
      expect(await accounts.account('ada')).toEqual(ada)
      expect(await accounts.account('ada@example.com')).toEqual(ada)
      expect(await accounts.account('Ada@Example.com')).toBeUndefined()
      expect(await accounts.account('admin')).toMatchObject({ login: 'admin', email: undefined })
      expect(await accounts.account('nobody')).toBeUndefined()
    })

    it('lets an address belong to one account, however it is written', async () => {
      expect(await stores.accounts.addUser(aUser('bob', 'ADA@example.COM'))).toBe('email-taken')
      expect(await accounts.account('bob')).toBeUndefined()
      expect(await accounts.setEmail('admin', 'aDa@example.com', 2_000)).toBe('taken')
      expect(await accounts.setEmail('ada', 'ADA@example.com', 2_000)).toBe('set')
      expect(await accounts.setEmail('nobody', 'new@example.com', 2_000)).toBe('no-user')
    })

    it('lets no login be mistaken for the address of another account, nor the other way round', async () => {
      expect(await stores.accounts.addUser(aUser('ada@example.com', undefined))).toBe('taken')
      expect(await stores.accounts.addUser(aUser('carl@example.com', 'carl@example.com'))).toBe('added')
      expect(await stores.accounts.addUser(aUser('dora', 'carl@example.com'))).toBe('email-taken')
      expect(await accounts.setEmail('ada', 'Carl@Example.com', 2_000)).toBe('taken')
    })

    it('gives an address to one of several racing callers', async () => {
      const logins = ['eve1', 'eve2', 'eve3', 'eve4']
      const answers = await Promise.all(logins.map((login) => stores.accounts.addUser(aUser(login, 'eve@example.com'))))
      expect(answers.filter((answer) => answer === 'added')).toHaveLength(1)
      expect(answers.filter((answer) => answer === 'email-taken')).toHaveLength(3)
    })

    it('sets a password and thereby ends sessions and resets of that account alone', async () => {
      await accounts.addSession({ secretHash: 's1', login: 'ada', at: 1, expiresAt: 100 })
      await accounts.addSession({ secretHash: 's2', login: 'admin', at: 1, expiresAt: 100 })
      await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
      expect(await accounts.setPassword('ada', 'new', 50)).toBe(true)
      expect(await passwordOf('ada')).toBe('new')
      expect(await passwordOf('admin')).toBe('x')
      expect(await accounts.session('s1', 51)).toBeUndefined()
      expect(await accounts.session('s2', 51)).toEqual({ login: 'admin', expiresAt: 100 })
      expect(await accounts.loginOfReset('r1', 51)).toBeUndefined()
      expect(await accounts.setPassword('nobody', 'new', 50)).toBe(false)
    })

    it('lets nobody in who is not active, and ends their sessions and resets for good', async () => {
      const token = { guid: 'Tada', secretHash: 'token of ada', hint: '', login: 'ada', label: '', at: 1 }
      await stores.accounts.addToken(token)
      await accounts.addSession({ secretHash: 's1', login: 'ada', at: 1, expiresAt: 100 })
      await accounts.addSession({ secretHash: 's2', login: 'admin', at: 1, expiresAt: 100 })
      await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
      expect(await accounts.setActive('ada', false, 2_000)).toEqual({ outcome: 'set' })
      expect(await accounts.setActive('ada', false, 3_000)).toEqual({ outcome: 'as-before' })
      expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false, modifiedAt: 2_000 })
      expect(await stores.accounts.actorByToken('token of ada')).toBeUndefined()
      expect(await stores.accounts.actorByLogin('ada')).toBeUndefined()
      expect(await accounts.session('s2', 50)).toBeDefined()

      expect(await accounts.setActive('ada', true, 4_000)).toEqual({ outcome: 'set' })
      expect(await accounts.setActive('ada', true, 5_000)).toEqual({ outcome: 'as-before' })
      expect((await stores.accounts.actorByToken('token of ada'))?.actor.login).toBe('ada')
      expect(await accounts.session('s1', 50)).toBeUndefined()
      expect(await accounts.loginOfReset('r1', 50)).toBeUndefined()
      expect(await passwordOf('ada')).toBe('hash of ada')
      for (const active of [true, false]) {
        expect(await accounts.setActive('nobody', active, 2_000)).toEqual({ outcome: 'no-user' })
      }
    })

    it('keeps the only active administrator of an organization', async () => {
      const { groups } = stores
      expect(await accounts.setActive('admin', false, 2_000)).toEqual({ outcome: 'last-admin', organizationGuid: 'O1' })
      await groups.setOrganizationRole('ada', 'O1', 'admin')
      expect(await accounts.setActive('ada', false, 3_000)).toEqual({ outcome: 'set' })
      // An inactive administrator does not count.
      expect(await accounts.setActive('admin', false, 4_000)).toMatchObject({ outcome: 'last-admin' })
      await accounts.setActive('ada', true, 5_000)
      expect(await accounts.setActive('admin', false, 6_000)).toEqual({ outcome: 'set' })
      expect(await accounts.setActive('ada', false, 7_000)).toMatchObject({ outcome: 'last-admin' })
      expect((await stores.accounts.user('ada'))?.isActive).toBe(true)
    })

    it('keeps one administrator when all of them are deactivated at the same time', async () => {
      const logins = ['admin', 'ada', 'eve1', 'eve2']
      for (const login of ['eve1', 'eve2']) await stores.accounts.addUser(aUser(login, undefined))
      for (const login of logins) await stores.groups.setOrganizationRole(login, 'O1', 'admin')
      const answers = await Promise.all(logins.map((login) => accounts.setActive(login, false, 2_000)))
      expect(answers.filter(({ outcome }) => outcome === 'set')).toHaveLength(3)
      expect(answers.filter(({ outcome }) => outcome === 'last-admin')).toHaveLength(1)
      const users = await Promise.all(logins.map((login) => stores.accounts.user(login)))
      expect(users.filter((user) => user?.isActive)).toHaveLength(1)
    })

    it('keeps a session until its time is over, renews and ends it', async () => {
      await accounts.addSession({ secretHash: 's1', login: 'ada', at: 1, expiresAt: 100 })
      expect(await accounts.session('s1', 99)).toEqual({ login: 'ada', expiresAt: 100 })
      expect(await accounts.session('s1', 100)).toBeUndefined()
      await accounts.renewSession('s1', 200)
      await accounts.renewSession('s1', 150)
      expect(await accounts.session('s1', 100)).toEqual({ login: 'ada', expiresAt: 200 })
      expect(await accounts.endSession('s1')).toBe(true)
      expect(await accounts.endSession('s1')).toBe(false)
      expect(await accounts.session('s1', 100)).toBeUndefined()
    })

    it('lists sessions with their origin, newest first, and ends all but one', async () => {
      const origin = { address: '203.0.113.7', userAgent: 'Firefox' }
      await accounts.addSession({ secretHash: 's1', login: 'ada', at: 1, expiresAt: 100, origin })
      await accounts.addSession({ secretHash: 's2', login: 'ada', at: 2, expiresAt: 200 })
      await accounts.addSession({ secretHash: 's3', login: 'ada', at: 3, expiresAt: 200 })
      await accounts.addSession({ secretHash: 's4', login: 'admin', at: 4, expiresAt: 200 })
      const listed = async (now: number) =>
        (await accounts.listSessions('ada', now)).map(({ secretHash }) => secretHash)
      expect(await listed(50)).toEqual(['s3', 's2', 's1'])
      expect(await listed(100)).toEqual(['s3', 's2'])
      const [, second, first] = await accounts.listSessions('ada', 50)
      expect(first).toEqual({ secretHash: 's1', login: 'ada', at: 1, expiresAt: 100, ...origin })
      expect(second).toMatchObject({ address: undefined, userAgent: undefined })
      expect(await accounts.endOtherSessions('ada', 's2')).toBe(2)
      expect(await listed(50)).toEqual(['s2'])
      expect(await accounts.endOtherSessions('ada', undefined)).toBe(1)
      expect(await accounts.session('s4', 50)).toBeDefined()
    })

    it('keeps half a session apart from whole ones, until its time is over or the password is another', async () => {
      const half = { secretHash: 'h1', login: 'ada', at: 1, expiresAt: 100 }
      await accounts.addHalfSession(half)
      expect(await accounts.halfSession('h1', 99)).toBe('ada')
      expect(await accounts.halfSession('h1', 100)).toBeUndefined()
      expect(await accounts.halfSession('other', 99)).toBeUndefined()
      expect(await accounts.session('h1', 99)).toBeUndefined()
      await accounts.addHalfSession({ ...half, login: 'admin', expiresAt: 200 })
      expect(await accounts.halfSession('h1', 150)).toBe('admin')
      expect(await accounts.endHalfSession('h1')).toBe(true)
      expect(await accounts.endHalfSession('h1')).toBe(false)

      await accounts.addHalfSession(half)
      await accounts.setPassword('ada', 'new', 50)
      expect(await accounts.halfSession('h1', 60)).toBeUndefined()
      await accounts.addHalfSession(half)
      await accounts.setActive('ada', false, 50)
      await accounts.setActive('ada', true, 50)
      expect(await accounts.halfSession('h1', 60)).toBeUndefined()
    })

    it('lets one of several racing callers end half a session', async () => {
      await accounts.addHalfSession({ secretHash: 'h1', login: 'ada', at: 1, expiresAt: 100 })
      const ended = await Promise.all(Array.from({ length: 5 }, () => accounts.endHalfSession('h1')))
      expect(ended.filter((each) => each)).toHaveLength(1)
    })

    it('uses a reset once, sets the password with it and knows the address from then on', async () => {
      await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
      await accounts.addReset({ secretHash: 'r2', login: 'ada', at: 2, expiresAt: 100 })
      expect((await stores.accounts.user('ada'))?.isEmailVerified).toBe(false)
      expect(await accounts.loginOfReset('r1', 50)).toBe('ada')
      expect(await accounts.useReset('r1', 'new', 50)).toBe('ada')
      expect(await passwordOf('ada')).toBe('new')
      expect((await stores.accounts.user('ada'))?.isEmailVerified).toBe(true)
      expect(await accounts.useReset('r1', 'newer', 50)).toBeUndefined()
      expect(await accounts.useReset('r2', 'newer', 50)).toBeUndefined()
      expect(await passwordOf('ada')).toBe('new')
    })

    it('uses no reset that is over or unknown', async () => {
      await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
      expect(await accounts.loginOfReset('r1', 100)).toBeUndefined()
      expect(await accounts.useReset('r1', 'new', 100)).toBeUndefined()
      expect(await accounts.useReset('none', 'new', 50)).toBeUndefined()
      expect(await passwordOf('ada')).toBe('hash of ada')
    })

    it('lets one of several racing callers use a reset', async () => {
      await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
      const tries = Array.from({ length: 8 }, (_, n) => accounts.useReset('r1', `new ${n}`, 50))
      const answers = await Promise.all(tries)
      expect(answers.filter((answer) => answer === 'ada')).toHaveLength(1)
      expect(await passwordOf('ada')).toBe(`new ${answers.indexOf('ada')}`)
    })

    it('forgets open resets when the address changes', async () => {
      await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
      await accounts.setEmail('ada', 'other@example.com', 50)
      expect(await accounts.loginOfReset('r1', 51)).toBeUndefined()
      expect(await accounts.account('other@example.com')).toMatchObject({ login: 'ada' })
      expect(await accounts.account('ada@example.com')).toBeUndefined()
    })

    const aChange = { secretHash: 'e1', login: 'ada', email: 'New@Example.com', at: 1, expiresAt: 100 }
    const isVerified = async (login: string) => (await accounts.user(login))?.isEmailVerified

    it('changes the address by a request, once, and knows that it is right', async () => {
      await accounts.addEmailChange(aChange)
      await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
      const pending = { login: 'ada', email: 'New@Example.com', former: 'Ada@Example.com' }
      expect(await accounts.emailChange('e1', 50)).toEqual(pending)
      expect(await isVerified('ada')).toBe(false)
      expect(await accounts.useEmailChange('e1', 50)).toEqual({ outcome: 'changed', ...pending })
      expect(await accounts.account('new@example.com')).toMatchObject({ login: 'ada', email: 'New@Example.com' })
      expect(await accounts.account('ada@example.com')).toBeUndefined()
      expect(await isVerified('ada')).toBe(true)
      expect(await accounts.loginOfReset('r1', 51)).toBeUndefined()
      expect(await accounts.emailChange('e1', 51)).toBeUndefined()
      expect(await accounts.useEmailChange('e1', 51)).toEqual({ outcome: 'gone' })
    })

    it('gives an address to an account without one', async () => {
      await accounts.addEmailChange({ ...aChange, login: 'admin' })
      expect(await accounts.useEmailChange('e1', 50)).toMatchObject({ outcome: 'changed', former: undefined })
    })

    it('keeps one request for an account, the last', async () => {
      await accounts.addEmailChange(aChange)
      await accounts.addEmailChange({ ...aChange, secretHash: 'e2', email: 'newer@example.com' })
      expect(await accounts.useEmailChange('e1', 50)).toEqual({ outcome: 'gone' })
      expect(await accounts.useEmailChange('e2', 50)).toMatchObject({ email: 'newer@example.com' })
    })

    it('changes no address that another account has by now, and forgets nothing', async () => {
      await accounts.addEmailChange(aChange)
      await accounts.setEmail('admin', 'new@example.com', 20)
      expect(await accounts.useEmailChange('e1', 50)).toEqual({ outcome: 'taken', email: 'New@Example.com' })
      expect(await accounts.account('ada@example.com')).toMatchObject({ login: 'ada' })
      await accounts.setEmail('admin', 'admin@example.com', 60)
      expect(await accounts.useEmailChange('e1', 70)).toMatchObject({ outcome: 'changed' })
    })

    it('uses no request that is over or unknown', async () => {
      await accounts.addEmailChange(aChange)
      expect(await accounts.emailChange('e1', 100)).toBeUndefined()
      expect(await accounts.useEmailChange('e1', 100)).toEqual({ outcome: 'gone' })
      expect(await accounts.useEmailChange('none', 50)).toEqual({ outcome: 'gone' })
    })

    it.each<[string, () => Promise<unknown>]>([
      ['a new password', () => accounts.setPassword('ada', 'new', 50)],
      ['an address set by the operator', () => accounts.setEmail('ada', 'other@example.com', 50)],
      ['deactivation', () => accounts.setActive('ada', false, 50)],
      ['removal', () => accounts.removeUser('ada', 50)],
    ])('ends a request by %s', async (_, change) => {
      await accounts.addEmailChange(aChange)
      await change()
      await accounts.setActive('ada', true, 51)
      expect(await accounts.useEmailChange('e1', 52)).toEqual({ outcome: 'gone' })
    })

    it('lets one of several racing callers use a request, and one account have the address', async () => {
      await accounts.addEmailChange(aChange)
      await accounts.addEmailChange({ ...aChange, secretHash: 'e2', login: 'admin', email: 'new@example.com' })
      const tries = ['e1', 'e2', 'e1', 'e2', 'e1', 'e2'].map((secretHash) => accounts.useEmailChange(secretHash, 50))
      const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome)
      expect(outcomes.filter((outcome) => outcome === 'changed')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(3)
    })
  })
}
