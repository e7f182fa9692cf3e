import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TwoFactor } from '../../src/core/accounts/account.js'
import { operator } from '../../src/core/accounts/actor.js'
import { createUser } from '../../src/core/accounts/users.js'
import { firstStart } from '../../src/core/administration/first-start.js'
import { beginSession, endSession, findSession, type SessionDeps } from '../../src/core/sign-in/sessions.js'
import { type SignInAttempt, type SignInDeps, type SignInOutcome, signIn } from '../../src/core/sign-in/sign-in.js'
import { BackgroundTasks } from '../../src/lib/background-tasks.js'
import { Closing } from '../../src/lib/closing.js'
import { smsGateway } from '../../src/storage/mail/messages.js'
import type { Records } from '../../src/storage/records/records.js'
import { codeAt } from '../support/authenticator-app.js'
import { codeIn, type SmsReceiver, startSmsReceiver } from '../support/sms-receiver.js'
import { sqlEngines, type TestDatabase } from '../support/sql-engines.js'

let deps: Deps
let database: TestDatabase
let gateway: SmsReceiver
let now: number
const closing = new Closing()
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1)
  gateway = await startSmsReceiver()
  closing.add(gateway)
  const engine = sqlEngines().find(({ skip }) => skip === undefined)
  if (!engine) throw new Error('there is no engine to test with')
  database = await engine.create()
  closing.add({ close: () => database.remove() })
  const records = closing.add(await database.connect())
  await records.migrate()
  const sms = smsGateway({ url: gateway.url, secret: 'gateway-secret' })
  failures = []
  const backgroundTasks = new BackgroundTasks((error) => failures.push(error))
  deps = { ...records, clock: { now: () => now }, sms, backgroundTasks }
  await firstStart(deps, { login: 'admin', password: 'correct horse', token: undefined })
  await createUser(deps, operator, { login: 'ada', email: 'Ada@Example.com', password: 'right password' })
})
afterEach(() => closing.close())

type Deps = SignInDeps & SessionDeps & Pick<Records, 'accounts' | 'audit'>
let failures: unknown[]

function attempt(changes: Partial<SignInAttempt> = {}): Promise<SignInOutcome> {
  return signIn(deps, {
    login: 'ada',
    password: 'right password',
    code: undefined,
    address: '192.0.2.1',
    through: 'browser',
    ...changes,
  })
}
const signedIn = { outcome: 'signed-in', login: 'ada' }
const wrong = { outcome: 'wrong' }
const minutes = (count: number) => {
  now += count * 60_000
}

describe('signing in', () => {
  it.each(['ada', 'ADA', ' ada ', 'ada@example.com', 'Ada@EXAMPLE.com'])('takes %j and the password', async (login) => {
    expect(await attempt({ login })).toEqual(signedIn)
  })

  it.each([
    ['a wrong password', { password: 'wrong password' }],
    ['no password', { password: '' }],
    ['a very long password', { password: 'x'.repeat(100_000) }],
    ['a login that nobody has', { login: 'nobody' }],
    ['an address that nobody has', { login: 'nobody@example.com' }],
    ['no login', { login: '' }],
    ['a login that cannot be one', { login: 'a\0da' }],
    ['half a character', { login: '\ud800' }],
    ['a very long login', { login: 'a'.repeat(100_000) }],
  ])('gives the same answer for %s', async (_, changes) => {
    expect(await attempt(changes)).toEqual(wrong)
  })

  it('answers an inactive user like a wrong password', async () => {
    await database.run("update users set is_active = 0 where login = 'ada'")
    expect(await attempt()).toEqual(wrong)
  })

  it('is logged with its IP, also if it fails, but never with the input', async () => {
    await attempt()
    now += 1000
    await attempt({ password: 'wrong password', through: 'password-grant' })
    now += 1000
    await attempt({ login: 'my secret password' })
    const filter = { organizationGuid: undefined, login: undefined, after: undefined, size: 10 }
    const entries = (await deps.audit.list(filter)).filter(({ action }) => action.includes('sign'))
    const shown = entries.map(({ action, login, address, details }) => [action, login, address, details.through])
    expect(shown).toEqual([
      ['sign_in_failed', undefined, '192.0.2.1', 'browser'],
      ['sign_in_failed', 'ada', '192.0.2.1', 'password-grant'],
      ['signed_in', 'ada', '192.0.2.1', 'browser'],
    ])
    expect(JSON.stringify(entries)).not.toContain('password"')
    expect(JSON.stringify(entries)).not.toContain('secret')
  })
})

