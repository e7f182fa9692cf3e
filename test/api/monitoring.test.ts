import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-monitoring-'))
const accessLog = join(folder, 'access.log')
let started: StartedApp
let path: string
beforeAll(async () => {
  started = await startApp({ accessLog, backupTo: join(folder, 'backups') })
  const made = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/a' } })
  path = `/${made.body.id.split('/')[1]}`
  const asked = { token: null, headers: { referer: 'https://news.example/article?reader=eve', 'user-agent': 'Tester' } }
  await started.request('GET', `${path}?utm=1`, asked)
  await started.request('GET', '/v4/groups/Bnone')
  await started.request('GET', '/v3/user/info?access_token=a-secret-token', { token: null })
  await started.request('GET', '/v4/nothing/here')
  await started.clicksCounted()
})
afterAll(async () => {
  await started.close()
  rmSync(folder, { recursive: true, force: true })
})

const metrics = async () => (await started.request('GET', '/metrics', { token: null })).text
const figureOf = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  )

describe('metrics', () => {
  it('count API requests by route and status, with their duration', async () => {
    const text = await metrics()
    expect(figureOf(text, 'shortlink_api_requests_total{method="POST",route="/v4/shorten",status="201"}')).toBe(1)
    expect(
      figureOf(text, 'shortlink_api_requests_total{method="GET",route="/v4/groups/:group_guid",status="403"}'),
    ).toBe(1)
    expect(figureOf(text, 'shortlink_api_requests_total{method="GET",route="unknown",status="404"}')).toBe(1)
    const labels = 'method="POST",route="/v4/shorten"'
    expect(figureOf(text, `shortlink_api_request_seconds_count{${labels}}`)).toBe(1)
    expect(figureOf(text, `shortlink_api_request_seconds_bucket{${labels},le="+Inf"}`)).toBe(1)
    expect(figureOf(text, `shortlink_api_request_seconds_sum{${labels}}`)).toBeGreaterThan(0)
  })

  it('have the durations of redirects and queries, and the delay of the event loop', async () => {
    expect(figureOf(await metrics(), 'shortlink_redirect_seconds_count')).toBe(1)
    expect(figureOf(await metrics(), 'shortlink_store_seconds_count{store="records"}')).toBeGreaterThan(0)
    await vi.waitFor(
      async () => expect(figureOf(await metrics(), 'shortlink_event_loop_delay_seconds_count')).toBeGreaterThan(0),
      { timeout: 60_000, interval: 300 },
    )
  })

  it('have the sizes of stores, the rows of the click log, and the version', async () => {
    const text = await metrics()
    for (const store of ['records', 'clicks', 'journal', 'images', 'qr_images', 'stream', 'other']) {
      expect(text).toMatch(new RegExp(`^shortlink_disk_bytes{store="${store}"} \\d+$`, 'm'))
    }
    expect(figureOf(text, 'shortlink_disk_bytes{store="clicks"}')).toBeGreaterThan(0)
    expect(figureOf(text, 'shortlink_disk_free_bytes')).toBeGreaterThan(0)
    expect(figureOf(text, 'shortlink_click_log_rows')).toBe(1)
    expect(figureOf(text, 'shortlink_webhook_lag_seconds')).toBe(0)
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(figureOf(text, `shortlink_build_info{version="${version}"}`)).toBe(1)
  })

  it.each(['deploy/helm/shortlink/alerts.yml', 'deploy/grafana/shortlink.json'])(
    'include all that %s names',
    async (file) => {
      const named = new Set(readFileSync(file, 'utf8').match(/\b(?:shortlink|process|nodejs)_[a-z_]+/g))
      const text = await metrics()
      const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]))
      const isThere = (name: string) => {
        const family = name.replace(/_(bucket|sum|count)$/, '')
        return types.has(name) || types.get(family) === 'histogram'
      }
      expect(named.size).toBeGreaterThan(10)
      expect([...named].filter((name) => !isThere(name))).toEqual([])
    },
  )

  it('describe each metric once', async () => {
    const names = [...(await metrics()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('the access log', () => {
  it('has a line for each request, without queries, tokens and IP addresses', async () => {
    const lines = await vi.waitFor(
      () => {
        const found = readFileSync(accessLog, 'utf8').trim().split('\n')
        expect(found.length).toBeGreaterThanOrEqual(5)
        return found
      },
      { timeout: 60_000, interval: 100 },
    )
    const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(entries.slice(0, 5)).toMatchObject([
      { method: 'POST', path: '/v4/shorten', route: '/v4/shorten', status: 201 },
      { method: 'GET', path, status: 301, userAgent: 'Tester', referrer: 'https://news.example/article' },
      { method: 'GET', path: '/v4/groups/Bnone', route: '/v4/groups/:group_guid', status: 403 },
      { method: 'GET', path: '/v3/user/info', status: expect.any(Number) },
      { method: 'GET', path: '/v4/nothing/here', status: 404 },
    ])
    expect(entries[0]).toMatchObject({ time: expect.any(String), host: expect.any(String), ms: expect.any(Number) })
    expect(lines.join('\n')).not.toMatch(/a-secret-token|reader=eve|127\.0\.0\.1"|"ip"/)
  })
})
