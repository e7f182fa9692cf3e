/**
 * A service without clicks has not loaded DuckDB. One that has some opens them after its start, before anybody asks. The
 * first click after each start counts exactly once.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-at-rest-'))
let service: ServiceProcess
afterEach(async () => {
  await service?.stop('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

const start = async () => {
  service = await startProcess(dataDir, ['--base-url', 'http://localhost:8080', '--log-level', 'error'])
}
const hasDuckdb = () => readFileSync(`/proc/${service.child.pid}/maps`, 'utf8').includes('libduckdb')
const visit = async (path: string) => {
  expect((await fetch(service.url + path, { redirect: 'manual', headers: { 'user-agent': browser } })).status).toBe(301)
  await drained(service.url)
}
const clicks = async (id: string) => {
  const headers = { authorization: `Bearer ${processToken}` }
  const summary = await fetch(`${service.url}/v4/shortlinks/${id}/clicks/summary`, { headers })
  return ((await summary.json()) as { total_clicks: number }).total_clicks
}

it.skipIf(process.platform !== 'linux')(
  'opens the click log after the first click, and at later starts without a request',
  { timeout: 120_000 },
  async () => {
    await start()
    const { id, path } = await shortenAt(service.url, 'https://example.com/at-rest')
    expect(hasDuckdb()).toBe(false)
    await visit(path)
    expect([hasDuckdb(), await clicks(id)]).toEqual([true, 1])
    expect(await service.stop('SIGTERM')).toBe(0)

    await start()
    await vi.waitFor(() => expect(hasDuckdb()).toBe(true), { timeout: 60_000 })
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toContain('\nshortlink_click_log_rows 1\n')
    expect(metrics).toContain('\nshortlink_journal_backlog_rows 0\n')
    await visit(path)
    expect(await clicks(id)).toBe(2)
    await service.stop('SIGKILL')

    // The write-ahead log is left: it must be opened to know.
    await start()
    expect(hasDuckdb()).toBe(true)
    await visit(path)
    expect(await clicks(id)).toBe(3)
  },
)

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