describe('guessing passwords', () => {
  const guess = (changes: Partial<SignInAttempt> = {}) => attempt({ password: 'a guess!', ...changes })

  it('is throttled after ten attempts by one IP at one account, for at most a quarter of an hour', async () => {
    const outcomes = []
    for (let n = 0; n < 15; n += 1) outcomes.push((await guess()).outcome)
    expect(outcomes).toEqual([...Array(10).fill('wrong'), ...Array(5).fill('throttled')])
    minutes(5)
    expect(await attempt()).toEqual({ outcome: 'throttled', retryAfter: 600 })
    minutes(10)
    expect(await attempt()).toEqual(signedIn)
  })

  it('is throttled in the same way for unknown logins', async () => {
    const outcomes = []
    for (let n = 0; n < 12; n += 1) outcomes.push((await guess({ login: 'nobody' })).outcome)
    expect(outcomes).toEqual([...Array(10).fill('wrong'), 'throttled', 'throttled'])
  })

  it('allows hundreds of concurrent guesses no more than sequential ones', async () => {
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => guess()))
    expect(outcomes.filter(({ outcome }) => outcome === 'wrong')).toHaveLength(10)
    expect(outcomes.filter(({ outcome }) => outcome === 'throttled')).toHaveLength(290)
  })

  it('does not lock out the owner, who signs in from another IP', async () => {
    for (let n = 0; n < 12; n += 1) await guess()
    expect(await attempt({ address: '198.51.100.1' })).toEqual(signedIn)
    expect((await attempt()).outcome).toBe('throttled')
  })

  it('counts all spellings of a login as one, and an IPv6 network as one IP', async () => {
    // The last is the Kelvin sign, whose lower case is k.
    await createUser(deps, operator, { login: 'kim', password: 'right password' })
    const written = ['kim', 'KIM', ' kim ', '\tKim\n', '\u00a0kim\u3000', '\u212aim']
    for (let n = 0; n < 10; n += 1) {
      await guess({ login: written[n % written.length] ?? '', address: `2001:db8::${n.toString(16)}` })
    }
    for (const login of written) {
      expect((await guess({ login, address: '2001:db8::ffff' })).outcome).toBe('throttled')
    }
    expect((await guess({ login: 'kim', address: '2001:db8:1::1' })).outcome).toBe('wrong')
  })

  it('does not reveal that a login and an email address belong to one account', async () => {
    for (const [login, email] of [
      ['ada', 'ada@example.com'],
      ['nobody', 'nobody@example.com'],
    ] as const) {
      for (let n = 0; n < 10; n += 1) await guess({ login })
      expect((await guess({ login })).outcome).toBe('throttled')
      expect((await guess({ login: email })).outcome).toBe('wrong')
    }
  })

  it('from many IPs locks the account for at most an hour, under both its names', async () => {
    for (let n = 0; n < 100; n += 1) {
      await guess({ login: n % 2 ? 'ada' : 'ada@example.com', address: `203.0.113.${n}` })
    }
    expect((await attempt({ login: 'ada@example.com', address: '198.51.100.2' })).outcome).toBe('throttled')
    expect((await attempt({ address: '198.51.100.1' })).outcome).toBe('throttled')
    minutes(60)
    expect(await attempt({ address: '198.51.100.1' })).toEqual(signedIn)
  })

  it('at many accounts is throttled by IP', async () => {
    for (let n = 0; n < 100; n += 1) await guess({ login: `somebody-${n}` })
    expect((await guess({ login: 'somebody-else' })).outcome).toBe('throttled')
    expect(await attempt({ address: '198.51.100.1' })).toEqual(signedIn)
  })

  it('successful sign-ins are not limited', async () => {
    for (let n = 0; n < 30; n += 1) expect(await attempt()).toEqual(signedIn)
  })
})

