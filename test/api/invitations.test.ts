import { beforeAll, describe, expect, it } from 'vitest'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { acceptInvitation, findInvitation, type InvitedUser } from '../../src/core/sign-in/invitations.js'
import { signIn } from '../../src/core/sign-in/sign-in.js'
import { Refusal } from '../../src/core/values/refusal.js'
import { startSmtpServer } from '../support/smtp-server.js'
import { startApp, useStarted } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

let guid: string
let path: string
let now = Date.UTC(2026, 5, 1)
const smtp = useStarted(startSmtpServer)
const started = useStarted(() => startApp({ smtpUrl: smtp.url }, { clock: { now: () => now } }))
beforeAll(async () => {
  guid = await firstOrganization(started)
  path = `/v4/organizations/${guid}/invitations`
})

const invite = (body: object, options: object = {}) => started.request('POST', path, { body, ...options })
const input = (changes: object = {}) => ({ email: 'ada@example.com', group_guid: started.groupGuid, ...changes })
const list = async (): Promise<{ guid: string; email: string }[]> =>
  (await started.request('GET', path)).body.invitations
const secretIn = (text: string) => /\/account\/invitation\?secret=([\w-]+)/.exec(text)?.[1] ?? ''
const accept = (secret: string, invitedUser: InvitedUser) => acceptInvitation(started.app, secret, invitedUser)

