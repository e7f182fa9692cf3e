import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

const opsToken = 'operators-only-0123456789'

let started: StartedApp
beforeAll(async () => {
  started = await startApp({ opsToken })
})
afterAll(() => started.close())

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
  ])('do not answer requests through a proxy: %j', async (headers) => {
    expect(await ask('/readyz', headers)).toMatchObject({ status: 200, body: { status: 'ready' } })
    expect(Object.keys((await ask('/readyz', headers)).body)).toEqual(['status'])
    const { status, text } = await ask('/metrics', headers)
    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('opsToken') })
    expect((await ask('/healthz', headers)).body).toEqual({ status: 'ok' })
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
