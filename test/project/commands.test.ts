import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import Database from 'libsql'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../../src/commands/run.js'
import { configurationPage } from '../../src/config/help.js'
import { optionNames, variableOf } from '../../src/config/options.js'
import { firstStart } from '../../src/core/administration/first-start.js'
import { systemClock } from '../../src/core/values/time.js'
import { controlSocketPath } from '../../src/edges/control/client.js'
import { startControl } from '../../src/edges/control/server.js'
import { openSqlite } from '../../src/storage/records/sqlite.js'
import { administrationDeps } from '../support/administration-parts.js'

// The built program as it is shipped; `npm test` builds it first.
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const page = fileURLToPath(new URL('../../docs/configuration.md', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-commands-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function shortlink(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env: { PATH: process.env.PATH, ...env } })
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

/** Without a process of its own, for walks of many commands: to start one, a thousand files are loaded. */
async function shortlinkHere(args: readonly string[], env: Record<string, string> = {}, input = ''): Promise<Ran> {
  const said = { out: '', err: '' }
  const code = await run([...args], {
    env,
    cwd: folder,
    terminal: false,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    print: (line) => {
      said.out += `${line}\n`
    },
    complain: (line) => {
      said.err += `${line}\n`
    },
  })
  return { code, ...said }
}

describe('help', () => {
  it('names every command, option, variable and default', async () => {
    const { code, out } = await shortlink(['--help'])
    expect(code).toBe(0)
    for (const name of ['serve', 'token create', 'token list', 'token revoke', 'user create', 'migrate', 'config']) {
      expect(out).toContain(`\n  ${name} `)
    }
    for (const name of optionNames) expect(out).toMatch(new RegExp(`^  ${variableOf(name)}\\b`, 'm'))
    expect(out).toContain('Default: 127.0.0.1.')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
  })

  it('says the same as "help COMMAND" and as "COMMAND --help", even after mistakes', async () => {
    const first = await shortlink(['help', 'token', 'create'])
    const second = await shortlink(['token', 'create', '--nonsense', '--help'], { SHORTLINK_PORT: 'x' })
    expect(first).toEqual(second)
    expect(first.out).toContain(
      'Usage: shortlink token create --login LOGIN --label TEXT [--scope SCOPES] [--group GUID ...] [--domain DOMAIN ...] [--expires TIME] [--answers WORD] [--json] [OPTIONS]',
    )
  })

  it('of a first word lists the commands that begin with it', async () => {
    const first = await shortlink(['upgrade', '--help'])
    expect(first).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^ {2}upgrade undo {2}\w/m) })
    expect(first.out).not.toContain('token')
    expect(await shortlink(['help', 'upgrade'])).toEqual(first)
  })

  it('without any command goes to standard error and fails', async () => {
    expect(await shortlink([])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Commands:') })
  })

  it('--version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await shortlink(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })
})

describe('mistakes on the command line', () => {
  it.each([
    [['sevre'], 'Unknown command "sevre". Did you mean serve?'],
    [['token', 'lsit'], 'Unknown command "token lsit". Did you mean token list?'],
    [['tokens', 'list'], 'Unknown command "tokens list". Did you mean token list?'],
    [['token'], '"token" needs a second word: token create, token list, token label, token rotate, token revoke.'],
    [['constructor'], 'Unknown command "constructor".'],
    [['help', 'nonsense'], 'Unknown command "nonsense".'],
    [['--nonsense'], 'Unknown command "--nonsense".'],
    [['token', 'revoke'], '"token revoke" needs GUID'],
    [['token', 'create', '--label', 'build'], '"token create" needs --login LOGIN'],
    [['token', 'create', '--login', 'ada'], '"token create" needs --label TEXT'],
    [['migrate', 'now'], '"migrate" does not expect the word "now".'],
    [['config'], 'Choose one'],
    [['stream', 'allow'], 'Name either an organization (--organization GUID) or an account (--login LOGIN).'],
    [['stream', 'deny', '--organization', 'O1', '--login', 'ada'], 'Name either an organization'],
    [['webhook', 'redeliver', 'W1'], 'Name either a delivery (--delivery ID) or a time (--since TIME).'],
    [
      ['forget', '--visitor-day', '2999-01-01', '--ip', '192.0.2.1', '--user-agent', 'x'],
      '--visitor-day must not be in the future, as 2999-01-01 is.',
    ],
    [['user', 'create', 'ada', '--password', 'x', '--password-stdin'], 'not both'],
  ])('%j is one clear sentence and exit code 2', async (args, message) => {
    const { code, out, err } = await shortlink(args)
    expect(err).toContain(message)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect({ code, out }).toEqual({ code: 2, out: '' })
  })

  it('are all reported together with those of the configuration', async () => {
    const { code, err } = await shortlink(['serve', '--prot', '1', 'now'], { SHORTLINK_PORT: 'x', SHORTLINK_FOO: 'y' })
    expect(code).toBe(2)
    expect(err).toMatch(/^There are 4 problems:\n( {2}- .*\n){4}$/)
  })
})

