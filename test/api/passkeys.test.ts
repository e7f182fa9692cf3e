import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { deactivateUser, turnTwoFactorOff } from '../../src/core/administration/identity.js'
import { FormBrowser, signedIn } from '../oauth/form-browser.js'
import { aClock, anApplication, aPerson, password, withAuthenticator } from '../oauth/people.js'
import { codeAt } from '../support/authenticator-app.js'
import { startSmtpServer } from '../support/smtp-server.js'
import { SoftwarePasskey, type Twist } from '../support/software-passkey.js'
import { type Answer, startApp, useStarted } from '../support/start-app.js'
import { firstOrganization } from './organize.js'

const clock = aClock()
const smtp = useStarted(startSmtpServer)
const started = useStarted(() => startApp({ smtpUrl: smtp.url, mailFrom: 'links@example.com' }, { clock }))
const origin = () => started.app.config.baseUrl

let login: string
let browser: FormBrowser
beforeEach(async () => {
  login = await aPerson(started)
  browser = await signedIn(started, login, password)
})

/** A request of the dashboard. */
async function ask(method: string, path = '', body?: object, from = browser): Promise<Answer> {
  const { body: session } = await from.open('/account/session')
  const cookie = [...from.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'x-csrf-token': session.csrf ?? 'none' }
  return started.request(method, `/v4/user/${path || 'passkeys'}`, { token: null, headers, ...(body && { body }) })
}

const options = async (proof: object = {}) =>
  (await ask('POST', 'passkeys/options', { password, ...proof })).body.public_key

/** Adds a passkey to the account of the browser. */
async function added(passkey = new SoftwarePasskey(origin()), proof: object = {}, twist: Twist = {}) {
  const credential = passkey.create(await options(proof), twist)
  const answer = await ask('POST', 'passkeys', { name: 'Laptop', credential })
  if (answer.status !== 201) throw new Error(answer.text)
  return { passkey, guid: answer.body.guid as string, codes: answer.body.recovery_codes as string[] | undefined }
}

const confirmation = async (passkey: SoftwarePasskey, twist?: Twist) =>
  passkey.get((await ask('POST', 'passkeys/confirmation')).body.public_key, twist)

