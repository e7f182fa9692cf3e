import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { createUser } from '../../src/core/accounts/users.js'
import { setPassword } from '../../src/core/administration/identity.js'
import { changePassword, findReset, requestReset, resetPassword } from '../../src/core/sign-in/passwords-reset.js'
import { beginSession, findSession } from '../../src/core/sign-in/sessions.js'
import { signIn, unknownAccountHash } from '../../src/core/sign-in/sign-in.js'
import { startSmtpServer } from '../support/smtp-server.js'
import { startApp, useStarted } from '../support/start-app.js'

let now = Date.UTC(2026, 5, 1)
const smtp = useStarted(startSmtpServer)
const started = useStarted(() => startApp({ smtpUrl: smtp.url }, { clock: { now: () => now } }))
beforeAll(async () => {
  await createUser(started.app, operator, { login: 'ada', email: 'Ada@example.com', password: 'first password' })
})
beforeEach(() => {
  now += 86_400_000
})

const ask = (who: string, address = '192.0.2.1') => requestReset(started.app, who, address)
/** Waits until all requested mails have been sent. */
const settled = () => started.app.backgroundTasks.close()
const secretIn = (text: string) => /\/account\/reset\?secret=([\w-]+)/.exec(text)?.[1] ?? ''
async function aReset(login: string) {
  await ask(login)
  return { secret: secretIn((await smtp.next()).text) }
}
const works = async (password: string) => {
  const attempt = { login: 'ada', password, code: undefined, address: '192.0.2.1', through: 'browser' as const }
  return (await signIn(started.app, attempt)).outcome === 'signed-in'
}

describe('a forgotten password', () => {
  it.each(['ada', 'ADA@example.com'])(
    'is replaced with a link that is sent to the account, requested as %s',
    async (who) => {
      await ask(who)
      const mail = await smtp.next()
      expect([mail.to, mail.subject]).toEqual([['Ada@example.com'], 'A new password for your account'])
      expect(mail.text).toContain(`http://${started.domain}/account/reset?secret=`)
      const secret = secretIn(mail.text)
      expect(await findReset(started.app, secret)).toEqual({ login: 'ada' })
      const session = await beginSession(started.app, 'ada')

      expect(await resetPassword(started.app, secret, `password by ${who}`)).toEqual({ login: 'ada' })
      expect(await works(`password by ${who}`)).toBe(true)
      expect(await findSession(started.app, session)).toBeUndefined()
      expect((await smtp.next()).subject).toBe('Your password was changed')
      expect(await findReset(started.app, secret)).toBeUndefined()
      await expect(resetPassword(started.app, secret, 'another password')).rejects.toMatchObject({ code: 'GONE' })
      expect((await started.app.accounts.user('ada'))?.isEmailVerified).toBe(true)
    },
  )

  it('of a user of a provider makes no password: the mail says how to sign in', async () => {
    const provided = { login: 'bob', name: 'Bob', email: 'bob@example.com', passwordHash: unknownAccountHash }
    await started.app.accounts.addUser({ ...provided, groupGuid: started.groupGuid, at: now })
    expect(await ask('bob')).toBeUndefined()
    const mail = await smtp.next()
    expect([mail.to, mail.subject]).toEqual([['bob@example.com'], 'Your account has no password'])
    expect(mail.text).toContain(`http://${started.domain}/account/sign-in`)
    expect(secretIn(mail.text)).toBe('')
    // The operator may give one, which can be forgotten as any other.
    await setPassword(started.app, operator, { login: 'bob', password: 'from the operator' })
    await ask('bob')
    expect((await smtp.next()).subject).toBe('A new password for your account')
  })

  it('is not replaced while passwords are off, nor is a known one', async () => {
    const { secret } = await aReset('ada')
    const off = { ...started.app, config: { ...started.app.config, passwordLogin: 'off' as const } }
    await requestReset(off, 'ada', '192.0.2.1')
    expect((await smtp.next()).subject).toBe('Your account has no password')
    expect(await findReset(off, secret)).toBeUndefined()
    await expect(resetPassword(off, secret, 'another password')).rejects.toMatchObject({ code: 'GONE' })
    const actor = { login: 'ada', defaultGroupGuid: '', clientId: undefined, groups: [], organizations: [] }
    const passwords = { current: 'first password', next: 'another password' }
    await expect(changePassword(off, actor, passwords)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await findReset(started.app, secret)).toEqual({ login: 'ada' })
  })

  it.each(['nobody', 'nobody@example.com', 'admin', '', 'a\0', 'x'.repeat(10_000)])(
    'of %j, which is unknown or has no email address, gets the same response and sends nothing',
    async (who) => {
      const before = smtp.mails.length
      expect(await ask(who)).toBeUndefined()
      await settled()
      expect(smtp.mails).toHaveLength(before)
    },
  )

  it.each(['ada', 'nobody'])('of %s is looked into after the answer, and costs the same counting', async (who) => {
    const asked: string[] = []
    const { accounts } = started.app
    const watched: typeof started.app = {
      ...started.app,
      accounts: {
        ...accounts,
        account(text) {
          asked.push('account')
          return accounts.account(text)
        },
        countTry(...budgets) {
          asked.push('take')
          return accounts.countTry(...budgets)
        },
      },
    }
    await requestReset(watched, who, '192.0.2.1')
    expect(asked).toEqual([])
    await settled()
    expect(asked).toEqual(['account', 'take'])
    if (who === 'ada') await smtp.next()
  })

  it('can be requested twenty times an hour from one IP, for any accounts', async () => {
    for (let each = 0; each < 20; each += 1) await ask(`nobody-${each}`, '198.51.100.7')
    await settled()
    const before = smtp.mails.length
    await ask('ada', '198.51.100.7')
    await settled()
    expect(smtp.mails).toHaveLength(before)
    await ask('ada', '198.51.100.8')
    await smtp.next()
  })

  it('can be reset for an hour', async () => {
    await ask('ada')
    const secret = secretIn((await smtp.next()).text)
    now += 3_600_000 - 1
    expect(await findReset(started.app, secret)).toBeDefined()
    now += 1
    expect(await findReset(started.app, secret)).toBeUndefined()
    await expect(resetPassword(started.app, secret, 'another password')).rejects.toMatchObject({ code: 'GONE' })
  })

  it('is not replaced by an invalid password, and the link stays valid', async () => {
    await ask('ada')
    const secret = secretIn((await smtp.next()).text)
    await expect(resetPassword(started.app, secret, 'short')).rejects.toMatchObject({ details: { field: 'password' } })
    expect(await findReset(started.app, secret)).toBeDefined()
  })

  it('sends five mails an hour to one account, however often it is requested', async () => {
    const before = smtp.mails.length
    await Promise.all(Array.from({ length: 20 }, (_, n) => ask('ada', `203.0.113.${n}`)))
    await settled()
    expect(smtp.mails.length - before).toBe(5)
  })
})
