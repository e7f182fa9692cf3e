/** `backup`, `backup verify`, `backup list` and `restore`, as an operator runs them. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { BackupManifest } from '../../src/core/copies/manifest.js'
import { openPostgres } from '../../src/storage/records/postgres.js'
import { runCommand, startCommand } from '../support/run-command.js'
import { postgresEngine } from '../support/sql-engines.js'
import { processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-backup-'))
const dataDir = join(folder, 'data')
const visits = 25
let service: ServiceProcess
let link: { readonly id: string; readonly path: string }

beforeAll(async () => {
  service = await startProcess(dataDir, ['--domains', 'sho.rt'])
  link = await shortenAt(service.url, 'https://example.com/backed-up')
  for (let visit = 0; visit < visits; visit++) await visitLink(service)
})
afterAll(async () => {
  await service.stop('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

describe('shortlink backup and restore', { timeout: 120_000 }, () => {
  it('makes, lists, verifies and restores a backup of a running service', async () => {
    const first = join(folder, 'first')
    const made = await run(['backup', first, '--data-dir', dataDir, '--json'], {
      SHORTLINK_BACKUP_PASSPHRASE: passphrase,
    })
    expect(made).toMatchObject({ code: 0, err: '' })
    expect((JSON.parse(made.out) as BackupManifest).counts).toMatchObject({ links: 1, users: 1, clicks: visits })
    expect(await run(['backup', 'verify', first])).toMatchObject({
      code: 0,
      out: expect.stringContaining('is complete'),
    })
    expect((await run(['backup', 'list', folder])).out).toMatch(/^NAME .*\nfirst +2\d{3}-.* 1 +25 /)

    const itself = await run(['backup', 'list', first])
    expect(itself).toMatchObject({
      out: expect.stringMatching(/\nfirst +2\d{3}-/),
      err: expect.stringContaining('is itself a backup'),
    })

    const copy = join(folder, 'copy')
    const forgotten = await run(['restore', first, '--data-dir', copy])
    expect(forgotten).toMatchObject({ code: 1, err: expect.stringContaining('SHORTLINK_BACKUP_PASSPHRASE') })
    const restored = await run(['restore', first, '--data-dir', copy], { SHORTLINK_BACKUP_PASSPHRASE: passphrase })
    expect(restored).toMatchObject({ code: 0, err: '' })
    const other = await startProcess(copy, ['--domains', 'sho.rt'])
    try {
      expect(await visitLink(other)).toBe('https://example.com/backed-up')
      await until(async () => (await clicksAt(other)) === visits + 1)
    } finally {
      await other.stop('SIGTERM')
    }

    const stopped = join(folder, 'stopped')
    const again = await run(['backup', stopped, '--data-dir', copy])
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('are left out: keep a copy of secrets.key') })
    const unlocked = await run(['restore', stopped, '--data-dir', join(folder, 'unlocked')])
    expect(unlocked).toMatchObject({ code: 0, out: expect.stringContaining('Secrets were not restored: new ones') })
    expect(again.out).toContain(`Backed up 1 link (with those of stand-alone QR codes), 1 user, ${visits + 1} clicks`)
  })

  it('refuses a service that runs, a folder that is used, and what is no backup', async () => {
    const first = join(folder, 'first')
    const running = await run(['restore', first, '--data-dir', dataDir], { SHORTLINK_BACKUP_PASSPHRASE: passphrase })
    expect(running).toMatchObject({ code: 1, err: expect.stringContaining('is already running') })
    const used = await run(['backup', first, '--data-dir', dataDir])
    expect(used).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') })
    const nothing = await run(['backup', 'verify', dataDir])
    expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('is not a backup of shortlink') })
    const elsewhere = ['--database-url', 'postgres://localhost/x', '--data-dir', join(folder, 'x')]
    const engines = await run(['restore', first, ...elsewhere], { SHORTLINK_BACKUP_PASSPHRASE: passphrase })
    expect(engines).toMatchObject({ code: 1, err: expect.stringContaining('do not set databaseUrl') })
  })

  it('is never listed as good when it was killed', async () => {
    const killed = join(folder, 'killed')
    const child = startCommand(['backup', killed, '--data-dir', dataDir])
    while (!existsSync(`${killed}.unfinished`)) await new Promise((resolve) => setTimeout(resolve, 1))
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(readdirSync(folder)).not.toContain('killed')
    expect((await run(['backup', 'list', folder])).out).toMatch(/killed.unfinished +not finished/)
    expect(await run(['backup', killed, '--data-dir', dataDir])).toMatchObject({ code: 0 })
    expect(existsSync(`${killed}.unfinished`)).toBe(false)
  })
})

const postgres = postgresEngine()

it.skipIf(postgres.skip)(
  `says nothing of secrets.key with PostgreSQL, which has none${postgres.skip ? ` (skipped: ${postgres.skip})` : ''}`,
  { timeout: 120_000 },
  async () => {
    const [from, to] = [await postgres.create(), await postgres.create()]
    onTestFinished(async () => {
      for (const database of [from, to]) await database.remove()
    })
    const records = await openPostgres(from.location)
    await records.migrate()
    await records.close()
    const origin = join(folder, 'on-postgres')
    await (await startProcess(origin, ['--database-url', from.location])).stop('SIGTERM')
    const target = join(folder, 'of-postgres')
    const made = await run(['backup', target, '--data-dir', origin, '--database-url', from.location])
    expect(made).toMatchObject({
      code: 0,
      err: expect.stringContaining('secrets of the data directory are left out ('),
    })
    const copy = join(folder, 'postgres-copy')
    const restored = await run(['restore', target, '--data-dir', copy, '--database-url', to.location])
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining('were not restored') })
    expect(made.err + restored.out).not.toContain('secrets.key')
  },
)

const passphrase = 'correct horse battery staple'

/** Where it leads. Not by fetch, which sends no other host. */
function visitLink({ url }: ServiceProcess): Promise<string | undefined> {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  return new Promise((resolve, reject) => {
    get(`${url}${link.path}`, { headers: { host: 'sho.rt', 'user-agent': userAgent } }, (response) => {
      response.resume().on('end', () => resolve(response.headers.location))
    }).on('error', reject)
  })
}

async function clicksAt({ url }: ServiceProcess): Promise<number> {
  const answer = await fetch(`${url}/v4/shortlinks/${link.id}/clicks/summary?unit=day&units=-1`, {
    headers: { authorization: `Bearer ${processToken}` },
  })
  return ((await answer.json()) as { total_clicks: number }).total_clicks
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50))
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runCommand(args, { cwd: folder, env })
}
