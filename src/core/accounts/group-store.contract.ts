import { beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { DomainStore } from '../domains/domain-store.js'
import type { AccountStore } from './account-store.js'
import type { GroupStore } from './group-store.js'
import { membersContract } from './members.contract.js'
import { openBootstrapped, storesOfEachTest } from './stores.builder.js'

export interface GroupStores extends Closable {
  readonly accounts: AccountStore
  readonly domainStore: DomainStore
  readonly groups: GroupStore
}

/** What a `GroupStore` promises. `open` gives empty stores. */
export function groupStoreContract(open: () => Promise<GroupStores>): void {
  membersContract(open)

  describe('GroupStore', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    let groups: GroupStore
    beforeEach(async () => {
      groups = stores.groups
      await groups.addOrganization({ guid: 'O2', name: 'Two', admin: 'admin', at: 2_000 })
      for (const [name, organizationGuid] of [
        ['a.example', 'O1'],
        ['b.example', 'O1'],
        ['z.example', 'O2'],
      ] as const) {
        await aDomain(name, organizationGuid)
      }
    })

    function aDomain(name: string, organizationGuid: string, groupGuids: readonly string[] = []) {
      const urls = { rootUrl: undefined, notFoundUrl: undefined }
      return stores.domainStore.add({ name, organizationGuid, groupGuids, ...urls, createdBy: 'admin', at: 1 })
    }
    const aUser = { login: 'eve', name: 'x', email: undefined, passwordHash: 'x', at: 1 }
    const group = async (guid = 'B1') => (await groups.groups([guid]))[0]

    it('adds groups and organizations, and answers them oldest first', async () => {
      expect(await groups.addGroup({ guid: 'B0', name: 'Second', organizationGuid: 'O2', at: 3_000 })).toBe('added')
      expect((await groups.groups('all')).map(({ guid }) => guid)).toEqual(['B1', 'B0'])
      expect((await groups.groups(['B0', 'Bnone', 'B1'])).map(({ guid }) => guid)).toEqual(['B1', 'B0'])
      expect(await groups.groups([])).toEqual([])
      expect(await group()).toEqual({
        guid: 'B1',
        organizationGuid: 'O1',
        name: 'First',
        isActive: true,
        createdAt: 1_000,
        modifiedAt: 1_000,
        domains: [],
        domainPreference: undefined,
        timeZone: undefined,
      })
      expect((await groups.organizations('all')).map(({ guid }) => guid)).toEqual(['O1', 'O2'])
      expect(await groups.organizations(['O1', 'Onone'])).toEqual([
        {
          guid: 'O1',
          name: 'One',
          isActive: true,
          createdAt: 1_000,
          modifiedAt: 1_000,
          domains: ['a.example', 'b.example'],
        },
      ])
      expect(await groups.organizations([])).toEqual([])
    })

    it('adds nothing for a user or an organization that does not exist', async () => {
      expect(await groups.addOrganization({ guid: 'O9', name: 'x', admin: 'nobody', at: 1 })).toBe('no-user')
      expect(await groups.addGroup({ guid: 'B9', name: 'x', organizationGuid: 'O9', at: 1 })).toBe('no-organization')
      expect(await groups.organizations(['O9'])).toEqual([])
      expect(await group('B9')).toBeUndefined()
    })

    it('makes the first administrator of an organization reach its groups', async () => {
      await groups.addGroup({ guid: 'B2', name: 'x', organizationGuid: 'O2', at: 1 })
      const reached = (await stores.accounts.actorByToken('admin'))?.actor.groups
      expect(reached).toContainEqual({ groupGuid: 'B2', organizationGuid: 'O2', role: 'org-admin' })
    })

    it('changes what is named and nothing else', async () => {
      const before = await group()
      expect(await groups.changeGroup('B1', { name: 'Renamed' }, 5_000)).toEqual({
        outcome: 'changed',
        group: { ...before, name: 'Renamed', modifiedAt: 5_000 },
        freed: [],
      })
      expect(await groups.changeGroup('B1', { domains: ['b.example', 'a.example'] }, 6_000)).toMatchObject({
        outcome: 'changed',
        group: { name: 'Renamed', domains: ['a.example', 'b.example'] },
      })
      await groups.changeGroup('B1', { domains: ['b.example'] }, 7_000)
      expect((await group())?.domains).toEqual(['b.example'])
      await groups.changeGroup('B1', { domains: [] }, 8_000)
      expect((await group())?.domains).toEqual([])
      expect(await groups.changeGroup('Bnone', { name: 'x' }, 1)).toEqual({ outcome: 'no-group' })
    })

    it('sets a time zone and removes it', async () => {
      const zoneAfter = async (timeZone: string | null | undefined) => {
        await groups.changeGroup('B1', { timeZone }, 1)
        return (await group('B1'))?.timeZone
      }
      expect(await zoneAfter('Europe/Berlin')).toBe('Europe/Berlin')
      expect(await zoneAfter(undefined)).toBe('Europe/Berlin')
      expect(await zoneAfter(null)).toBeUndefined()
    })

    it('refuses domains of no or another organization and changes nothing', async () => {
      await groups.changeGroup('B1', { domains: ['a.example'] }, 2)
      const before = await group()
      const domains = ['b.example', 'z.example', 'none.example']
      expect(await groups.changeGroup('B1', { name: 'x', domains }, 5_000)).toEqual({
        outcome: 'foreign-domains',
        domains: ['z.example', 'none.example'],
      })
      expect(await groups.changeGroup('B1', { organizationGuid: 'O2' }, 5_000)).toEqual({
        outcome: 'foreign-domains',
        domains: ['a.example'],
      })
      expect(await group()).toEqual(before)
    })

    it('moves a group with its members into another organization', async () => {
      const user = { name: 'x', email: undefined, passwordHash: 'x', groupGuid: 'B1', at: 1 }
      await stores.accounts.addUser({ ...user, login: 'ada' })
      const change = { organizationGuid: 'O2', domains: ['z.example'] }
      expect(await groups.changeGroup('B1', change, 5_000)).toMatchObject({
        outcome: 'changed',
        group: { organizationGuid: 'O2', domains: ['z.example'] },
      })
      const places = (await stores.groups.members()).filter(({ login }) => login === 'ada')
      expect(places.map(({ guid, role }) => [guid, role]).sort()).toEqual([
        ['B1', 'member'],
        ['O1', 'member'],
        ['O2', 'member'],
      ])
      // Existing members keep their role.
      const admin = (await stores.groups.members()).find(({ login, guid }) => login === 'admin' && guid === 'O2')
      expect(admin?.role).toBe('admin')
    })

    it('prefers a built-in domain, or a branded one that is assigned', async () => {
      await groups.changeGroup('B1', { domains: ['a.example'] }, 2)
      expect(await groups.preferDomain('B1', { name: 'sho.rt', branded: false }, 3)).toBe('preferred')
      expect((await group())?.domainPreference).toBe('sho.rt')
      expect(await groups.preferDomain('B1', { name: 'a.example', branded: true }, 4)).toBe('preferred')
      expect(await groups.preferDomain('B1', { name: 'b.example', branded: true }, 5)).toBe('not-assigned')
      expect(await group()).toMatchObject({ domainPreference: 'a.example', modifiedAt: 4 })
      await groups.preferDomain('B1', undefined, 6)
      expect((await group())?.domainPreference).toBeUndefined()
    })

    it('forgets the preference for a domain that is taken from the group, and only that', async () => {
      await groups.changeGroup('B1', { domains: ['a.example', 'b.example'] }, 2)
      await groups.preferDomain('B1', { name: 'a.example', branded: true }, 3)
      await groups.changeGroup('B1', { domains: ['a.example'] }, 4)
      expect((await group())?.domainPreference).toBe('a.example')
      await groups.changeGroup('B1', { domains: ['b.example'] }, 5)
      expect((await group())?.domainPreference).toBeUndefined()
      await groups.preferDomain('B1', { name: 'sho.rt', branded: false }, 6)
      await groups.changeGroup('B1', { domains: [] }, 7)
      expect((await group())?.domainPreference).toBe('sho.rt')
    })

    it('never leaves a preference without its assignment when both are changed at once', async () => {
      for (let round = 0; round < 5; round += 1) {
        await groups.changeGroup('B1', { domains: ['a.example'] }, 2)
        await Promise.all([
          groups.preferDomain('B1', { name: 'a.example', branded: true }, 3),
          groups.changeGroup('B1', { domains: [] }, 4),
        ])
        expect(await group()).toMatchObject({ domains: [], domainPreference: undefined })
      }
    })

    it('gives racing callers the domains of one of them', async () => {
      const inputs = [['a.example'], ['b.example'], ['a.example', 'b.example'], []]
      await Promise.all(inputs.map((domains) => groups.changeGroup('B1', { domains }, 5)))
      expect(inputs).toContainEqual((await group())?.domains)
    })

    it('renames an organization and nothing else', async () => {
      const [before] = await groups.organizations(['O1'])
      const renamed = await groups.renameOrganization('O1', 'Renamed', 5_000)
      expect(renamed).toEqual({ ...before, name: 'Renamed', modifiedAt: 5_000 })
      expect(await groups.organizations(['O1'])).toEqual([renamed])
      expect((await groups.organizations(['O2']))[0]?.name).toBe('Two')
      expect(await groups.renameOrganization('Onone', 'x', 5_000)).toBeUndefined()
    })

    const reached = async () =>
      (await stores.accounts.actorByToken('admin'))?.actor.groups.map((each) => each.groupGuid)

    it('removes a group, which nobody reaches then, and restores it', async () => {
      await groups.addGroup({ guid: 'B2', name: 'Second', organizationGuid: 'O1', at: 2 })
      await groups.changeGroup('B1', { domains: ['a.example'] }, 2)
      await groups.preferDomain('B1', { name: 'a.example', branded: true }, 3)
      const version = await stores.domainStore.version()
      expect(await groups.removeGroup('B1', 5_000)).toEqual({ outcome: 'removed', freed: [] })
      expect(await reached()).toEqual(['B2'])
      const gone = { isActive: false, modifiedAt: 5_000, domains: [], domainPreference: undefined }
      expect(await group()).toMatchObject(gone)
      expect(await stores.domainStore.version()).not.toBe(version)
      expect(await stores.accounts.firstGroup()).toBe('B2')
      expect(await stores.groups.setGroupRole('admin', 'B1', 'reader')).toBe('no-group')
      expect(await stores.accounts.addUser({ ...aUser, groupGuid: 'B1' })).toBe('no-group')
      expect(await groups.removeGroup('B1', 6_000)).toEqual({ outcome: 'no-group' })

      expect(await groups.restoreGroup('B1', 7_000)).toBe(true)
      expect((await reached())?.sort()).toEqual(['B1', 'B2'])
      expect(await groups.restoreGroup('B1', 8_000)).toBe(false)
      expect(await groups.restoreGroup('Bnone', 8_000)).toBe(false)
      expect(await groups.removeGroup('Bnone', 8_000)).toEqual({ outcome: 'no-group' })
    })

    it('keeps the last group of an organization, also when all are removed at the same time', async () => {
      await groups.addGroup({ guid: 'B9', name: 'Elsewhere', organizationGuid: 'O2', at: 2 })
      expect(await groups.removeGroup('B1', 5_000)).toEqual({ outcome: 'last-group' })
      for (let round = 0; round < 5; round += 1) {
        for (const guid of [`B2${round}`, `B3${round}`]) {
          await groups.addGroup({ guid, name: guid, organizationGuid: 'O1', at: 2 })
        }
        const active = (await groups.groups('all')).filter((each) => each.isActive && each.organizationGuid === 'O1')
        const answers = await Promise.all(active.map(({ guid }) => groups.removeGroup(guid, 5_000)))
        expect(answers.filter(({ outcome }) => outcome === 'last-group')).toHaveLength(1)
      }
      expect(await reached()).toHaveLength(2)
    })

    it('keeps the only group of active users, and names them', async () => {
      await groups.addGroup({ guid: 'B2', name: 'Second', organizationGuid: 'O1', at: 2 })
      for (const login of ['eve', 'bob', 'cyd']) {
        await stores.accounts.addUser({ ...aUser, login, groupGuid: 'B1' })
      }
      await groups.setGroupRole('cyd', 'B2', 'reader')
      expect(await groups.removeGroup('B1', 5_000)).toEqual({ outcome: 'only-group', logins: ['bob', 'eve'] })
      expect(await group()).toMatchObject({ isActive: true })
      await stores.accounts.setActive('bob', false, 3)
      expect(await groups.removeGroup('B1', 5_000)).toEqual({ outcome: 'only-group', logins: ['eve'] })
      // An administrator is in all groups of the organization.
      await groups.setOrganizationRole('eve', 'O1', 'admin')
      expect(await groups.removeGroup('B1', 5_000)).toEqual({ outcome: 'removed', freed: [] })
    })

    it('keeps a group of everybody when all theirs end at the same time, in whichever way', async () => {
      await groups.addGroup({ guid: 'B9', name: 'Other', organizationGuid: 'O1', at: 2 })
      for (let round = 0; round < 5; round += 1) {
        const [one, two, login] = [`B2${round}`, `B3${round}`, `eve${round}`]
        for (const guid of [one, two]) await groups.addGroup({ guid, name: guid, organizationGuid: 'O1', at: 2 })
        await stores.accounts.addUser({ ...aUser, login, groupGuid: one })
        await groups.setGroupRole(login, two, 'member')
        const [removed, other] = await Promise.all([
          groups.removeGroup(one, 5_000),
          round % 2 === 0 ? groups.removeGroup(two, 5_000) : groups.leaveGroup(login, two),
        ])
        const outcomes = [removed, other].map((answer) => (typeof answer === 'string' ? answer : answer.outcome))
        expect(outcomes.filter((outcome) => outcome === 'removed' || outcome === 'left')).toHaveLength(1)
      }
    })

    it('has no tags before there are any', async () => {
      expect(await groups.tags('B1', 'shortlink')).toEqual([])
      expect(await groups.tags('B1', 'qr_code')).toEqual([])
    })
  })
}