describe('config', () => {
  it('--print shows every value with its source and no secret', async () => {
    writeFileSync(join(folder, 'shortlink.config.json'), JSON.stringify({ durability: 'full' }))
    const { code, out } = await shortlink(['config', '--print', '--port', '9000'], {
      SHORTLINK_ADMIN_PASSWORD: 'hunter22',
      SHORTLINK_DATABASE_URL: 'postgres://u:hunter22@db/x',
    })
    expect(code).toBe(0)
    expect(out).not.toContain('hunter22')
    expect(out).toMatch(/^port +9000 +flag --port$/m)
    expect(out).toMatch(/^baseUrl +http:\/\/localhost:9000 +default$/m)
    expect(out).toMatch(/^durability +full +file .*shortlink\.config\.json$/m)
    expect(out).toMatch(/^adminPassword +\*{8} +environment SHORTLINK_ADMIN_PASSWORD$/m)
    expect(out).toMatch(/^databaseUrl +postgres:\/\/u:\*{8}@db\/x +environment/m)
    expect(out.trimEnd().split('\n')).toHaveLength(optionNames.length + 1)
  })

  it('--print --json is for programs', async () => {
    const { out } = await shortlink(['config', '--print', '--json', '--domains', 'a.example,b.example'])
    expect(JSON.parse(out)).toMatchObject({
      domains: { value: 'a.example,b.example', source: 'flag', from: '--domains' },
      port: { value: '8080', source: 'default', from: '' },
    })
  })

  it('--print writes limits of endpoints as a flag would', async () => {
    const limits = 'POST /v4/shorten=10,GET /v4/user=3'
    expect((await shortlink(['config', '--print', '--endpoint-limits', limits])).out).toContain(` ${limits} `)
  })

  it('--check says whether it is fine', async () => {
    expect(await shortlink(['config', '--check'])).toEqual({ code: 0, out: 'The configuration is valid.\n', err: '' })
    expect(await shortlink(['config', '--check'], { SHORTLINK_PORT: '0' })).toMatchObject({ code: 2, out: '' })
  })

  it('--check opens the files that are named, and reports each problem', async () => {
    writeFileSync(join(folder, 'plans.json'), '{"free":{"limits":{"encode":5}}}')
    writeFileSync(join(folder, 'stream.pem'), 'no certificate')
    writeFileSync(join(folder, 'file'), '')
    const named = {
      SHORTLINK_DATA_DIR: './file/data',
      SHORTLINK_PLANS: './plans.json',
      SHORTLINK_GEOGRAPHY: './missing.mmdb,./file',
      SHORTLINK_NSQD_CERTIFICATE: './stream.pem',
      SHORTLINK_NSQD_KEY: './stream.pem',
      SHORTLINK_NSQD_TLS: 'optional',
      SHORTLINK_NSQD_HOST: '0.0.0.0',
    }
    const { code, out, err } = await shortlink(['config', '--check'], named)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^There are 6 problems:\n/)
    for (const word of [
      'dataDir: ',
      'plans.json',
      'missing.mmdb',
      '/file: it is not an mmdb file',
      'stream.pem',
      'nsqdTls',
    ]) {
      expect(err).toContain(word)
    }
    writeFileSync(join(folder, 'secrets.key'), 'x')
    expect((await shortlink(['config', '--check', '--data-dir', folder])).err).toContain('secrets.key contains no key')
    expect(readdirSync(folder).sort()).toEqual(['file', 'plans.json', 'secrets.key', 'stream.pem'])
  })

  it.each([
    [['--access-log', 'missing/access.log'], /accessLog: cannot write .*missing\/access\.log \(ENOENT/],
    [['--access-log', '.'], /accessLog: cannot write .* \(it is a directory\)/],
    [['--backup-to', 'file/backups'], /backupTo: cannot use .*file\/backups \(.*file is not a directory\)/],
    [['--port', '9000', '--ops-port', '9000'], /opsPort: 9000 is also port\. Choose another\./],
    [['--port', '9000', '--nsqd-port', '9000', '--nsqd-host', '0.0.0.0'], /nsqdPort: 9000 is also port\./],
  ])('--check finds what would stop the service or its logs and backups: %j', async (flags, problem) => {
    writeFileSync(join(folder, 'file'), '')
    const { code, err } = await shortlink(['config', '--check', ...flags])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(problem) })
  })

  it('--check accepts an access log and backups that will be created', async () => {
    const flags = ['--access-log', 'access.log', '--backup-to', 'new/backups']
    const ports = ['--port', '9000', '--ops-port', '9000', '--ops-host', '127.0.0.2']
    expect((await shortlink(['config', '--check', ...flags, ...ports])).err).toBe('')
  })

  it('docs/configuration.md is what the option table says (bin/shortlink config --reference renews it)', async () => {
    expect(readFileSync(page, 'utf8')).toBe(configurationPage())
    expect((await shortlink(['config', '--reference'])).out).toBe(configurationPage())
  })
})

