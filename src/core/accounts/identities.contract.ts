import { beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { GroupRole, OrganizationRole } from './actor.js'
import type { Entered, GivenRole, IdentityEntry } from './identity-store.js'
import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about users of identity providers. `open` gives empty stores. */
export function identitiesContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: identities', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    beforeEach(async () => {
      await stores.groups.addGroup({ guid: 'B2', name: 'Two', organizationGuid: 'O1', at: 2_000 })
      await stores.groups.addOrganization({ guid: 'O2', name: 'Other', admin: 'admin', at: 2_000 })
      await stores.groups.addGroup({ guid: 'B3', name: 'Three', organizationGuid: 'O2', at: 3_000 })
    })
    const enter = (entry: Partial<IdentityEntry> = {}) => stores.accounts.enterByIdentity(anEntry(entry))
    const rolesOf = async (login: string) =>
      (await stores.groups.members())
        .filter((member) => member.login === login)
        .map(({ guid, role }) => `${guid} ${role}`)
        .sort()
    const confirm = async (login: string, email: string, at = 4_000) => {
      await stores.accounts.addEmailChange({ secretHash: login, login, email, at, expiresAt: at + 1 })
      expect(await stores.accounts.useEmailChange(login, at)).toMatchObject({ outcome: 'changed' })
    }
    const as = (login: string, how: 'known' | 'linked' | 'created') => ({ outcome: 'entered', login, how })

    it('creates a user with the address that the provider has verified', async () => {
      expect(await enter({ email: 'Ada@Example.com' })).toMatchObject(as('ada', 'created'))
      expect(await stores.accounts.user('ada')).toMatchObject({
        name: 'Ada',
        email: 'Ada@Example.com',
        isEmailVerified: true,
        defaultGroupGuid: 'B1',
      })
      expect(await rolesOf('ada')).toEqual(['B1 member', 'O1 member'])
      const identity = {
        issuer: 'https://id.example',
        subject: 's1',
        login: 'ada',
        createdAt: 5_000,
        lastSignInAt: 5_000,
        externalId: undefined,
      }
      expect(await stores.accounts.identities('ada')).toEqual([identity])
      expect(await stores.accounts.identities(undefined)).toEqual([identity])
      expect(await stores.accounts.identities('admin')).toEqual([])
      const members = await stores.groups.organizationMembers('O1')
      expect(members.map(({ login, issuers }) => [login, ...issuers])).toEqual([
        ['ada', 'https://id.example'],
        ['admin'],
      ])
    })

    it('knows the user again by issuer and subject, whatever the provider calls them now', async () => {
      await enter()
      expect(await enter({ login: 'lovelace', email: 'new@example.com', at: 6_000 })).toMatchObject(as('ada', 'known'))
      expect((await stores.accounts.identities('ada'))[0]?.lastSignInAt).toBe(6_000)
      expect(await enter({ issuer: 'https://other.example' })).toMatchObject(as('ada-2', 'created'))
      expect(await enter({ subject: 'S1' })).toMatchObject(as('ada-3', 'created'))
    })

    it('keeps the external id when a later answer has none', async () => {
      const externalId = async () => (await stores.accounts.identities('ada'))[0]?.externalId
      await enter({ externalId: 'x1' })
      await enter({ externalId: undefined })
      expect(await externalId()).toBe('x1')
      await enter({ externalId: 'x2' })
      expect(await externalId()).toBe('x2')
    })

    it('gives a login once, also not that of a removed user or an address', async () => {
      await stores.accounts.addUser({ ...aUser('ada'), email: 'bob@example.com' })
      await stores.accounts.removeUser('ada', 3_000)
      await stores.accounts.addUser({ ...aUser('carl'), email: 'bob@example.com' })
      expect(await enter()).toMatchObject(as('ada-2', 'created'))
      expect(await enter({ subject: 's2', login: 'bob@example.com' })).toMatchObject(as('bob@example.com-2', 'created'))
      const long = 'x'.repeat(64)
      expect(await enter({ subject: 's3', login: long })).toMatchObject(as(long, 'created'))
      expect(await enter({ subject: 's4', login: long })).toMatchObject(as(`${'x'.repeat(62)}-2`, 'created'))
    })

    it('links nobody by the address of an invitation that was passed on by hand: anybody may have accepted it', async () => {
      const where = { organizationGuid: 'O1', groupGuid: 'B1', role: 'member', invitedBy: 'admin' } as const
      const invitation = {
        guid: 'I1',
        secretHash: 'secret',
        email: 'ada@example.com',
        ...where,
        at: 50,
        expiresAt: 100,
      }
      await stores.accounts.addInvitation({ ...invitation, delivery: 'not_sent' })
      const mallory = { login: 'mallory', name: 'Ada', passwordHash: 'x' }
      expect(await stores.accounts.acceptInvitation('secret', mallory, 60)).toMatchObject({ outcome: 'accepted' })
      const linking = { email: 'ada@example.com', link: true }
      expect(await enter({ ...linking, create: false })).toEqual({ outcome: 'unknown' })
      expect(await enter(linking)).toMatchObject(as('ada', 'created'))
    })

    it('links nobody by an address that somebody has only typed', async () => {
      await stores.accounts.addUser({ ...aUser('carl'), email: 'ada@example.com' })
      const linking = { email: 'ada@example.com', link: true }
      expect(await enter({ ...linking, create: false })).toEqual({ outcome: 'unknown' })
      expect(await enter(linking)).toMatchObject(as('ada', 'created'))
      await stores.accounts.addUser({ ...aUser('bob'), email: 'bob@example.com' })
      await confirm('bob', 'bob@example.com')
      await stores.accounts.setEmail('bob', 'eve@example.com', 4_500)
      const eve = { subject: 's2', email: 'eve@example.com', link: true, create: false }
      expect(await enter(eve)).toEqual({ outcome: 'unknown' })
    })

    it('links by the word of another provider only if that links by addresses too', async () => {
      const two = { issuer: 'https://two.example/', email: 'ada@example.com' }
      await enter(two)
      const linking = { email: 'ada@example.com', link: true, create: false }
      expect(await enter(linking)).toEqual({ outcome: 'unknown' })
      const trusting = { ...linking, trustedIssuers: ['https://two.example'] }
      expect(await enter(trusting)).toMatchObject(as('ada', 'linked'))
      await enter({ ...two, subject: 's2', login: 'bob', email: 'bob@example.com' })
      await confirm('bob', 'bob@example.com', 6_000)
      expect(await enter({ ...linking, subject: 's2', email: 'bob@example.com' })).toMatchObject(as('bob', 'linked'))
    })

    it('leaves out an address that another user has, and links by it only on demand', async () => {
      await stores.accounts.addUser({ ...aUser('carl'), email: 'Ada@Example.com' })
      await confirm('carl', 'Ada@Example.com')
      expect(await enter({ email: 'ada@example.com' })).toMatchObject(as('ada', 'created'))
      expect((await stores.accounts.user('ada'))?.email).toBeUndefined()
      const linking = { subject: 's2', email: 'ADA@example.com', link: true, create: false }
      expect(await enter(linking)).toMatchObject(as('carl', 'linked'))
      expect(await enter({ ...linking, link: false })).toMatchObject(as('carl', 'known'))
      // The provider has given the address to somebody else.
      expect(await enter({ ...linking, subject: 's4' })).toEqual({ outcome: 'unknown' })
      expect(await enter({ subject: 's3', link: true, create: false })).toEqual({ outcome: 'unknown' })
      expect(await enter({ subject: 's3', email: 'nobody@example.com', link: true, create: false })).toEqual({
        outcome: 'unknown',
      })
    })

    it('names the oldest organization, whatever its groups are', async () => {
      expect(await stores.accounts.firstOrganization()).toBe('O1')
      await stores.groups.addOrganization({ guid: 'O0', name: 'Older', admin: 'admin', at: 500 })
      expect(await stores.accounts.firstGroup()).toBe('B1')
      expect(await stores.accounts.firstOrganization()).toBe('O0')
    })

    it('keeps inactive users out', async () => {
      await enter()
      await stores.accounts.setActive('ada', false, 6_000)
      expect(await enter()).toEqual({ outcome: 'inactive', login: 'ada' })
    })

    it('creates one user when one person signs in several times at once', async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => enter()))
      expect(answers.map(({ outcome }) => outcome)).toEqual(Array(4).fill('entered'))
      expect(answers.filter((answer) => answer.outcome === 'entered' && answer.how === 'created')).toHaveLength(1)
      expect((await stores.accounts.users()).map(({ login }) => login)).toEqual(['ada', 'admin'])
    })

    it('gives racing people different logins', async () => {
      const answers = await Promise.all(['a', 'b', 'c', 'd'].map((subject) => enter({ subject })))
      const logins = answers.map((answer) => answer.outcome === 'entered' && answer.login)
      expect(logins.sort()).toEqual(['ada', 'ada-2', 'ada-3', 'ada-4'])
    })

    describe('roles', () => {
      it('follow the provider', async () => {
        const first = await enter({ roles: [group('B2', 'reader'), group('B3', 'admin'), group('Bgone', 'admin')] })
        expect(first).toEqual({
          ...as('ada', 'created'),
          changes: [
            { in: 'group', guid: 'B2', organizationGuid: 'O1', role: 'reader' },
            { in: 'group', guid: 'B3', organizationGuid: 'O2', role: 'admin' },
            { in: 'organization', guid: 'O1', organizationGuid: 'O1', role: 'member' },
            { in: 'organization', guid: 'O2', organizationGuid: 'O2', role: 'member' },
          ],
        })
        expect(await rolesOf('ada')).toEqual(['B2 reader', 'B3 admin', 'O1 member', 'O2 member'])
        expect((await stores.accounts.user('ada'))?.defaultGroupGuid).toBe('B2')
        expect(changesOf(await enter({ roles: [group('B3', 'admin'), group('B2', 'reader')] }))).toEqual([])
        expect(changesOf(await enter({ roles: [group('B3', 'member'), organization('O1', 'admin')] }))).toEqual([
          { in: 'group', guid: 'B3', organizationGuid: 'O2', role: 'member' },
          { in: 'group', guid: 'B2', organizationGuid: 'O1', role: undefined },
          { in: 'organization', guid: 'O1', organizationGuid: 'O1', role: 'admin' },
        ])
        expect(await rolesOf('ada')).toEqual(['B3 member', 'O1 admin', 'O2 member'])
      })

      it('of people stay, and come back after a higher one of the provider', async () => {
        await enter({ roles: [group('B2', 'member')] })
        await stores.groups.setGroupRole('ada', 'B1', 'reader')
        await enter({ roles: [group('B1', 'admin'), group('B2', 'reader'), organization('O1', 'admin')] })
        expect(await rolesOf('ada')).toEqual(['B1 admin', 'B2 reader', 'O1 admin'])
        await enter({ roles: [] })
        expect(await rolesOf('ada')).toEqual(['B1 reader', 'O1 member'])
      })

      it('may make somebody an auditor, who needs no group', async () => {
        expect(await enter({ roles: [organization('O1', 'auditor')] })).toMatchObject(as('ada', 'created'))
        expect(await rolesOf('ada')).toEqual(['O1 auditor'])
        await enter({ roles: [organization('O1', 'auditor'), organization('O1', 'admin'), group('B1', 'member')] })
        expect(await rolesOf('ada')).toEqual(['B1 member', 'O1 admin'])
        await enter({ roles: [organization('O1', 'auditor'), group('B1', 'member')] })
        expect(await rolesOf('ada')).toEqual(['B1 member', 'O1 auditor'])
        expect(await enter({ roles: [] })).toMatchObject({ outcome: 'no-group' })
        expect(await rolesOf('ada')).toEqual([])
      })

      it('that people change are theirs from then on', async () => {
        await enter({ roles: [group('B2', 'admin')] })
        await stores.groups.setGroupRole('ada', 'B2', 'member')
        await enter({ roles: [] })
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
      })

      it('that an invitation gives too stay when the provider takes its own', async () => {
        let guid = ''
        const accept = async (role: GroupRole, groupGuid: string, organizationGuid: string) => {
          guid += 'I'
          const given = { guid, secretHash: guid, email: 'a@example.com', role, groupGuid, organizationGuid }
          const more = { invitedBy: 'admin', delivery: 'sent', at: 5_000, expiresAt: 9_000 } as const
          await stores.accounts.addInvitation({ ...given, ...more })
          await stores.accounts.acceptInvitation(guid, { login: 'ada' }, 6_000)
        }
        const roles = [group('B1', 'member'), group('B2', 'admin'), group('B3', 'admin'), organization('O2', 'auditor')]
        await enter({ roles })
        await accept('member', 'B1', 'O1')
        await accept('reader', 'B2', 'O1')
        await accept('reader', 'B3', 'O2')
        await accept('member', 'B3', 'O2')
        await accept('reader', 'B3', 'O2')
        expect(await rolesOf('ada')).toEqual(['B1 member', 'B2 admin', 'B3 admin', 'O1 member', 'O2 auditor'])
        await enter({ roles: [] })
        expect(await rolesOf('ada')).toEqual(['B1 member', 'B2 reader', 'B3 member', 'O1 member', 'O2 member'])
      })

      it('of another provider stay', async () => {
        await enter({ roles: [group('B2', 'member')] })
        await confirm('ada', 'ada@example.com')
        const other = { issuer: 'https://two.example', email: 'ada@example.com', link: true }
        await enter({ ...other, roles: [group('B3', 'member')] })
        await enter({ ...other, roles: [group('B2', 'reader')] })
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
      })

      it('of one provider never become those of people through another', async () => {
        await enter({ roles: [group('B2', 'reader')] })
        await confirm('ada', 'ada@example.com')
        const other = { issuer: 'https://two.example', email: 'ada@example.com', link: true }
        await enter({ ...other, roles: [group('B2', 'admin')] })
        expect(await rolesOf('ada')).toEqual(['B2 admin', 'O1 member'])
        // It gave a lower one.
        await enter({ roles: [group('B2', 'reader')] })
        expect(await rolesOf('ada')).toEqual(['B2 admin', 'O1 member'])
        await enter({ ...other, roles: [] })
        expect(await rolesOf('ada')).toEqual(['O1 member'])
        await enter({ roles: [] })
        expect(await rolesOf('ada')).toEqual([])
      })

      it('do not follow a provider that gives none', async () => {
        await enter({ roles: [group('B2', 'member')] })
        expect(changesOf(await enter())).toEqual([])
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
      })

      it('leave an organization its only administrator', async () => {
        await enter({ roles: [organization('O1', 'admin')] })
        expect(await stores.groups.setOrganizationRole('admin', 'O1', 'member')).toBe('set')
        await enter({ roles: [group('B2', 'member')] })
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 admin'])
      })

      it('decide who may sign in: nobody without a group, nor is anybody created', async () => {
        expect(await enter({ roles: [] })).toEqual({ outcome: 'no-group', login: undefined, changes: [] })
        expect(await stores.accounts.user('ada')).toBeUndefined()
        await enter({ roles: [group('B2', 'member')] })
        expect(await enter({ roles: [group('Bgone', 'member')] })).toMatchObject({ outcome: 'no-group', login: 'ada' })
        expect(await rolesOf('ada')).toEqual([])
      })

      it('are those of one of several racing sign-ins', async () => {
        await enter({ roles: [group('B1', 'member')] })
        await Promise.all(['B1', 'B2', 'B3'].map((guid) => enter({ roles: [group(guid, 'member')] })))
        expect(['B1 member,O1 member', 'B2 member,O1 member', 'B3 member,O2 member']).toContain(
          (await rolesOf('ada')).join(),
        )
      })
    })

    describe('begun sign-ins', () => {
      const begun = { stateHash: 'h', browserHash: 'b', provider: 'oidc', next: '/app', at: 1_000, expiresAt: 2_000 }

      it('are used once, by the browser that began them, while they are valid', async () => {
        await stores.accounts.addProviderSignIn(begun)
        expect(await stores.accounts.useProviderSignIn('h', 'other', 1_500)).toBeUndefined()
        expect(await stores.accounts.useProviderSignIn('h', 'b', 2_000)).toBeUndefined()
        const answers = await Promise.all([1, 2, 3].map(() => stores.accounts.useProviderSignIn('h', 'b', 1_999)))
        expect(answers.filter(Boolean)).toEqual([{ provider: 'oidc', next: '/app' }])
      })

      it('are deleted when they have expired', async () => {
        await stores.accounts.addProviderSignIn(begun)
        await stores.accounts.addProviderSignIn({ ...begun, stateHash: 'later', at: 2_000, expiresAt: 3_000 })
        expect(await stores.accounts.useProviderSignIn('h', 'b', 1_500)).toBeUndefined()
        expect(await stores.accounts.useProviderSignIn('later', 'b', 2_500)).toBeDefined()
      })
    })

    describe('sessions', () => {
      const provided = {
        issuer: 'https://id.example',
        subject: 's1',
        providerSession: 'sid1',
        tokens: { refreshToken: 'r1' },
      }
      const begin = (secretHash: string, more: object = {}, at = 6_000) =>
        stores.accounts.addSession({
          secretHash,
          login: 'ada',
          at,
          expiresAt: 9_000,
          provided: { ...provided, ...more },
        })
      const isOpen = async (secretHash: string) => (await stores.accounts.session(secretHash, 7_000)) !== undefined
      beforeEach(() => enter())

      it('know where they came from', async () => {
        await begin('h1')
        expect(await stores.accounts.session('h1', 7_000)).toEqual({
          login: 'ada',
          expiresAt: 9_000,
          provided: { issuer: 'https://id.example', subject: 's1', checkedAt: 6_000, confirmedAt: 6_000 },
        })
        const { issuer, tokens } = provided
        expect(await stores.accounts.providedSession('h1')).toEqual({ issuer, tokens })
        await stores.accounts.addSession({ secretHash: 'h2', login: 'ada', at: 6_000, expiresAt: 9_000 })
        expect((await stores.accounts.session('h2', 7_000))?.provided).toBeUndefined()
        expect(await stores.accounts.providedSession('h2')).toBeUndefined()
      })

      it('are checked by one of several racing callers', async () => {
        await begin('h1')
        const claims = await Promise.all([1, 2, 3].map(() => stores.accounts.claimSessionCheck('h1', 6_000, 7_000)))
        expect(claims.filter(({ outcome }) => outcome === 'mine')).toEqual([
          { outcome: 'mine', tokens: { refreshToken: 'r1' } },
        ])
        await stores.accounts.keepProviderTokens('h1', { refreshToken: 'r2', idToken: 'i' })
        await stores.accounts.confirmSession('h1', 7_000)
        expect(await stores.accounts.claimSessionCheck('h1', 7_000, 8_000)).toEqual({
          outcome: 'mine',
          tokens: { refreshToken: 'r2', idToken: 'i' },
        })
        expect((await stores.accounts.session('h1', 8_000))?.provided).toMatchObject({
          checkedAt: 8_000,
          confirmedAt: 7_000,
        })
        expect(await stores.accounts.claimSessionCheck('gone', 7_000, 8_000)).toEqual({ outcome: 'not-mine' })
      })

      it('end by identity or by session of the provider, only those begun until then', async () => {
        await begin('h1')
        await begin('h2', { providerSession: 'sid2' })
        await begin('h3', { issuer: 'https://two.example' })
        await begin('late', {}, 6_500)
        const end = (which: object) =>
          stores.accounts.endProviderSessions({ issuer: 'https://id.example', begunUntil: 6_000, ...which })
        expect(await end({})).toEqual({ logins: [], revoked: [] })
        expect(await end({ providerSession: 'sid2' })).toMatchObject({ logins: ['ada'] })
        expect([await isOpen('h1'), await isOpen('h2')]).toEqual([true, false])
        expect(await end({ subject: 's1', providerSession: 'other' })).toMatchObject({ logins: [] })
        expect(await end({ subject: 's1' })).toMatchObject({ logins: ['ada'] })
        expect([await isOpen('h1'), await isOpen('h3'), await isOpen('late')]).toEqual([false, true, true])
      })

      it('end together with tokens and keys of the user', async () => {
        await begin('h1')
        const token = { guid: 'T2', secretHash: 't2', hint: 'h', login: 'ada', label: 'l', at: 6_000 }
        await stores.accounts.addToken(token)
        await stores.accounts.addApiKey({ guid: 'Y1', keyHash: 'k', hint: 'h', login: 'ada', label: 'l', at: 6_000 })
        const which = { issuer: 'https://id.example', subject: 's1', begunUntil: 7_000, tokensOf: 'ada' }
        const { logins, revoked } = await stores.accounts.endProviderSessions(which)
        expect([logins, [...revoked].sort()]).toEqual([['ada'], ['T2', 'Y1']])
        expect(await stores.accounts.endProviderSessions(which)).toEqual({ logins: [], revoked: [] })
        expect(await stores.accounts.actorByToken('t2')).toBeUndefined()
        expect(await stores.accounts.findApiKey('ada', 'k')).toBeUndefined()
        expect(await stores.accounts.actorByToken('admin')).toBeDefined()
      })

      it('and identities go with the user', async () => {
        await begin('h1')
        await stores.accounts.removeUser('ada', 7_000)
        expect(await stores.accounts.identities(undefined)).toEqual([])
        expect(await isOpen('h1')).toBe(false)
      })
    })
  })
}

const anEntry = sampleOf<IdentityEntry>({
  issuer: 'https://id.example',
  subject: 's1',
  login: 'ada',
  name: 'Ada',
  email: undefined,
  link: false,
  trustedIssuers: [],
  create: true,
  roles: undefined,
  mayEnter: true,
  externalId: undefined,
  accessOf: () => ({ mayEnter: true, roles: undefined }),
  passwordHash: 'x',
  at: 5_000,
})

function aUser(login: string) {
  return { login, name: login, email: undefined, passwordHash: 'x', groupGuid: 'B1', at: 2_000 }
}

function group(guid: string, role: 'admin' | 'member' | 'reader'): GivenRole {
  return { in: 'group', guid, role }
}

function organization(guid: string, role: OrganizationRole): GivenRole {
  return { in: 'organization', guid, role }
}

function changesOf(entered: Entered) {
  return entered.outcome === 'entered' && entered.changes
}
