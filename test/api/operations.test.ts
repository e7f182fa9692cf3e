import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { type StartedApp, startApp, useApp } from '../support/start-app.js'

const opsToken = 'operators-only-0123456789'

const started = useApp({ opsToken })

const ask = (path: string, headers: Record<string, string> = {}) =>
  started.request('GET', path, { token: null, headers })

describe('operational endpoints', () => {
  const details = { status: 'ready', troubles: [], journal: { lost: 0 } }

  it('answer programs on this machine', async () => {
    expect((await ask('/readyz')).body).toMatchObject(details)
    expect((await ask('/metrics')).text).toContain('shortlink_journal_clicks_total')
  })

  it.each([
    [{ 'x-forwarded-for': '203.0.113.7' }],
    [{ forwarded: 'for=203.0.113.7' }],
    [{ 'x-real-ip': '203.0.113.7' }],
    [{ via: '1.1 proxy' }],
    [{ host: 'go.example.com' }],
    [{ host: '127.0.0.1.example.com:8080' }],
  ])('do not answer requests through a proxy, or for another host: %j', async (headers) => {
    expect(await ask('/readyz', headers)).toMatchObject({ status: 200, body: { status: 'ready' } })
    expect(Object.keys((await ask('/readyz', headers)).body)).toEqual(['status'])
    const { status, text } = await ask('/metrics', headers)
    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('opsToken') })
    expect((await ask('/healthz', headers)).body).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  })

  it.each(['localhost', 'localhost:8080', '127.0.0.1', '[::1]:8080'])('answer the host %s', async (host) => {
    expect((await ask('/readyz', { host })).body).toMatchObject(details)
  })

  it('tell the state of every configured server', async () => {
    const { servers } = (await ask('/readyz')).body
    expect(servers.dns).toEqual({ state: 'unused' })
    expect((await ask('/metrics')).text).toContain('shortlink_server_up{server="dns"} 1')
  })

  it("answer everybody with the operators' token", async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${opsToken}` }
    expect((await ask('/readyz', headers)).body).toMatchObject(details)
    expect((await ask('/metrics', headers)).text).toContain('shortlink_journal_clicks_total')
    for (const other of [started.token, `${opsToken}x`, '']) {
      expect((await ask('/metrics', { ...headers, authorization: `Bearer ${other}` })).status).toBe(403)
    }
  })

  it('are computed once a second, however often they are requested', async () => {
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await ask('/metrics')).text))
    expect(new Set(texts.map((text) => /^process_cpu_seconds_total \S+$/m.exec(text)?.[0])).size).toBeLessThan(20)
  })
})

describe('a port for operators', () => {
  let separate: StartedApp
  let opsPort: number
  beforeAll(async () => {
    opsPort = await freePort()
    separate = await startApp({ opsToken, opsPort })
  })
  afterAll(() => separate.close())

  /** Not fetch, which does not send other Host headers. */
  const askPort = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: opsPort, path, headers, method, agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
      asked.on('error', reject).end()
    })

  it('has metrics and details for programs on this machine, and nothing else', async () => {
    expect((await askPort('/metrics')).text).toContain('shortlink_journal_clicks_total')
    expect(JSON.parse((await askPort('/readyz')).text)).toMatchObject({ status: 'ready', troubles: [] })
    expect(JSON.parse((await askPort('/healthz')).text)).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    for (const path of ['/', '/v4/user', '/docs', '/metrics/']) expect((await askPort(path)).status).toBe(404)
    expect((await askPort('/metrics', {}, 'POST')).status).toBe(404)
  })

  it('has them for others with the token alone', async () => {
    const headers = { host: 'ops.example.com:9090' }
    expect((await askPort('/metrics', headers)).status).toBe(403)
    expect(JSON.parse((await askPort('/readyz', headers)).text)).toEqual({ status: 'ready' })
    expect((await askPort('/metrics', { ...headers, authorization: `Bearer ${opsToken}` })).status).toBe(200)
  })

  it('takes them from the port of the service, which then needs the token', async () => {
    const get = (path: string, headers = {}) => separate.request('GET', path, { token: null, headers })
    expect((await get('/metrics')).status).toBe(403)
    expect((await get('/readyz')).body).toEqual({ status: 'ready' })
    expect((await get('/metrics', { authorization: `Bearer ${opsToken}` })).status).toBe(200)
  })
})
