/** A machine whose disk is lost with it: the copy of its journal has every answered click. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { segmentsIn } from '../../src/storage/journal/segments.js'
import { freePort } from '../support/free-port.js'
import { clicksIn, Load } from '../support/load.js'
import { figure, readiness, redirectProcesses } from '../support/redirect-processes.js'
import { runCommand } from '../support/run-command.js'
import { drained, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

let folder: string
let lostDir: string
let copyDir: string
let otherDir: string
let service: ServiceProcess
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-copy-'))
  lostDir = join(folder, 'lost')
  copyDir = join(folder, 'copy')
  otherDir = join(folder, 'other')
  mkdirSync(copyDir)
})
afterEach(async () => {
  await service?.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Its click log is away: all clicks are in its journals. */
async function start(...flags: readonly string[]): Promise<Load> {
  const clickhouseUrl = `http://127.0.0.1:${await freePort()}`
  const given = ['--journal-copy', copyDir, '--clickhouse-url', clickhouseUrl, ...flags]
  service = await startProcess(lostDir, given)
  const processes = flags.includes('--processes') ? 1 : 0
  await expect.poll(() => redirectProcesses(service).length, { timeout: 60_000 }).toBe(processes)
  const { path } = await shortenAt(service.url, 'https://example.com/lost')
  return new Load(service.url + path)
}

const copyState = async () => {
  const { troubles, journal } = await readiness(service)
  const { copyBehindRows } = journal as typeof journal & { readonly copyBehindRows: number }
  return { troubles: troubles.filter((trouble) => trouble.startsWith('journal copy')), copyBehindRows }
}
const isCopied = () => expect.poll(copyState, { timeout: 60_000 }).toEqual({ troubles: [], copyBehindRows: 0 })

async function deliverCopy(): Promise<void> {
  rmSync(lostDir, { recursive: true })
  await (await startProcess(otherDir)).stop('SIGTERM')
  const delivered = await runCommand(['journal', 'deliver', copyDir, '--data-dir', otherDir])
  expect(delivered).toMatchObject({ code: 0, err: '' })
  expect(delivered.out).not.toContain('lost')
}

describe('the copy of the journal', { timeout: 300_000 }, () => {
  it('has every answered click at every moment with durability "full"', async () => {
    const load = await start('--durability', 'full', '--processes', '2')
    await isCopied()
    const isOver = load.run(12)
    await load.reached(1_500)
    await service.stop('SIGKILL')
    await isOver
    await deliverCopy()
    // A disk that needs seconds is told, and then nobody waits for it.
    if (!service.output().includes('cannot copy the journal')) load.expectCounted((await clicksIn(otherDir)).counted)
    expect(readdirSync(copyDir).sort()).toEqual(['journal', 'journal-2'])
  })

  it('has every answered click a moment later otherwise, and what its folder missed when it is back', async () => {
    rmSync(copyDir, { recursive: true })
    const load = await start()
    await expect.poll(async () => (await copyState()).troubles, { timeout: 60_000 }).toHaveLength(1)
    expect((await copyState()).troubles[0]).toMatch(/^journal copy: ENOENT: no such file or directory.*copy\/journal/)
    expect(await figure(service, 'shortlink_journal_copy_up')).toBe(0)
    const stopped = new AbortController()
    const isOver = load.run(4, stopped.signal)
    await load.reached(300)
    expect(await figure(service, 'shortlink_journal_copy_behind_rows')).toBeGreaterThan(0)
    mkdirSync(copyDir)
    await expect.poll(async () => (await copyState()).troubles, { timeout: 60_000 }).toEqual([])
    await load.reached(load.answered.size + 300)
    stopped.abort()
    await isOver
    await isCopied()
    expect(await figure(service, 'shortlink_journal_copy_up')).toBe(1)
    expect(service.output()).toContain('cannot copy the journal; redirects continue')
    expect(service.output()).toContain('the journal is copied again, with what was missing')
    await service.stop('SIGKILL')
    await deliverCopy()
    load.expectCounted((await clicksIn(otherDir)).counted)
  })

  it('loses its files as the journal does when they are delivered, and is not mixed with that of another', async () => {
    const first = await startProcess(lostDir, ['--journal-copy', copyDir])
    service = first
    const { path } = await shortenAt(first.url, 'https://example.com/counted')
    expect((await fetch(first.url + path, { redirect: 'manual' })).status).toBe(301)
    await isCopied()
    const bytes = () => segmentsIn(join(copyDir, 'journal')).reduce((sum, { file }) => sum + statSync(file).size, 0)
    expect(bytes()).toBeGreaterThan(0)
    await drained(first.url)
    expect(await first.stop('SIGTERM')).toBe(0)
    expect(bytes()).toBe(0)

    service = await startProcess(otherDir, ['--journal-copy', copyDir])
    await expect
      .poll(async () => (await copyState()).troubles, { timeout: 60_000 })
      .toEqual([
        expect.stringContaining('has the copy of another journal. Deliver it with "shortlink journal deliver"'),
      ])
  })
})
