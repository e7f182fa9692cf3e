import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { drained, shortenAt, startProcess } from '../support/start-process.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-full-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

it('goes on redirecting when the journal cannot be written, counts the loss, logs it once and shows it', {
  timeout: 120_000,
}, async () => {
  // No file may grow past 4 MiB: the kernel refuses the journal's writes as a full disk would.
  const service = await startProcess(dataDir, ['--log-format', 'json'], 'ulimit -S -f 8192')
  const { path } = await shortenAt(service.url, 'https://example.com/full')
  // Each its own: a journal row holds equal texts once.
  let visit = 0
  const long = () => `https://example.com/${visit++}/${'x'.repeat(7000)}`
  const statuses = new Set<number>()
  let readiness = await ready(service.url)
  for (let visits = 0; visits < 3000 && readiness.journal.lost === 0; visits += 100) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        fetch(service.url + path, { redirect: 'manual', headers: { referer: long(), 'user-agent': 'Mozilla/5.0' } }),
      ),
    )
    for (const answer of answers) statuses.add(answer.status)
    readiness = await ready(service.url)
  }
  expect([...statuses]).toEqual([301])
  expect(readiness.journal.lost).toBeGreaterThan(0)
  expect(readiness.status).toBe('degraded')
  expect(readiness.troubles.join()).toMatch(/journal: .*(too large|no space)/)
  const figures = await (await fetch(`${service.url}/metrics`)).text()
  expect(figures).toMatch(/shortlink_journal_lost_clicks_total [1-9]/)
  expect(service.output().match(/cannot write the click journal/g)).toHaveLength(1)

  // With room again visits are recorded, and after a quiet second nothing is wrong any more; the loss stays in the figures.
  const room = spawnSync('prlimit', ['--pid', String(service.child.pid), '--fsize=unlimited'])
  expect(room.status).toBe(0)
  const { lost } = readiness.journal
  await vi.waitFor(
    async () => {
      expect((await fetch(service.url + path, { redirect: 'manual' })).status).toBe(301)
      readiness = await ready(service.url)
      expect(readiness).toMatchObject({ status: 'ready', troubles: [], journal: { lost } })
    },
    { timeout: 60_000, interval: 100 },
  )
  expect(service.output()).toMatch(new RegExp(`"lost":${lost},.*the click journal is writable again`))
  await service.stop('SIGKILL')

  // What was recorded is whole: with room again every one of those clicks is counted, and none besides.
  const again = await startProcess(dataDir)
  await drained(again.url)
  expect(await again.stop('SIGTERM')).toBe(0)
  expect(await clicksIn(join(dataDir, 'clicks.duckdb'))).toBe(readiness.journal.recorded)
})

interface Readiness {
  readonly status: string
  readonly troubles: readonly string[]
  readonly journal: { readonly recorded: number; readonly lost: number }
}

async function ready(url: string): Promise<Readiness> {
  return (await (await fetch(`${url}/readyz`)).json()) as Readiness
}

async function clicksIn(file: string): Promise<number> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const [row] = (await connection.runAndReadAll('SELECT count(*) FROM clicks')).getRows()
  connection.closeSync()
  instance.closeSync()
  return Number(row?.[0])
}
