/** One damaged page of records.sqlite: what it holds fails, and everybody who can help hears of it. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { runCommand } from '../support/run-command.js'
import { processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

let home: string
let service: ServiceProcess | undefined
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'shortlink-leaf-'))
})
afterEach(async () => {
  await service?.stop('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

const pageSize = 4096

const linksAt = (url: string) =>
  Promise.all(Array.from({ length: 80 }, (_, n) => shortenAt(url, `https://example.com/leaf-${n}-${'x'.repeat(200)}`)))

/** Overwrites the first page of a table's rows that holds this text. Returns whether there was one. */
function damagePageWith(file: string, text: string): boolean {
  const bytes = readFileSync(file)
  const tableLeaf = 0x0d
  for (let at = pageSize; at < bytes.length; at += pageSize) {
    const page = bytes.subarray(at, at + pageSize)
    if (page[0] !== tableLeaf || !page.includes(text)) continue
    page.fill(0xff)
    writeFileSync(file, bytes)
    return true
  }
  return false
}

it('a damaged leaf page of records.sqlite is told by /readyz, doctor, the log, the answers and backup', {
  timeout: 120_000,
}, async () => {
  const dataDir = join(home, 'data')
  const backups = join(home, 'backups')
  mkdirSync(backups)
  const flags = ['--log-format', 'json', '--base-url', 'http://localhost:8080', '--backup-to', backups]
  const stored = ['--data-dir', dataDir, '--backup-to', backups]
  service = await startProcess(dataDir, flags)
  const links = await linksAt(service.url)
  const nightly = join(backups, 'nightly')
  expect(await runCommand(['backup', nightly, ...stored])).toMatchObject({ code: 0 })
  await service.stop('SIGTERM')
  expect(damagePageWith(join(dataDir, 'records.sqlite'), 'https://example.com/leaf-50-')).toBe(true)

  service = await startProcess(dataDir, flags)
  const { url } = service
  const statuses = await Promise.all(
    links.map(async ({ path }) => (await fetch(url + path, { redirect: 'manual' })).status),
  )
  const failed = statuses.filter((status) => status === 503).length
  expect(failed).toBeGreaterThan(0)
  expect(statuses.filter((status) => status === 301)).toHaveLength(links.length - failed)

  const ready = await (await fetch(`${url}/readyz`)).json()
  expect(ready).toMatchObject({
    status: 'degraded',
    // A slow machine may have others.
    troubles: expect.arrayContaining([expect.stringMatching(/^records: .*records\.sqlite is damaged/)]),
  })
  const headers = { authorization: `Bearer ${processToken}` }
  const { groups } = (await (await fetch(`${url}/v4/groups`, { headers })).json()) as { groups: { guid: string }[] }
  const list = () => fetch(`${url}/v4/groups/${groups[0]?.guid}/shortlinks?size=100`, { headers })
  for (let n = 0; n < 5; n++) {
    const answer = await list()
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ message: 'STORAGE_DAMAGED' })
  }
  expect(service.output().match(/the records are damaged/g)).toHaveLength(1)
  expect(service.output().match(/"request failed"/g)).toHaveLength(1)

  for (const running of [true, false]) {
    if (!running) await service.stop('SIGTERM')
    const examined = await runCommand(['doctor', ...stored])
    expect(examined.code).toBe(1)
    expect(examined.out).toMatch(/wrong +records +.*records\.sqlite is damaged/)
    expect(examined.out).toContain(`shortlink restore ${nightly}`)
    const copied = await runCommand(['backup', join(backups, `next-${running}`), ...stored])
    expect(copied).toMatchObject({ code: 1 })
    expect(copied.err).toContain('records.sqlite is damaged')
    expect(copied.err).not.toMatch(/This is a bug|\n {4}at /)
  }
})

it('a list that meets a damaged page makes the service degraded, and a start says what is damaged', {
  timeout: 120_000,
}, async () => {
  const dataDir = join(home, 'data')
  service = await startProcess(dataDir)
  await linksAt(service.url)
  await service.stop('SIGTERM')
  const file = join(dataDir, 'records.sqlite')
  expect(damagePageWith(file, 'https://example.com/leaf-30-')).toBe(true)
  service = await startProcess(dataDir)
  const headers = { authorization: `Bearer ${processToken}` }
  const { groups } = (await (await fetch(`${service.url}/v4/groups`, { headers })).json()) as {
    groups: { guid: string }[]
  }
  expect((await fetch(`${service.url}/v4/groups/${groups[0]?.guid}/shortlinks?size=100`, { headers })).status).toBe(503)
  expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ status: 'degraded' })
  await service.stop('SIGTERM')

  expect(damagePageWith(file, '0001-')).toBe(true) // the list of migrations
  const started = await runCommand(['serve', '--data-dir', dataDir, '--port', String(await freePort())])
  expect(started).toMatchObject({ code: 1 })
  expect(started.err).toMatch(/records\.sqlite is damaged/)
  expect(started.err).not.toMatch(/This is a bug|\n {4}at /)
})