/** The options that the script of the page gets. */
const challenge = async (page: FormBrowser) => {
  const body = new URLSearchParams(page.form('/account/passkey').fields).toString()
  return (await send(page, body)).body
}
const send = (page: FormBrowser, body: string) => {
  const cookie = [...page.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  return started.request('POST', '/account/passkey/options', { token: null, headers, body })
}

async function signInPage(): Promise<FormBrowser> {
  const page = new FormBrowser(started)
  await page.open('/account/sign-in')
  return page
}

const submit = (page: FormBrowser, credential: unknown) =>
  page.submit('/account/passkey', { credential: JSON.stringify(credential) })

async function signInWith(passkey: SoftwarePasskey, twist?: Twist): Promise<Answer> {
  const page = await signInPage()
  return submit(page, passkey.get(await challenge(page), twist))
}

/** After the password. */
async function secondStep(): Promise<FormBrowser> {
  const page = await signInPage()
  expect((await page.submit('/account/sign-in', { login, password })).status).toBe(200)
  return page
}

const entries = async () => {
  const path = `/v4/organizations/${await firstOrganization(started)}/audit_log?login=${login}`
  return (await started.request('GET', path)).body.audit_log as readonly { action: string; details: object }[]
}
/** Several may have been written at one moment, so their order is not known. */
const actions = async () => (await entries()).map(({ action }) => action).sort()
const entry = async (wanted: string) => (await entries()).find(({ action }) => action === wanted)
const refusal = ({ status, body }: Answer) => [status, body.message]

describe('what a thief with a token and the old password began', () => {
  const theirs = (path: string, body: object) => started.request('POST', `/v4/user/${path}`, { token: thief, body })
  let thief: string
  beforeEach(async () => {
    thief = (await ask('POST', 'tokens', { label: 'stolen' })).body.access_token
  })

  it.each([
    [
      'the owner has a new password',
      () => ask('PATCH', 'password', { current_password: password, new_password: 'another good one' }),
    ],
    ['the owner has a second factor', () => added()],
  ])('ends when %s', async (_, rescue) => {
    const setup = await theirs('two_factor/app', { password })
    const given = await theirs('passkeys/options', { password })
    expect([setup.status, given.status]).toEqual([200, 200])
    await rescue()
    const code = codeAt(setup.body.secret, Math.floor(clock.now() / 30_000))
    expect((await theirs('two_factor/app/confirm', { code })).status).toBeGreaterThanOrEqual(400)
    const credential = new SoftwarePasskey(origin()).create(given.body.public_key)
    expect((await theirs('passkeys', { name: 'Theirs', credential })).status).toBe(400)
  })
})

describe('passkeys of an account', () => {
  it.each(['ES256', 'RS256'] as const)('are added, listed, renamed, used and removed (%s)', async (algorithm) => {
    const given = await options()
    expect(given).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: login },
      attestation: 'none',
      excludeCredentials: [],
      pubKeyCredParams: [{ alg: -7 }, { alg: -257 }],
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    })
    const passkey = new SoftwarePasskey(origin(), algorithm)
    const answer = await ask('POST', 'passkeys', { name: ' Laptop ', credential: passkey.create(given) })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      guid: expect.stringMatching(/^k\w{10}$/),
      name: 'Laptop',
      created: expect.stringMatching(/\+0000$/),
      recovery_codes: expect.any(Array),
    })
    const { guid, recovery_codes } = answer.body
    expect(recovery_codes).toHaveLength(10)
    expect((await ask('GET', 'two_factor')).body).toEqual({ is_enabled: false, recovery_codes_left: 10, passkeys: 1 })

    expect((await ask('PATCH', `passkeys/${guid}`, { name: 'Phone' })).body).toMatchObject({ guid, name: 'Phone' })
    expect((await signInWith(passkey)).status).toBe(303)
    const [listed] = (await ask('GET')).body.passkeys
    expect(listed).toMatchObject({ guid, name: 'Phone', last_used_at: expect.stringMatching(/\+0000$/) })

    const proof = { password, passkey: await confirmation(passkey) }
    expect((await ask('DELETE', `passkeys/${guid}`, proof)).status).toBe(204)
    expect((await ask('GET')).body.passkeys).toEqual([])
    expect((await ask('GET', 'two_factor')).body).toEqual({ is_enabled: false, recovery_codes_left: 0, passkeys: 0 })
    expect(await actions()).toEqual([
      'passkey_added',
      'passkey_removed',
      'passkey_renamed',
      'signed_in',
      'signed_in',
      'two_factor_off',
      'two_factor_on',
      'user_added',
    ])
    const mails = () => smtp.mails.filter(({ to }) => to.includes(`${login}@example.com`))
    await expect
      .poll(() => mails().map(({ subject }) => subject))
      .toEqual(['A passkey was added', 'A passkey was removed'])
    expect(mails()[1]?.text).toContain('the password alone')
  })

  it('need the password, and a code or a passkey once there is a second factor', async () => {
    expect(refusal(await ask('POST', 'passkeys/options', { password: 'wrong' }))).toEqual([400, 'INVALID_ARG_PASSWORD'])
    const { passkey, guid, codes = [] } = await added()
    const start = async (proof: object) => refusal(await ask('POST', 'passkeys/options', { password, ...proof }))
    const remove = async (proof: object) => refusal(await ask('DELETE', `passkeys/${guid}`, { password, ...proof }))
    const app = async (proof: object) => refusal(await ask('POST', 'two_factor/app', { password, ...proof }))
    for (const operation of [start, remove, app]) {
      expect(await operation({})).toEqual([400, 'INVALID_ARG_CODE'])
      expect(await operation({ code: '000000' })).toEqual([400, 'INVALID_ARG_CODE'])
      expect(await operation({ passkey: {} })).toEqual([400, 'INVALID_ARG_PASSKEY'])
      const stranger = new SoftwarePasskey(origin())
      expect(await operation({ passkey: await confirmation(stranger) })).toEqual([400, 'INVALID_ARG_PASSKEY'])
    }
    // What was signed for one purpose is of no use for another.
    const page = await signInPage()
    expect(await start({ passkey: passkey.get(await challenge(page)) })).toEqual([400, 'INVALID_ARG_PASSKEY'])
    expect((await submit(page, await confirmation(passkey))).status).toBe(403)
    const once = { passkey: await confirmation(passkey) }
    expect((await ask('POST', 'two_factor/app', { password, ...once })).status).toBe(200)
    expect(await start(once)).toEqual([400, 'INVALID_ARG_PASSKEY'])

    const second = await added(undefined, { code: codes[0] })
    expect(second.codes).toBeUndefined()
    expect((await ask('DELETE', `passkeys/${guid}`, { password, code: codes[1] })).status).toBe(204)
    expect(await start({ code: codes[1] })).toEqual([400, 'INVALID_ARG_CODE'])
    expect(
      (await ask('POST', 'two_factor/recovery_codes', { password, code: codes[2] })).body.recovery_codes,
    ).toHaveLength(10)
    expect((await signInWith(passkey)).status).toBe(403)
    expect((await signInWith(second.passkey)).status).toBe(303)
  })

  it('make new recovery codes, and turn an app off, without a code', async () => {
    const { passkey, codes = [] } = await added()
    const renew = (proof: object) => ask('POST', 'two_factor/recovery_codes', { password, ...proof })
    expect(refusal(await renew({}))).toEqual([400, 'INVALID_ARG_CODE'])
    expect(refusal(await renew({ passkey: {} }))).toEqual([400, 'INVALID_ARG_PASSKEY'])
    const once = { passkey: await confirmation(passkey) }
    const renewed = (await renew(once)).body.recovery_codes
    expect(renewed).toHaveLength(10)
    expect(refusal(await renew(once))).toEqual([400, 'INVALID_ARG_PASSKEY'])
    expect(refusal(await renew({ code: codes[0] }))).toEqual([400, 'INVALID_ARG_CODE'])

    const { secret } = (await ask('POST', 'two_factor/app', { password, code: renewed[0] })).body
    const code = codeAt(secret, Math.floor(clock.now() / 30_000))
    expect((await ask('POST', 'two_factor/app/confirm', { code })).status).toBe(200)
    const turnOff = (proof: object) => ask('DELETE', 'two_factor', { password, ...proof })
    expect(refusal(await turnOff({}))).toEqual([400, 'INVALID_ARG_CODE'])
    expect(refusal(await turnOff({ passkey: {} }))).toEqual([400, 'INVALID_ARG_PASSKEY'])
    expect((await turnOff({ passkey: await confirmation(passkey) })).status).toBe(204)
    expect((await ask('GET', 'two_factor')).body).toMatchObject({ is_enabled: false, passkeys: 1 })
  })

  it('are bound to the session that asked, once, for five minutes', async () => {
    const passkey = new SoftwarePasskey(origin())
    const add = (credential: unknown, from = browser) => ask('POST', 'passkeys', { name: 'x', credential }, from)
    const other = await signedIn(started, login, password)
    expect(refusal(await add(passkey.create(await options()), other))).toEqual([400, 'INVALID_ARG_CREDENTIAL'])
    const late = passkey.create(await options())
    clock.offset += 5 * 60_000
    expect(refusal(await add(late))).toEqual([400, 'INVALID_ARG_CREDENTIAL'])
    const credential = passkey.create(await options())
    expect((await add(credential)).status).toBe(201)
    expect(refusal(await add(credential))).toEqual([400, 'INVALID_ARG_CREDENTIAL'])
  })

  it('are refused when the browser’s answer is not right', async () => {
    const add = async (credential: unknown) => ask('POST', 'passkeys', { name: 'x', credential })
    const wrong: readonly Twist[] = [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
      { challenge: 'AAAA' },
      { flags: 0 },
      { id: 'AAAA-AAAA' },
      { attestation: { fmt: 'packed', attStmt: new Map([['x5c', [Buffer.from('a certificate')]]]) } },
      { attestation: { fmt: 'tpm', attStmt: new Map() } },
      { attestation: { fmt: 'packed', attStmt: new Map([['sig', Buffer.from('x')]]) } },
    ]
    for (const twist of wrong.filter((each) => !each.id)) {
      const answer = await add(new SoftwarePasskey(origin()).create(await options(), twist))
      expect([twist, ...refusal(answer)]).toEqual([twist, 400, 'INVALID_ARG_CREDENTIAL'])
    }
    const { response, ...rest } = new SoftwarePasskey(origin()).create(await options())
    for (const odd of [{}, rest, { ...rest, response: {} }, { ...rest, response: { clientDataJSON: 'e30' } }]) {
      expect(refusal(await add(odd))).toEqual([400, 'INVALID_ARG_CREDENTIAL'])
    }
    expect(refusal(await add({ ...rest, response: { ...response, attestationObject: 'AAAA' } }))).toEqual([
      400,
      'INVALID_ARG_CREDENTIAL',
    ])
    for (const name of ['', '   ', 'x'.repeat(61), 'a\u0000b']) {
      const answer = await ask('POST', 'passkeys', { name, credential: {} })
      expect([name, ...refusal(answer)]).toEqual([name, 400, 'INVALID_ARG_NAME'])
    }
    expect((await ask('GET')).body.passkeys).toEqual([])
  })

  it('are at most 20, each known once', async () => {
    const { passkey, codes = [] } = await added()
    const credential = passkey.create(await options({ code: codes[0] }))
    expect(refusal(await ask('POST', 'passkeys', { name: 'x', credential }))).toEqual([409, 'CONFLICT'])
    for (let n = 1; n < 20; n += 1) {
      await added(undefined, { passkey: await confirmation(passkey) })
    }
    const proof = { password, passkey: await confirmation(passkey) }
    expect(refusal(await ask('POST', 'passkeys/options', proof))).toEqual([409, 'CONFLICT'])
    const { passkeys } = (await ask('GET')).body
    expect(passkeys).toHaveLength(20)
  })

  it('are nobody else’s, and out of reach of applications', async () => {
    const { guid } = await added()
    const stranger = await aPerson(started)
    const theirs = await signedIn(started, stranger, password)
    expect(refusal(await ask('PATCH', `passkeys/${guid}`, { name: 'x' }, theirs))).toEqual([404, 'NOT_FOUND'])
    expect(refusal(await ask('DELETE', `passkeys/${guid}`, { password }, theirs))).toEqual([404, 'NOT_FOUND'])
    expect(refusal(await ask('PATCH', 'passkeys/%00', { name: 'x' }))).toEqual([404, 'NOT_FOUND'])
    const token = newTokenSecret()
    await started.app.accounts.addToken({ ...tokenFrom(token), login, label: '', clientId: 'app', at: 1 })
    for (const [method, path] of [
      ['GET', 'passkeys'],
      ['POST', 'passkeys'],
      ['POST', 'passkeys/options'],
      ['POST', 'passkeys/confirmation'],
      ['PATCH', `passkeys/${guid}`],
      ['DELETE', `passkeys/${guid}`],
    ] as const) {
      const body = method === 'GET' || path.endsWith('confirmation') ? {} : { body: {} }
      const answer = await started.request(method, `/v4/user/${path}`, { token, ...body })
      expect([method, path, ...refusal(answer)]).toEqual([method, path, 403, 'FORBIDDEN'])
    }
  })

  it('go when the operator turns the second factor off', async () => {
    const { passkey } = await added()
    await turnTwoFactorOff(started.app, operator, { login })
    expect((await signInWith(passkey)).text).toContain('This passkey is not known here')
    const page = await signInPage()
    expect((await page.submit('/account/sign-in', { login, password })).status).toBe(303)
  })
})

