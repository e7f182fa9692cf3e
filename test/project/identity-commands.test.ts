import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { readAuditLog } from '../../src/core/accounts/audit.js'
import { verifyPassword } from '../../src/core/accounts/secrets.js'
import { firstStart } from '../../src/core/administration/first-start.js'
import { systemClock } from '../../src/core/values/time.js'
import { writeServedBaseUrl } from '../../src/runtime/stores/data-version.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { runCommand } from '../support/run-command.js'

let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-identity-'))
  await withRecords(async (records) => {
    await records.migrate()
    const inputs = { login: 'admin', password: 'correct horse', token: undefined }
    await firstStart({ ...records, clock: systemClock }, inputs)
  })
})
afterEach(() => rmSync(folder, { recursive: true }))

async function withRecords<T>(work: (records: Awaited<ReturnType<typeof openSqlite>>) => Promise<T>): Promise<T> {
  const records = await openSqlite(join(folder, 'records.sqlite'))
  try {
    return await work(records)
  } finally {
    await records.close()
  }
}

function shortlink(argv: readonly string[], stdin = '') {
  return runCommand([...argv, '--data-dir', folder], { cwd: folder, input: stdin })
}
const passwordIs = (password: string) =>
  withRecords(async ({ accounts }) => verifyPassword((await accounts.account('admin'))?.passwordHash ?? '', password))

