import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import type { Records } from '../../storage/records/records.js'
import { operator } from '../accounts/actor.js'
import { listApplications, registerApplication, revokeApplication } from '../accounts/applications.js'
import { hashToken } from '../accounts/authenticate.js'
import { createToken } from '../accounts/tokens.js'
import { createUser } from '../accounts/users.js'
import { firstStart } from './first-start.js'
import { createGroup, createOrganization, listGroups, listOrganizations } from './groups.js'
import { listMembers, removeMember, setMember } from './members.js'

let records: Records
let groupGuid: string
let heard: number
beforeEach(async () => {
  records = await temporaryRecords()
  heard = 0
  const first = await firstStart(deps(), { login: undefined, password: 'correct horse', token: undefined })
  groupGuid = first?.groupGuid ?? ''
})
afterEach(() => records.close())

function deps() {
  const onAccessChanged = () => {
    heard += 1
  }
  return { ...records, clock: { now: () => 1_700_000_000_000 }, onAccessChanged }
}

describe('groups and organizations', () => {
  it('are made by the operator, who is heard of', async () => {
    const organization = await createOrganization(deps(), operator, { name: 'Second', admin: 'admin' })
    expect(organization.guid).toMatch(/^O[0-9A-Za-z]{10}$/)
    const inSecond = await createGroup(deps(), operator, { name: 'There', organizationGuid: organization.guid })
    const inFirst = await createGroup(deps(), operator, { name: 'Here' })
    expect(heard).toBe(3)
    expect(inSecond.organizationGuid).toBe(organization.guid)
    expect((await listOrganizations(deps())).map(({ name }) => name)).toContain('Second')
    expect((await listGroups(deps())).map(({ guid }) => guid)).toEqual(
      expect.arrayContaining([groupGuid, inFirst.guid, inSecond.guid]),
    )
  })

  it.each([
    [() => createOrganization(deps(), operator, { name: 'x', admin: 'nobody' }), 'There is no user "nobody".'],
    [() => createOrganization(deps(), operator, { name: ' ', admin: 'admin' }), 'Send a name of 1 to 255 characters'],
    [
      () => createGroup(deps(), operator, { name: 'x', organizationGuid: 'Onone' }),
      'There is no organization "Onone".',
    ],
    [() => createGroup(deps(), operator, { name: '' }), 'Send a name'],
  ])('are refused with what to do (%#)', async (make, message) => {
    await expect(make()).rejects.toThrow(message)
    expect(heard).toBe(0)
  })
})

describe('members', () => {
  let secret: string
  beforeEach(async () => {
    await createUser(deps(), operator, { login: 'ada', password: 'correct horse' })
    secret = (
      await createToken({ ...deps(), domains: { named: () => undefined } }, operator, { login: 'ada', label: 'test' })
    ).secret
  })
  const roles = async () =>
    (await records.accounts.actorByToken(hashToken(secret)))?.actor.groups.map(({ role }) => role)

  it('get roles in groups and organizations, and lose them', async () => {
    await setMember(deps(), operator, { login: 'ada', groupGuid, role: 'reader' })
    expect(await roles()).toEqual(['reader'])
    const [organization] = await listOrganizations(deps())
    const organizationGuid = organization?.guid ?? ''
    await setMember(deps(), operator, { login: 'ada', organizationGuid, role: 'admin' })
    expect(await roles()).toEqual(['org-admin'])
    await removeMember(deps(), operator, { login: 'ada', organizationGuid })
    expect(await roles()).toEqual([])
    expect(heard).toBe(3)
    expect((await listMembers(deps())).map(({ login }) => login)).not.toContain('ada')
  })

  it.each([
    [{ login: 'ada', role: 'admin' }, 'Name either a group or an organization.'],
    [{ login: 'ada', role: 'admin', groupGuid: 'B', organizationGuid: 'O' }, 'Name either'],
    [
      { login: 'ada', role: 'reader', organizationGuid: 'O' },
      'An organization has the roles admin, auditor and member',
    ],
    [{ login: 'ada', role: 'admin', groupGuid: 'Bnone' }, 'There is no group "Bnone".'],
    [{ login: 'ada', role: 'admin', organizationGuid: 'Onone' }, 'There is no organization "Onone".'],
    [{ login: 'nobody', role: 'admin', groupGuid: 'Bnone' }, 'There is no user "nobody".'],
  ] as const)('are refused with what to do: %j', async (input, message) => {
    await expect(setMember(deps(), operator, input)).rejects.toThrow(message)
    expect(await roles()).toEqual(['member'])
  })

  it('cannot leave where they are not', async () => {
    const away = { login: 'ada', groupGuid: 'Bnone' }
    await expect(removeMember(deps(), operator, away)).rejects.toThrow('is not in the group "Bnone"')
  })
})

describe('applications', () => {
  it('are registered with a secret that is shown once, listed and revoked', async () => {
    const redirectUris = ['https://a.example/back', 'com.example.app:/back', 'https://a.example/back']
    const made = await registerApplication(deps(), operator, {
      name: 'Reader',
      login: 'admin',
      redirectUris,
      requirePkce: true,
    })
    expect(made.clientId).toMatch(/^[0-9a-z]{40}$/)
    expect(made.clientSecret).toMatch(/^[0-9a-f]{40}$/)
    const listed = await listApplications(deps(), { login: 'admin' })
    expect(listed).toMatchObject([
      { clientId: made.clientId, redirectUris: redirectUris.slice(0, 2), requirePkce: true },
    ])
    expect(JSON.stringify(listed)).not.toContain(made.clientSecret)

    await revokeApplication(deps(), operator, { clientId: made.clientId })
    expect(heard).toBe(1)
    expect((await listApplications(deps(), {}))[0]?.revokedAt).toBe(1_700_000_000_000)
    await expect(revokeApplication(deps(), operator, made)).rejects.toThrow('or it was revoked before')
  })

  it.each([
    [{ name: '' }, 'Send a name'],
    [{ login: 'nobody' }, 'There is no user "nobody".'],
    [{ link: 'ftp://a.example/' }, 'is not an http or https URL'],
    [{ description: 'a\u0000' }, 'A description has at most'],
    [{ redirectUris: ['/back'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['a.example/back'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['https://a.example/#x'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['https://a.example/', 'javascript:alert(1)'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['intent://back#Intent;end'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['intent://back'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['view-source:https://a.example/'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['https://a.example@evil.example/'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['https://ada:secret@a.example/'] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['app://ada@back/'] }, 'is not a valid redirect URI'],
    [{ redirectUris: [' https://a.example/'] }, 'is not a valid redirect URI'],
    [{ redirectUris: [''] }, 'is not a valid redirect URI'],
    [{ redirectUris: ['https://*.a.example/back'] }, 'contains a wildcard'],
    [{ redirectUris: ['https://a.example/*'] }, 'contains a wildcard'],
    [{ redirectUris: ['app://*'] }, 'contains a wildcard'],
    [{ redirectUris: ['http://a.example/back'] }, 'is not encrypted'],
    [{ redirectUris: ['http://127.0.0.1.a.example/back'] }, 'is not encrypted'],
    [{ redirectUris: ['http://10.0.0.5/back'] }, 'is not encrypted'],
  ])('are refused with what to do: %j', async (input, message) => {
    await expect(registerApplication(deps(), operator, { name: 'Reader', login: 'admin', ...input })).rejects.toThrow(
      message,
    )
    expect(await listApplications(deps(), {})).toEqual([])
  })
})
