import { beforeEach, describe, expect, it } from 'vitest'
import { type FormBrowser, signedIn } from '../oauth/form-browser.js'
import { aPerson, password } from '../oauth/people.js'
import { useApp } from '../support/start-app.js'

describe('sessions of a user', () => {
  const started = useApp()
  let login: string
  let here: FormBrowser
  let there: FormBrowser
  beforeEach(async () => {
    login = await aPerson(started)
    here = await signedIn(started, login, password)
    there = await signedIn(started, login, password)
  })

  async function ask(browser: FormBrowser, method: string, path = '') {
    const { body } = await browser.open('/account/session')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-csrf-token': body.csrf ?? 'none' }
    return started.request(method, `/v4/user/sessions${path}`, { token: null, headers })
  }

  it('are listed with their origin, and the asking one is marked', async () => {
    const { status, body } = await ask(here, 'GET')
    expect(status).toBe(200)
    expect(body.sessions).toHaveLength(2)
    expect(body.sessions.filter((each: { is_current: boolean }) => each.is_current)).toHaveLength(1)
    const [newest] = body.sessions
    expect(newest).toMatchObject({ ip_address: '127.0.0.1', is_current: false })
    expect(newest.id).toMatch(/^[0-9a-f]{20}$/)
    expect(newest.created).toMatch(/\+0000$/)
    for (const secret of here.cookies.values()) expect(JSON.stringify(body)).not.toContain(secret)
  })

  it('end one by one', async () => {
    const { body } = await ask(here, 'GET')
    const other = body.sessions.find((each: { is_current: boolean }) => !each.is_current)
    expect((await ask(here, 'DELETE', `/${other.id}`)).status).toBe(204)
    expect((await ask(there, 'GET')).status).toBe(401)
    expect((await ask(here, 'DELETE', `/${other.id}`)).status).toBe(404)
    expect((await ask(here, 'GET')).body.sessions).toHaveLength(1)
  })

  it('end everywhere else', async () => {
    expect((await ask(here, 'DELETE')).body).toEqual({ ended: 1 })
    expect((await ask(there, 'GET')).status).toBe(401)
    expect((await ask(here, 'GET')).status).toBe(200)
  })

  it('are nobody else’s', async () => {
    const stranger = await signedIn(started, await aPerson(started), password)
    const { body } = await ask(here, 'GET')
    expect((await ask(stranger, 'DELETE', `/${body.sessions[0].id}`)).status).toBe(404)
    expect((await ask(stranger, 'GET')).body.sessions).toHaveLength(1)
  })
})
