import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from './account-store.js'
import type { GroupStore } from './group-store.js'
import type { IdentityStore } from './identity-store.js'
import type { InvitationStore, NewInvitation } from './invitation-store.js'
import type { MemberStore } from './member-store.js'
import { bootstrap } from './stores.builder.js'
import type { UserStore } from './user-store.js'

export type OpenInvitationStore = () => Promise<
  {
    readonly accounts: AccountStore
    readonly users: UserStore
    readonly groups: GroupStore
    readonly members: MemberStore
    readonly identity: IdentityStore
    readonly invitations: InvitationStore
  } & Closable
>

/** What an `InvitationStore` promises. `open` gives empty stores. */
export function invitationStoreContract(open: OpenInvitationStore): void {
  describe('InvitationStore', () => {
    let stores: Awaited<ReturnType<OpenInvitationStore>>
    let invitations: InvitationStore
    beforeEach(async () => {
      stores = await open()
      invitations = stores.invitations
      await bootstrap(stores.accounts)
      await stores.groups.addOrganization({ guid: 'O2', name: 'Two', admin: 'admin', at: 1 })
      await stores.groups.addGroup({ guid: 'B2', name: 'Second', organizationGuid: 'O2', at: 1 })
    })
    afterEach(() => stores.close())

    const ada = { login: 'ada', name: 'Ada', passwordHash: 'hashed' }
    const rolesOf = async (login: string) =>
      (await stores.members.members())
        .filter((member) => member.login === login)
        .map(({ guid, role }) => `${guid} ${role}`)
        .sort()

    it('keeps an invitation until it is over', async () => {
      expect(await invitations.add(anInvitation())).toBe('added')
      const found = await invitations.find('secret', 99)
      expect(found).toEqual({
        guid: 'I1',
        email: 'Ada@example.com',
        organizationGuid: 'O1',
        organizationName: 'One',
        groupGuid: 'B1',
        groupName: 'First',
        role: 'member',
        invitedBy: 'admin',
        createdAt: 50,
        expiresAt: 100,
      })
      expect(await invitations.find('secret', 100)).toBeUndefined()
      expect(await invitations.find('other', 60)).toBeUndefined()
      expect(await invitations.accept('secret', ada, 100)).toEqual({ outcome: 'gone' })
    })

    it('refuses a group that does not exist or is not one of the organization', async () => {
      expect(await invitations.add(anInvitation({ groupGuid: 'B2' }))).toBe('no-group')
      expect(await invitations.add(anInvitation({ groupGuid: 'none' }))).toBe('no-group')
      expect(await invitations.list(undefined, 60)).toEqual([])
    })

    it('lists open invitations newest first, of one organization or of all', async () => {
      await invitations.add(anInvitation())
      await invitations.add(anInvitation({ guid: 'I2', secretHash: 's2', at: 60 }))
      await invitations.add(anInvitation({ guid: 'I3', secretHash: 's3', organizationGuid: 'O2', groupGuid: 'B2' }))
      await invitations.add(anInvitation({ guid: 'I4', secretHash: 's4', expiresAt: 61 }))
      const guids = async (organization?: string) =>
        (await invitations.list(organization, 70)).map((invitation) => invitation.guid)
      expect(await guids('O1')).toEqual(['I2', 'I1'])
      expect(await guids('O2')).toEqual(['I3'])
      expect(await guids()).toEqual(['I2', 'I1', 'I3'])
    })

    it('revokes once, within its organization or for the operator', async () => {
      await invitations.add(anInvitation())
      await invitations.add(anInvitation({ guid: 'I2', secretHash: 's2' }))
      expect(await invitations.revoke('I1', 'O2', 60)).toBe(false)
      expect(await invitations.revoke('I1', 'O1', 60)).toBe(true)
      expect(await invitations.revoke('I1', 'O1', 60)).toBe(false)
      expect(await invitations.revoke('I2', undefined, 60)).toBe(true)
      expect(await invitations.find('secret', 60)).toBeUndefined()
      expect(await invitations.accept('secret', ada, 60)).toEqual({ outcome: 'gone' })
    })

    it('makes a user with the role and the address, which is known to be theirs', async () => {
      await invitations.add(anInvitation({ role: 'reader' }))
      expect((await invitations.accept('secret', ada, 60)).outcome).toBe('accepted')
      expect(await stores.users.user('ada')).toMatchObject({
        name: 'Ada',
        email: 'Ada@example.com',
        isEmailVerified: true,
        defaultGroupGuid: 'B1',
      })
      expect(await rolesOf('ada')).toEqual(['B1 reader', 'O1 member'])
      expect((await stores.identity.account('ada@example.com'))?.passwordHash).toBe('hashed')
      expect(await invitations.revoke('I1', 'O1', 61)).toBe(false)
    })

    it('gives the role to a user who exists, and leaves their default group alone', async () => {
      await stores.accounts.addUser({ ...ada, email: undefined, groupGuid: 'B1', at: 1 })
      await invitations.add(anInvitation({ organizationGuid: 'O2', groupGuid: 'B2', role: 'org-admin' }))
      expect((await invitations.accept('secret', { login: 'ada' }, 60)).outcome).toBe('accepted')
      expect(await rolesOf('ada')).toEqual(['B1 member', 'B2 admin', 'O1 member', 'O2 admin'])
      expect((await stores.users.user('ada'))?.defaultGroupGuid).toBe('B1')
    })

    it('raises a role and never lowers one', async () => {
      await stores.accounts.addUser({ ...ada, email: undefined, groupGuid: 'B1', at: 1 })
      await invitations.add(anInvitation({ role: 'group-admin' }))
      await invitations.accept('secret', { login: 'ada' }, 60)
      expect(await rolesOf('ada')).toEqual(['B1 admin', 'O1 member'])
      await invitations.add(anInvitation({ guid: 'I2', secretHash: 's2', role: 'reader' }))
      await invitations.accept('s2', { login: 'ada' }, 61)
      await invitations.add(anInvitation({ guid: 'I3', secretHash: 's3', role: 'member' }))
      await invitations.accept('s3', { login: 'admin' }, 61)
      expect(await rolesOf('ada')).toEqual(['B1 admin', 'O1 member'])
      expect(await rolesOf('admin')).toContain('O1 admin')
    })

    it('stays open when login or address are taken, or the user does not exist', async () => {
      await invitations.add(anInvitation())
      expect(await invitations.accept('secret', { ...ada, login: 'admin' }, 60)).toEqual({ outcome: 'login-taken' })
      expect(await invitations.accept('secret', { login: 'nobody' }, 60)).toEqual({ outcome: 'no-user' })
      await stores.identity.setEmail('admin', 'ada@EXAMPLE.com', 60)
      expect(await invitations.accept('secret', ada, 60)).toEqual({ outcome: 'email-taken' })
      expect(await stores.users.user('ada')).toBeUndefined()
      expect((await invitations.accept('secret', { login: 'admin' }, 60)).outcome).toBe('accepted')
    })

    it('is accepted by one of several racing callers', async () => {
      await invitations.add(anInvitation())
      const tries = Array.from({ length: 8 }, (_, n) => invitations.accept('secret', { ...ada, login: `ada${n}` }, 60))
      const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome)
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'gone')).toHaveLength(7)
      const made = (await stores.members.members()).filter(({ login }) => login.startsWith('ada'))
      expect(new Set(made.map(({ login }) => login))).toEqual(new Set([`ada${outcomes.indexOf('accepted')}`]))
    })
  })
}

function anInvitation(changes: Partial<NewInvitation> = {}): NewInvitation {
  return {
    guid: 'I1',
    secretHash: 'secret',
    email: 'Ada@example.com',
    organizationGuid: 'O1',
    groupGuid: 'B1',
    role: 'member',
    invitedBy: 'admin',
    at: 50,
    expiresAt: 100,
    ...changes,
  }
}
