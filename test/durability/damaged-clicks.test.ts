/** A service whose statistics are damaged: redirects and the API start in any case, and a command mends what can be mended. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runCommand } from '../support/run-command.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

let dataDir: string
let service: ServiceProcess | undefined
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-damaged-'))
})
afterEach(async () => {
  await service?.stop('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

const start = async () => {
  service = await startProcess(dataDir, ['--base-url', 'http://localhost:8080', '--log-format', 'json'])
  return service
}
const visit = async (url: string, path: string) => {
  const answer = await fetch(url + path, { redirect: 'manual', headers: { 'user-agent': browser } })
  expect(answer.status).toBe(301)
}
const summary = (url: string, id: string) =>
  fetch(`${url}/v4/shortlinks/${id}/clicks/summary`, { headers: { authorization: `Bearer ${processToken}` } })
async function failures(url: string): Promise<number> {
  const figures = await (await fetch(`${url}/metrics`)).text()
  return Number(/^shortlink_pipeline_failures_total (\d+)$/m.exec(figures)?.[1])
}
async function repair(): Promise<string> {
  const { code, out, err } = await runCommand(['repair', 'clicks', '--data-dir', dataDir])
  expect(code).toBe(0)
  return `${out}\n${err}`
}

const zeroTailed = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4096)])
const garbage = (bytes: Buffer) => Buffer.alloc(bytes.length, 'garbage')
const cutShort = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)

it.each([
  ['clicks.duckdb.wal', 'has zeros behind its end', zeroTailed, 3],
  ['clicks.duckdb', 'is garbage', garbage, 1],
  ['clicks.duckdb', 'was cut short', cutShort, 1],
])(
  '%s %s: everything but reports works, and what is mended counts',
  { timeout: 120_000 },
  async (name, _, damage, least) => {
    const first = await start()
    const { id, path } = await shortenAt(first.url, 'https://example.com/damaged')
    await visit(first.url, path)
    await visit(first.url, path)
    await drained(first.url)
    await first.stop('SIGKILL')
    const file = join(dataDir, name)
    expect(existsSync(file)).toBe(true)
    writeFileSync(file, damage(readFileSync(file)))

    const second = await start()
    await visit(second.url, path)
    expect((await shortenAt(second.url, 'https://example.com/new')).id).toBeTruthy()
    expect((await summary(second.url, id)).status).toBe(503)
    const ready = await fetch(`${second.url}/readyz`)
    expect(await ready.json()).toMatchObject({
      status: 'degraded',
      troubles: [expect.stringContaining('bin/shortlink repair clicks')],
    })
    // Delivery and reports have failed several times, for one reason.
    await vi.waitUntil(async () => (await failures(second.url)) >= 4, { timeout: 60_000, interval: 100 })
    for (let n = 0; n < 3; n++) expect((await summary(second.url, id)).status).toBe(503)
    const lines = second.output().split('\n')
    expect(lines.filter((line) => line.includes('repair clicks'))).toEqual([
      expect.stringContaining('cannot open the click log; redirects work'),
    ])
    expect(lines.filter((line) => /"level":"(warn|error)"/.test(line))).toHaveLength(2)
    expect(lines.filter((line) => line.includes('"request failed"'))).toHaveLength(1)
    const said = await repair()
    expect(said).toContain('The damaged file is kept as')
    expect(said).not.toContain('repair clicks')
    if (least === 1) expect(said).toContain('The service creates a new file.')
    await vi.waitUntil(async () => (await summary(second.url, id)).status === 200, { timeout: 60_000, interval: 200 })
    await drained(second.url)
    const { total_clicks: total } = (await (await summary(second.url, id)).json()) as { total_clicks: number }
    expect(total).toBeGreaterThanOrEqual(least)
    expect(total).toBeLessThanOrEqual(3)
    expect(await second.stop('SIGTERM')).toBe(0)
  },
)

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
