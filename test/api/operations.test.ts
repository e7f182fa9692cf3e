import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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

describe('readiness with an S3 store', () => {
  let store: Server
  let hangs = true
  let storing: StartedApp
  beforeAll(async () => {
    store = createServer((_request, response) => {
      if (!hangs) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    })
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
    storing = await startApp({ s3Url: `http://key:secret@127.0.0.1:${(store.address() as AddressInfo).port}/pictures` })
  })
  afterAll(async () => {
    await storing.close()
    store.closeAllConnections()
    store.close()
  })
  const readiness = async () => (await storing.request('GET', '/readyz', { token: null })).body

  it('is degraded while the store does not answer, without waiting for it, and ready again afterwards', async () => {
    // The store has not failed yet: it may be slow, and the response does not wait.
    expect(await readiness()).toMatchObject({ status: 'ready', troubles: [] })
    const inTime = { timeout: 20_000, interval: 100 }
    const text = expect.stringMatching(/^images: the store does not answer .*timeout/)
    await expect.poll(readiness, inTime).toMatchObject({ status: 'degraded', troubles: [text] })
    expect(JSON.stringify(await readiness())).not.toContain('secret')
    hangs = false
    await expect.poll(readiness, inTime).toMatchObject({ status: 'ready', troubles: [] })
    store.closeAllConnections()
    await new Promise((resolve) => store.close(resolve))
    await expect.poll(readiness, inTime).toMatchObject({
      status: 'degraded',
      troubles: [expect.stringContaining('ECONNREFUSED')],
    })
  }, 60_000)
})
