import { beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { createUser } from '../../src/core/accounts/users.js'
import { setEmail } from '../../src/core/administration/identity.js'
import { beginSession, findSession } from '../../src/core/sign-in/sessions.js'
import { signIn } from '../../src/core/sign-in/sign-in.js'
import { codeAt } from '../support/authenticator-app.js'
import { codeIn, startSmsReceiver } from '../support/sms-receiver.js'
import { startSmtpServer } from '../support/smtp-server.js'
import { startApp, useStarted } from '../support/start-app.js'
import { inRecords } from './alter-records.js'
import { unreadableBodies } from './organize.js'

const password = 'correct horse'

let now = Date.UTC(2026, 5, 1)
const gateway = useStarted(startSmsReceiver)
const smtp = useStarted(startSmtpServer)
const started = useStarted(() => {
  const config = { smsGatewayUrl: gateway.url, smtpUrl: smtp.url, mailFrom: 'links@example.com' }
  return startApp(config, { clock: { now: () => now } })
})

/** Every test has its own user and day, so that attempts are not shared. */
let login: string
let token: string
let sentBefore: number
let people = 0
beforeEach(async () => {
  now += 86_400_000
  login = `person-${++people}`
  token = newTokenSecret()
  await createUser(started.app, operator, { login, password })
  await started.app.accounts.addToken({ ...tokenFrom(token), login, label: '', at: now })
  sentBefore = gateway.messages.length
})

const send = (method: string, path: string, body: object) =>
  started.request(method, `/v4/user/${path}`, { body, token })
const get = async (path: string) => (await started.request('GET', path, { token })).body
const state = () => get('/v4/user/two_factor')
const messages = () => gateway.messages.slice(sentBefore)
const code = (secret: string, away = 0) => codeAt(secret, Math.floor(now / 30_000) + away)
const enter = (given?: string) =>
  signIn(started.app, { login, password, code: given, address: '192.0.2.1', through: 'browser' })
/** For operations that refuse. */
const refusal = async (method: string, path: string, body: object) => {
  const answer = await send(method, path, body)
  return [answer.status, answer.body.message, answer.body.resource]
}

async function appOn(): Promise<{ secret: string; recovery: string[] }> {
  const { secret } = (await send('POST', 'two_factor/app', { password })).body
  const confirmed = await send('POST', 'two_factor/app/confirm', { code: code(secret) })
  now += 60_000
  return { secret, recovery: confirmed.body.recovery_codes }
}

const operations = [
  ['POST', 'email', { email: 'new@example.com', password }],
  ['PATCH', 'password', { current_password: password, new_password: 'a new password' }],
  ['POST', 'two_factor/app', { password }],
  ['POST', 'two_factor/app/confirm', { code: '123456' }],
  ['POST', 'two_factor/sms', { password, phone: '+4915123456789' }],
  ['POST', 'two_factor/sms/confirm', { code: '123456' }],
  ['POST', 'two_factor/code', { password }],
  // With a code or a passkey.
  ['POST', 'two_factor/recovery_codes', { password }],
  ['DELETE', 'two_factor', { password }],
] as const

describe('every operation on e-mail address, password and second factor', () => {
  it('answers 403 without a token and to tokens of applications, before it checks the body', async () => {
    const foreign = newTokenSecret()
    await started.app.accounts.addToken({ ...tokenFrom(foreign), login, label: '', clientId: 'app', at: 1 })
    for (const other of [null, foreign]) {
      for (const [method, path] of [...operations, ['GET', 'two_factor'] as const]) {
        const body = method === 'GET' ? {} : { body: {} }
        const answer = await started.request(method, `/v4/user/${path}`, { token: other, ...body })
        expect([answer.status, answer.body.message, answer.body.resource]).toEqual([403, 'FORBIDDEN', 'users'])
      }
    }
  })

  it('answers 400 for a missing or non-string field, and 406, 413 and 422 for malformed bodies', async () => {
    for (const [method, path, fields] of operations) {
      for (const field of Object.keys(fields)) {
        for (const value of [undefined, 7, ['x'], {}]) {
          const { status, body } = await send(method, path, { ...fields, [field]: value })
          expect([status, body.message, body.errors]).toEqual([
            400,
            `INVALID_ARG_${field.toUpperCase()}`,
            [{ field, error_code: 'invalid' }],
          ])
        }
      }
      for (const [, body, status] of unreadableBodies) {
        expect((await started.request(method, `/v4/user/${path}`, { body, token })).status).toBe(status)
      }
      const plain = await started.request(method, `/v4/user/${path}`, {
        body: 'a=b',
        token,
        headers: { 'content-type': 'text/plain' },
      })
      expect(plain.status).toBe(406)
      expect((await send(method, path, { ...fields, more: 'x'.repeat(1024 * 1024) })).status).toBe(413)
    }
    expect(await state()).toEqual({ is_enabled: false, recovery_codes_left: 0, passkeys: 0 })
  })
})

describe('PATCH /v4/user/password', () => {
  const change = (current_password: string, new_password: string) =>
    send('PATCH', 'password', { current_password, new_password })

  it('answers 204, accepts the new password, signs out all browsers and keeps tokens valid', async () => {
    const session = await beginSession(started.app, login)
    const { status, text } = await change(password, 'a new password')
    expect([status, text]).toEqual([204, ''])
    expect((await enter()).outcome).toBe('wrong')
    expect(await findSession(started.app, session)).toBeUndefined()
    expect((await get('/v4/user')).login).toBe(login)
    expect((await change('a new password', password)).status).toBe(204)
    expect((await enter()).outcome).toBe('signed-in')
  })

  it('notifies the owner by email', async () => {
    await setEmail(started.app, operator, { login, email: `${login}@example.com` })
    await change(password, 'quite another')
    const mail = await smtp.next()
    expect([mail.from, mail.to, mail.subject]).toEqual([
      'links@example.com',
      [`${login}@example.com`],
      'Your password was changed',
    ])
    expect(mail.text).not.toContain('quite another')
  })

  it('answers 400 for a wrong current password and for a new one that is too short or too long', async () => {
    const cases = [
      ['wrong password', 'a new password', 'current_password'],
      [password, 'short', 'new_password'],
      [password, 'x'.repeat(257), 'new_password'],
    ] as const
    for (const [current, next, field] of cases) {
      const { status, body } = await change(current, next)
      expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'users'])
    }
    expect((await enter()).outcome).toBe('signed-in')
  })

  it('answers 429 after ten wrong passwords, also for the right one, for a quarter of an hour', async () => {
    for (let n = 0; n < 10; n += 1) expect((await change('wrong password', 'a new password')).status).toBe(400)
    const { status, body, headers } = await change(password, 'a new password')
    expect([status, body.message, body.resource]).toEqual([429, 'RATE_LIMIT_EXCEEDED', 'users'])
    expect(headers['retry-after']).toBe('900')
    now += 15 * 60_000
    expect((await change(password, 'a new password')).status).toBe(204)
  })
})