describe('POST /v4/organizations/{organization_guid}/invitations', () => {
  it('answers 201 and sends an email with a link that creates an account with the role', async () => {
    const { status, body } = await invite(input({ role: 'group-admin' }))
    expect(status).toBe(201)
    expect(body).toEqual({
      guid: expect.stringMatching(/^N\w{10}$/),
      email: 'ada@example.com',
      organization_guid: guid,
      group_guid: started.groupGuid,
      role: 'group-admin',
      invited_by: 'admin',
      delivery: 'sent',
      created: '2026-06-01T00:00:00+0000',
      expires: '2026-06-08T00:00:00+0000',
    })
    const mail = await smtp.next()
    expect([mail.from, mail.to, mail.subject]).toEqual([
      'shortlink@localhost',
      ['ada@example.com'],
      'You are invited to My organization',
    ])
    expect(mail.text).toContain(`http://${started.domain}/account/invitation?secret=`)
    const secret = secretIn(mail.text)
    expect(JSON.stringify(body)).not.toContain(secret)
    expect(await findInvitation(started.app, secret)).toMatchObject({ email: 'ada@example.com', groupName: 'My group' })

    await accept(secret, { login: 'ada', name: 'Ada', password: 'a good password' })
    expect(await findInvitation(started.app, secret)).toBeUndefined()
    const address = '192.0.2.1'
    const attempt = { login: 'ada@example.com', password: 'a good password', code: undefined, address }
    expect(await signIn(started.app, { ...attempt, through: 'browser' })).toEqual({
      outcome: 'signed-in',
      login: 'ada',
    })
    const members = (await started.app.groups.members()).filter(({ login }) => login === 'ada')
    expect(members.map(({ in: place, role }) => [place, role])).toEqual([
      ['organization', 'member'],
      ['group', 'admin'],
    ])
    await expect(accept(secret, { login: 'eve', name: 'Eve', password: 'a good password' })).rejects.toMatchObject({
      code: 'GONE',
    })
  })

  it('invites as member by default', async () => {
    const { body } = await invite(input({ email: 'plain@example.com' }))
    expect(body.role).toBe('member')
    await smtp.next()
  })

  it('lets others write while the mail is sent, and ignores an Idempotency-Key', async () => {
    const goOn = smtp.hold()
    const slow = () => invite(input({ email: 'slow@example.com' }), { headers: { 'idempotency-key': 'slow' } })
    const first = slow()
    await expect.poll(async () => (await list()).map(({ email }) => email)).toContain('slow@example.com')
    const body = { long_url: 'https://example.com/meanwhile' }
    expect((await started.request('POST', '/v4/shorten', { body })).status).toBe(201)
    goOn()
    const [one, other] = [await first, await slow()]
    expect([one.status, other.status, other.headers['idempotent-replayed']]).toEqual([201, 201, undefined])
    expect(other.body.guid).not.toBe(one.body.guid)
    const secrets = [await smtp.next(), await smtp.next()].map(({ text }) => secretIn(text))
    for (const secret of secrets) expect(await findInvitation(started.app, secret)).toBeDefined()
  })

  it.each([
    [
      'email',
      [
        undefined,
        7,
        '',
        'nobody',
        'a@b',
        'a b@example.com',
        'a@example.com, b@example.com',
        `${'a'.repeat(250)}@example.com`,
        'a\r\nBcc: x@example.com',
        'a\0@example.com',
      ],
    ],
    ['role', [7, 'owner']],
  ])('answers 400 for a wrong %s, and nobody is invited', async (field, values) => {
    const before = [await list(), smtp.mails.length]
    for (const value of values) {
      const { status, body } = await invite(input({ [field]: value }))
      expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'invitations'])
      expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    }
    expect([await list(), smtp.mails.length]).toEqual(before)
  })

  it('answers 400 without a group, and 403 for one that is not of the organization', async () => {
    const { status, body } = await invite(input({ group_guid: undefined }))
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
    const elsewhere = await organize(started).group('Elsewhere', await organize(started).organization('Second'))
    for (const group_guid of [elsewhere, 'Bnone']) {
      const refused = await invite(input({ group_guid }))
      expect([refused.status, refused.body.resource]).toEqual([403, 'groups'])
    }
  })

  it.each(unreadableBodies)('answers for a body that is %s', async (_what, body, status) => {
    expect((await started.request('POST', path, { body })).status).toBe(status)
  })

  it('answers 429 to the sixth mail to one address in a day, and to the hundred and first in an hour', async () => {
    const many = async (count: number, email: (each: number) => string) => {
      const answers: number[] = []
      for (let each = 0; each < count; each += 1) answers.push((await invite(input({ email: email(each) }))).status)
      return answers
    }
    const before = smtp.mails.length
    expect(await many(6, (each) => (each % 2 ? 'Often@example.com' : 'often@EXAMPLE.com'))).toEqual([
      ...Array(5).fill(201),
      429,
    ])
    expect(smtp.mails.length - before).toBe(5)
    const { body, headers } = await invite(input({ email: 'often@example.com' }))
    expect([body.message, body.resource, headers['retry-after']]).toEqual([
      'RATE_LIMIT_EXCEEDED',
      'invitations',
      '86400',
    ])
    now += 86_400_000
    expect(await many(101, (each) => `person-${each}@example.com`)).toEqual([...Array(100).fill(201), 429])
    now += 3_600_000
    expect(await many(1, () => 'often@example.com')).toEqual([201])
    for (let each = 0; each < 106; each += 1) await smtp.next()
  })

  it('answers 403 to a token that an application was given', async () => {
    const foreign = newTokenSecret()
    await started.app.accounts.addToken({ ...tokenFrom(foreign), login: 'admin', label: '', clientId: 'app', at: 1 })
    const { status, body } = await invite(input(), { token: foreign })
    expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
  })

  it('answers 406 for a body that is not JSON, and 413 for one that is too large', async () => {
    expect((await invite(input(), { headers: { 'content-type': 'text/plain' } })).status).toBe(406)
    expect((await invite(input({ more: 'x'.repeat(1024 * 1024) }))).status).toBe(413)
  })
})

