import { beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { FirstAccount, NewToken, NewUser } from './account-store.js'
import { apiKeysContract } from './api-keys.contract.js'
import { identitiesContract } from './identities.contract.js'
import { invitationsContract } from './invitations.contract.js'
import { passkeysContract } from './passkeys.contract.js'
import { provisioningContract } from './provisioning.contract.js'
import { scopesOfToken } from './scopes.js'
import { signInContract } from './sign-in.contract.js'
import type { AccountStores } from './stores.builder.js'
import { storesOfEachTest } from './stores.builder.js'
import { triesContract } from './tries.contract.js'
import { twoFactorContract } from './two-factor.contract.js'
import { usersContract } from './users.contract.js'

const everything = scopesOfToken({ scopes: ['all'], isLimited: false })

/** What an `AccountStore` promises. `open` gives an empty store. */
export function accountStoreContract(open: () => Promise<AccountStores>): void {
  usersContract(open)
  signInContract(open)
  twoFactorContract(open)
  triesContract(open)
  apiKeysContract(open)
  invitationsContract(open)
  identitiesContract(open)
  passkeysContract(open)
  provisioningContract(open)

  describe('AccountStore: accounts and tokens', () => {
    const stores = storesOfEachTest(open)

    it('creates organization, group, user and token at once', async () => {
      expect(await stores.accounts.firstGroup()).toBeUndefined()
      expect(await stores.accounts.bootstrap(first())).toBe(true)
      expect(await stores.accounts.firstGroup()).toBe('Bfirst00001')
      expect(await stores.accounts.actorByToken('hash of first')).toEqual({
        tokenGuid: 'Tfirst00001',
        actor: {
          login: 'admin',
          defaultGroupGuid: 'Bfirst00001',
          defaultLinkPrivacy: 'public',
          clientId: undefined,
          groups: [{ groupGuid: 'Bfirst00001', organizationGuid: 'Ofirst00001', role: 'org-admin' }],
          organizations: [{ organizationGuid: 'Ofirst00001', role: 'admin' }],
          scopes: everything,
        },
      })
    })

    it('creates the first account only once', async () => {
      expect(await stores.accounts.bootstrap(first())).toBe(true)
      expect(await stores.accounts.bootstrap(first('other'))).toBe(false)
      expect(await stores.accounts.actorByToken('hash of other')).toBeUndefined()
      expect(await stores.accounts.listTokens(undefined)).toHaveLength(1)
    })

    it('creates one first account when several callers race', async () => {
      const names = ['first', 'secnd', 'third', 'forth', 'fifth']
      const answers = await Promise.all(names.map((name) => stores.accounts.bootstrap(first(name))))
      expect(answers.filter((answer) => answer)).toHaveLength(1)
      expect(await stores.accounts.listTokens(undefined)).toHaveLength(1)
      expect(await stores.accounts.firstGroup()).toBe(`B${names[answers.indexOf(true)]}00001`)
    })

    describe('with a first account', () => {
      beforeEach(async () => {
        await stores.accounts.bootstrap(first())
      })

      it('adds a user as a member of the group', async () => {
        expect(await stores.accounts.addUser(aUser())).toBe('added')
        expect(await stores.accounts.addToken(aToken({ login: 'ada' }))).toBe('added')
        expect((await stores.accounts.actorByToken('hash of token'))?.actor).toEqual({
          login: 'ada',
          defaultGroupGuid: 'Bfirst00001',
          defaultLinkPrivacy: 'public',
          clientId: undefined,
          groups: [{ groupGuid: 'Bfirst00001', organizationGuid: 'Ofirst00001', role: 'member' }],
          organizations: [{ organizationGuid: 'Ofirst00001', role: 'member' }],
          scopes: everything,
        })
      })

      it('tells who somebody is without a token, as with one', async () => {
        await stores.accounts.addUser(aUser())
        await stores.accounts.addToken(aToken({ login: 'ada' }))
        const withToken = (await stores.accounts.actorByToken('hash of token'))?.actor
        expect(withToken).toEqual({ ...(await stores.accounts.actorByLogin('ada')), scopes: everything })
        expect((await stores.accounts.actorByLogin('admin'))?.groups[0]?.role).toBe('org-admin')
        expect(await stores.accounts.actorByLogin('nobody')).toBeUndefined()
      })

      it('refuses a login that is taken and keeps its owner as they were', async () => {
        await stores.accounts.addToken(aToken({ login: 'admin' }))
        const before = await stores.accounts.actorByToken('hash of token')
        expect(await stores.accounts.addUser(aUser({ login: 'admin' }))).toBe('taken')
        expect(await stores.accounts.actorByToken('hash of token')).toEqual(before)
      })

      it('adds one user when several callers race for a login', async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => stores.accounts.addUser(aUser())))
        expect(answers.filter((answer) => answer === 'added')).toHaveLength(1)
        expect(answers.filter((answer) => answer === 'taken')).toHaveLength(7)
      })

      it('refuses a user for a group that does not exist', async () => {
        expect(await stores.accounts.addUser(aUser({ groupGuid: 'Bnowhere001' }))).toBe('no-group')
        expect(await stores.accounts.addToken(aToken({ login: 'ada' }))).toBe('no-user')
      })

      it('refuses a token for a user that does not exist', async () => {
        expect(await stores.accounts.addToken(aToken({ login: 'nobody' }))).toBe('no-user')
        expect(await stores.accounts.actorByToken('hash of token')).toBeUndefined()
      })

      it('lists tokens oldest first, of all users or of one, without their hashes', async () => {
        await stores.accounts.addUser(aUser())
        await stores.accounts.addToken(aToken({ guid: 'Tyounger001', secretHash: 'y', login: 'ada', at: 3_000 }))
        await stores.accounts.addToken(aToken({ guid: 'Tolder00001', secretHash: 'o', login: 'ada', at: 2_000 }))
        const all = await stores.accounts.listTokens(undefined)
        expect(all.map((token) => token.guid)).toEqual(['Tfirst00001', 'Tolder00001', 'Tyounger001'])
        expect((await stores.accounts.listTokens('ada')).map((token) => token.guid)).toEqual([
          'Tolder00001',
          'Tyounger001',
        ])
        expect(await stores.accounts.listTokens('nobody')).toEqual([])
        expect(all[0]).toEqual({
          guid: 'Tfirst00001',
          hint: 'wxyz',
          login: 'admin',
          label: 'first token',
          scopes: ['all'],
          createdAt: 1_000,
          lastUsedAt: undefined,
          revokedAt: undefined,
        })
      })

      it('revokes a token once', async () => {
        expect(await stores.accounts.revokeToken('Tfirst00001', 5_000)).toBe(true)
        expect(await stores.accounts.revokeToken('Tfirst00001', 6_000)).toBe(false)
        expect(await stores.accounts.revokeToken('Tnowhere001', 6_000)).toBe(false)
        expect(await stores.accounts.actorByToken('hash of first')).toBeUndefined()
        expect((await stores.accounts.listTokens(undefined))[0]?.revokedAt).toBe(5_000)
      })

      it('tells one of several racing callers that it revoked the token', async () => {
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => stores.accounts.revokeToken('Tfirst00001', 5_000)),
        )
        expect(answers.filter((answer) => answer)).toHaveLength(1)
      })

      const rotated = (guid: string, at: number) => {
        return { guid, secretHash: `hash of ${guid}`, hint: 'next', oldExpiresAt: at + 100, at }
      }

      it('rotates a token once, to one with the same label, scopes and groups', async () => {
        const { accounts } = stores
        await accounts.addToken(
          aToken({
            login: 'admin',
            scopes: ['qr'],
            groupGuids: ['Bfirst00001'],
            domains: ['a.example'],
            expiresAt: 9_000,
          }),
        )
        const [, { guid, label } = { guid: '', label: '' }] = await accounts.listTokens(undefined)
        expect(await accounts.rotateToken('Tnowhere001', rotated('N0', 5_000))).toBe('no-token')
        expect(await accounts.rotateToken(guid, { ...rotated('N1', 5_000), expiresAt: 8_000 })).toBe('rotated')
        expect(await accounts.rotateToken(guid, rotated('N2', 5_000))).toBe('rotated-before')
        const [old, made] = (await accounts.listTokens(undefined)).slice(1)
        expect(old).toMatchObject({ guid, expiresAt: 5_100, replacedBy: 'N1' })
        expect(made).toMatchObject({
          guid: 'N1',
          label,
          scopes: ['qr'],
          groupGuids: ['Bfirst00001'],
          domains: ['a.example'],
          expiresAt: 8_000,
        })
        const actor = (await accounts.actorByToken('hash of N1'))?.actor
        expect(actor).toEqual({ ...(await accounts.actorByToken('hash of token'))?.actor, expiresAt: 8_000 })
        expect(actor?.organizations).toEqual([])
      })

      it('does not let a rotation prolong the older token, nor rotates an expired or revoked one', async () => {
        const { accounts } = stores
        await accounts.addToken(aToken({ login: 'admin', expiresAt: 5_050 }))
        const [, { guid } = { guid: '' }] = await accounts.listTokens(undefined)
        expect(await accounts.rotateToken(guid, rotated('N1', 5_050))).toBe('rotated-before')
        expect(await accounts.rotateToken(guid, rotated('N1', 5_000))).toBe('rotated')
        expect((await accounts.listTokens(undefined))[1]?.expiresAt).toBe(5_050)
        await accounts.revokeToken('N1', 5_000)
        expect(await accounts.rotateToken('N1', rotated('N2', 5_000))).toBe('no-token')
      })

      it('rotates a token for one of several racing callers', async () => {
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, each) =>
            stores.accounts.rotateToken('Tfirst00001', rotated(`N${each}`, 5_000)),
          ),
        )
        expect(answers.filter((answer) => answer === 'rotated')).toHaveLength(1)
        expect(await stores.accounts.listTokens(undefined)).toHaveLength(2)
      })

      it('changes the label of a token that is good', async () => {
        expect(await stores.accounts.labelToken('Tfirst00001', 'laptop')).toBe(true)
        expect((await stores.accounts.listTokens('admin'))[0]?.label).toBe('laptop')
        await stores.accounts.revokeToken('Tfirst00001', 5_000)
        expect(await stores.accounts.labelToken('Tfirst00001', 'x')).toBe(false)
        expect(await stores.accounts.labelToken('Tnowhere001', 'x')).toBe(false)
        expect((await stores.accounts.listTokens('admin'))[0]?.label).toBe('laptop')
      })

      it('removes a user with everything that let them in, and gives the login to nobody again', async () => {
        const { applications, groups } = stores
        await stores.accounts.addUser(aUser({ email: 'ada@example.com' }))
        await stores.accounts.addToken(aToken({ login: 'ada' }))
        await stores.accounts.addApiKey({ guid: 'Y1', keyHash: 'key', hint: 'h', login: 'ada', label: '', at: 1 })
        await stores.accounts.addSession({ secretHash: 's1', login: 'ada', at: 1, expiresAt: 100 })
        await stores.accounts.addReset({ secretHash: 'r1', login: 'ada', at: 1, expiresAt: 100 })
        const factor = { by: 'sms', phone: '+1' } as const
        await stores.accounts.turnTwoFactorOn('ada', { factor, recoveryCodeHashes: ['h'], usedStep: undefined })
        const application = { clientId: 'A1', secretHash: 's', login: 'ada', name: 'n', description: '', link: '' }
        await applications.add({ ...application, redirectUris: [], requirePkce: false, scopes: ['all'], at: 1 })
        await stores.accounts.addToken(aToken({ guid: 'Tthrough001', secretHash: 'through', clientId: 'A1' }))

        const removed = { outcome: 'removed', organizationGuids: ['Ofirst00001'] }
        expect(await stores.accounts.removeUser('ada', 9_000)).toEqual(removed)
        expect(await stores.accounts.actorByLogin('ada')).toBeUndefined()
        expect(await stores.accounts.actorByToken('hash of token')).toBeUndefined()
        expect(await stores.accounts.actorByToken('through')).toBeUndefined()
        expect(await stores.accounts.listTokens('ada')).toEqual([])
        expect(await stores.accounts.account('ada@example.com')).toBeUndefined()
        expect(await stores.accounts.session('s1', 50)).toBeUndefined()
        expect(await stores.accounts.loginOfReset('r1', 50)).toBeUndefined()
        expect(await applications.get('A1')).toBeUndefined()
        expect((await groups.members()).map(({ login }) => login)).not.toContain('ada')
        expect(await stores.accounts.removeUser('ada', 9_000)).toEqual({ outcome: 'no-user' })

        expect(await stores.accounts.addUser(aUser())).toBe('taken')
        expect(await stores.accounts.addUser(aUser({ login: 'ada2', email: 'ada@example.com' }))).toBe('added')
        expect((await stores.accounts.actorByToken('hash of first'))?.actor.login).toBe('admin')
      })

      it('keeps the only active administrator, also when all of them are removed at the same time', async () => {
        const organizationGuid = 'Ofirst00001'
        expect(await stores.accounts.removeUser('admin', 1)).toEqual({ outcome: 'last-admin', organizationGuid })
        const logins = ['admin', 'ada', 'bob', 'eve']
        for (const login of logins.slice(1)) {
          await stores.accounts.addUser(aUser({ login }))
          await stores.groups.setOrganizationRole(login, organizationGuid, 'admin')
        }
        const answers = await Promise.all([
          stores.accounts.removeUser('admin', 1),
          stores.accounts.removeUser('ada', 1),
          stores.groups.leaveOrganization('bob', organizationGuid),
          stores.accounts.setActive('eve', false, 1),
        ])
        const outcomes = answers.map((answer) => (typeof answer === 'string' ? answer : answer.outcome))
        expect(outcomes.filter((outcome) => outcome === 'last-admin')).toHaveLength(1)
      })

      it('remembers the newest use of each token', async () => {
        await stores.accounts.addToken(aToken())
        await stores.accounts.touchTokens(new Map([['Tfirst00001', 7_000]]))
        await stores.accounts.touchTokens(
          new Map([
            ['Ttoken00001', 8_000],
            ['Tfirst00001', 6_000],
            ['Tnowhere001', 9_000],
          ]),
        )
        const used = (await stores.accounts.listTokens(undefined)).map((token) => [token.guid, token.lastUsedAt])
        expect(used).toEqual([
          ['Tfirst00001', 7_000],
          ['Ttoken00001', 8_000],
        ])
        await stores.accounts.touchTokens(new Map())
      })

      it('knows nobody by an unknown hash', async () => {
        expect(await stores.accounts.actorByToken('')).toBeUndefined()
        expect(await stores.accounts.actorByToken('hash')).toBeUndefined()
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

const aUser = sampleOf<NewUser>({
  login: 'ada',
  name: 'Ada',
  email: undefined,
  passwordHash: 'hashed',
  groupGuid: 'Bfirst00001',
  at: 2_000,
})

const aToken = sampleOf<NewToken>({
  guid: 'Ttoken00001',
  secretHash: 'hash of token',
  hint: 'abcd',
  login: 'admin',
  label: 'a token',
  at: 2_000,
})
