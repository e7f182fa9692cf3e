import { beforeEach, describe, expect, it } from 'vitest'
import { sampleOf } from '../../lib/sample.builder.js'
import type { AccessOf, IdentityEntry } from './identity-store.js'
import type { AddedUser, ProvisionedGroup, ProvisionedUser, Provisioner, UserDraft } from './provisioning-store.js'
import { type AccountStores, openBootstrapped, storesOfEachTest } from './stores.builder.js'

const issuer = 'https://id.example'

/** The group `b2` gives a role in B2, `admins` in the organization, and nobody without one of them may sign in. */
const accessOf: AccessOf = (groups) => ({
  mayEnter: groups.length > 0,
  roles: [
    ...(groups.includes('b2') ? [{ in: 'group', guid: 'B2', role: 'member' } as const] : []),
    ...(groups.includes('admins') ? [{ in: 'organization', guid: 'O1', role: 'admin' } as const] : []),
  ],
})

export function provisioningContract(open: () => Promise<AccountStores>): void {
  describe('provisioned users', () => {
    const stores = storesOfEachTest(() => openBootstrapped(open))
    beforeEach(async () => {
      await stores.groups.addGroup({ guid: 'B2', name: 'Two', organizationGuid: 'O1', at: 1_500 })
    })
    const add = (draft: Partial<UserDraft> = {}, by: Partial<Provisioner> = {}) =>
      stores.accounts.addProvisionedUser(aProvisioner(by), aDraft(draft))
    const change = (id: string, changes: Partial<ProvisionedUser>, at = 6_000) =>
      stores.accounts.changeProvisionedUser(aProvisioner({ at }), id, (user) => ({ ...user, ...changes }))
    const addGroup = (id: string, name: string, members: readonly string[] = [], externalId?: string) =>
      stores.accounts.editProvisionedGroup(aProvisioner(), id, () => ({ name, externalId, members }))
    const changeGroup = (id: string, edit: (group: ProvisionedGroup) => Partial<ProvisionedGroup>) =>
      stores.accounts.editProvisionedGroup(aProvisioner(), id, (group) => group && { ...group, ...edit(group) })
    const removeGroup = (id: string) => stores.accounts.editProvisionedGroup(aProvisioner(), id, () => undefined)
    const enter = (entry: Partial<IdentityEntry> = {}) => stores.accounts.enterByIdentity(anEntry(entry))
    const rolesOf = async (login: string) =>
      (await stores.groups.members())
        .filter((member) => member.login === login)
        .map(({ guid, role }) => `${guid} ${role}`)
        .sort()
    const begin = (secretHash: string, provided?: object) =>
      stores.accounts.addSession({
        secretHash,
        login: 'ada',
        at: 5_500,
        expiresAt: 9_000,
        ...(provided && { provided: { issuer, subject: 's1', providerSession: undefined, tokens: {}, ...provided } }),
      })
    const addToken = (guid: string) =>
      stores.accounts.addToken({ guid, secretHash: guid, hint: 'h', login: 'ada', label: 'l', at: 5_500 })
    const hasToken = async (guid: string) => (await stores.accounts.actorByToken(guid)) !== undefined
    const isOpen = async (secretHash: string) => (await stores.accounts.session(secretHash, 7_000)) !== undefined

    it('are users without a password and with an address that nobody has verified', async () => {
      expect(await add()).toMatchObject({ outcome: 'done', how: 'created', user: { id: 'u1', login: 'ada' } })
      expect(await stores.accounts.user('ada')).toMatchObject({
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        isEmailVerified: false,
        isActive: true,
      })
      // Roles come with the groups.
      expect(await rolesOf('ada')).toEqual([])
      await add({ id: 'u2', userName: 'bob', login: 'bob', externalId: 'x2', email: undefined }, { accessOf: byPeople })
      expect(await rolesOf('bob')).toEqual(['B1 member', 'O1 member'])
    })

    it('have a name and an external id that no other of the provider has', async () => {
      await add()
      expect(await add({ id: 'u2', userName: 'ADA@example.com', externalId: 'x2' })).toEqual(taken('userName'))
      expect(await add({ id: 'u2', userName: 'other' })).toEqual(taken('externalId'))
      expect(await add({ id: 'u2', userName: 'bob', externalId: undefined })).toMatchObject({ outcome: 'done' })
      expect(await change('u2', { userName: 'Ada@Example.com' })).toEqual(taken('userName'))
      expect(await change('u2', { externalId: 'x1' })).toEqual(taken('externalId'))
      expect(await change('u1', { userName: 'ada@EXAMPLE.com' })).toMatchObject({ outcome: 'done' })
    })

    it('are one user when they are created several times at once', async () => {
      const answers = await Promise.all(['a', 'b', 'c', 'd'].map((id) => add({ id, externalId: undefined })))
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['done', 'taken', 'taken', 'taken'])
      expect((await stores.accounts.users()).map(({ login }) => login)).toEqual(['ada', 'admin'])
    })

    it('get different logins when different people are created at once', async () => {
      const names = ['a', 'b', 'c', 'd']
      const answers = await Promise.all(names.map((name) => add({ id: name, userName: name, externalId: name })))
      expect(answers.map(loginOf).sort()).toEqual(['ada', 'ada-2', 'ada-3', 'ada-4'])
    })

    it('never are an account that was there, whatever its login or address', async () => {
      const local = { name: 'ada', email: 'ada@example.com', passwordHash: 'x', groupGuid: 'B1', at: 2_000 }
      await stores.accounts.addUser({ login: 'ada', ...local })
      expect(await add()).toMatchObject({ how: 'created', user: { login: 'ada-2', email: 'ada@example.com' } })
      expect((await stores.accounts.user('ada-2'))?.email).toBeUndefined()
    })

    it('are known at their first sign-in, and before their first request', async () => {
      await add()
      const first = { subject: 's1', externalId: 'x1', login: 'lovelace' }
      expect(await enter({ ...first, issuer: `${issuer}/` })).toMatchObject({ login: 'ada', how: 'linked' })
      expect(await enter({ ...first, issuer: 'https://two.example' })).toMatchObject({ login: 'lovelace' })
      expect(await enter({ subject: 's2', externalId: 'x2', login: 'bob' })).toMatchObject({ how: 'created' })
      expect(await add({ id: 'u2', userName: 'bob', externalId: 'x2' })).toMatchObject({
        how: 'linked',
        user: { login: 'bob' },
      })
    })

    it('without an external id are known by their name, but only once', async () => {
      await add({ externalId: undefined })
      expect(await enter({ externalId: 'Ada@Example.com', subject: 's1', create: false })).toMatchObject({
        login: 'ada',
      })
      // The name was given to somebody else.
      expect(await enter({ externalId: 'ada@example.com', subject: 's2', create: false })).toEqual({
        outcome: 'unknown',
      })
    })

    it('are one user when they are created and sign in at once', async () => {
      const answers = await Promise.all([add(), enter({ subject: 's1', externalId: 'x1' })])
      expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['done', 'entered'])
      expect((await stores.accounts.users()).map(({ login }) => login)).toEqual(['ada', 'admin'])
    })

    it('are listed by page, and found by name, external id and id, only by their provider', async () => {
      await add()
      await add({ id: 'u2', userName: 'bob', externalId: 'x2', login: 'bob' }, { at: 5_500 })
      await add({ id: 'u3', login: 'eve' }, { issuer: 'https://two.example' })
      const list = async (where?: { field: 'id' | 'name' | 'externalId'; value: string }, offset = 0, size = 9) => {
        const { total, items } = await stores.accounts.provisionedUsers(issuer, { where, offset, size })
        return [total, ...items.map(({ id }) => id)]
      }
      expect(await list()).toEqual([2, 'u1', 'u2'])
      expect(await list(undefined, 1, 1)).toEqual([2, 'u2'])
      expect(await list(undefined, 0, 0)).toEqual([2])
      expect(await list({ field: 'name', value: 'ADA@example.com' })).toEqual([1, 'u1'])
      expect(await list({ field: 'externalId', value: 'x2' })).toEqual([1, 'u2'])
      expect(await list({ field: 'id', value: 'u3' })).toEqual([0])
      expect(await change('u3', { isActive: false })).toEqual({ outcome: 'unknown' })
      expect(await stores.accounts.removeProvisionedUser(aProvisioner(), 'u3')).toEqual({ outcome: 'unknown' })
    })

    it('keep the names and addresses that people gave them here', async () => {
      await add()
      await change('u1', { name: 'Countess', email: 'countess@example.com' })
      expect(await stores.accounts.user('ada')).toMatchObject({ name: 'Countess', email: 'countess@example.com' })
      await stores.accounts.changeUser('ada', { name: 'Ada' }, 6_500)
      await stores.accounts.setEmail('ada', 'own@example.com', 6_500)
      await change('u1', { name: 'Other', email: 'other@example.com' })
      expect(await stores.accounts.user('ada')).toMatchObject({ name: 'Ada', email: 'own@example.com' })
      const { items } = await stores.accounts.provisionedUsers(issuer, { offset: 0, size: 1 })
      expect(items[0]).toMatchObject({ name: 'Other', email: 'other@example.com' })
    })

    it('take over an address that was not free before, and one that comes back', async () => {
      const local = { name: 'carl', email: 'ada@example.com', passwordHash: 'x', groupGuid: 'B1', at: 2_000 }
      await stores.accounts.addUser({ login: 'carl', ...local })
      await add()
      expect(await change('u1', { name: 'Countess' })).toMatchObject({ isEmailChanged: false })
      await stores.accounts.setEmail('carl', 'carl@example.com', 5_500)
      expect(await change('u1', {})).toMatchObject({ isEmailChanged: true })
      expect(await change('u1', {})).toMatchObject({ isEmailChanged: false })
      const address = async () => (await stores.accounts.user('ada'))?.email
      expect(await address()).toBe('ada@example.com')
      expect(await change('u1', { email: undefined })).toMatchObject({
        isEmailChanged: false,
        user: { name: 'Countess' },
      })
      expect(await address()).toBe('ada@example.com')
      await change('u1', { email: 'Carl@example.com' })
      expect(await address()).toBe('ada@example.com')
      expect(await change('u1', { email: 'countess@example.com' })).toMatchObject({ isEmailChanged: true })
      expect(await address()).toBe('countess@example.com')
      await change('u1', { email: undefined })
      await stores.accounts.setEmail('ada', 'own@example.com', 6_500)
      expect(await change('u1', { email: 'other@example.com' })).toMatchObject({ isEmailChanged: false })
      expect(await address()).toBe('own@example.com')
    })

    it('lead nobody into their account by an address that nobody has verified', async () => {
      await add()
      const linking = { subject: 's9', email: 'ADA@example.com', link: true, create: false }
      const two = { issuer: 'https://two.example', ...linking }
      expect(await enter(two)).toEqual({ outcome: 'unknown' })
      expect(await enter({ ...two, create: true, login: 'eve' })).toMatchObject({ login: 'eve', how: 'created' })
      expect((await stores.accounts.user('eve'))?.email).toBeUndefined()
      expect(await enter({ ...linking, issuer: `${issuer}/` })).toEqual({ outcome: 'unknown' })
    })

    it('are found by those of another provider when the address is verified', async () => {
      await add()
      const reset = { secretHash: 'r', login: 'ada', at: 5_500, expiresAt: 9_000 }
      await stores.accounts.addReset(reset)
      await stores.accounts.useReset('r', 'x', 5_600)
      const two = { issuer: 'https://two.example', email: 'ada@example.com', link: true, create: false }
      expect(await enter(two)).toMatchObject({ login: 'ada', how: 'linked' })
    })

    describe('that are deactivated', () => {
      it('lose all sessions at once, and are kept out until they are activated', async () => {
        await add()
        await begin('with password')
        await begin('with provider', {})
        expect(await change('u1', { isActive: false })).toMatchObject({ effect: 'deactivated' })
        expect([await isOpen('with password'), await isOpen('with provider')]).toEqual([false, false])
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false })
        expect(await enter({ subject: 's1', externalId: 'x1' })).toEqual({ outcome: 'inactive', login: 'ada' })
        expect(await change('u1', { isActive: true })).toMatchObject({ effect: 'activated' })
        expect(await enter({ subject: 's1', externalId: 'x1' })).toMatchObject({ outcome: 'entered' })
      })

      it('can be so from the beginning', async () => {
        expect(await add({ isActive: false })).toMatchObject({ effect: 'deactivated', user: { isActive: false } })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false })
      })

      it('stay so when the operator did it', async () => {
        await add()
        await stores.accounts.setActive('ada', false, 5_500)
        await change('u1', { isActive: false })
        expect(await change('u1', { isActive: true })).toMatchObject({ outcome: 'done', effect: undefined })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false })
      })

      it('stay so when the operator did it after the provider, too', async () => {
        await add()
        await change('u1', { isActive: false })
        await stores.accounts.setActive('ada', false, 6_500)
        expect(await change('u1', { isActive: true })).toMatchObject({ outcome: 'done', effect: undefined })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false })
        await stores.accounts.setActive('ada', true, 6_600)
        await change('u1', { isActive: false })
        await stores.accounts.setActive('ada', true, 6_700)
        await stores.accounts.setActive('ada', false, 6_800)
        expect(await change('u1', { isActive: true })).toMatchObject({ effect: undefined })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false })
      })

      it('stay the only administrator of an organization, without sessions and kept out', async () => {
        await add()
        await addGroup('g1', 'admins', ['u1'])
        await stores.groups.setOrganizationRole('admin', 'O1', 'member')
        await begin('h1')
        expect(await change('u1', { isActive: false })).toMatchObject({ effect: 'kept' })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: true })
        expect(await isOpen('h1')).toBe(false)
        expect(await enter({ subject: 's1', externalId: 'x1' })).toEqual({ outcome: 'inactive', login: 'ada' })
        await begin('h2')
        expect(await stores.accounts.removeProvisionedUser(aProvisioner(), 'u1')).toMatchObject({ outcome: 'kept' })
        expect(await isOpen('h2')).toBe(false)
        expect(await rolesOf('ada')).toEqual(['O1 admin'])
        expect((await stores.accounts.provisionedUsers(issuer, { offset: 0, size: 9 })).total).toBe(0)
      })

      it('are so once there is another administrator and the provider says it again', async () => {
        await add()
        await addGroup('g1', 'admins', ['u1'])
        await stores.groups.setOrganizationRole('admin', 'O1', 'member')
        expect(await change('u1', { isActive: false })).toMatchObject({ effect: 'kept' })
        expect(await change('u1', { isActive: false })).toMatchObject({ effect: 'kept' })
        await stores.groups.setOrganizationRole('admin', 'O1', 'admin')
        await begin('h1')
        expect(await change('u1', { isActive: false })).toMatchObject({ effect: 'deactivated' })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false })
        expect(await isOpen('h1')).toBe(false)
        expect(await change('u1', { isActive: false })).toMatchObject({ effect: undefined })
        expect(await change('u1', { isActive: true })).toMatchObject({ effect: 'activated' })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: true })
      })

      it('are so again when the operator activated them and the provider says it again', async () => {
        await add()
        await change('u1', { isActive: false })
        await stores.accounts.setActive('ada', true, 6_500)
        await begin('h1')
        expect(await change('u1', { isActive: false })).toMatchObject({ effect: 'deactivated' })
        expect(await stores.accounts.user('ada')).toMatchObject({ isActive: false })
        expect(await isOpen('h1')).toBe(false)
      })

      it('leave one of several administrators who are deactivated at once', async () => {
        await add()
        await add({ id: 'u2', userName: 'bob', externalId: 'x2', login: 'bob' })
        await addGroup('g1', 'admins', ['u1', 'u2'])
        await stores.groups.setOrganizationRole('admin', 'O1', 'member')
        await Promise.all(['u1', 'u2'].map((id) => change(id, { isActive: false })))
        const active = (await stores.accounts.users()).filter(({ isActive }) => isActive)
        expect(active.map(({ login }) => login)).toHaveLength(2)
        expect(active.map(({ login }) => login)).toContain('admin')
      })
    })

    describe('whom the provider keeps out with their tokens', () => {
      const changeAndEnd = (id: string, changes: Partial<ProvisionedUser>) =>
        stores.accounts.changeProvisionedUser(aProvisioner({ endTokens: true }), id, (user) => ({
          ...user,
          ...changes,
        }))

      it('lose both in one step when they leave their last group', async () => {
        await add()
        await addGroup('g1', 'b2', ['u1'])
        await addToken('T2')
        const ending = aProvisioner({ endTokens: true })
        const leave = () => ({ name: 'b2', members: [] })
        expect(await stores.accounts.editProvisionedGroup(ending, 'g1', leave)).toMatchObject({
          moved: [{ login: 'ada', revoked: ['T2'] }],
        })
        expect(await hasToken('T2')).toBe(false)
      })

      it('lose both whenever they are deactivated', async () => {
        await add()
        await addToken('T2')
        expect(await changeAndEnd('u1', { isActive: false })).toMatchObject({ effect: 'deactivated', revoked: ['T2'] })
        await addToken('T3')
        expect(await changeAndEnd('u1', { isActive: false })).toMatchObject({ effect: undefined, revoked: ['T3'] })
        await changeAndEnd('u1', { isActive: true })
        expect([await hasToken('T2'), await hasToken('T3')]).toEqual([false, false])
      })

      it('lose both when they stay as the only administrator', async () => {
        await add()
        await addGroup('g1', 'admins', ['u1'])
        await stores.groups.setOrganizationRole('admin', 'O1', 'member')
        await addToken('T2')
        expect(await changeAndEnd('u1', { isActive: false })).toMatchObject({ effect: 'kept', revoked: ['T2'] })
        await addToken('T3')
        const ending = aProvisioner({ endTokens: true })
        expect(await stores.accounts.removeProvisionedUser(ending, 'u1')).toMatchObject({
          outcome: 'kept',
          moved: { revoked: ['T3'] },
        })
      })

      it('keep tokens where the settings say so', async () => {
        await add()
        await addGroup('g1', 'b2', ['u1'])
        await addToken('T2')
        await changeGroup('g1', () => ({ members: [] }))
        await change('u1', { isActive: false })
        await change('u1', { isActive: true })
        expect(await hasToken('T2')).toBe(true)
      })
    })

    it('are removed with what is known of them', async () => {
      await add()
      await addGroup('g1', 'b2', ['u1'])
      await begin('h1')
      expect(await stores.accounts.removeProvisionedUser(aProvisioner(), 'u1')).toEqual({
        outcome: 'removed',
        login: 'ada',
        organizationGuids: ['O1'],
      })
      expect(await isOpen('h1')).toBe(false)
      expect(await stores.accounts.user('ada')).toBeUndefined()
      expect(await groups()).toEqual([{ id: 'g1', members: [] }])
      expect(await add()).toMatchObject({ user: { login: 'ada-2' } })
    })

    const groups = async () => {
      const { items } = await stores.accounts.provisionedGroups(issuer, { offset: 0, size: 9 })
      return items.map(({ id, members }) => ({ id, members }))
    }

    describe('in groups', () => {
      it('get and lose roles with them, at once', async () => {
        await add()
        expect(await addGroup('g1', 'B2', ['u1'])).toMatchObject({ moved: [{ login: 'ada', changes: [] }] })
        expect(await rolesOf('ada')).toEqual([])
        expect(await changeGroup('g1', () => ({ name: 'b2' }))).toMatchObject({ moved: [{ login: 'ada' }] })
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
        await begin('theirs', { issuer: `${issuer}/` })
        await begin('another', { issuer: 'https://two.example' })
        await changeGroup('g1', () => ({ members: [] }))
        expect(await rolesOf('ada')).toEqual([])
        expect([await isOpen('theirs'), await isOpen('another')]).toEqual([false, true])
        await changeGroup('g1', () => ({ members: ['u1'] }))
        await removeGroup('g1')
        expect(await rolesOf('ada')).toEqual([])
      })

      it('keep what they had when they are linked, until their groups come', async () => {
        await addGroup('g1', 'b2')
        const roles = [{ in: 'group', guid: 'B1', role: 'admin' }] as const
        await enter({ externalId: 'x1', roles })
        await begin('h1', {})
        await addToken('T2')
        expect(await add({}, { endTokens: true })).toMatchObject({
          how: 'linked',
          moved: { login: 'ada', changes: [], revoked: [] },
        })
        expect(await rolesOf('ada')).toEqual(['B1 admin', 'O1 member'])
        expect([await isOpen('h1'), await hasToken('T2')]).toEqual([true, true])
        await changeGroup('g1', () => ({ members: ['u1'] }))
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
        expect(await isOpen('h1')).toBe(true)
      })

      it('get roles by the external id of a group too', async () => {
        await add()
        await addGroup('g1', 'Some name', ['u1'], 'b2')
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
      })

      it('keep roles that people gave', async () => {
        await add()
        await stores.groups.setGroupRole('ada', 'B1', 'reader')
        await addGroup('g1', 'b2', ['u1'])
        await removeGroup('g1')
        expect(await rolesOf('ada')).toEqual(['B1 reader', 'O1 member'])
      })

      it('sign in with those, and not with the groups of the claim', async () => {
        await add()
        const byClaim = {
          subject: 's1',
          externalId: 'x1',
          roles: [{ in: 'group', guid: 'B1', role: 'admin' }] as const,
        }
        await enter(byClaim)
        expect(await rolesOf('ada')).toEqual(['B1 admin', 'O1 member'])
        await addGroup('g1', 'b2', ['u1'])
        expect(await enter(byClaim)).toMatchObject({ outcome: 'entered', login: 'ada' })
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
        await changeGroup('g1', () => ({ members: [] }))
        expect(await enter(byClaim)).toMatchObject({ outcome: 'not-allowed', login: 'ada' })
        expect(await rolesOf('ada')).toEqual([])
        // Somebody whom SCIM does not know.
        await enter({ ...byClaim, subject: 's2', externalId: 'x2', login: 'bob' })
        expect(await rolesOf('bob')).toEqual(['B1 admin', 'O1 member'])
      })

      it('are all in a group to which they are added at once', async () => {
        await addGroup('g1', 'b2')
        const ids = ['u1', 'u2', 'u3']
        for (const id of ids) await add({ id, userName: id, externalId: id, login: id })
        await Promise.all(ids.map((id) => changeGroup('g1', ({ members }) => ({ members: [...members, id] }))))
        expect(await groups()).toEqual([{ id: 'g1', members: ids }])
        for (const id of ids) expect(await rolesOf(id)).toEqual(['B2 member', 'O1 member'])
      })

      it('whose name the provider gave before, or of users whom it does not have, are refused', async () => {
        await add()
        await add({ id: 'u9', login: 'eve' }, { issuer: 'https://two.example' })
        const answers = await Promise.all(['g1', 'g2', 'g3'].map((id) => addGroup(id, 'Staff', ['u1'])))
        expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['done', 'taken', 'taken'])
        expect(await addGroup('g4', 'b2', ['u1', 'u9'])).toEqual({ outcome: 'no-user', id: 'u9' })
        await addGroup('g5', 'other')
        expect(await changeGroup('g5', () => ({ name: 'STAFF' }))).toEqual({ outcome: 'taken', field: 'displayName' })
        expect(await changeGroup('g5', () => ({ members: ['gone'] }))).toEqual({ outcome: 'no-user', id: 'gone' })
        expect(await changeGroup('g4', () => ({}))).toEqual({ outcome: 'unknown' })
        expect(await removeGroup('g4')).toEqual({ outcome: 'unknown' })
        expect(await rolesOf('ada')).toEqual([])
      })

      it('can be more than a statement has parameters', async () => {
        await add()
        const gone = Array.from({ length: 70_000 }, (_, at) => `gone${at}`)
        expect(await addGroup('g1', 'b2', [...gone.slice(1), 'u1'])).toEqual({ outcome: 'no-user', id: 'gone1' })
        // All of them are read.
        expect(await addGroup('g1', 'b2', ['u1', ...Array<string>(70_000).fill('u1')])).toMatchObject({
          outcome: 'done',
        })
        expect(await rolesOf('ada')).toEqual(['B2 member', 'O1 member'])
      })

      it('leave nothing behind when the change is refused', async () => {
        await add()
        await addGroup('g1', 'b2', ['u1'])
        const refused = stores.accounts.editProvisionedGroup(aProvisioner(), 'g1', () => {
          throw new Error('no')
        })
        await expect(refused).rejects.toThrow('no')
        expect(await groups()).toEqual([{ id: 'g1', members: ['u1'] }])
      })
    })
  })
}

const byPeople: AccessOf = () => ({ mayEnter: true, roles: undefined })

const aProvisioner = sampleOf<Provisioner>({ issuer, accessOf, endTokens: false, at: 5_000 })

const aDraft = sampleOf<UserDraft>({
  id: 'u1',
  userName: 'ada@example.com',
  externalId: 'x1',
  login: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  isActive: true,
  passwordHash: 'x',
})

const anEntry = sampleOf<IdentityEntry>({
  issuer,
  subject: 's1',
  externalId: undefined,
  login: 'ada',
  name: 'Ada',
  email: undefined,
  link: false,
  trustedIssuers: [],
  create: true,
  mayEnter: true,
  roles: undefined,
  accessOf,
  passwordHash: 'x',
  at: 6_000,
})

function taken(field: 'userName' | 'externalId'): AddedUser {
  return { outcome: 'taken', field }
}

function loginOf(added: AddedUser): string | undefined {
  return added.outcome === 'done' ? added.user.login : undefined
}
