import { beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { createUser } from '../../src/core/accounts/users.js'
import { setEmail } from '../../src/core/administration/identity.js'
import { FormBrowser } from '../oauth/form-browser.js'
import { organizationOf } from '../oauth/letters.js'
import { startSmtpServer } from '../support/smtp-server.js'
import { startApp, useStarted } from '../support/start-app.js'

const password = 'correct horse'

let now = Date.UTC(2026, 5, 1)
const smtp = useStarted(startSmtpServer)
const started = useStarted(() => startApp({ smtpUrl: smtp.url }, { clock: { now: () => now } }))

/** Every test has its own user, so that attempts are not shared. */
let login: string
let token: string
let people = 0
beforeEach(async () => {
  login = `person-${++people}`
  token = newTokenSecret()
  await createUser(started.app, operator, { login, password })
  await started.app.accounts.addToken({ ...tokenFrom(token), login, label: '', at: now })
})

describe('POST /v4/user/email', () => {
  const address = (name = 'new') => `${name}-${login}@example.com`
  const ask = (email: string, given = password) =>
    started.request('POST', '/v4/user/email', { body: { email, password: given }, token })
  const emails = async () => (await started.request('GET', '/v4/user', { token })).body.emails
  /** The path of the link in the next mail. */
  const link = async () => /\/account\/email\?secret=[\w-]+/.exec((await smtp.next()).text)?.[0] ?? ''
  const follow = async (path: string) => {
    const browser = new FormBrowser(started)
    const shown = await browser.open(path)
    return shown.status === 200 ? browser.submit('/account/email', {}) : shown
  }

  it('answers 202 and sends a link, which changes the address once and tells the former one', async () => {
    await setEmail(started.app, operator, { login, email: address('old') })
    const { status, body } = await ask(address())
    expect([status, body]).toEqual([
      202,
      {
        email: address(),
        expires: new Date(now + 3_600_000).toISOString().replace('.000Z', '+0000'),
        delivery: 'sent',
      },
    ])
    const mail = await smtp.next()
    expect([mail.to, mail.subject]).toEqual([[address()], 'Confirm your e-mail address'])
    expect(mail.text).toContain(`the account ${login}.`)
    const path = /http:\/\/[^/]+(\/account\/email\?secret=[\w-]+)/.exec(mail.text)?.[1] ?? ''
    expect(await emails()).toEqual([{ email: address('old'), is_primary: true, is_verified: false }])

    expect((await new FormBrowser(started).open(path)).text).toContain(`<strong>${address()}</strong>`)
    expect(await emails()).toMatchObject([{ email: address('old') }])
    now += 1000
    const done = await follow(path)
    expect([done.status, done.text.includes(`<strong>${login}</strong>`)]).toEqual([200, true])
    expect(await emails()).toEqual([{ email: address(), is_primary: true, is_verified: true }])
    const told = await smtp.next()
    expect([told.to, told.subject]).toEqual([[address('old')], 'Your e-mail address was changed'])
    expect(told.text).toContain(address())
    expect((await follow(path)).status).toBe(410)
    const log = await started.request('GET', `/v4/organizations/${await organizationOf(started)}/audit_log?size=1`)
    expect(log.body.audit_log).toMatchObject([{ action: 'email_changed', login }])
  })

  it('gives an account its first address, and confirms one that the operator set', async () => {
    await ask(address())
    await follow(await link())
    expect(await emails()).toEqual([{ email: address(), is_primary: true, is_verified: true }])
    expect((await ask(address())).body).toMatchObject({ message: 'INVALID_ARG_EMAIL', resource: 'users' })
    await setEmail(started.app, operator, { login, email: address() })
    expect((await ask(address())).status).toBe(202)
    await follow(await link())
    expect(await emails()).toMatchObject([{ is_verified: true }])
  })

  it('changes nothing by a link that is late, unknown, replaced, or followed after a new password', async () => {
    await ask(address())
    const first = await link()
    await ask(address('newer'))
    const second = await link()
    expect((await follow(first)).status).toBe(410)
    now += 3_600_000
    expect((await follow(second)).status).toBe(410)
    expect((await follow('/account/email?secret=unknown')).status).toBe(410)
    await ask(address())
    const third = await link()
    await started.request('PATCH', '/v4/user/password', {
      body: { current_password: password, new_password: 'quite another' },
      token,
    })
    expect((await follow(third)).status).toBe(410)
    expect(await emails()).toEqual([])
  })

  it('tells only the owner of an address that it belongs to another account', async () => {
    await setEmail(started.app, operator, { login: 'admin', email: address('Taken') })
    expect((await ask(address('taken'))).status).toBe(202)
    const page = await follow(await link())
    expect([page.status, page.text.includes('belongs to another account')]).toEqual([409, true])
    expect(await emails()).toEqual([])
  })

  it('answers 400 for a wrong password and for what is no address, and sends nothing', async () => {
    const before = smtp.mails.length
    expect((await ask(address(), 'wrong')).body.message).toBe('INVALID_ARG_PASSWORD')
    for (const email of [
      '',
      'nobody',
      'a@',
      `${'x'.repeat(250)}@example.com`,
      'a b@example.com',
      'a@example.com\r\nBcc: b@c.d',
    ]) {
      expect([email, (await ask(email)).body.message]).toEqual([email, 'INVALID_ARG_EMAIL'])
    }
    expect(smtp.mails).toHaveLength(before)
  })

  it('answers 429 after five mails in an hour, also when they are asked for at once', async () => {
    const before = smtp.mails.length
    const answers = await Promise.all(Array.from({ length: 8 }, (_, each) => ask(address(`a${each}`))))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 202, 429, 429, 429])
    expect(smtp.mails.length - before).toBe(5)
    for (let mail = 0; mail < 5; mail += 1) await smtp.next()
  })

  it('is not changed by the form of another site', async () => {
    await ask(address())
    const path = await link()
    const browser = new FormBrowser(started)
    await browser.open(path)
    expect((await browser.submit('/account/email', { csrf: undefined })).status).toBe(403)
    expect(await emails()).toEqual([])
  })

  // The last one: the server accepts nothing afterwards.
  it('answers 503 if the mail cannot be sent, and changes nothing', async () => {
    smtp.refuse()
    const { status, body } = await ask(address())
    expect([status, body.message, body.resource]).toEqual([503, 'TEMPORARILY_UNAVAILABLE', 'users'])
    expect(await emails()).toEqual([])
  })
})