describe('signing in with an authenticator app', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const code = (away = 0) => codeAt(secret, Math.floor(now / 30_000) + away)
  beforeEach(async () => {
    await turnOn({ by: 'app', secret })
    minutes(5)
  })

  it('requires a code once the password is right', async () => {
    expect(await attempt()).toEqual({ outcome: 'code-wanted', login: 'ada', by: 'app' })
    expect(await attempt({ code: '' })).toEqual({ outcome: 'code-wanted', login: 'ada', by: 'app' })
    expect(await attempt({ password: 'wrong password' })).toEqual(wrong)
    expect(await attempt({ password: 'wrong password', code: code() })).toEqual(wrong)
    expect(await attempt({ code: code() })).toEqual(signedIn)
  })

  it.each([-1, 0, 1])('takes a code that is %i steps away', async (away) => {
    expect(await attempt({ code: code(away) })).toEqual(signedIn)
  })

  it('accepts a code with a space, as apps show it', async () => {
    expect(await attempt({ code: `${code().slice(0, 3)} ${code().slice(3)}` })).toEqual(signedIn)
  })

  it.each(['000000', 'abcdef', '1', '1234567890', '0'.repeat(1000), '\0'])('takes no %j', async (given) => {
    expect(await attempt({ code: given })).toEqual(wrong)
  })

  it('accepts a code once, also from concurrent callers', async () => {
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => attempt({ code: code() })))
    expect(outcomes.filter(({ outcome }) => outcome === 'signed-in')).toHaveLength(1)
    expect(await attempt({ code: code() })).toEqual(wrong)
    expect(await attempt({ code: code(-1) })).toEqual(wrong)
    expect(await attempt({ code: code(1) })).toEqual(signedIn)
  })

  it('accepts a recovery code once, also from concurrent callers', async () => {
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => attempt({ code: 'ABCDE-12345' })))
    expect(outcomes.filter(({ outcome }) => outcome === 'signed-in')).toHaveLength(1)
    expect(await attempt({ code: 'abcde12345' })).toEqual(wrong)
  })

  it('throttles guesses at codes, from any IPs', async () => {
    const outcomes = []
    for (let n = 0; n < 25; n += 1)
      outcomes.push((await attempt({ code: '000000', address: `203.0.113.${n}` })).outcome)
    expect(outcomes).toEqual([...Array(20).fill('wrong'), ...Array(5).fill('throttled')])
  })

  it('keeps counting guesses at codes when the password is sent again', async () => {
    for (let n = 0; n < 10; n += 1) {
      await attempt({ code: '000000' })
      if (n < 9) expect((await attempt()).outcome).toBe('code-wanted')
    }
    expect((await attempt({ code: code() })).outcome).toBe('throttled')
  })

  it('is never complete in the basic flow', async () => {
    expect(await attempt({ through: 'basic-flow' })).toMatchObject({ outcome: 'code-wanted' })
    expect(await attempt({ through: 'basic-flow', code: code() })).toMatchObject({ outcome: 'code-wanted' })
  })
})