describe('what the operator has to clear', () => {
  const one = async (...args: string[]) => {
    const { code, out, err } = await shortlink([...args, '--data-dir', folder])
    expect({ code, out, lines: err.split('\n').length - 1 }, err).toEqual({ code: 1, out: '', lines: 1 })
    return err
  }

  it('is one sentence for a database that is none', async () => {
    writeFileSync(join(folder, 'records.sqlite'), 'this is no database '.repeat(1000))
    for (const command of [['serve'], ['token', 'list'], ['migrate']]) {
      expect(await one(...command)).toMatch(/^Cannot open the database file .*records\.sqlite/)
    }
  })

  it('is one sentence for a database of a newer version', async () => {
    const records = await openSqlite(join(folder, 'records.sqlite'))
    await records.migrate()
    await records.close()
    const database = new Database(join(folder, 'records.sqlite'))
    database.exec("insert into kysely_migration (name, timestamp) values ('9999-future', '2027')")
    database.close()
    for (const command of [['serve'], ['token', 'list'], ['migrate']]) {
      expect(await one(...command)).toMatch(/^The database was written by a newer version .*run that version/)
    }
  })

  it('is one sentence for a database server that is away', async () => {
    const url = ['--database-url', 'postgres://me:hunter2@127.0.0.1:1/none']
    for (const command of [['serve'], ['token', 'list'], ['migrate']]) {
      expect(await one(...command, ...url)).toMatch(/^Cannot use the PostgreSQL database: (?!.*hunter2)/)
    }
  })

  it('is one sentence for an address that cannot be listened on', async () => {
    const { code, err } = await shortlink(['serve', '--host', 'fe80::1', '--data-dir', folder])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/^.*fe80::1.*--host.*\n$/) })
  })

  it.skipIf(!existsSync('/proc/self'))('is one sentence for a place where nothing can be made', async () => {
    const { code, err } = await shortlink(['serve', '--data-dir', '/proc/nowhere/data'])
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot create the data directory .*--data-dir\.\n$/),
    })
  })
})

describe('standard output', () => {
  it.skipIf(!existsSync('/dev/full'))('that is full fails a command, and says why', async () => {
    const child = spawn('sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, main, '--help'])
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^Cannot write to standard output \(ENOSPC.*\n$/),
    })
  })

  it('that nobody reads ends a command without complaint', async () => {
    const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect({ code, err }).toEqual({ code: 0, err: '' })
  })
})