describe('signing in with a passkey alone', () => {
  it('needs no login name, and leads on', async () => {
    const { passkey } = await added()
    const page = new FormBrowser(started)
    const { headers } = await page.open('/account/sign-in?next=%2Fapp%2Faccount')
    expect(headers['content-security-policy']).toContain("script-src 'self'; connect-src 'self';")
    expect(page.text).toContain('autocomplete="username webauthn"')
    const given = await challenge(page)
    expect(given).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] })
    const answer = await submit(page, passkey.get(given))
    expect([answer.status, answer.headers.location]).toEqual([303, '/app/account'])
    expect((await page.open('/account/session')).body.login).toBe(login)
    const ways = (await entries()).filter(({ action }) => action === 'signed_in').map(({ details }) => details)
    expect(ways).toContainEqual({ through: 'passkey' })
  })

  const attacks: readonly [name: string, twist: Twist, sentence: string][] = [
    ['another origin', { origin: 'https://evil.example' }, 'The answer of the passkey is not valid'],
    ['another relying party', { rpId: 'evil.example' }, 'The answer of the passkey is not valid'],
    ['another ceremony', { type: 'webauthn.create' }, 'The answer of the passkey is not valid'],
    ['a challenge of its own', { challenge: 'A'.repeat(43) }, 'This took longer than five minutes'],
    ['an unknown credential', { id: 'A'.repeat(22) }, 'This passkey is not known here'],
    ['the handle of another user', { userHandle: 'QUFB' }, 'The answer of the passkey is not valid'],
    ['a wrong signature', { signature: 'MEUCIQ' }, 'The answer of the passkey is not valid'],
    ['nobody present', { flags: 0 }, 'The answer of the passkey is not valid'],
    ['nobody verified', { flags: 1 }, 'Your device did not check that it is you'],
  ]
  it.each(attacks)('is refused with %s', async (_name, twist, sentence) => {
    const { passkey } = await added()
    const answer = await signInWith(passkey, twist)
    expect(answer.status).toBe(403)
    expect(answer.text).toContain(sentence)
    expect((await signInWith(passkey)).status).toBe(303)
  })

  it('is refused with the signature of another key for the credential', async () => {
    const { passkey } = await added()
    const other = new SoftwarePasskey(origin())
    expect((await signInWith(other, { id: passkey.id })).status).toBe(403)
    expect(await entry('sign_in_failed')).toMatchObject({ details: { through: 'passkey', reason: 'invalid' } })
  })

  it('is refused with a challenge that was used, is another browser’s, or expired', async () => {
    const { passkey } = await added()
    const page = await signInPage()
    const credential = passkey.get(await challenge(page))
    const other = await signInPage()
    const sentence = 'This took longer than five minutes'
    expect((await submit(other, credential)).text).toContain(sentence)
    expect((await submit(page, credential)).status).toBe(303)
    await page.open('/account/sign-in?choose=1')
    const again = await signInPage()
    expect((await submit(again, credential)).text).toContain(sentence)
    const late = passkey.get(await challenge(again))
    clock.offset += 5 * 60_000
    expect((await submit(again, late)).text).toContain(sentence)
    const race = await signInPage()
    const raced = passkey.get(await challenge(race))
    const { fields } = race.form('/account/passkey')
    const body = new URLSearchParams({ ...fields, credential: JSON.stringify(raced) }).toString()
    const answers = await Promise.all([1, 2, 3, 4].map(() => race.post('/account/passkey', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403, 403])
  })

  it('is refused, and noted, when the counter goes back', async () => {
    const { passkey } = await added()
    expect((await signInWith(passkey, { counter: 7 })).status).toBe(303)
    for (const counter of [7, 6, 0]) {
      const answer = await signInWith(passkey, { counter })
      expect([counter, answer.status]).toEqual([counter, 403])
      expect(answer.text).toContain('seems to be a copy')
    }
    expect(await entry('passkey_refused')).toMatchObject({ details: { name: 'Laptop' } })
    expect((await signInWith(passkey, { counter: 8 })).status).toBe(303)
  })

  it('is refused to deactivated users, and to what is no credential', async () => {
    const { passkey } = await added()
    await deactivateUser(started.app, operator, { login })
    expect((await signInWith(passkey)).text).toContain('This passkey is not known here')
    for (const odd of ['', 'x', '{}', '[]', '{"id":"x","response":{"clientDataJSON":"bnVsbA"}}']) {
      const page = await signInPage()
      expect((await page.submit('/account/passkey', { credential: odd })).status).toBe(403)
    }
  })

  it('is refused with the id of no credential', async () => {
    const { passkey } = await added()
    const page = await signInPage()
    const credential = { ...passkey.get(await challenge(page)), id: 'a\0' }
    expect((await submit(page, credential)).text).toContain('The answer of the passkey is not valid here')
  })

  it('needs the form of our own page', async () => {
    const page = await signInPage()
    for (const path of ['/account/passkey', '/account/passkey/options']) {
      expect((await page.post(path, 'csrf=wrong&credential=%7B%7D')).status).toBe(403)
    }
    expect((await page.open('/account/passkey.js')).headers['content-type']).toBe('text/javascript; charset=utf-8')
  })

  it('is limited to a thousand challenges in a quarter of an hour for a network', async () => {
    clock.offset += 15 * 60_000
    const page = await signInPage()
    const body = new URLSearchParams(page.form('/account/passkey').fields).toString()
    let last = 200
    for (let n = 0; n < 1001 && last === 200; n += 1) last = (await send(page, body)).status
    expect(last).toBe(429)
    clock.offset += 15 * 60_000
    expect((await send(page, body)).status).toBe(200)
  })
})

