import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startApp } from '../support/start-app.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-journal-rows-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const flags = ['--base-url', 'http://sho.rt', '--log-level', 'error']
const timeout = 120_000

it('what visitors sent is off the disk once it was delivered, after a stop and after a crash', {
  timeout,
}, async () => {
  const first = await startProcess(dataDir, flags)
  const { id, path } = await shortenAt(first.url, 'https://example.com/')
  await visit(first, path, 'one')
  expect(journal()).toContain('Firefox/one')
  expect(await first.stop('SIGTERM')).toBe(0)
  expect(journal()).not.toContain('Firefox/one')

  const second = await startProcess(dataDir, flags)
  await visit(second, path, 'two')
  await drained(second.url)
  await second.stop('SIGKILL')
  expect(journal()).toContain('Firefox/two')
  const third = await startProcess(dataDir, flags)
  await vi.waitFor(() => expect(journal()).not.toContain('Firefox/two'), { timeout: 60_000 })
  expect(await clicksOf(third, id)).toBe(2)
  await third.stop('SIGKILL')
})

it.each([
  ['missing', () => rmSync(join(dataDir, 'journal', 'id'))],
  ['empty', () => writeFileSync(join(dataDir, 'journal', 'id'), '')],
])('a journal id that is %s does not count delivered rows again', { timeout }, async (_, lose) => {
  const first = await startProcess(dataDir, flags)
  const { id, path } = await shortenAt(first.url, 'https://example.com/')
  for (let visits = 0; visits < 5; visits++) await visit(first, path, 'x')
  await drained(first.url)
  await first.stop('SIGKILL')
  lose()
  const second = await startProcess(dataDir, flags)
  await visit(second, path, 'x')
  await drained(second.url)
  expect(await clicksOf(second, id)).toBe(6)
  await second.stop('SIGKILL')
})

it('a damaged row is told in /readyz and /metrics, and those behind it are counted', { timeout }, async () => {
  const first = await startProcess(dataDir, flags)
  const { id } = await shortenAt(first.url, 'https://example.com/')
  await first.stop('SIGTERM')
  await damageARow(id)
  const second = await startProcess(dataDir, flags)
  await drained(second.url)
  expect(await clicksOf(second, id)).toBe(2)
  const readiness = (await (await fetch(`${second.url}/readyz`)).json()) as { status: string; troubles: string[] }
  expect(readiness).toMatchObject({
    status: 'degraded',
    troubles: [expect.stringMatching(/^journal: damaged or missing rows: 1;/)],
  })
  expect(await (await fetch(`${second.url}/metrics`)).text()).toMatch(/^shortlink_journal_damaged_rows_total 1$/m)
  expect(second.output()).toMatch(/cannot read all of a journal file/)
  await second.stop('SIGKILL')
})

it('rows whose file was deleted while nobody ran are told in /readyz, /metrics, the log and by doctor', {
  timeout,
}, async () => {
  const first = await startProcess(dataDir, flags)
  const { id, path } = await shortenAt(first.url, 'https://example.com/')
  await visit(first, path, 'one')
  await drained(first.url)
  expect(await first.stop('SIGTERM')).toBe(0)
  await writeRows(id)
  const folder = join(dataDir, 'journal')
  for (const name of readdirSync(folder)) {
    if (readFileSync(join(folder, name), 'utf8').includes('Firefox/2')) rmSync(join(folder, name))
  }
  const second = await startProcess(dataDir, flags)
  await drained(second.url)
  const readiness = (await (await fetch(`${second.url}/readyz`)).json()) as { status: string; troubles: string[] }
  expect(readiness).toMatchObject({ status: 'degraded', journal: { backlogRows: 0 } })
  expect(readiness.troubles).toEqual([expect.stringMatching(/^journal: damaged or missing rows: 3;/)])
  expect(await (await fetch(`${second.url}/metrics`)).text()).toMatch(/^shortlink_journal_damaged_rows_total 3$/m)
  expect(second.output()).toMatch(/missing rows/)
  const doctor = spawnSync(process.execPath, ['dist/main.js', 'doctor', '--data-dir', dataDir], { encoding: 'utf8' })
  expect(doctor.stdout).toMatch(/wrong +journal +damaged or missing rows: 3;/)
  await second.stop('SIGKILL')
})

it('an hour after the last damaged row /readyz is ready again, and the row is still counted in /metrics', {
  timeout,
}, async () => {
  await damageARow('sho.rt/abc')
  let passed = 0
  const started = await startApp({ dataDir }, { clock: { now: () => Date.now() + passed } })
  const status = async () => (await started.request('GET', '/readyz', { token: null })).body.status
  await started.clicksCounted()
  expect(await status()).toBe('degraded')
  passed = 59 * 60_000
  expect(await status()).toBe('degraded')
  passed = 61 * 60_000
  expect(await status()).toBe('ready')
  const { text } = await started.request('GET', '/metrics', { token: null })
  expect(text).toMatch(/^shortlink_journal_damaged_rows_total 1$/m)
  await started.close()
})

/** Three rows that were not delivered, the second of which is damaged. */
async function damageARow(id: string): Promise<void> {
  await writeRows(id)
  const folder = join(dataDir, 'journal')
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    writeFileSync(join(folder, name), text.replace('Firefox/2', 'Firefox/X'))
  }
}

async function writeRows(id: string): Promise<void> {
  // Rows that were not delivered: of a service whose click log is away.
  const folder = join(dataDir, 'journal')
  const { FileJournal } = await import('../../src/storage/journal/journal.js')
  const target = { address: id, linkId: id, groupGuid: 'B', longUrl: 'https://example.com/' }
  const visit = {
    method: 'GET',
    kind: 'click',
    site: '',
    visitor: '203.0.113.7',
    referrer: '',
    language: '',
    purpose: '',
  } as const
  const written = new FileJournal(folder, { durability: 'normal' })
  for (const userAgent of ['Firefox/1', 'Firefox/2', 'Firefox/3']) {
    await new Promise<void>((done) =>
      written.record(
        { ...target, createdAt: 0, expiresAt: undefined, deletedAt: undefined, rules: undefined },
        { ...visit, at: Date.now(), userAgent: `Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 ${userAgent}` },
        done,
      ),
    )
  }
  written.close()
}

async function visit({ url }: ServiceProcess, path: string, version: string): Promise<void> {
  const agent = `Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/${version}`
  const answer = await fetch(url + path, { redirect: 'manual', headers: { 'user-agent': agent } })
  expect(answer.status).toBe(301)
}

/** All that is in the journal's files. */
function journal(): string {
  const folder = join(dataDir, 'journal')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}

async function clicksOf({ url }: ServiceProcess, id: string): Promise<number> {
  const headers = { authorization: `Bearer ${processToken}` }
  const answer = await fetch(`${url}/v4/shortlinks/${id}/clicks/summary?unit=day&units=-1`, { headers })
  return ((await answer.json()) as { total_clicks: number }).total_clicks
}