describe('administration', () => {
  async function openRecords() {
    return openSqlite(join(folder, 'records.sqlite'))
  }

  async function madeService() {
    const records = await openRecords()
    await records.migrate()
    const inputs = { login: 'admin', password: 'correct horse', token: undefined }
    await firstStart({ accounts: records.accounts, clock: systemClock }, inputs)
    return records
  }

  async function walk(): Promise<void> {
    const here = ['--data-dir', folder]
    const user = await shortlinkHere(['user', 'create', 'ada', '--name', 'Ada', '--json', ...here])
    expect(user).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(user.out)).toMatchObject({ login: 'ada', password: expect.stringMatching(/^\w{20}$/) })

    const given = await shortlinkHere(['user', 'create', 'bob', '--password-stdin', ...here], {}, 'correct horse\n')
    expect(given).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^User bob was created in group B\w{10}\.\n$/),
    })

    const made = await shortlinkHere(['token', 'create', '--login', 'ada', '--label', 'my laptop', ...here])
    expect(made.out).toMatch(/^[0-9a-f]{40}\nToken t\w{10} of ada\./)
    const guid = /t\w{10}/.exec(made.out)?.[0] ?? ''
    const list = await shortlinkHere(['token', 'list', '--login', 'ada', ...here])
    const [heading, row] = list.out.split('\n')
    expect(heading).toMatch(
      /^GUID +ENDS IN +LOGIN +LABEL +SCOPES +GROUPS +DOMAINS +ANSWERS +CREATED +LAST USED +EXPIRES +REVOKED$/,
    )
    expect(row).toMatch(
      new RegExp(`^${guid} +\\.\\.\\.${made.out.slice(36, 40)} +ada +my laptop +all +all +all +- +20.* - +- +-$`),
    )
    expect(row?.indexOf('my laptop')).toBe(heading?.indexOf('LABEL'))

    expect(await shortlinkHere(['token', 'revoke', guid, ...here])).toMatchObject({ code: 0, err: '' })
    const again = await shortlinkHere(['token', 'revoke', guid, ...here])
    expect(again).toEqual({ code: 1, out: '', err: `There is no token "${guid}", or it was revoked before.\n` })
    const json = JSON.parse((await shortlinkHere(['token', 'list', '--json', ...here])).out)
    expect(json).toHaveLength(2)
    expect(json[1]).toMatchObject({ guid, login: 'ada', revokedAt: expect.any(Number) })
    expect(await shortlinkHere(['token', 'create', '--login', 'nobody', '--label', 'x', ...here])).toMatchObject({
      code: 1,
      err: 'There is no user "nobody".\n',
    })
  }

  it('works on the records while the service is stopped', async () => {
    await (await madeService()).close()
    await walk()
  })

  it('works through the socket while the service runs, which hears of revoked tokens', async () => {
    const records = await madeService()
    const revoked: string[] = []
    const deps = {
      ...administrationDeps(records),
      onTokenRevoked: (guid: string) => revoked.push(guid),
    }
    const control = await startControl(controlSocketPath(folder), deps, pino({ level: 'silent' }))
    await walk()
    await control.close()
    await records.close()
    expect(revoked).toEqual([expect.stringMatching(/^t\w{10}$/)])
  })

  it('does not make a data directory by mistake', async () => {
    const { code, err } = await shortlink(['token', 'list', '--data-dir', 'elsewhere'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('There is no data directory') })
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false)
  })

  it('does not make a database by mistake', async () => {
    const { code, err } = await shortlink(['token', 'list', '--data-dir', folder])
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('There is no service in the data directory'),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('asks for migrations first, and migrate runs and lists them', async () => {
    const here = ['--data-dir', folder]
    writeFileSync(join(folder, 'records.sqlite'), '')
    expect(await shortlink(['token', 'list', ...here])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The database is \d+ migration\(s\) behind this version\. Run "shortlink migrate"/),
    })
    const dry = await shortlink(['migrate', '--dry-run', ...here])
    expect(dry.out).toMatch(/^(pending {2}\S+\n)+$/)
    const done = await shortlink(['migrate', ...here])
    expect(done).toMatchObject({ code: 0, out: dry.out.replaceAll(/^pending/gm, 'done') })
    expect((await shortlink(['migrate', ...here])).out).toBe('The database is up to date.\n')
    expect((await shortlink(['token', 'list', ...here])).out).toBe('There are no tokens.\n')
    expect((await shortlink(['user', 'create', 'ada', ...here])).err).toContain('There is no group yet')
  })
})