describe('a second factor', () => {
  it('notifies the owner by email when it is turned on or off, and when recovery codes are replaced', async () => {
    await setEmail(started.app, operator, { login, email: `${login}@example.com` })
    const { secret } = await appOn()
    const on = await smtp.next()
    expect([on.to, on.subject]).toEqual([[`${login}@example.com`], 'Two-factor authentication was turned on'])
    expect(on.text).not.toContain(secret)
    await send('POST', 'two_factor/recovery_codes', { password, code: code(secret) })
    expect((await smtp.next()).subject).toBe('New recovery codes were created')
    now += 60_000
    await send('DELETE', 'two_factor', { password, code: code(secret) })
    expect((await smtp.next()).subject).toBe('Two-factor authentication was turned off')
  })
})

describe('the secret of a second factor', () => {
  const inDatabase = async (sql: string) => {
    const rows = (await inRecords(started, sql)) as { value: string }[]
    return rows.map(({ value }) => value)
  }
  const own = (table: string) => `select value from ${table} where login = '${login}'`
  const kept = () => inDatabase(`${own('two_factors')} union all ${own('two_factor_setups')}`)

  it('is not readable in the database, neither during set-up nor afterwards', async () => {
    const { secret } = (await send('POST', 'two_factor/app', { password })).body
    expect(await kept()).toEqual([expect.stringMatching(/^sealed:/)])
    await send('POST', 'two_factor/app/confirm', { code: code(secret) })
    expect(await kept()).toEqual([expect.stringMatching(/^sealed:/)])
    now += 60_000
    expect((await enter(code(secret))).outcome).toBe('signed-in')
  })

  it('still works if it was stored before there was a key', async () => {
    const { secret } = await appOn()
    await inDatabase(`update two_factors set value = '${secret}' where login = '${login}' returning value`)
    expect((await enter(code(secret))).outcome).toBe('signed-in')
  })
})

