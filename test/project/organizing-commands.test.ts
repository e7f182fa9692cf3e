import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { firstStart } from '../../src/core/administration/first-start.js'
import { systemClock } from '../../src/core/values/time.js'
import { controlSocketPath } from '../../src/edges/control/client.js'
import { startControl } from '../../src/edges/control/server.js'
import { administrationDeps } from '../../src/runtime/app.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { runCommand } from '../support/run-command.js'

let folder: string
let groupGuid: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-organizing-'))
  const records = await openRecords()
  await records.migrate()
  const inputs = { login: 'admin', password: 'correct horse', token: undefined }
  groupGuid = (await firstStart({ ...records, clock: systemClock }, inputs))?.groupGuid ?? ''
  await records.close()
})
afterEach(() => rmSync(folder, { recursive: true }))

function openRecords() {
  return openSqlite(join(folder, 'records.sqlite'))
}

function shortlink(...argv: string[]) {
  return runCommand([...argv, '--data-dir', folder], { cwd: folder })
}
const json = async (...argv: string[]) => JSON.parse((await shortlink(...argv, '--json')).out)

interface Told {
  readonly action: string
  readonly login: string
}

async function walk(): Promise<void> {
  const organization = await json('organization', 'create', 'Second', '--admin', 'admin')
  expect((await shortlink('organization', 'list')).out).toMatch(new RegExp(`^${organization.guid} +Second$`, 'm'))
  const made = await shortlink('group', 'create', 'There', '--organization', organization.guid)
  const group = /B\w{10}/.exec(made.out)?.[0] ?? ''
  expect((await shortlink('group', 'list')).out).toMatch(
    new RegExp(`^${group} +${organization.guid} +active +There$`, 'm'),
  )

  await shortlink('user', 'create', 'ada')
  expect(await shortlink('member', 'set', 'ada', '--group', group, '--role', 'reader')).toEqual({
    code: 0,
    out: `User ada is now reader of ${group}.`,
    err: '',
  })
  await shortlink('member', 'set', 'ada', '--organization', organization.guid, '--role', 'org-admin')
  const listed = (await shortlink('member', 'list')).out
  expect(listed).toMatch(new RegExp(`^ada +reader +group +${group}$`, 'm'))
  expect(listed).toMatch(new RegExp(`^ada +org-admin +organization +${organization.guid}$`, 'm'))
  expect((await shortlink('member', 'remove', 'ada', '--group', groupGuid)).code).toBe(0)
  expect(await shortlink('member', 'remove', 'ada', '--group', groupGuid)).toMatchObject({ code: 1, out: '' })

  const flags = ['--login', 'ada', '--redirect-uri', 'https://a.example/', '--redirect-uri=app:/b', '--require-pkce']
  const app = await shortlink('app', 'register', 'Reader', ...flags)
  const [, clientId = '', secret = ''] =
    /^client_id +([0-9a-z]{40})\nclient_secret +([0-9a-f]{40})\n/.exec(app.out) ?? []
  expect((await json('app', 'list', '--login', 'ada'))[0]).toMatchObject({
    clientId,
    redirectUris: ['https://a.example/', 'app:/b'],
    requirePkce: true,
  })
  expect((await shortlink('app', 'list')).out).not.toContain(secret)
  expect((await shortlink('app', 'revoke', clientId)).out).toBe(`Application ${clientId} is revoked.`)
  expect((await shortlink('app', 'revoke', clientId)).code).toBe(1)
}

