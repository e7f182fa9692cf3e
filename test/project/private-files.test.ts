import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { drained, shortenAt, startProcess } from '../support/start-process.js'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-private-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

it('what the service keeps is for its own user alone, also in a folder that everybody may enter', async () => {
  chmodSync(dataDir, 0o755)
  const service = await startProcess(dataDir)
  const { path } = await shortenAt(service.url, 'https://example.com/private')
  await fetch(service.url + path, { redirect: 'manual' })
  await drained(service.url)
  const names = () => readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  const all = expect.arrayContaining(['records.sqlite', 'journal', 'clicks.duckdb', 'control.sock'])
  // The click log is opened for the first click.
  await expect.poll(names, { timeout: 60_000 }).toEqual(all)
  const open = names().filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
  await service.stop('SIGTERM')
})
