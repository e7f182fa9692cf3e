/** `export` and `import --from shortlink`, as an operator runs them. */
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ArchiveManifest as Manifest } from '../../src/core/copies/manifest.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { runCommand, startCommand } from '../support/run-command.js'
import { postgresEngine } from '../support/sql-engines.js'
import { type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-export-'))
const dataDir = join(folder, 'data')
let service: ServiceProcess
let link: { readonly id: string; readonly path: string }
const visits = 25
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

beforeAll(async () => {
  service = await startProcess(dataDir, ['--domains', 'sho.rt'])
  link = await shortenAt(service.url, 'https://example.com/=1+1')
  for (let visit = 0; visit < visits; visit++) await visitLink(service)
})
afterAll(async () => {
  await service.stop('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

describe('shortlink export and import', { timeout: 120_000 }, () => {
  it('exports while the service runs, imports it into a new installation, and exports the same', async () => {
    const first = join(folder, 'first')
    const exported = await run(['export', first, '--data-dir', dataDir, '--json'])
    expect(exported).toMatchObject({ code: 0, err: '' })
    const manifest = JSON.parse(exported.out) as Manifest
    // Every visit that was answered before, also those that were still in the journal.
    expect(manifest.counts).toMatchObject({ organizations: 1, users: 1, links: 1, clicks: visits })
    expect(manifest.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'records/links.csv']))
    expect(readFileSync(join(first, 'records/links.ndjson'), 'utf8')).toContain('https://example.com/=1+1')
    expect(readFileSync(join(first, 'records/users.ndjson'), 'utf8')).not.toContain('argon2')

    const copy = join(folder, 'copy')
    const imported = await run(['import', '--from', 'shortlink', first, '--data-dir', copy])
    expect(imported).toMatchObject({ code: 0, err: '' })
    expect(imported.out).toContain(`Imported 1 link (with those of stand-alone QR codes), 1 user and ${visits} clicks.`)

    const second = join(folder, 'second')
    expect(await run(['export', second, '--data-dir', copy])).toMatchObject({ code: 0, err: '' })
    expect(contentsOf(second)).toEqual(contentsOf(first))

    const other = await startProcess(copy, ['--domains', 'sho.rt'])
    try {
      expect(await visitLink(other)).toBe('https://example.com/=1+1')
    } finally {
      await other.stop('SIGTERM')
    }
  })

  it('can be one tar file', async () => {
    const tar = join(folder, 'whole.tar')
    const copy = join(folder, 'from-tar')
    expect(await run(['export', tar, '--data-dir', dataDir])).toMatchObject({ code: 0, err: '' })
    expect(await run(['import', tar, '--data-dir', copy])).toMatchObject({ code: 0, err: '' })
    const exported = join(folder, 'exported-from-tar')
    expect(await run(['export', exported, '--data-dir', copy])).toMatchObject({ code: 0, err: '' })
    const again = join(folder, 'not-from-tar')
    expect(await run(['export', again, '--data-dir', dataDir])).toMatchObject({ code: 0, err: '' })
    expect(contentsOf(exported)).toEqual(contentsOf(again))
    expect(await run(['export', tar, '--data-dir', dataDir])).toMatchObject({
      code: 1,
      err: expect.stringContaining('whole.tar exists'),
    })
  })

  it('ends the same when an import was killed and is repeated', async () => {
    const archive = join(folder, 'first')
    const copy = join(folder, 'killed-copy')
    const args = ['import', '--from', 'shortlink', archive, '--data-dir', copy]
    const child = startCommand(args)
    const killed = once(child, 'exit')
    setTimeout(() => child.kill('SIGKILL'), 200 + Math.random() * 600)
    await killed
    const again = await run(args)
    if (again.code !== 0) expect(again.err).toContain('This installation is not empty')
    const exported = join(folder, 'killed-export')
    expect(await run(['export', exported, '--data-dir', copy])).toMatchObject({ code: 0, err: '' })
    expect(contentsOf(exported)).toEqual(contentsOf(archive))
  })

  const noServers = postgresEngine().skip ?? ClickhouseServer.skip()
  it.skipIf(noServers)(`moves to PostgreSQL and ClickHouse ${noServers ?? ''}`, async () => {
    const database = await postgresEngine().create()
    const clickhouse = new ClickhouseServer()
    try {
      const archive = join(folder, 'first')
      const copy = ['--data-dir', join(folder, 'servers'), '--database-url', database.location]
      const clicks = ['--clickhouse-url', await clickhouse.newDatabase()]
      const imported = await run(['import', '--from', 'shortlink', archive, ...copy, ...clicks])
      expect(imported).toMatchObject({ code: 0, err: '' })
      const exported = join(folder, 'from-servers')
      expect(await run(['export', exported, ...copy, ...clicks])).toMatchObject({ code: 0, err: '' })
      expect(contentsOf(exported)).toEqual(contentsOf(archive))
    } finally {
      await clickhouse.stop()
      await database.remove()
    }
  })

  it('refuses a service that is not empty, or that runs, and says what to do', async () => {
    const archive = join(folder, 'refused')
    await run(['export', archive, '--data-dir', dataDir, '--clicks', 'none'])
    const running = await run(['import', '--from', 'shortlink', archive, '--data-dir', dataDir])
    expect(running).toMatchObject({ code: 1, err: expect.stringContaining('is already running') })
    const copy = join(folder, 'copy')
    const full = await run(['import', '--from', 'shortlink', archive, '--data-dir', copy])
    expect(full).toMatchObject({
      code: 1,
      err: expect.stringContaining('This installation is not empty (1 organizations'),
    })
  })

  it('names the command that reads its folder, whatever import it is given to', async () => {
    const archive = join(folder, 'named')
    await run(['export', archive, '--data-dir', dataDir, '--clicks', 'none'])
    for (const kind of ['links', 'clicks']) {
      const refused = await run(['import', kind, archive, '--data-dir', dataDir])
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`"shortlink import ${archive}"`) })
    }
    const imported = await run(['import', archive, '--data-dir', join(folder, 'by-its-name')])
    expect(imported).toMatchObject({ code: 0, err: '' })
    const other = await run(['import', folder, '--data-dir', join(folder, 'other')])
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('"shortlink import links FILE"') })
  })

  it('writes only into a folder of its own', async () => {
    const used = join(folder, 'used')
    mkdirSync(used)
    writeFileSync(join(used, 'letter.txt'), 'mine')
    const refused = await run(['export', used, '--data-dir', dataDir])
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') })
    expect(readdirSync(used)).toEqual(['letter.txt'])
    expect((await run(['export', join(folder, 'a/b'), '--data-dir', dataDir])).err).toContain('does not exist')

    const empty = join(folder, 'empty')
    mkdirSync(empty)
    expect(await run(['export', empty, '--data-dir', dataDir])).toMatchObject({ code: 0, err: '' })
    expect(existsSync(join(empty, 'manifest.json'))).toBe(true)
  })

  it('leaves no archive when it is killed, and replaces what it left when it runs again', async () => {
    const archive = join(folder, 'killed')
    const killed = async () => {
      const child = startCommand(['export', archive, '--data-dir', dataDir])
      const ended = once(child, 'exit')
      const isBegun = () => existsSync(`${archive}.unfinished`) || existsSync(archive)
      while (!isBegun()) await new Promise((resolve) => setTimeout(resolve, 1))
      child.kill('SIGKILL')
      await ended
      return !existsSync(archive)
    }
    // It may be done before anybody sees it begin.
    while (!(await killed())) rmSync(archive, { recursive: true })
    const unfinished = await run([
      'import',
      '--from',
      'shortlink',
      `${archive}.unfinished`,
      '--data-dir',
      join(folder, 'x'),
    ])
    expect(unfinished).toMatchObject({ code: 1, err: expect.stringContaining('is not an archive of shortlink') })
    expect(await run(['export', archive, '--data-dir', dataDir])).toMatchObject({ code: 0, err: '' })
    expect(existsSync(join(archive, 'manifest.json'))).toBe(true)
    expect(existsSync(`${archive}.unfinished`)).toBe(false)
  })

  it('forgets a visitor of today, after it was told to', async () => {
    const day = new Date().toISOString().slice(0, 10)
    const visitor = ['--visitor-day', day, '--ip', '127.0.0.1', '--user-agent', userAgent]
    const dry = await run(['forget', ...visitor, '--data-dir', dataDir])
    expect(dry).toMatchObject({ code: 0, err: '' })
    expect(dry.out).toContain(`${visits} clicks`)
    expect(dry.out).toContain('Nothing was changed')
    const other = await run(['forget', ...visitor.slice(0, -1), 'Lynx', '--data-dir', dataDir, '--yes', '--json'])
    expect(JSON.parse(other.out)).toMatchObject({ clicks: 0 })
    const done = await run(['forget', ...visitor, '--data-dir', dataDir, '--yes', '--json'])
    expect(JSON.parse(done.out)).toMatchObject({ dryRun: false, clicks: visits })
    const again = await run(['forget', ...visitor, '--data-dir', dataDir, '--yes', '--json'])
    expect(JSON.parse(again.out)).toMatchObject({ clicks: 0 })
    const old = await run(['forget', '--visitor-day', '2020-01-01', ...visitor.slice(2), '--data-dir', dataDir])
    expect(old.out).toContain('nobody can tell')
    expect((await run(['forget', '--data-dir', dataDir])).code).toBe(2)
  })

  it('forgets a link with its clicks, and a user, while the service runs', async () => {
    await visitLink(service)
    const link = await run(['forget', '--link', `http://${address()}`, '--data-dir', dataDir, '--yes', '--json'])
    expect(JSON.parse(link.out)).toMatchObject({ clicks: 1, rows: { links: 1 } })
    expect(await visitLink(service)).not.toBe('https://example.com/=1+1')

    await run(['user', 'create', 'erika', '--data-dir', dataDir])
    const last = await run(['forget', '--user', 'admin', '--data-dir', dataDir, '--yes'])
    expect(last).toMatchObject({ code: 1, err: expect.stringContaining('last administrator') })
    expect(await run(['forget', '--user', 'erika', '--data-dir', dataDir, '--yes'])).toMatchObject({ code: 0, err: '' })
    const archive = join(folder, 'forgotten')
    await run(['export', archive, '--data-dir', dataDir, '--with-secrets'])
    expect(Object.values(contentsOf(archive)).filter((content) => /erika|=1\+1/.test(content))).toEqual([])
  })
})

function address(): string {
  return `sho.rt${link.path}`
}

/** Where it leads. Not by fetch, which sends no other host. */
function visitLink({ url }: ServiceProcess): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'sho.rt', 'user-agent': userAgent }
    get(`${url}${link.path}`, { headers }, (response) => {
      response.resume().on('end', () => resolve(response.headers.location))
    }).on('error', reject)
  })
}

function run(args: readonly string[]) {
  return runCommand(args, { cwd: folder })
}

function contentsOf(directory: string): Readonly<Record<string, string>> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const content = readFileSync(join(parentPath, name), 'latin1')
      return [join(parentPath, name).slice(directory.length), content.replace(/"exported_at": ".*"/, '')]
    }),
  )
}