describe('every operation on invitations', () => {
  it('answers 403 to everybody but administrators of the organization, whatever else is wrong', async () => {
    const tokens = [
      null,
      (await aStranger(started)).token,
      await aMember(started, started.groupGuid, 'admin'),
      await aMember(started, started.groupGuid, 'reader'),
    ]
    for (const token of tokens) {
      const answers = [
        await started.request('GET', path, { token }),
        await started.request('POST', path, { token, body: {} }),
        await started.request('DELETE', `${path}/x`, { token }),
      ]
      for (const { status, body } of answers) expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    }
    expect((await started.request('GET', '/v4/organizations/Onone/invitations')).status).toBe(403)
  })
})

describe('GET and DELETE invitations', () => {
  it('answer 200 with open ones, newest first, and 204 when one is revoked, once', async () => {
    now += 1000
    const { body: first } = await invite(input({ email: 'first@example.com' }))
    now += 1000
    const { body: second } = await invite(input({ email: 'second@example.com' }))
    const secret = secretIn((await smtp.next()).text)
    await smtp.next()
    expect((await list()).slice(0, 2)).toEqual([second, first])
    const gone = await started.request('DELETE', `${path}/${first.guid}`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await list()).map((each) => each.guid)).not.toContain(first.guid)
    expect(await findInvitation(started.app, secret)).toBeUndefined()
    const again = await started.request('DELETE', `${path}/${first.guid}`)
    expect([again.status, again.body.message, again.body.resource]).toEqual([404, 'NOT_FOUND', 'invitations'])
  })

  it.each(['none', '%00'])('answer 404 for %s', async (id) => {
    expect((await started.request('DELETE', `${path}/${id}`)).status).toBe(404)
  })

  it('ignore an invitation after seven days', async () => {
    const { body } = await invite(input({ email: 'late@example.com' }))
    const secret = secretIn((await smtp.next()).text)
    now += 7 * 86_400_000
    expect((await list()).map((each) => each.guid)).not.toContain(body.guid)
    expect(await findInvitation(started.app, secret)).toBeUndefined()
    await expect(accept(secret, { login: 'late', name: 'L', password: 'a good password' })).rejects.toMatchObject({
      code: 'GONE',
    })
  })
})

describe('accepting an invitation', () => {
  it('adds a signed-in user to the group', async () => {
    const token = await aMember(started, (await aStranger(started)).groupGuid)
    const { login } = (await started.request('GET', '/v4/user', { token })).body
    const read = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}`, { token })).status
    expect(await read()).toBe(403)
    await invite(input({ email: 'other@example.com', role: 'reader' }))
    await accept(secretIn((await smtp.next()).text), { login })
    expect(await read()).toBe(200)
  })

  it.each([
    [{ login: 'Bad Login', name: 'N', password: 'a good password' }, 'login'],
    [{ login: 'admin', name: 'N', password: 'a good password' }, 'login'],
    [{ login: 'fine', name: ' ', password: 'a good password' }, 'name'],
    [{ login: 'fine', name: 'N', password: 'short' }, 'password'],
  ])('with %j is rejected because of the %s and leaves it open', async (invitedUser, field) => {
    await invite(input({ email: 'open@example.com' }))
    const secret = secretIn((await smtp.next()).text)
    await expect(accept(secret, invitedUser)).rejects.toMatchObject({ details: { field } })
    expect(await findInvitation(started.app, secret)).toBeDefined()
  })

  it('creates no second account for an address, and asks to sign in', async () => {
    await invite(input({ email: 'ADA@example.com' }))
    const secret = secretIn((await smtp.next()).text)
    const invitedUser = { login: 'ada2', name: 'Ada', password: 'a good password' }
    const refused = await accept(secret, invitedUser).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refusal)
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('Sign in') })
    await accept(secret, { login: 'ada' })
  })
})

describe('a mail server that refuses', () => {
  it('causes 503, and nobody is invited', async () => {
    const before = await list()
    smtp.refuse()
    const { status, body } = await invite(input({ email: 'unlucky@example.com' }))
    expect([status, body.message, body.resource]).toEqual([503, 'TEMPORARILY_UNAVAILABLE', 'invitations'])
    expect(await list()).toEqual(before)
  })
})
