import { beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { NewInvitation } from './account-store.js'

import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

/** What an `AccountStore` promises about invitations. `open` gives empty stores. */
export function invitationsContract(open: () => Promise<AccountStores>): void {
  describe('AccountStore: invitations', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    beforeEach(async () => {
      await stores.groups.addOrganization({ guid: 'O2', name: 'Two', admin: 'admin', at: 1 })
      await stores.groups.addGroup({ guid: 'B2', name: 'Second', organizationGuid: 'O2', at: 1 })
    })

    const ada = { login: 'ada', name: 'Ada', passwordHash: 'hashed' }
    const rolesOf = async (login: string) =>
      (await stores.groups.members())
        .filter((member) => member.login === login)
        .map(({ guid, role }) => `${guid} ${role}`)
        .sort()

    it('keeps an invitation until it is over', async () => {
      expect(await stores.accounts.addInvitation(anInvitation())).toBe('added')
      const found = await stores.accounts.findInvitation('secret', 99)
      expect(found).toEqual({
        guid: 'I1',
        email: 'Ada@example.com',
        organizationGuid: 'O1',
        organizationName: 'One',
        groupGuid: 'B1',
        groupName: 'First',
        role: 'member',
        invitedBy: 'admin',
        delivery: 'sent',
        createdAt: 50,
        expiresAt: 100,
      })
      expect(await stores.accounts.findInvitation('secret', 100)).toBeUndefined()
      expect(await stores.accounts.findInvitation('other', 60)).toBeUndefined()
      expect(await stores.accounts.acceptInvitation('secret', ada, 100)).toEqual({ outcome: 'gone' })
    })

    it('ends with the rights of whoever made it', async () => {
      await stores.accounts.addInvitation(anInvitation({ invitedBy: 'somebody' }))
      expect(await stores.accounts.findInvitation('secret', 60)).toBeUndefined()
      expect(await stores.accounts.listInvitations('O1', 60)).toEqual([])
      expect(await stores.accounts.acceptInvitation('secret', ada, 60)).toEqual({ outcome: 'gone' })
    })

    it('refuses a group that does not exist or is not one of the organization', async () => {
      expect(await stores.accounts.addInvitation(anInvitation({ groupGuid: 'B2' }))).toBe('no-group')
      expect(await stores.accounts.addInvitation(anInvitation({ groupGuid: 'none' }))).toBe('no-group')
      expect(await stores.accounts.listInvitations(undefined, 60)).toEqual([])
    })

    it('lists open invitations newest first, of one organization or of all', async () => {
      await stores.accounts.addInvitation(anInvitation())
      await stores.accounts.addInvitation(anInvitation({ guid: 'I2', secretHash: 's2', at: 60 }))
      await stores.accounts.addInvitation(
        anInvitation({ guid: 'I3', secretHash: 's3', organizationGuid: 'O2', groupGuid: 'B2', invitedBy: 'operator' }),
      )
      await stores.accounts.addInvitation(anInvitation({ guid: 'I4', secretHash: 's4', expiresAt: 61 }))
      const guids = async (organization?: string) =>
        (await stores.accounts.listInvitations(organization, 70)).map((invitation) => invitation.guid)
      expect(await guids('O1')).toEqual(['I2', 'I1'])
      expect(await guids('O2')).toEqual(['I3'])
      expect(await guids()).toEqual(['I2', 'I1', 'I3'])
    })

    it('revokes once, within its organization or for the operator', async () => {
      await stores.accounts.addInvitation(anInvitation())
      await stores.accounts.addInvitation(anInvitation({ guid: 'I2', secretHash: 's2' }))
      expect(await stores.accounts.revokeInvitation('I1', 'O2', 60)).toBe(false)
      expect(await stores.accounts.revokeInvitation('I1', 'O1', 60)).toBe(true)
      expect(await stores.accounts.revokeInvitation('I1', 'O1', 60)).toBe(false)
      expect(await stores.accounts.revokeInvitation('I2', undefined, 60)).toBe(true)
      expect(await stores.accounts.findInvitation('secret', 60)).toBeUndefined()
      expect(await stores.accounts.acceptInvitation('secret', ada, 60)).toEqual({ outcome: 'gone' })
    })

    it('makes a user with the role and the address, which is known to be theirs', async () => {
      await stores.accounts.addInvitation(anInvitation({ role: 'reader' }))
      expect((await stores.accounts.acceptInvitation('secret', ada, 60)).outcome).toBe('accepted')
      expect(await stores.accounts.user('ada')).toMatchObject({
        name: 'Ada',
        email: 'Ada@example.com',
        isEmailVerified: true,
        defaultGroupGuid: 'B1',
      })
      expect(await rolesOf('ada')).toEqual(['B1 reader', 'O1 member'])
      expect((await stores.accounts.account('ada@example.com'))?.passwordHash).toBe('hashed')
      expect(await stores.accounts.revokeInvitation('I1', 'O1', 61)).toBe(false)
    })

    it('does not know whether an address is theirs if the secret was not sent to it', async () => {
      await stores.accounts.addInvitation(anInvitation({ delivery: 'not_sent' }))
      expect((await stores.accounts.acceptInvitation('secret', ada, 60)).outcome).toBe('accepted')
      expect(await stores.accounts.user('ada')).toMatchObject({ email: 'Ada@example.com', isEmailVerified: false })
    })

    it('gives the role to a user who exists, and leaves their default group alone', async () => {
      await stores.accounts.addUser({ ...ada, email: undefined, groupGuid: 'B1', at: 1 })
      await stores.accounts.addInvitation(anInvitation({ organizationGuid: 'O2', groupGuid: 'B2', role: 'org-admin' }))
      expect((await stores.accounts.acceptInvitation('secret', { login: 'ada' }, 60)).outcome).toBe('accepted')
      expect(await rolesOf('ada')).toEqual(['B1 member', 'B2 admin', 'O1 member', 'O2 admin'])
      expect((await stores.accounts.user('ada'))?.defaultGroupGuid).toBe('B1')
    })

    it('makes newcomers auditors, and leaves people of the organization what they are', async () => {
      await stores.accounts.addInvitation(anInvitation({ role: 'auditor' }))
      expect((await stores.accounts.acceptInvitation('secret', ada, 60)).outcome).toBe('accepted')
      expect(await rolesOf('ada')).toEqual(['B1 reader', 'O1 auditor'])
      await stores.accounts.addInvitation(anInvitation({ guid: 'I2', secretHash: 's2', role: 'member' }))
      await stores.accounts.acceptInvitation('s2', { login: 'ada' }, 61)
      expect(await rolesOf('ada')).toEqual(['B1 member', 'O1 auditor'])
      await stores.accounts.addInvitation(anInvitation({ guid: 'I3', secretHash: 's3', role: 'auditor' }))
      await stores.accounts.acceptInvitation('s3', { login: 'admin' }, 61)
      expect(await rolesOf('admin')).toContain('O1 admin')
    })

    it('raises a role and never lowers one', async () => {
      await stores.accounts.addUser({ ...ada, email: undefined, groupGuid: 'B1', at: 1 })
      await stores.accounts.addInvitation(anInvitation({ role: 'group-admin' }))
      await stores.accounts.acceptInvitation('secret', { login: 'ada' }, 60)
      expect(await rolesOf('ada')).toEqual(['B1 admin', 'O1 member'])
      await stores.accounts.addInvitation(anInvitation({ guid: 'I2', secretHash: 's2', role: 'reader' }))
      await stores.accounts.acceptInvitation('s2', { login: 'ada' }, 61)
      await stores.accounts.addInvitation(anInvitation({ guid: 'I3', secretHash: 's3', role: 'member' }))
      await stores.accounts.acceptInvitation('s3', { login: 'admin' }, 61)
      expect(await rolesOf('ada')).toEqual(['B1 admin', 'O1 member'])
      expect(await rolesOf('admin')).toContain('O1 admin')
    })

    it('stays open when login or address are taken, or the user does not exist', async () => {
      await stores.accounts.addInvitation(anInvitation())
      expect(await stores.accounts.acceptInvitation('secret', { ...ada, login: 'admin' }, 60)).toEqual({
        outcome: 'login-taken',
      })
      expect(await stores.accounts.acceptInvitation('secret', { login: 'nobody' }, 60)).toEqual({ outcome: 'no-user' })
      await stores.accounts.setEmail('admin', 'ada@EXAMPLE.com', 60)
      expect(await stores.accounts.acceptInvitation('secret', ada, 60)).toEqual({ outcome: 'email-taken' })
      expect(await stores.accounts.user('ada')).toBeUndefined()
      expect((await stores.accounts.acceptInvitation('secret', { login: 'admin' }, 60)).outcome).toBe('accepted')
    })

    it('is accepted by one of several racing callers', async () => {
      await stores.accounts.addInvitation(anInvitation())
      const tries = Array.from({ length: 8 }, (_, n) =>
        stores.accounts.acceptInvitation('secret', { ...ada, login: `ada${n}` }, 60),
      )
      const outcomes = (await Promise.all(tries)).map(({ outcome }) => outcome)
      expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
      expect(outcomes.filter((outcome) => outcome === 'gone')).toHaveLength(7)
      const made = (await stores.groups.members()).filter(({ login }) => login.startsWith('ada'))
      expect(new Set(made.map(({ login }) => login))).toEqual(new Set([`ada${outcomes.indexOf('accepted')}`]))
    })
  })
}

const anInvitation = sampleOf<NewInvitation>({
  guid: 'I1',
  secretHash: 'secret',
  email: 'Ada@example.com',
  organizationGuid: 'O1',
  groupGuid: 'B1',
  role: 'member',
  invitedBy: 'admin',
  delivery: 'sent',
  at: 50,
  expiresAt: 100,
})
