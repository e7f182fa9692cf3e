/** A backup to a disk that is full, as an operator sees it. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '../../src/storage/records/postgres.js'
import { runCommand } from '../support/run-command.js'
import { postgresEngine } from '../support/sql-engines.js'
import { startProcess } from '../support/start-process.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-full-disk-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0
const why = canMount ? '' : ' (skipped: mounting needs root and unshare)'

const postgres = postgresEngine()

describe.skipIf(!canMount)(`a full disk${why}`, { timeout: 300_000 }, () => {
  it.each([['one', 'sqlite'], ['one.tar', 'sqlite'], ...(postgres.skip ? [] : [['one', 'postgres']])])(
    'is named, and nothing of the backup %s of %s is left',
    async (target, engine) => {
      const home = join(folder, `${engine}-${target}`)
      const backups = join(home, 'backups')
      mkdirSync(backups, { recursive: true })
      const stores = ['--data-dir', join(home, 'data')]
      if (engine === 'postgres') {
        const database = await postgres.create()
        onTestFinished(() => database.remove())
        const records = await openPostgres(database.location)
        await records.migrate()
        await records.close()
        stores.push('--database-url', `'${database.location}'`)
      }
      const flags = stores.map((each) => each.replaceAll("'", ''))
      await (await startProcess(join(home, 'data'), ['--domains', 'sho.rt', ...flags.slice(2)])).stop('SIGTERM')
      const file = join(home, 'links.csv')
      const rows = Array.from({ length: 3_000 }, (_, n) => `https://example.com/${n}/${String(n).repeat(300)},k${n}`)
      writeFileSync(file, `long_url,keyword\n${rows.join('\n')}\n`)
      expect(await runCommand(['import', 'links', file, ...flags, '--domains', 'sho.rt'])).toMatchObject({ code: 0 })

      const backup = `"${process.execPath}" dist/main.js backup "${backups}/${target}" ${stores.join(' ')} 2>&1`
      const list = `"${process.execPath}" dist/main.js backup list "${backups}"`
      const script = `mount -t tmpfs -o size=2m tmpfs "${backups}" && ${backup}; echo "code $?"; ${list}; ls -A "${backups}"`
      const { stdout } = await promisify(execFile)('unshare', ['-m', 'sh', '-c', script])
      expect(stdout.trim().split('\n')).toEqual([
        expect.stringContaining(`The disk of ${backups}/${target} is full.`),
        ...['code 1', 'There are no backups.'],
      ])
    },
  )

  it.each(['backup one', 'backup one.tar', 'export one'])('is named before anything is copied: %s', async (command) => {
    const home = mkdtempSync(join(folder, 'no-room-'))
    const target = join(home, 'target')
    mkdirSync(target)
    await (await startProcess(join(home, 'data'))).stop('SIGTERM')
    const [verb, name] = command.split(' ')
    const fill = `head -c 65536 /dev/zero > "${target}/filler"`
    const run = `"${process.execPath}" dist/main.js ${verb} "${target}/${name}" --data-dir "${home}/data" 2>&1`
    const script = `mount -t tmpfs -o size=64k tmpfs "${target}" && ${fill}; ${run}; echo "code $?"; ls -A "${target}"`
    const { stdout } = await promisify(execFile)('unshare', ['-m', 'sh', '-c', script])
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringContaining(
        `The disk of ${target}/${name} is full. The ${verb === 'export' ? 'archive' : verb} was not started.`,
      ),
      ...['code 1', 'filler'],
    ])
  })
})