describe('an authenticator app', () => {
  it('is on after its first code, with recovery codes that are shown once', async () => {
    const begun = await send('POST', 'two_factor/app', { password })
    expect(begun.status).toBe(200)
    const { secret, otpauth_uri } = begun.body
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(new URL(otpauth_uri).searchParams.get('secret')).toBe(secret)
    expect(decodeURIComponent(new URL(otpauth_uri).pathname)).toBe(`/${started.domain}:${login}`)
    expect((await enter()).outcome).toBe('signed-in')

    const confirmed = await send('POST', 'two_factor/app/confirm', { code: code(secret) })
    expect(confirmed.status).toBe(200)
    const codes: string[] = confirmed.body.recovery_codes
    expect(new Set(codes).size).toBe(10)
    for (const each of codes) expect(each).toMatch(/^[0-9a-z]{5}-[0-9a-z]{5}$/)
    expect(await state()).toEqual({ is_enabled: true, method: 'app', recovery_codes_left: 10, passkeys: 0 })
    expect((await get('/v4/user')).is_2fa_enabled).toBe(true)
    expect((await enter()).outcome).toBe('code-wanted')
    expect((await enter(code(secret))).outcome).toBe('wrong')
    expect((await enter(code(secret, 1))).outcome).toBe('signed-in')
    expect((await enter(codes[3])).outcome).toBe('signed-in')
    expect((await enter(codes[3])).outcome).toBe('wrong')
    expect((await state()).recovery_codes_left).toBe(9)
  })

  it('needs the password, and the code within a quarter of an hour', async () => {
    expect(await refusal('POST', 'two_factor/app', { password: 'wrong password' })).toEqual([
      400,
      'INVALID_ARG_PASSWORD',
      'users',
    ])
    expect(await refusal('POST', 'two_factor/app/confirm', { code: '123456' })).toEqual([400, 'BAD_REQUEST', 'users'])
    const { secret } = (await send('POST', 'two_factor/app', { password })).body
    expect(await refusal('POST', 'two_factor/app/confirm', { code: 'abcdef' })).toEqual([
      400,
      'INVALID_ARG_CODE',
      'users',
    ])
    expect(await refusal('POST', 'two_factor/sms/confirm', { code: code(secret) })).toEqual([
      400,
      'BAD_REQUEST',
      'users',
    ])
    now += 15 * 60_000
    expect(await refusal('POST', 'two_factor/app/confirm', { code: code(secret) })).toEqual([
      400,
      'BAD_REQUEST',
      'users',
    ])
    expect((await state()).is_enabled).toBe(false)
  })

  it('answers 409 when one is on, and 429 after twenty wrong codes', async () => {
    const { secret } = (await send('POST', 'two_factor/app', { password })).body
    for (let n = 0; n < 20; n += 1) {
      expect((await send('POST', 'two_factor/app/confirm', { code: 'nope' })).status).toBe(400)
    }
    expect(await refusal('POST', 'two_factor/app/confirm', { code: code(secret) })).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      'users',
    ])
    now += 3_600_000
    await appOn()
    const conflict = [409, 'CONFLICT', 'users']
    expect(await refusal('POST', 'two_factor/app', { password })).toEqual(conflict)
    expect(await refusal('POST', 'two_factor/sms', { password, phone: '+4915123456789' })).toEqual(conflict)
  })

  it('is turned off with the password and any code, once', async () => {
    const { secret, recovery } = await appOn()
    expect(await refusal('DELETE', 'two_factor', { password, code: '000000' })).toEqual([
      400,
      'INVALID_ARG_CODE',
      'users',
    ])
    expect(await refusal('DELETE', 'two_factor', { password: 'wrong password', code: code(secret) })).toEqual([
      400,
      'INVALID_ARG_PASSWORD',
      'users',
    ])
    expect((await state()).is_enabled).toBe(true)
    expect((await send('DELETE', 'two_factor', { password, code: code(secret) })).status).toBe(204)
    expect(await state()).toEqual({ is_enabled: false, recovery_codes_left: 0, passkeys: 0 })
    expect((await enter()).outcome).toBe('signed-in')
    expect(await refusal('DELETE', 'two_factor', { password, code: recovery[0] ?? '' })).toEqual([
      409,
      'CONFLICT',
      'users',
    ])
  })

  it('gets new recovery codes that replace the old ones', async () => {
    const { secret, recovery } = await appOn()
    const { status, body } = await send('POST', 'two_factor/recovery_codes', { password, code: code(secret) })
    expect([status, body.recovery_codes.length]).toEqual([200, 10])
    expect((await enter(recovery[0])).outcome).toBe('wrong')
    expect((await enter(body.recovery_codes[0])).outcome).toBe('signed-in')
  })

  it('answers 409 to requests for codes and recovery codes while no second factor is on', async () => {
    const conflict = [409, 'CONFLICT', 'users']
    expect(await refusal('POST', 'two_factor/code', { password })).toEqual(conflict)
    expect(await refusal('POST', 'two_factor/recovery_codes', { password, code: '123456' })).toEqual(conflict)
    expect(await refusal('DELETE', 'two_factor', { password, code: '123456' })).toEqual(conflict)
  })
})

