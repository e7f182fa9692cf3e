/** A user who is deactivated by a command while the service runs: whatever they had in their hands is useless at once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlSocketPath } from '../../src/edges/control/client.js'
import { startControl } from '../../src/edges/control/server.js'
import type { Closable } from '../../src/lib/closing.js'
import { FormBrowser } from '../oauth/form-browser.js'
import { runCommand } from '../support/run-command.js'
import { type StartedApp, startApp } from '../support/start-app.js'

let started: StartedApp
let control: Closable
let elsewhere: string
beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'shortlink-deactivated-'))
  started = await startApp()
  const { app } = started
  const ears = { onTokenRevoked: (guid: string) => app.tokens.forget(guid), onAccessChanged: () => app.tokens.clear() }
  control = await startControl(controlSocketPath(app.config.dataDir), { ...app, ...ears }, pino({ level: 'silent' }))
  await shortlink('user', 'create', 'ada', '--password', 'right password')
})
afterAll(async () => {
  await control.close()
  await started.close()
  rmSync(elsewhere, { recursive: true })
})

async function shortlink(...argv: readonly string[]): Promise<string> {
  const args = [...argv, '--data-dir', started.app.config.dataDir]
  const { code, out, err } = await runCommand(args, { cwd: elsewhere })
  if (code !== 0) throw new Error(err)
  return out
}

async function signedIn(): Promise<FormBrowser> {
  const browser = new FormBrowser(started)
  await browser.open('/account/sign-in')
  const { status } = await browser.submit('/account/sign-in', { login: 'ada', password: 'right password' })
  expect(status).toBe(303)
  return browser
}

describe('a user who is deactivated while the service runs', () => {
  it('has no token, key, session or password that works, from that moment on', async () => {
    const { secret } = JSON.parse(await shortlink('token', 'create', '--login', 'ada', '--label', 'test', '--json'))
    const asAda = (method: string, path: string, body?: object) =>
      started.request(method, path, { token: secret, ...(body && { body }) })
    const made = await asAda('POST', '/v4/shorten', { long_url: 'https://example.com/kept' })
    const { api_key: apiKey } = (await asAda('POST', '/v4/user/api_keys', {})).body
    const byKey = async () =>
      (
        await started.request('GET', `/v3/shorten?login=ada&apiKey=${apiKey}&longUrl=https://example.com/`, {
          token: null,
        })
      ).body.status_code
    const byPassword = () =>
      started.request('POST', '/oauth/access_token', {
        token: null,
        headers: { authorization: `Basic ${Buffer.from('ada:right password').toString('base64')}` },
      })
    const browser = await signedIn()
    const isSignedIn = async () => (await browser.open('/account/session')).status === 200
    expect([(await asAda('GET', '/v4/user')).status, await byKey(), await isSignedIn()]).toEqual([200, 200, true])
    expect((await byPassword()).status).toBe(200)

    await shortlink('user', 'deactivate', 'ada')
    expect((await asAda('GET', '/v4/user')).status).toBe(403)
    expect(await byKey()).not.toBe(200)
    expect((await byPassword()).status).not.toBe(200)
    expect(await isSignedIn()).toBe(false)
    const { pathname } = new URL(made.body.link)
    expect((await started.request('GET', pathname, { token: null })).status).toBe(301)

    await shortlink('user', 'activate', 'ada')
    expect((await asAda('GET', '/v4/user')).body).toMatchObject({ login: 'ada', is_active: true })
    expect(await byKey()).toBe(200)
    expect(await isSignedIn()).toBe(false)
    await signedIn()
  })
})
