import { beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from './actor.js'
import type { GroupStores } from './group-store.contract.js'
import type { GroupStore } from './group-store.js'
import { bootstrap, storesOfEachTest } from './stores.builder.js'

/** What a `GroupStore` promises about members. `open` gives empty stores. */
export function membersContract(open: () => Promise<GroupStores>): void {
  describe('GroupStore: members', () => {
    const stores = storesOfEachTest(open)
    let groups: GroupStore
    beforeEach(async () => {
      groups = stores.groups
      const { accounts } = stores
      await bootstrap(accounts, { at: 1 })
      await groups.addGroup({ guid: 'B2', name: 'Second', organizationGuid: 'O1', at: 2 })
      await groups.addOrganization({ guid: 'O2', name: 'Two', admin: 'admin', at: 2 })
      await groups.addGroup({ guid: 'B3', name: 'Third', organizationGuid: 'O2', at: 3 })
      const ada = { login: 'ada', name: 'Ada', email: undefined, passwordHash: 'x', groupGuid: 'B1', at: 2 }
      await accounts.addUser(ada)
      await accounts.addToken({ guid: 'T2', secretHash: 'ada', hint: 'h', login: 'ada', label: 'l', at: 2 })
    })

    async function ada(): Promise<Actor> {
      const found = await stores.accounts.actorByToken('ada')
      if (!found) throw new Error('Ada is gone')
      return found.actor
    }
    const rolesOf = (actor: Actor) => Object.fromEntries(actor.groups.map(({ groupGuid, role }) => [groupGuid, role]))
    const organizationsOf = (actor: Actor) =>
      Object.fromEntries(actor.organizations.map(({ organizationGuid, role }) => [organizationGuid, role]))

    it('gives a role in a group, which can be changed', async () => {
      expect(await groups.setGroupRole('ada', 'B1', 'reader')).toBe('set')
      expect(rolesOf(await ada())).toEqual({ B1: 'reader' })
      expect(await groups.setGroupRole('ada', 'B1', 'admin')).toBe('set')
      expect(rolesOf(await ada())).toEqual({ B1: 'group-admin' })
    })

    it('makes a new member of a group one of its organization, and leaves an administrator one', async () => {
      await groups.setGroupRole('ada', 'B3', 'member')
      expect(organizationsOf(await ada())).toEqual({ O1: 'member', O2: 'member' })
      await groups.setOrganizationRole('ada', 'O2', 'admin')
      await groups.setGroupRole('ada', 'B3', 'reader')
      expect(organizationsOf(await ada())).toEqual({ O1: 'member', O2: 'admin' })
      expect(rolesOf(await ada())).toEqual({ B1: 'member', B3: 'org-admin' })
    })

    it('lets administrators of an organization reach all its groups', async () => {
      expect(await groups.setOrganizationRole('ada', 'O1', 'admin')).toBe('set')
      expect(rolesOf(await ada())).toEqual({ B1: 'org-admin', B2: 'org-admin' })
      expect(await groups.setOrganizationRole('ada', 'O1', 'member')).toBe('set')
      expect(rolesOf(await ada())).toEqual({ B1: 'member' })
    })

    it('lets auditors of an organization read all its groups, whatever their role in them', async () => {
      await groups.setGroupRole('ada', 'B1', 'admin')
      expect(await groups.setOrganizationRole('ada', 'O1', 'auditor')).toBe('set')
      expect(rolesOf(await ada())).toEqual({ B1: 'auditor', B2: 'auditor' })
      expect(organizationsOf(await ada())).toEqual({ O1: 'auditor' })
      await groups.setGroupRole('ada', 'B3', 'member')
      expect(rolesOf(await ada())).toEqual({ B1: 'auditor', B2: 'auditor', B3: 'member' })
      expect(await groups.leaveGroup('ada', 'B3')).toBe('left')
      expect(await groups.leaveGroup('ada', 'B1')).toBe('left')
      expect(await groups.setOrganizationRole('ada', 'O1', 'member')).toBe('last-group')
      expect(await groups.setOrganizationRole('admin', 'O1', 'auditor')).toBe('last-admin')
      await groups.setOrganizationRole('ada', 'O1', 'admin')
      expect(await groups.setOrganizationRole('admin', 'O1', 'auditor')).toBe('set')
    })

    it('refuses what does not exist', async () => {
      expect(await groups.setGroupRole('nobody', 'B1', 'admin')).toBe('no-user')
      expect(await groups.setGroupRole('ada', 'Bnone', 'admin')).toBe('no-group')
      expect(await groups.setOrganizationRole('nobody', 'O1', 'admin')).toBe('no-user')
      expect(await groups.setOrganizationRole('ada', 'Onone', 'admin')).toBe('no-organization')
      expect(await groups.leaveGroup('ada', 'B2')).toBe('not-a-member')
      expect(await groups.leaveOrganization('ada', 'O2')).toBe('not-a-member')
    })

    it('takes a user out of a group, whose default then is the oldest that is left', async () => {
      await groups.setGroupRole('ada', 'B3', 'member')
      await groups.setGroupRole('ada', 'B2', 'member')
      expect(await groups.leaveGroup('ada', 'B1')).toBe('left')
      expect(await ada()).toMatchObject({ defaultGroupGuid: 'B2' })
      expect(await groups.leaveGroup('ada', 'B3')).toBe('left')
      expect(await ada()).toMatchObject({ defaultGroupGuid: 'B2' })
      expect(rolesOf(await ada())).toEqual({ B2: 'member' })
    })

    it('keeps the default of a user who has no group left', async () => {
      expect(await groups.leaveOrganization('ada', 'O1')).toBe('left')
      expect(await ada()).toMatchObject({ defaultGroupGuid: 'B1', groups: [] })
    })

    it('keeps the last group of a user', async () => {
      expect(await groups.leaveGroup('ada', 'B1')).toBe('last-group')
      expect(rolesOf(await ada())).toEqual({ B1: 'member' })
      // A group that nobody can use does not count.
      await groups.setGroupRole('ada', 'B2', 'member')
      await groups.removeGroup('B2', 3)
      expect(await groups.leaveGroup('ada', 'B1')).toBe('last-group')
      expect(await groups.leaveGroup('ada', 'B2')).toBe('left')
      // Administrators are in all groups of their organization.
      await groups.setOrganizationRole('ada', 'O2', 'admin')
      expect(await groups.leaveGroup('ada', 'B1')).toBe('left')
      expect(await groups.setOrganizationRole('ada', 'O2', 'member')).toBe('last-group')
      await groups.setGroupRole('ada', 'B3', 'reader')
      expect(await groups.setOrganizationRole('ada', 'O2', 'member')).toBe('set')
      expect(rolesOf(await ada())).toEqual({ B3: 'reader' })
    })

    it('keeps one group of a user whose last memberships are all removed at the same time', async () => {
      for (let round = 0; round < 5; round += 1) {
        await groups.setGroupRole('ada', 'B1', 'member')
        await groups.setGroupRole('ada', 'B2', 'member')
        await groups.setOrganizationRole('ada', 'O2', 'admin')
        const answers = await Promise.all([
          groups.leaveGroup('ada', 'B1'),
          groups.setOrganizationRole('ada', 'O2', 'member'),
          groups.leaveGroup('ada', 'B2'),
        ])
        expect(answers.filter((answer) => answer === 'last-group')).toHaveLength(1)
        expect((await ada()).groups).toHaveLength(1)
      }
    })

    it('gives a user who comes into another group a default they can use', async () => {
      await groups.leaveOrganization('ada', 'O1')
      await groups.setGroupRole('ada', 'B3', 'member')
      expect(await ada()).toMatchObject({ defaultGroupGuid: 'B3' })
      await groups.setGroupRole('ada', 'B1', 'member')
      expect(await ada()).toMatchObject({ defaultGroupGuid: 'B1' })
    })

    it('gives another default to an administrator who becomes a member', async () => {
      await groups.setOrganizationRole('ada', 'O1', 'admin')
      await groups.leaveGroup('ada', 'B1')
      await groups.setGroupRole('ada', 'B2', 'member')
      expect(await ada()).toMatchObject({ defaultGroupGuid: 'B1' })
      await groups.setOrganizationRole('ada', 'O1', 'member')
      expect(await ada()).toMatchObject({ defaultGroupGuid: 'B2' })
    })

    it('takes a user out of an organization and all its groups', async () => {
      await groups.setGroupRole('ada', 'B2', 'member')
      await groups.setGroupRole('ada', 'B3', 'member')
      expect(await groups.leaveOrganization('ada', 'O1')).toBe('left')
      const actor = await ada()
      expect([rolesOf(actor), organizationsOf(actor)]).toEqual([{ B3: 'member' }, { O2: 'member' }])
      expect(actor.defaultGroupGuid).toBe('B3')
    })

    it('lists the members of one organization with their roles in its groups', async () => {
      await groups.setGroupRole('ada', 'B2', 'reader')
      await groups.setGroupRole('ada', 'B3', 'admin')
      const [admin, ada] = [await groups.organizationMembers('O1'), await groups.organizationMembers('O2')]
      expect(admin.map(({ login, role }) => [login, role])).toEqual([
        ['ada', 'member'],
        ['admin', 'admin'],
      ])
      expect(admin[0]).toMatchObject({ name: 'Ada', email: undefined, isActive: true, issuers: [] })
      expect(admin[0]?.groups).toEqual([
        { groupGuid: 'B1', role: 'member' },
        { groupGuid: 'B2', role: 'reader' },
      ])
      expect(ada.find(({ login }) => login === 'ada')?.groups).toEqual([{ groupGuid: 'B3', role: 'admin' }])
    })

    it('changes roles of members only, where it is told to', async () => {
      expect(await groups.setGroupRole('ada', 'B3', 'member', 'only-members')).toBe('no-user')
      expect(await groups.setOrganizationRole('ada', 'O2', 'admin', 'only-members')).toBe('no-user')
      expect(await groups.setGroupRole('ada', 'B2', 'reader', 'only-members')).toBe('set')
      expect(await groups.setOrganizationRole('ada', 'O1', 'admin', 'only-members')).toBe('set')
      expect(organizationsOf(await ada())).toEqual({ O1: 'admin' })
    })

    it('does not bring back a member who leaves while roles are changed', async () => {
      for (let round = 0; round < 5; round++) {
        await groups.setGroupRole('ada', 'B2', 'member')
        await Promise.all([
          groups.leaveOrganization('ada', 'O1'),
          groups.setGroupRole('ada', 'B2', 'admin', 'only-members'),
          groups.setOrganizationRole('ada', 'O1', 'member', 'only-members'),
        ])
        expect(await groups.leaveOrganization('ada', 'O1')).toBe('not-a-member')
        expect(rolesOf(await ada())).toEqual({})
      }
    })

    it('settles racing roles on one of them, and one of several racing removals', async () => {
      const roles = ['admin', 'member', 'reader'] as const
      await Promise.all(roles.map((role) => groups.setGroupRole('ada', 'B2', role)))
      expect(['group-admin', 'member', 'reader']).toContain(rolesOf(await ada()).B2)
      const left = await Promise.all(roles.map(() => groups.leaveGroup('ada', 'B2')))
      expect(left.filter((each) => each === 'left')).toHaveLength(1)
    })

    it('never leaves a default group behind that was lost, when two are left at once', async () => {
      await groups.setGroupRole('ada', 'B2', 'member')
      await groups.setGroupRole('ada', 'B3', 'member')
      await Promise.all([groups.leaveGroup('ada', 'B1'), groups.leaveGroup('ada', 'B2')])
      expect((await ada()).defaultGroupGuid).toBe('B3')
    })

    const administrators = async (organizationGuid: string) =>
      (await groups.members())
        .filter(({ guid, role }) => guid === organizationGuid && role === 'admin')
        .map(({ login }) => login)

    it('keeps the only active administrator of an organization', async () => {
      expect(await groups.leaveOrganization('admin', 'O1')).toBe('last-admin')
      expect(await groups.setOrganizationRole('admin', 'O1', 'member')).toBe('last-admin')
      expect(await groups.setOrganizationRole('admin', 'O1', 'admin')).toBe('set')
      expect(await administrators('O1')).toEqual(['admin'])

      await groups.setOrganizationRole('ada', 'O1', 'admin')
      await stores.accounts.setActive('ada', false, 3)
      // An inactive administrator does not count.
      expect(await groups.leaveOrganization('admin', 'O1')).toBe('last-admin')
      expect(await groups.leaveOrganization('ada', 'O1')).toBe('left')
      expect(await groups.setOrganizationRole('ada', 'O1', 'admin')).toBe('set')
      await stores.accounts.setActive('ada', true, 4)
      expect(await groups.setOrganizationRole('admin', 'O1', 'member')).toBe('set')
      expect(await groups.leaveOrganization('ada', 'O1')).toBe('last-admin')
      // Other members may always leave.
      expect(await groups.leaveOrganization('admin', 'O1')).toBe('left')
    })

    it('keeps one administrator when all of them go at the same time, in whichever way', async () => {
      for (let round = 0; round < 5; round += 1) {
        await groups.setOrganizationRole('ada', 'O1', 'admin')
        await groups.setOrganizationRole('admin', 'O1', 'admin')
        const answers = await Promise.all([
          groups.leaveOrganization('admin', 'O1'),
          round % 2 === 0 ? groups.leaveOrganization('ada', 'O1') : groups.setOrganizationRole('ada', 'O1', 'member'),
        ])
        // Who left in a former round has no group but as an administrator, and may keep the role as `last-group`.
        expect(answers.filter((answer) => answer.startsWith('last-'))).toHaveLength(1)
        expect(await administrators('O1')).toHaveLength(1)
      }
      await groups.setOrganizationRole('ada', 'O2', 'admin')
      const answers = await Promise.all([
        groups.leaveOrganization('admin', 'O2'),
        stores.accounts.setActive('ada', false, 5),
      ])
      const refused = answers.map((answer) => (typeof answer === 'string' ? answer : answer.outcome))
      expect(refused.filter((answer) => answer === 'last-admin')).toHaveLength(1)
    })

    it('lists everyone in everything, by login', async () => {
      expect(await groups.members()).toEqual(
        expect.arrayContaining([
          { login: 'ada', in: 'group', guid: 'B1', role: 'member' },
          { login: 'ada', in: 'organization', guid: 'O1', role: 'member' },
          { login: 'admin', in: 'organization', guid: 'O2', role: 'admin' },
        ]),
      )
      const logins = (await groups.members()).map(({ login }) => login)
      expect(logins).toEqual([...logins].sort())
    })
  })
}