describe('signing in with codes by SMS', () => {
  beforeEach(() => turnOn({ by: 'sms', phone: '+4915123456789' }))
  const lastCode = () => codeIn(gateway.messages.at(-1)?.text)

  it('sends a code of six digits to the phone once the password is right, and accepts it', async () => {
    expect(await attempt({ password: 'wrong password' })).toEqual(wrong)
    expect(gateway.messages).toEqual([])
    expect(await attempt()).toEqual({ outcome: 'code-wanted', login: 'ada', by: 'sms', sms: 'sent' })
    expect(gateway.messages).toEqual([
      {
        to: '+4915123456789',
        text: expect.stringMatching(/^\d{6} is your code/),
        authorization: 'Bearer gateway-secret',
      },
    ])
    expect(await attempt({ code: lastCode() })).toEqual(signedIn)
    expect(await attempt({ code: lastCode() })).toEqual(wrong)
  })

  it('accepts a code for five minutes', async () => {
    await attempt()
    now += 5 * 60_000 - 1
    expect((await attempt({ code: '' })).outcome).toBe('code-wanted')
    expect(gateway.messages).toHaveLength(2)
    const [first] = gateway.messages
    expect(await attempt({ code: codeIn(first?.text) })).toEqual(wrong)
    minutes(5)
    expect(await attempt({ code: lastCode() })).toEqual(wrong)
  })

  it('allows five attempts per code', async () => {
    await attempt()
    const other = lastCode() === '000000' ? '000001' : '000000'
    for (let n = 0; n < 5; n += 1) expect(await attempt({ code: other })).toEqual(wrong)
    expect(await attempt({ code: lastCode() })).toEqual(wrong)
  })

  it('sends one message for several requests within half a minute, and ten in an hour', async () => {
    await Promise.all([attempt(), attempt(), attempt()])
    expect(gateway.messages).toHaveLength(1)
    expect(await attempt()).toMatchObject({ outcome: 'code-wanted', sms: 'recent', retryAfter: 30 })
    for (let n = 0; n < 9; n += 1) {
      minutes(1)
      await attempt()
    }
    minutes(1)
    expect((await attempt()).outcome).toBe('throttled')
    expect(gateway.messages).toHaveLength(10)
  })

  it('sends nothing in the basic flow', async () => {
    expect(await attempt({ through: 'basic-flow' })).toMatchObject({ outcome: 'code-wanted', by: 'sms' })
    expect(gateway.messages).toEqual([])
  })

  it('still accepts a recovery code while the gateway is down, and sends again as soon as it is back', async () => {
    gateway.answer(500)
    expect(await attempt()).toMatchObject({ outcome: 'code-wanted', sms: 'failed' })
    expect(failures).toEqual([expect.objectContaining({ message: expect.stringContaining('answered 500') })])
    expect(await attempt({ code: 'abcde-12345' })).toEqual(signedIn)
    gateway.answer(200)
    await attempt()
    expect(await attempt({ code: lastCode() })).toEqual(signedIn)
  })
})

describe('browser sessions', () => {
  const day = 86_400_000

  it('start, are found by their secret, and end', async () => {
    const secret = await beginSession(deps, 'ada')
    const session = await findSession(deps, secret)
    expect(session).toEqual({ login: 'ada', csrf: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(await findSession(deps, secret)).toEqual(session)
    expect(await findSession(deps, `${secret}x`)).toBeUndefined()
    expect((await findSession(deps, await beginSession(deps, 'ada')))?.csrf).not.toBe(session?.csrf)
    await endSession(deps, secret)
    expect(await findSession(deps, secret)).toBeUndefined()
    await endSession(deps, secret)
  })

  it('last 14 days after the last visit', async () => {
    const secret = await beginSession(deps, 'ada')
    for (const days of [10, 10, 13.9]) {
      now += days * day
      expect(await findSession(deps, secret)).toBeDefined()
    }
    now += 14 * day
    expect(await findSession(deps, secret)).toBeUndefined()
  })

  it('end when the user is no longer active', async () => {
    const secret = await beginSession(deps, 'ada')
    await database.run("update users set is_active = 0 where login = 'ada'")
    expect(await findSession(deps, secret)).toBeUndefined()
  })
})

/** With the recovery code abcde-12345. */
async function turnOn(factor: TwoFactor): Promise<void> {
  await deps.accounts.beginTwoFactor('ada', factor, now + 1)
  const recoveryCodeHashes = [hash('sha256', 'ada\nabcde12345')]
  await deps.accounts.turnTwoFactorOn('ada', { factor, recoveryCodeHashes, usedStep: undefined })
}