describe('commands for accounts', () => {
  it('give a user a new password, made up or given', async () => {
    const made = await shortlink(['user', 'password', 'admin'])
    const [, password = ''] = /^Password \(shown only once\): (\w{20})$/m.exec(made.out) ?? []
    expect(await passwordIs(password)).toBe(true)
    expect(await shortlink(['user', 'password', 'admin', '--password-stdin'], 'from a pipe\n')).toEqual({
      code: 0,
      out: 'User admin has a new password.',
      err: '',
    })
    expect(await passwordIs('from a pipe')).toBe(true)
  })

  it('set an address, which belongs to one user', async () => {
    expect((await shortlink(['user', 'email', 'admin', 'Admin@example.com'])).out).toBe(
      'The e-mail address of admin is now Admin@example.com.',
    )
    const taken = await shortlink(['user', 'create', 'ada', '--email', 'admin@EXAMPLE.com'])
    expect([taken.code, taken.err]).toEqual([
      1,
      'The address "admin@EXAMPLE.com" belongs to another account. Choose another.',
    ])
  })

  it('list the word for short links of tokens and applications', async () => {
    const build = ['token', 'create', '--login', 'admin', '--label', 'build', '--answers', 'bitlink']
    expect((await shortlink(build)).err).toContain('"bitlink" is not one of --link-word, so it has no effect until')
    const tokens = (await shortlink(['token', 'list'])).out
    expect(tokens).toMatch(/^GUID +ENDS IN +LOGIN +LABEL +SCOPES +GROUPS +DOMAINS +ANSWERS +CREATED /)
    expect(tokens).toMatch(/ admin +build +all +all +all +bitlink +\d{4}-/)
    expect(tokens).toMatch(/ admin +\S.* +- +\d{4}-/)
    const reader = ['app', 'register', 'Reader', '--login', 'admin', '--answers', 'bitlink']
    expect((await shortlink([...reader, '--link-word', 'bitlink:bitly'])).err).not.toContain('--link-word')
    await shortlink(['app', 'register', 'Writer', '--login', 'admin'])
    const apps = (await shortlink(['app', 'list'])).out
    expect(apps).toMatch(/^CLIENT ID +NAME +LOGIN +PKCE +SCOPES +ANSWERS +CREATED /)
    expect(apps).toMatch(/ Reader +admin +- +all +bitlink +\d{4}-/)
    expect(apps).toMatch(/ Writer +admin +- +all +- +\d{4}-/)
    expect(JSON.parse((await shortlink(['app', 'list', '--json'])).out)[0].answersIn).toBe('bitlink')
  })

  it('turn a second factor off', async () => {
    await withRecords(async ({ accounts }) => {
      await accounts.beginTwoFactor('admin', { by: 'app', secret: 'ABCD' }, 1)
      const factor = { by: 'app', secret: 'ABCD' } as const
      await accounts.turnTwoFactorOn('admin', { factor, recoveryCodeHashes: ['x'], usedStep: 1 })
    })
    expect((await shortlink(['user', 'two-factor-off', 'admin'])).code).toBe(0)
    const again = await shortlink(['user', 'two-factor-off', 'admin'])
    expect([again.code, again.err]).toEqual([1, 'There is no user "admin" with a second factor.'])
  })

  it('deactivate a user and let them in again, as the audit log tells', async () => {
    await shortlink(['user', 'create', 'ada'])
    const isActive = () => withRecords(async ({ accounts }) => (await accounts.user('ada'))?.isActive)
    const off = await shortlink(['user', 'deactivate', 'ada'])
    expect(off).toEqual({ code: 0, out: 'User ada is deactivated. Their links keep working.', err: '' })
    expect(await isActive()).toBe(false)
    const list = (await shortlink(['user', 'list'])).out
    expect(list).toMatch(/^ada +ada +- +deactivated +off +\d{4}-\d\d-\d\d$/m)
    expect(list).toMatch(/^admin +admin +- +active +off +/m)
    expect(JSON.parse((await shortlink(['user', 'list', '--json'])).out)).toMatchObject([
      { login: 'ada' },
      { login: 'admin' },
    ])
    expect((await shortlink(['user', 'deactivate', 'ada', '--json'])).out).toBe('{"login":"ada"}')
    expect(await shortlink(['user', 'activate', 'ada'])).toEqual({ code: 0, out: 'User ada is active.', err: '' })
    expect(await isActive()).toBe(true)
    const { entries } = await withRecords((records) =>
      readAuditLog(records, operator, undefined, { login: 'ada', size: 10, searchAfter: undefined }),
    )
    const told = entries.map(({ action, login }) => [action, login])
    expect(told).toEqual([
      ['user_activated', 'operator'],
      ['user_deactivated', 'operator'],
      ['user_added', 'operator'],
    ])
  })

  it('keep the only active administrator of an organization, and say what to do', async () => {
    const { code, err } = await shortlink(['user', 'deactivate', 'admin'])
    const [, guid] = /organization (O\w{10})\. Add another administrator first/.exec(err) ?? []
    expect([code, guid]).toEqual([1, expect.any(String)])
    await shortlink(['user', 'create', 'ada'])
    await shortlink(['member', 'set', 'ada', '--organization', guid ?? '', '--role', 'admin'])
    expect((await shortlink(['user', 'deactivate', 'admin'])).code).toBe(0)
    expect((await shortlink(['user', 'deactivate', 'ada'])).code).toBe(1)
  })

  it.each(['deactivate', 'activate'])('explain "user %s" in their help', async (verb) => {
    const { out } = await shortlink(['help', 'user', verb])
    expect(out).toContain(`Usage: shortlink user ${verb} LOGIN [--json] [OPTIONS]`)
    expect((await shortlink(['--help'])).out).toContain(`\n  user ${verb} `)
  })

  it('invite somebody, list invitations and take them back', async () => {
    const made = await shortlink(['invitation', 'create', 'ada@example.com', '--role', 'reader'])
    expect(made.out).toMatch(/^http:\/\/localhost:8080\/account\/invitation\?secret=[\w-]{43}$/m)
    expect(made.err).toContain('No service runs on')
    writeServedBaseUrl(folder, 'https://sho.rt')
    const served = await shortlink(['invitation', 'create', 'bob@example.com', '--json'])
    expect(JSON.parse(served.out)).toMatchObject({ url: expect.stringMatching(/^https:\/\/sho\.rt\/account\//) })
    expect(served.err).toContain('begins with https://sho.rt, as it last did.')
    await shortlink(['invitation', 'revoke', JSON.parse(served.out).guid])
    const guid = /Invitation (N\w{10})/.exec(made.out)?.[1] ?? ''
    expect((await shortlink(['invitation', 'list'])).out).toMatch(
      new RegExp(`^${guid} +ada@example.com +reader +B\\w{10} +operator `, 'm'),
    )
    expect((await shortlink(['invitation', 'revoke', guid])).out).toBe(`Invitation ${guid} is revoked.`)
    expect((await shortlink(['invitation', 'revoke', guid])).code).toBe(1)
    expect((await shortlink(['invitation', 'list'])).out).toBe('There are no open invitations.')
  })

  it('give an application a new secret', async () => {
    const app = JSON.parse((await shortlink(['app', 'register', 'Reader', '--login', 'admin', '--json'])).out)
    const rotated = await shortlink(['app', 'secret', app.clientId])
    expect(rotated.out).toMatch(/^client_secret {2}[0-9a-f]{40}\n/)
    expect(rotated.out).not.toContain(app.clientSecret)
    expect((await shortlink(['app', 'secret', 'none'])).code).toBe(1)
  })

  it('show what was done, newest first, page by page', async () => {
    await shortlink(['token', 'create', '--login', 'admin', '--label', 'test'])
    await shortlink(['user', 'email', 'admin', 'admin@example.com'])
    const first = (await shortlink(['audit', '--size', '1'])).out
    expect(first).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +operator +email_changed +- +admin +- *$/m)
    const after = /--after (\S+)/.exec(first)?.[1] ?? ''
    expect((await shortlink(['audit', '--after', after])).out).toMatch(
      / operator +token_made +t\w{10} +admin +- +label=test scopes=all$/m,
    )
    expect((await shortlink(['audit', '--login', 'nobody'])).out).toBe('There are no entries.')
  })

  it.each([
    [['user', 'password', 'nobody'], 'There is no user "nobody".', 1],
    [['user', 'password', 'admin', '--password', 'short'], 'This is not a valid password.', 1],
    [['user', 'deactivate', 'nobody'], 'There is no user "nobody".', 1],
    [['user', 'activate', 'nobody'], 'There is no user "nobody".', 1],
    [['user', 'deactivate'], '"user deactivate" needs LOGIN', 2],
    [['user', 'email', 'admin', 'nowhere'], '"nowhere" is not a valid e-mail address.', 1],
    [['user', 'email', 'nobody', 'a@example.com'], 'There is no user "nobody".', 1],
    [['invitation', 'create', 'a@example.com', '--role', 'owner'], '--role must be one of', 2],
    [['invitation', 'create', 'a@example.com', '--group', 'Bnone'], 'There is no group "Bnone".', 1],
    [['audit', '--size', 'many'], '--size must be a whole number', 2],
    [['audit', '--after', 'x'], '--after must be the cursor that the previous page printed.', 2],
  ])('%j fails with what to do', async (argv, message, exitCode) => {
    const { code, err } = await shortlink(argv)
    expect([code, err]).toEqual([exitCode, expect.stringContaining(message)])
  })
})
