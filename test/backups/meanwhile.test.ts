/** What may run while a backup is made (docs/backup.md): bulk jobs, `forget`, `move` and other backups. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'
import { ended, runCommand, startCommand } from '../support/run-command.js'
import { postgresEngine } from '../support/sql-engines.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-backup-meanwhile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const dataDir = join(folder, 'data')
/** Work of a second or two. */
const rows = 12_000

describe('while a backup is made', { timeout: 240_000 }, () => {
  let service: ServiceProcess
  let running: ServiceProcess[] = []
  beforeAll(async () => {
    service = await start(dataDir)
  })
  afterAll(async () => {
    for (const each of running) await each.stop('SIGTERM')
  })

  async function start(directory: string): Promise<ServiceProcess> {
    const started = await startProcess(directory)
    running.push(started)
    return started
  }

  async function stop(one: ServiceProcess): Promise<void> {
    running = running.filter((each) => each !== one)
    await one.stop('SIGTERM')
  }

  async function backUp(name: string, flags: readonly string[] = []) {
    return runCommand(['backup', join(folder, name), '--data-dir', dataDir, ...flags])
  }

  async function restored(name: string, flags: readonly string[] = []): Promise<string> {
    const directory = join(folder, `restored-${name}`)
    const args = ['restore', join(folder, name), '--data-dir', directory, '--without-secrets', ...flags]
    expect(await runCommand(args)).toMatchObject({ code: 0 })
    return directory
  }

  it('a bulk job goes on, and after a restore it works on every row once', async () => {
    const lines = Array.from({ length: rows }, (_, n) => `https://example.com/${n},true,k${n}`)
    const body = `long_url,force_new_link,keyword\n${lines.join('\n')}\n`
    const { guid } = await ask(service, '/v4/bulk/jobs', {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body,
    })
    const job = (at: ServiceProcess) => ask(at, `/v4/bulk/jobs/${guid}`)
    while ((await job(service)).rows_done < 100) await setTimeout(1)
    expect(await backUp('job')).toMatchObject({ code: 0 })

    const restoredService = await start(await restored('job'))
    expect((await job(restoredService)).rows_done).toBeLessThan(rows)
    for (const each of [service, restoredService]) {
      while ((await job(each)).state === 'running') await setTimeout(50)
      expect(await job(each)).toMatchObject({ state: 'done', rows_done: rows, counts: { created: rows, refused: 0 } })
      const result = await ask(each, `/v4/bulk/jobs/${guid}/result`)
      const keywords = result.trim().split('\n').slice(1)
      expect(keywords.map((line: string) => line.split(',')[2])).toEqual(lines.map((line) => line.split(',')[2]))
    }
    await stop(restoredService)
  })

  it('"forget" goes on, and the same command forgets it in the restored data too', async () => {
    const secret = 'https://example.com/erika-mustermann'
    const { id, path } = await shortenAt(service.url, secret)
    for (let visit = 0; visit < 5; visit++) await fetch(service.url + path, { redirect: 'manual' })
    await drained(service.url)
    const forget = (directory: string) => runCommand(['forget', '--link', id, '--yes', '--data-dir', directory])
    const [backup, forgotten] = await Promise.all([backUp('forget'), forget(dataDir)])
    expect(forgotten).toMatchObject({ code: 0 })
    expect(backup).toMatchObject({ code: 0 })
    expect(await runCommand(['backup', 'verify', join(folder, 'forget')])).toMatchObject({ code: 0 })

    const directory = await restored('forget')
    expect(await forget(directory)).toMatchObject({ code: 0 })
    const restoredService = await start(directory)
    for (const each of [service, restoredService]) {
      const shown = JSON.stringify(await ask(each, `/v4/shortlinks/${id}`))
      expect(shown).not.toContain(secret)
    }
    await stop(restoredService)
  })

  it('other backups are made beside it, each complete', async () => {
    const names = ['one', 'two', 'three.tar']
    const beside = (name: string) => ended(startCommand(['backup', join(folder, name), '--data-dir', dataDir]))
    const made = await Promise.all(names.map(beside))
    expect(made.map(({ code, err }) => ({ code, err }))).toEqual(names.map(() => ({ code: 0, err: expect.anything() })))
    for (const name of names) {
      expect(await runCommand(['backup', 'verify', join(folder, name)])).toMatchObject({ code: 0 })
    }
    expect(await backUp('one')).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') })
  })

  it('"move" refuses it or leaves it the former stores, and afterwards the former options are refused', async (context) => {
    const noPostgres = postgresEngine().skip
    if (noPostgres) context.skip(noPostgres)
    const { path } = await shortenAt(service.url, 'https://example.com/moved')
    await fetch(service.url + path, { redirect: 'manual' })
    await drained(service.url)
    await stop(service)
    const database = await postgresEngine().create()
    try {
      const port = String(await freePort())
      const move = startCommand(['move', '--data-dir', dataDir, '--port', port, '--to', database.location])
      const moved = ended(move)
      const url = `http://127.0.0.1:${port}/healthz`
      while (move.exitCode === null && !(await fetch(url).catch(() => undefined))?.ok) await setTimeout(5)
      const { code, err } = await backUp('moving')
      if (code === 0) expect(await runCommand(['backup', 'verify', join(folder, 'moving')])).toMatchObject({ code: 0 })
      else expect(err).toMatch(/is using the click log|were moved to PostgreSQL/)
      expect(await moved).toMatchObject({ code: 0, err: '' })
      expect(await backUp('moved')).toMatchObject({
        code: 1,
        err: expect.stringContaining('were moved to PostgreSQL'),
      })
      expect(existsSync(join(folder, 'moved'))).toBe(false)
      expect(await backUp('after', ['--database-url', database.location])).toMatchObject({ code: 0 })
    } finally {
      await database.remove()
    }
  })
})

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function ask({ url }: ServiceProcess, path: string, options: RequestInit = {}): Promise<any> {
  const headers = { authorization: `Bearer ${processToken}`, ...options.headers }
  const response = await fetch(url + path, { ...options, headers })
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text()
}