describe('codes by SMS', () => {
  const last = () => codeIn(messages().at(-1)?.text)

  it('are on after the first code', async () => {
    const begun = await send('POST', 'two_factor/sms', { password, phone: '+49 (151) 234-567.89' })
    expect([begun.status, begun.body]).toEqual([200, { phone: '+4915123456789' }])
    expect(messages().map(({ to }) => to)).toEqual(['+4915123456789'])
    expect((await state()).is_enabled).toBe(false)
    const confirmed = await send('POST', 'two_factor/sms/confirm', { code: last() })
    expect([confirmed.status, confirmed.body.recovery_codes.length]).toEqual([200, 10])
    expect(await state()).toEqual({
      is_enabled: true,
      method: 'sms',
      phone_hint: '789',
      recovery_codes_left: 10,
      passkeys: 0,
    })
    now += 60_000
    expect((await send('POST', 'two_factor/code', { password })).status).toBe(204)
    expect((await send('DELETE', 'two_factor', { password, code: last() })).status).toBe(204)
  })

  it('a code for one number does not confirm another', async () => {
    await send('POST', 'two_factor/sms', { password, phone: '+4915123456789' })
    const first = last()
    await send('POST', 'two_factor/sms', { password, phone: '+4915199999999' })
    expect(messages()).toHaveLength(2)
    if (first !== last()) {
      expect(await refusal('POST', 'two_factor/sms/confirm', { code: first })).toEqual([
        400,
        'INVALID_ARG_CODE',
        'users',
      ])
    }
    expect((await send('POST', 'two_factor/sms/confirm', { code: last() })).status).toBe(200)
  })

  it.each(['', '015123456789', '+0151234567', '+49', '+49151234567890123', 'phone', '+49151234567\n8x'])(
    'answer 400 for the number %j',
    async (phone) => {
      expect(await refusal('POST', 'two_factor/sms', { password, phone })).toEqual([400, 'INVALID_ARG_PHONE', 'users'])
      expect(messages()).toEqual([])
    },
  )

  it('answer 503 if the gateway refuses, and work again afterwards', async () => {
    gateway.answer(500)
    const begin = () => refusal('POST', 'two_factor/sms', { password, phone: '+4915123456789' })
    const failed = [503, 'TEMPORARILY_UNAVAILABLE', 'users']
    expect(await begin()).toEqual(failed)
    gateway.answer(202)
    expect((await begin())[0]).toBe(200)
    expect((await send('POST', 'two_factor/sms/confirm', { code: codeIn(messages().at(-1)?.text) })).status).toBe(200)
    now += 60_000
    gateway.answer(500)
    expect(await refusal('POST', 'two_factor/code', { password })).toEqual(failed)
    gateway.answer(202)
  })

  it('answer 429 after ten messages in an hour', async () => {
    const begin = () => send('POST', 'two_factor/sms', { password, phone: '+4915123456789' })
    for (let n = 0; n < 10; n += 1) expect((await begin()).status).toBe(200)
    expect((await begin()).status).toBe(429)
    expect(messages()).toHaveLength(10)
  })
})
