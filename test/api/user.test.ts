import { beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { createUser } from '../../src/core/accounts/users.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { organize, unreadableBodies } from './organize.js'

const started = useApp()

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
const patch = (body: unknown, options: { token?: string } = {}) =>
  started.request('PATCH', '/v4/user', { body, ...options })

describe('GET /v4/user', () => {
  it('answers 200 with the owner of the token', async () => {
    const { status, body } = await started.request('GET', '/v4/user')
    expect(status).toBe(200)
    expect(body).toEqual({
      login: 'admin',
      name: 'admin',
      is_active: true,
      created: moment,
      modified: moment,
      is_sso_user: false,
      emails: [],
      is_2fa_enabled: false,
      default_group_guid: started.groupGuid,
      default_link_privacy: 'public',
    })
  })

  it('returns the email address of a user', async () => {
    await createUser(started.app, operator, {
      login: 'ada',
      name: 'Ada',
      email: 'ada@example.com',
      password: 'correct horse',
    })
    const user = await started.app.accounts.user('ada')
    expect(user?.email).toBe('ada@example.com')
    const token = 'c'.repeat(40)
    const { hashToken } = await import('../../src/core/accounts/authenticate.js')
    const given = { guid: 'Tada', secretHash: hashToken(token), hint: 'cccc', login: 'ada', label: '', at: 1 }
    await started.app.accounts.addToken(given)
    const { body } = await started.request('GET', '/v4/user', { token })
    expect(body).toMatchObject({
      name: 'Ada',
      emails: [{ email: 'ada@example.com', is_primary: true, is_verified: false }],
    })
  })

  it('answers 403 without a token', async () => {
    const { status, body } = await started.request('GET', '/v4/user', { token: null })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'users'])
  })
})

describe('PATCH /v4/user', () => {
  let token: string
  beforeEach(async () => {
    token = await aMember(started, started.groupGuid, 'reader')
  })

  it('answers 200 with the new name, to readers too', async () => {
    const { status, body } = await patch({ name: 'Grace Hopper' }, { token })
    expect([status, body.name]).toEqual([200, 'Grace Hopper'])
    expect((await started.request('GET', '/v4/user', { token })).body).toEqual(body)
  })

  it('makes another group the default, which shortening uses at once', async () => {
    const other = await organize(started).group('Other')
    const { status, body } = await patch({ default_group_guid: other })
    expect([status, body.default_group_guid]).toEqual([200, other])
    const link = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/default' } })
    expect(link.body.references.group).toContain(other)
    await patch({ default_group_guid: started.groupGuid })
  })

  it('reads nulls as absent and accepts its own response', async () => {
    const { body } = await started.request('GET', '/v4/user')
    const again = await patch({ ...body, name: null, login: 'someone-else', emails: 5 })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({ ...body, modified: moment })
  })

  it.each([
    ['name', 5],
    ['name', 'a\u0007b'],
    ['name', 'x'.repeat(256)],
    ['default_group_guid', 5],
    ['default_group_guid', []],
  ])('answers 400 when %s is %j, and changes nothing', async (field, value) => {
    const before = (await started.request('GET', '/v4/user')).body
    const { status, body } = await patch({ name: 'Never', [field]: value })
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'users'])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    expect((await started.request('GET', '/v4/user')).body).toEqual(before)
  })

  it('answers 403 for a group that is not theirs, and changes nothing', async () => {
    const { status, body } = await patch({ name: 'Never', default_group_guid: 'Bnosuch' })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
    expect((await started.request('GET', '/v4/user')).body.name).not.toBe('Never')
  })

  it("answers 403 for someone else's group, before it checks the name", async () => {
    const { groupGuid } = await aStranger(started)
    expect((await patch({ default_group_guid: groupGuid }, { token })).status).toBe(403)
    expect((await patch({ default_group_guid: groupGuid, name: 5 }, { token })).status).toBe(403)
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    const answer = await patch(body)
    expect([answer.status, answer.body.message, answer.body.resource]).toEqual([
      status,
      'UNPROCESSABLE_ENTITY',
      'users',
    ])
  })
})