describe('a passkey as the second step', () => {
  it('is asked for after the password, without verifying the user again; recovery codes work', async () => {
    const { passkey, codes = [] } = await added()
    const page = await secondStep()
    expect(page.text).toContain('Use your passkey.')
    const given = await challenge(page)
    expect(given).toMatchObject({
      userVerification: 'preferred',
      allowCredentials: [{ type: 'public-key', id: passkey.id, transports: ['internal'] }],
    })
    expect((await submit(page, passkey.get(given, { flags: 1 }))).status).toBe(303)
    expect((await page.open('/account/session')).body.login).toBe(login)

    const other = await secondStep()
    expect((await other.submit('/account/two-factor', { code: '123456' })).status).toBe(403)
    expect((await other.submit('/account/two-factor', { code: codes[0] })).status).toBe(303)
  })

  it('takes a passkey of this user alone, and of this step alone', async () => {
    const mine = await added()
    const me = login
    login = await aPerson(started)
    browser = await signedIn(started, login, password)
    const theirs = await added()
    login = me
    const page = await secondStep()
    const answer = await submit(page, theirs.passkey.get(await challenge(page)))
    expect([answer.status, answer.text.includes('This passkey is not known here')]).toEqual([403, true])
    // Without the password it must verify the user: the step is part of what the challenge is for.
    const unverified = mine.passkey.get(await challenge(page), { flags: 1 })
    const { fields } = page.form('/account/passkey')
    const form = new URLSearchParams({ ...fields, step: 'alone', credential: JSON.stringify(unverified) })
    expect((await page.post('/account/passkey', form.toString())).status).toBe(403)
  })

  it('ends after five minutes', async () => {
    const { passkey } = await added()
    const page = await secondStep()
    const given = await challenge(page)
    clock.offset += 5 * 60_000
    const answer = await submit(page, passkey.get(given))
    expect([answer.status, answer.text.includes('Your code has expired')]).toEqual([403, true])
  })

  it('stands beside an authenticator app, and stays when that goes', async () => {
    const { nextCode, recoveryCodes } = await withAuthenticator(started, login, clock)
    const { passkey, codes } = await added(undefined, { code: recoveryCodes[0] })
    expect(codes).toBeUndefined()
    const page = await secondStep()
    expect(page.text).toContain('Open your authenticator app')
    expect((await page.submit('/account/two-factor', { code: nextCode() })).status).toBe(303)
    expect((await ask('DELETE', 'two_factor', { password, code: nextCode() })).status).toBe(204)
    const again = await secondStep()
    expect((await submit(again, passkey.get(await challenge(again)))).status).toBe(303)
    const last = await secondStep()
    expect((await last.submit('/account/two-factor', { code: recoveryCodes[1] })).status).toBe(303)
  })

  it('is not possible in the password grant, where codes are asked for', async () => {
    const { codes = [] } = await added()
    const { clientId, clientSecret } = await anApplication(started)
    const grant = (more: object) => {
      const fields = {
        grant_type: 'password',
        client_id: clientId,
        client_secret: clientSecret,
        username: login,
        password,
      }
      const body = new URLSearchParams({ ...fields, ...more }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return started.request('POST', '/oauth/access_token', { token: null, headers, body })
    }
    const wanted = await grant({})
    expect([wanted.status, wanted.text.includes('2FA_CODE_REQUESTED')]).toEqual([401, true])
    expect((await grant({ code: '123456' })).status).toBe(401)
    expect((await grant({ code: codes[0] })).status).toBe(200)
  })
})

describe('a service where passkeys cannot be', () => {
  const configs = [
    [
      'passwordLogin is off',
      { passwordLogin: 'off', oidcIssuer: 'http://127.0.0.1:9', oidcClientId: 'x' },
      'people sign in with the identity provider',
    ],
    ['baseUrl is an IP address', { baseUrl: 'http://192.0.2.7' }, 'baseUrl must begin with https:// and a host name'],
  ] as const
  describe.each(configs)('because %s', (_why, config, sentence) => {
    const other = {} as Awaited<ReturnType<typeof startApp>>
    beforeAll(async () => void Object.assign(other, await startApp(config)))
    afterAll(() => other.close())

    it('does not offer them, and refuses them', async () => {
      const body = { password: 'correct horse' }
      const answer = await other.request('POST', '/v4/user/passkeys/options', { body })
      expect([answer.status, answer.body.message]).toEqual([400, 'BAD_REQUEST'])
      expect(answer.body.description).toContain(sentence)
      const page = new FormBrowser(other)
      const { text, headers } = await page.open('/account/sign-in')
      expect(text).not.toContain('passkey')
      expect(headers['content-security-policy']).not.toContain('script-src')
    })
  })
})