describe('commands for organizations, groups, members and applications', () => {
  it('work on the records while the service is stopped', walk)

  it('work through the socket while the service runs, which hears of every change of access', async () => {
    const records = await openRecords()
    let heard = 0
    const config = {
      domains: ['localhost:8080'],
      baseUrl: 'http://localhost:8080',
      domainAliases: [],
      dnsServers: [],
      dnsTargets: [],
      outgoingAllow: [],
      plans: undefined,
      defaultPlan: 'unlimited',
    } as const
    const onAccessChanged = () => {
      heard += 1
    }
    const deps = { ...administrationDeps(config, records), onAccessChanged }
    const control = await startControl(controlSocketPath(folder), deps, pino({ level: 'silent' }))
    await walk()
    await control.close()
    await records.close()
    expect(heard).toBe(6)
  })

  it('rename organizations and groups, remove a group and bring it back', async () => {
    const [{ guid }] = await json('organization', 'list')
    expect((await shortlink('organization', 'rename', guid, 'Acme')).out).toBe(
      `Organization ${guid} is now called "Acme".`,
    )
    expect((await shortlink('group', 'rename', groupGuid, 'Desk')).out).toBe(`Group ${groupGuid} is now called "Desk".`)
    expect((await json('organization', 'list'))[0].name).toBe('Acme')
    expect(await shortlink('group', 'remove', groupGuid)).toMatchObject({
      code: 1,
      err: `The group ${groupGuid} is the only one of its organization. Add another first: shortlink group create NAME --organization ${guid}.`,
    })
    await shortlink('group', 'create', 'Other')
    expect((await shortlink('group', 'remove', groupGuid)).out).toContain(
      `Group ${groupGuid} is removed. Its links keep`,
    )
    expect((await shortlink('group', 'list')).out).toMatch(new RegExp(`^${groupGuid} +${guid} +removed +Desk$`, 'm'))
    expect((await shortlink('user', 'create', 'ada', '--group', groupGuid)).err).toContain('There is no group')
    expect((await shortlink('invitation', 'create', 'a@example.com', '--group', groupGuid)).code).toBe(1)
    expect((await shortlink('group', 'restore', groupGuid)).out).toBe(`Group ${groupGuid} is restored.`)
    expect((await shortlink('group', 'restore', groupGuid)).err).toBe(`The group ${groupGuid} was not removed.`)
    expect((await shortlink('group', 'restore', 'Bxx')).err).toBe('There is no group "Bxx".')
    const told = (await json('audit')).entries.map(({ action, login }: Told) => [action, login])
    expect(told).toEqual(
      ['group_restored', 'group_removed', 'group_added', 'group_changed', 'organization_renamed'].map((action) => [
        action,
        'operator',
      ]),
    )
  })

  it('remove a user for good', async () => {
    await shortlink('user', 'create', 'ada', '--email', 'ada@example.com')
    const { guid } = await json('token', 'create', '--login', 'ada', '--label', 'test')
    expect((await shortlink('user', 'remove', 'ada')).out).toBe(
      'User ada is removed. Their links keep working and keep the login as their author.',
    )
    expect((await shortlink('token', 'list')).out).not.toContain(guid)
    expect((await shortlink('user', 'list')).out).not.toContain('ada')
    expect((await shortlink('user', 'remove', 'ada')).err).toBe('There is no user "ada".')
    expect((await shortlink('user', 'create', 'ada')).err).toBe(
      'The login "ada" is taken or was used before. Choose another.',
    )
    const [entry] = (await json('audit')).entries
    expect(entry).toMatchObject({ action: 'user_removed', login: 'operator', account: 'ada' })
  })

  it('make a token with scopes that expires, and rotate it', async () => {
    const [group] = await json('group', 'list')
    const limits = ['--scope', 'links:read,qr', '--group', group.guid, '--expires', '90d']
    const made = await json('token', 'create', '--login', 'admin', '--label', 'sign', ...limits)
    expect(made).toMatchObject({ scopes: ['links:read', 'qr'], groupGuids: [group.guid] })
    const rotated = await json('token', 'rotate', made.guid, '--overlap', '24h')
    expect(rotated.expiresAt).toBe(made.expiresAt)
    const listed = await json('token', 'list')
    const of = (guid: string) => listed.find((token: { guid: string }) => token.guid === guid)
    expect(of(made.guid)).toMatchObject({ replacedBy: rotated.guid, expiresAt: rotated.oldExpiresAt })
    expect(of(rotated.guid)).toMatchObject({ label: 'sign', scopes: ['links:read', 'qr'], groupGuids: [group.guid] })
    expect((await shortlink('token', 'rotate', made.guid)).code).toBe(1)
    const wrong = ['token', 'create', '--login', 'admin', '--label', 'x'] as const
    expect((await shortlink(...wrong, '--scope', 'links')).err).toContain(
      '"links" is not possible. Scopes are: links:read',
    )
    expect((await shortlink(...wrong, '--expires', 'soon')).err).toContain(
      '--expires must be a number and s, m, h or d',
    )
  })

  it('change the label of a token', async () => {
    const { guid } = await json('token', 'create', '--login', 'admin', '--label', 'test')
    expect((await shortlink('token', 'label', guid, 'backup job')).out).toBe(
      `Token ${guid} is now labelled "backup job".`,
    )
    expect((await json('token', 'list')).find((token: { guid: string }) => token.guid === guid).label).toBe(
      'backup job',
    )
    expect((await shortlink('token', 'label', 'Tnone', 'x')).code).toBe(1)
  })

  it('never take the last administrator out of an organization, and say what to do first', async () => {
    const [{ guid }] = await json('organization', 'list')
    const message =
      `The user "admin" is the only active administrator of the organization ${guid}. ` +
      `Add another administrator first: shortlink member set LOGIN --organization ${guid} --role org-admin.`
    for (const argv of [
      ['member', 'remove', 'admin', '--organization', guid],
      ['member', 'set', 'admin', '--organization', guid, '--role', 'member'],
      ['user', 'deactivate', 'admin'],
    ]) {
      expect(await shortlink(...argv)).toEqual({ code: 1, out: '', err: message })
    }
    await shortlink('user', 'create', 'ada')
    await shortlink('member', 'set', 'ada', '--organization', guid, '--role', 'admin')
    expect((await shortlink('member', 'remove', 'admin', '--organization', guid)).code).toBe(0)
  })

  it.each([
    [['member', 'set', 'admin', '--role', 'admin'], 'Give either --group GUID or --organization GUID.'],
    [
      ['member', 'set', 'admin', '--group', 'B1', '--role', 'owner'],
      '--role must be one of group-admin, member, reader.',
    ],
    [['member', 'set', 'admin', '--group', 'B1'], '"member set" needs --role ROLE'],
    [['app', 'register', 'X'], '"app register" needs --login LOGIN'],
    [['group', 'create'], '"group create" needs NAME'],
  ])('%j is one clear sentence and exit code 2', async (argv, message) => {
    const { code, err } = await shortlink(...argv)
    expect([code, err.split('\n').length]).toEqual([2, 1])
    expect(err).toContain(message)
  })

  it.each([
    [['group', 'create', 'X', '--organization', 'Onone'], 'There is no organization "Onone".'],
    [['member', 'set', 'nobody', '--group', 'Bnone', '--role', 'admin'], 'There is no user "nobody".'],
    [['app', 'register', 'X', '--login', 'admin', '--redirect-uri', 'back'], '"back" is not a valid redirect URI.'],
  ])('%j fails with what to do', async (argv, message) => {
    const { code, err } = await shortlink(...argv)
    expect(code).toBe(1)
    expect(err).toContain(message)
  })
})
