import { hash } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { createOrganization } from '../../src/core/administration/groups.js'
import { anApplication, aPerson } from '../oauth/people.js'
import { useApp } from '../support/start-app.js'
import { aMember } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

describe('members of an organization', () => {
  const started = useApp()
  let organization: string
  let login: string
  beforeAll(async () => {
    organization = await firstOrganization(started)
  })
  beforeEach(async () => {
    login = await aPerson(started)
  })

  const list = async () => (await started.request('GET', `/v4/organizations/${organization}/members`)).body.members
  const find = async (wanted: string) => (await list()).find((each: { login: string }) => each.login === wanted)
  const inOrganization = (wanted = login) => `/v4/organizations/${organization}/members/${wanted}`
  const inGroup = (group = started.groupGuid, wanted = login) => `/v4/groups/${group}/members/${wanted}`

  /** Of an application that the administrator uses. */
  async function anApplicationToken(letter: string): Promise<string> {
    const { clientId } = await anApplication(started)
    const token = letter.repeat(40)
    const stored = { guid: `T${letter}`, secretHash: hash('sha256', token), hint: letter.repeat(4), label: '', at: 1 }
    await started.app.accounts.addToken({ ...stored, login: 'admin', clientId })
    return token
  }

  it('are listed with their roles', async () => {
    expect(await find(login)).toEqual({
      login,
      name: 'Person',
      email: `${login}@example.com`,
      is_active: true,
      role: 'member',
      groups: [{ group_guid: started.groupGuid, role: 'member' }],
      identity_providers: [],
    })
    expect(await find('admin')).toMatchObject({ role: 'admin' })
  })

  it('of a group are listed for everybody in it, without e-mail addresses', async () => {
    const group = await organize(started).group()
    await started.request('PUT', inGroup(group), { body: { role: 'group-admin' } })
    const token = await aMember(started, group, 'reader')
    const seen = await started.request('GET', `/v4/groups/${group}/members`, { token })
    expect(seen.status).toBe(200)
    const { members } = seen.body
    expect(members).toContainEqual({ login, name: 'Person', is_active: true, role: 'group-admin' })
    expect(members).toContainEqual(expect.objectContaining({ login: 'admin', role: 'org-admin' }))
    expect(members).toContainEqual(expect.objectContaining({ login: expect.stringMatching(/^user-/), role: 'reader' }))
    // Members of the organization alone are left out.
    expect(members.filter(({ role }: { role: string }) => role !== 'org-admin')).toHaveLength(2)
    const outsider = await aMember(started, started.groupGuid)
    expect((await started.request('GET', `/v4/groups/${group}/members`, { token: outsider })).status).toBe(403)
  })

  it('get other roles in the organization and in groups', async () => {
    const group = await organize(started).group()
    const promoted = await started.request('PUT', inOrganization(), { body: { role: 'admin' } })
    expect([promoted.status, promoted.body.role]).toEqual([200, 'admin'])
    expect((await started.request('GET', inOrganization().replace(/\/[^/]*$/, ''))).body.members).toContainEqual(
      promoted.body,
    )
    expect((await started.request('PUT', inGroup(), { body: { role: 'group-admin' } })).status).toBe(200)
    const reader = await started.request('PUT', inGroup(group), { body: { role: 'reader' } })
    expect([reader.status, Object.keys(reader.body)]).toEqual([200, ['login', 'name', 'is_active', 'role']])
    expect(await find(login)).toMatchObject({
      role: 'admin',
      groups: [
        { group_guid: started.groupGuid, role: 'group-admin' },
        { group_guid: group, role: 'reader' },
      ],
    })
    expect((await started.request('DELETE', inGroup(group))).status).toBe(204)
    expect((await find(login)).groups).toHaveLength(1)
    expect((await started.request('DELETE', inGroup(group))).status).toBe(404)
  })

  it('leave the organization with all its groups, and are not brought back by a role', async () => {
    expect((await started.request('DELETE', inOrganization())).status).toBe(204)
    expect(await find(login)).toBeUndefined()
    expect((await started.request('PUT', inOrganization(), { body: { role: 'member' } })).status).toBe(404)
    expect((await started.request('PUT', inGroup(), { body: { role: 'member' } })).status).toBe(404)
    expect((await started.request('DELETE', inOrganization())).status).toBe(404)
  })

  it('always have an administrator among them', async () => {
    const admin = `/v4/organizations/${await organize(started).organization()}/members/admin`
    const demote = await started.request('PUT', admin, { body: { role: 'member' } })
    expect(demote).toMatchObject({ status: 400, body: { errors: [{ field: 'login' }] } })
    // For people without a shell: no command.
    expect(demote.body.description).toBe(
      '"admin" is the only active administrator of this organization. Make another member an administrator first.',
    )
    const leave = await started.request('DELETE', admin)
    expect(leave).toMatchObject({ status: 400, body: { errors: [{ field: 'login' }] } })
    expect((await started.request('PUT', admin, { body: { role: 'admin' } })).status).toBe(200)
  })

  it.each([
    ['an organization', inOrganization, ['reader', 'owner', '', 7]],
    ['a group', () => inGroup(), ['admin', 'org-admin', '', 7]],
  ])('have only documented roles in %s', async (_, path, roles) => {
    for (const role of roles) expect((await started.request('PUT', path(), { body: { role } })).status).toBe(400)
    expect((await started.request('PUT', path(), { body: {} })).status).toBe(400)
  })

  it('are neither listed nor changed by an application, which may not create or remove groups either', async () => {
    const token = await anApplicationToken('b')
    expect((await started.request('GET', '/v4/user', { token })).status).toBe(200)
    const group = await organize(started).group()
    const refused = [
      await started.request('GET', `/v4/organizations/${organization}/members`, { token }),
      await started.request('PUT', inOrganization(), { token, body: { role: 'admin' } }),
      await started.request('DELETE', inOrganization(), { token }),
      await started.request('PUT', inGroup(), { token, body: { role: 'reader' } }),
      await started.request('DELETE', inGroup(), { token }),
      await started.request('POST', `/v4/organizations/${organization}/groups`, { token, body: { name: 'Sales' } }),
      await started.request('DELETE', `/v4/groups/${group}`, { token }),
    ]
    for (const { status, body } of refused) expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    expect((await started.request('GET', `/v4/groups/${group}/members`, { token })).status).toBe(200)
  })

  it('do not administer the service through an application', async () => {
    const token = await anApplicationToken('c')
    const other = `/v4/organizations/${await organize(started).organization()}`
    const { guid } = await createOrganization(started.app, operator, { name: 'Foreign', admin: login })
    const foreign = `/v4/organizations/${guid}`
    expect((await started.request('GET', `${foreign}/stream_access`)).status).toBe(200)
    const refused = [
      await started.request('GET', '/v4/service/organizations', { token }),
      await started.request('PATCH', `${other}/plan`, { token, body: { plan: 'unlimited' } }),
      await started.request('GET', `${foreign}/stream_access`, { token }),
      await started.request('PUT', `${other}/stream_access`, { token }),
      await started.request('DELETE', `${other}/stream_access`, { token }),
    ]
    for (const { status, body } of refused) expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    expect((await started.request('GET', `${other}/stream_access`, { token })).status).toBe(200)
  })

  it('stay in their last group, and the refusal says what to do', async () => {
    const refused = await started.request('DELETE', inGroup())
    expect(refused).toMatchObject({
      status: 400,
      body: { description: expect.stringContaining('Add them to another group first') },
    })
    const second = await organize(started).group()
    await started.request('PUT', inGroup(second), { body: { role: 'reader' } })
    expect((await started.request('DELETE', inGroup())).status).toBe(204)
    expect((await started.request('DELETE', inGroup(second))).status).toBe(400)
    await started.request('PUT', inOrganization(), { body: { role: 'admin' } })
    expect((await started.request('DELETE', inGroup(second))).status).toBe(204)
    expect((await started.request('PUT', inOrganization(), { body: { role: 'member' } })).status).toBe(400)
    expect((await started.request('DELETE', inOrganization())).status).toBe(204)
  })

  it('are in the audit log when their roles change', async () => {
    await started.request('PUT', inOrganization(), { body: { role: 'admin' } })
    const { body } = await started.request('GET', `/v4/organizations/${organization}/audit_log?size=1`)
    expect(body.audit_log[0]).toMatchObject({ action: 'role_given', login: 'admin', subject: login })
  })

  it('get new groups', async () => {
    const made = await started.request('POST', `/v4/organizations/${organization}/groups`, { body: { name: 'Sales' } })
    expect(made).toMatchObject({ status: 201, body: { name: 'Sales', role: 'org-admin', is_active: true } })
    expect((await started.request('GET', `/v4/groups/${made.body.guid}`)).body.name).toBe('Sales')
    const nameless = await started.request('POST', `/v4/organizations/${organization}/groups`, { body: { name: ' ' } })
    expect(nameless).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } })
  })

  it('are listed by organization for those who run the service', async () => {
    const other = await organize(started).organization('Another')
    const { status, body } = await started.request('GET', '/v4/service/organizations')
    expect(status).toBe(200)
    expect(body.organizations.map(({ guid }: { guid: string }) => guid)).toEqual(
      expect.arrayContaining([organization, other]),
    )
    expect(body.plans.length).toBeGreaterThan(0)
    expect(body.plans.map(({ name }: { name: string }) => name)).toContain(body.organizations[0].plan)
  })
})
