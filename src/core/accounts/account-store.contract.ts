import { beforeEach, describe, expect, it } from 'vitest'
import type { AccountStore, FirstAccount, NewToken, NewUser } from './account-store.js'
import { apiKeysContract } from './api-keys.contract.js'
import { invitationsContract } from './invitations.contract.js'
import { signInContract } from './sign-in.contract.js'
import type { AccountStores } from './stores.builder.js'
import { storesOfEachTest } from './stores.builder.js'
import { triesContract } from './tries.contract.js'
import { twoFactorContract } from './two-factor.contract.js'
import { usersContract } from './users.contract.js'

/** What an `AccountStore` promises. `open` gives an empty store. */
export function accountStoreContract(open: () => Promise<AccountStores>): void {
  usersContract(open)
  signInContract(open)
  twoFactorContract(open)
  triesContract(open)
  apiKeysContract(open)
  invitationsContract(open)

  describe('AccountStore: accounts and tokens', () => {
    const stores = storesOfEachTest(open)
    let accounts: AccountStore
    beforeEach(async () => {
      accounts = stores.accounts
    })

    it('creates organization, group, user and token at once', async () => {
      expect(await accounts.firstGroup()).toBeUndefined()
      expect(await accounts.bootstrap(first())).toBe(true)
      expect(await accounts.firstGroup()).toBe('Bfirst00001')
      expect(await accounts.actorByToken('hash of first')).toEqual({
        tokenGuid: 'Tfirst00001',
        actor: {
          login: 'admin',
          defaultGroupGuid: 'Bfirst00001',
          defaultLinkPrivacy: 'public',
          clientId: undefined,
          groups: [{ groupGuid: 'Bfirst00001', organizationGuid: 'Ofirst00001', role: 'org-admin' }],
          organizations: [{ organizationGuid: 'Ofirst00001', role: 'admin' }],
        },
      })
    })

    it('creates the first account only once', async () => {
      expect(await accounts.bootstrap(first())).toBe(true)
      expect(await accounts.bootstrap(first('other'))).toBe(false)
      expect(await accounts.actorByToken('hash of other')).toBeUndefined()
      expect(await accounts.listTokens(undefined)).toHaveLength(1)
    })

    it('creates one first account when several callers race', async () => {
      const names = ['first', 'secnd', 'third', 'forth', 'fifth']
      const answers = await Promise.all(names.map((name) => accounts.bootstrap(first(name))))
      expect(answers.filter((answer) => answer)).toHaveLength(1)
      expect(await accounts.listTokens(undefined)).toHaveLength(1)
      expect(await accounts.firstGroup()).toBe(`B${names[answers.indexOf(true)]}00001`)
    })

    describe('with a first account', () => {
      beforeEach(async () => {
        await accounts.bootstrap(first())
      })

      it('adds a user as a member of the group', async () => {
        expect(await accounts.addUser(aUser())).toBe('added')
        expect(await accounts.addToken(aToken({ login: 'ada' }))).toBe('added')
        expect((await accounts.actorByToken('hash of token'))?.actor).toEqual({
          login: 'ada',
          defaultGroupGuid: 'Bfirst00001',
          defaultLinkPrivacy: 'public',
          clientId: undefined,
          groups: [{ groupGuid: 'Bfirst00001', organizationGuid: 'Ofirst00001', role: 'member' }],
          organizations: [{ organizationGuid: 'Ofirst00001', role: 'member' }],
        })
      })

      it('tells who somebody is without a token, as with one', async () => {
        await accounts.addUser(aUser())
        await accounts.addToken(aToken({ login: 'ada' }))
        expect(await accounts.actorByLogin('ada')).toEqual((await accounts.actorByToken('hash of token'))?.actor)
        expect((await accounts.actorByLogin('admin'))?.groups[0]?.role).toBe('org-admin')
        expect(await accounts.actorByLogin('nobody')).toBeUndefined()
      })

      it('refuses a login that is taken and keeps its owner as they were', async () => {
        await accounts.addToken(aToken({ login: 'admin' }))
        const before = await accounts.actorByToken('hash of token')
        expect(await accounts.addUser(aUser({ login: 'admin' }))).toBe('taken')
        expect(await accounts.actorByToken('hash of token')).toEqual(before)
      })

      it('adds one user when several callers race for a login', async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => accounts.addUser(aUser())))
        expect(answers.filter((answer) => answer === 'added')).toHaveLength(1)
        expect(answers.filter((answer) => answer === 'taken')).toHaveLength(7)
      })

      it('refuses a user for a group that does not exist', async () => {
        expect(await accounts.addUser(aUser({ groupGuid: 'Bnowhere001' }))).toBe('no-group')
        expect(await accounts.addToken(aToken({ login: 'ada' }))).toBe('no-user')
      })

      it('refuses a token for a user that does not exist', async () => {
        expect(await accounts.addToken(aToken({ login: 'nobody' }))).toBe('no-user')
        expect(await accounts.actorByToken('hash of token')).toBeUndefined()
      })

      it('lists tokens oldest first, of all users or of one, without their hashes', async () => {
        await accounts.addUser(aUser())
        await accounts.addToken(aToken({ guid: 'Tyounger001', secretHash: 'y', login: 'ada', at: 3_000 }))
        await accounts.addToken(aToken({ guid: 'Tolder00001', secretHash: 'o', login: 'ada', at: 2_000 }))
        const all = await accounts.listTokens(undefined)
        expect(all.map((token) => token.guid)).toEqual(['Tfirst00001', 'Tolder00001', 'Tyounger001'])
        expect((await accounts.listTokens('ada')).map((token) => token.guid)).toEqual(['Tolder00001', 'Tyounger001'])
        expect(await accounts.listTokens('nobody')).toEqual([])
        expect(all[0]).toEqual({
          guid: 'Tfirst00001',
          hint: 'wxyz',
          login: 'admin',
          label: 'first token',
          createdAt: 1_000,
          lastUsedAt: undefined,
          revokedAt: undefined,
        })
      })

      it('revokes a token once', async () => {
        expect(await accounts.revokeToken('Tfirst00001', 5_000)).toBe(true)
        expect(await accounts.revokeToken('Tfirst00001', 6_000)).toBe(false)
        expect(await accounts.revokeToken('Tnowhere001', 6_000)).toBe(false)
        expect(await accounts.actorByToken('hash of first')).toBeUndefined()
        expect((await accounts.listTokens(undefined))[0]?.revokedAt).toBe(5_000)
      })

      it('tells one of several racing callers that it revoked the token', async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => accounts.revokeToken('Tfirst00001', 5_000)))
        expect(answers.filter((answer) => answer)).toHaveLength(1)
      })

      it('changes the label of a token that is good', async () => {
        expect(await accounts.labelToken('Tfirst00001', 'laptop')).toBe(true)
        expect((await accounts.listTokens('admin'))[0]?.label).toBe('laptop')
        await accounts.revokeToken('Tfirst00001', 5_000)
        expect(await accounts.labelToken('Tfirst00001', 'x')).toBe(false)
        expect(await accounts.labelToken('Tnowhere001', 'x')).toBe(false)
        expect((await accounts.listTokens('admin'))[0]?.label).toBe('laptop')
      })

      it('removes a user with everything that let them in, and gives the login to nobody again', async () => {
        const { accounts, applications, groups } = stores
        await accounts.addUser(aUser({ email: 'ada@example.com' }))
        await accounts.addToken(aToken({ login: 'ada' }))
        await accounts.addApiKey({ guid: 'Y1', keyHash: 'key', hint: 'h', login: 'ada', label: '', at: 1 })
        await accounts.addSession({ secretHash: 's1', login: 'ada', at: 1, expiresAt: 100 })
        await accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
        const factor = { by: 'sms', phone: '+1' } as const
        await accounts.turnTwoFactorOn('ada', { factor, recoveryCodeHashes: ['h'], usedStep: undefined })
        const application = { clientId: 'A1', secretHash: 's', login: 'ada', name: 'n', description: '', link: '' }
        await applications.add({ ...application, redirectUris: [], requirePkce: false, at: 1 })
        await accounts.addToken(aToken({ guid: 'Tthrough001', secretHash: 'through', clientId: 'A1' }))

        const removed = { outcome: 'removed', organizationGuids: ['Ofirst00001'] }
        expect(await accounts.removeUser('ada', 9_000)).toEqual(removed)
        expect(await accounts.actorByLogin('ada')).toBeUndefined()
        expect(await accounts.actorByToken('hash of token')).toBeUndefined()
        expect(await accounts.actorByToken('through')).toBeUndefined()
        expect(await accounts.listTokens('ada')).toEqual([])
        expect(await accounts.account('ada@example.com')).toBeUndefined()
        expect(await accounts.session('s1', 50)).toBeUndefined()
        expect(await accounts.loginOfReset('r1', 50)).toBeUndefined()
        expect(await applications.get('A1')).toBeUndefined()
        expect((await groups.members()).map(({ login }) => login)).not.toContain('ada')
        expect(await accounts.removeUser('ada', 9_000)).toEqual({ outcome: 'no-user' })

        expect(await accounts.addUser(aUser())).toBe('taken')
        expect(await accounts.addUser(aUser({ login: 'ada2', email: 'ada@example.com' }))).toBe('added')
        expect((await accounts.actorByToken('hash of first'))?.actor.login).toBe('admin')
      })

      it('keeps the only active administrator, also when all of them are removed at the same time', async () => {
        const organizationGuid = 'Ofirst00001'
        expect(await accounts.removeUser('admin', 1)).toEqual({ outcome: 'last-admin', organizationGuid })
        const logins = ['admin', 'ada', 'bob', 'eve']
        for (const login of logins.slice(1)) {
          await accounts.addUser(aUser({ login }))
          await stores.groups.setOrganizationRole(login, organizationGuid, 'admin')
        }
        const answers = await Promise.all([
          accounts.removeUser('admin', 1),
          accounts.removeUser('ada', 1),
          stores.groups.leaveOrganization('bob', organizationGuid),
          stores.accounts.setActive('eve', false, 1),
        ])
        const outcomes = answers.map((answer) => (typeof answer === 'string' ? answer : answer.outcome))
        expect(outcomes.filter((outcome) => outcome === 'last-admin')).toHaveLength(1)
      })

      it('remembers the newest use of each token', async () => {
        await accounts.addToken(aToken())
        await accounts.touchTokens(new Map([['Tfirst00001', 7_000]]))
        await accounts.touchTokens(
          new Map([
            ['Ttoken00001', 8_000],
            ['Tfirst00001', 6_000],
            ['Tnowhere001', 9_000],
          ]),
        )
        const used = (await accounts.listTokens(undefined)).map((token) => [token.guid, token.lastUsedAt])
        expect(used).toEqual([
          ['Tfirst00001', 7_000],
          ['Ttoken00001', 8_000],
        ])
        await accounts.touchTokens(new Map())
      })

      it('knows nobody by an unknown hash', async () => {
        expect(await accounts.actorByToken('')).toBeUndefined()
        expect(await accounts.actorByToken('hash')).toBeUndefined()
      })
    })
  })
}

function first(name = 'first'): FirstAccount {
  return {
    organization: { guid: `O${name}00001`, name: 'Organization' },
    group: { guid: `B${name}00001`, name: 'Group' },
    user: { login: name === 'first' ? 'admin' : name, passwordHash: 'hashed' },
    token: { guid: `T${name}00001`, secretHash: `hash of ${name}`, hint: 'wxyz', label: 'first token' },
    at: 1_000,
  }
}

function aUser(changes: Partial<NewUser> = {}): NewUser {
  return {
    login: 'ada',
    name: 'Ada',
    email: undefined,
    passwordHash: 'hashed',
    groupGuid: 'Bfirst00001',
    at: 2_000,
    ...changes,
  }
}

function aToken(changes: Partial<NewToken> = {}): NewToken {
  return {
    guid: 'Ttoken00001',
    secretHash: 'hash of token',
    hint: 'abcd',
    login: 'admin',
    label: 'a token',
    at: 2_000,
    ...changes,
  }
}
