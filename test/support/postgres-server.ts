/**
 * A PostgreSQL of our own, from the server binaries installed on this machine: an own directory, a free loopback port,
 * gone afterwards. It can be restarted, killed and frozen, and have a standby that is promoted.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { freePort } from './free-port.js'

/** Why there can be none on this machine. */
export function whyNoPostgresServer(): string | undefined {
  if (process.platform === 'win32') return 'starting a server of our own is not supported on Windows'
  if (!binaries()) return 'no PostgreSQL server is installed (looked for initdb and postgres; on Debian: postgresql)'
  if (isRoot() && !unprivileged()) return 'PostgreSQL does not run as root, and there is no user postgres or nobody'
  return undefined
}

export class PostgresServer {
  readonly #directory = mkdtempSync(join(tmpdir(), 'shortlink-postgres-'))
  readonly #user = isRoot() ? unprivileged() : undefined
  readonly #lastWords: string[] = []
  #process: ChildProcess | undefined
  #port = 0
  #password = ''
  readonly #settings: Readonly<Record<string, string | number>>
  // For a run that ends without tearing down, by Ctrl-C say.
  readonly #onExit = (): void => {
    this.#process?.kill('SIGQUIT')
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** `settings`: instead of those for tests, which are fast and may lose the last commits when it is killed. */
  constructor(settings: Readonly<Record<string, string | number>> = {}) {
    this.#settings = settings
    process.once('exit', this.#onExit)
    if (this.#user) chownSync(this.#directory, this.#user.uid, this.#user.gid)
  }

  async start(): Promise<string> {
    this.#password = this.#createCluster()
    this.#port = await freePort()
    await this.#serve(this.#port)
    return this.url
  }

  get url(): string {
    return `postgres://shortlink:${this.#password}@127.0.0.1:${this.#port}/postgres`
  }

  /** A copy of it that follows its changes and answers reads. */
  async startStandby(): Promise<PostgresServer> {
    const standby = new PostgresServer(this.#settings)
    standby.#password = this.#password
    await standby.#run('pg_basebackup', [
      '-d',
      this.url,
      '-D',
      standby.#data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
    ])
    standby.#port = await freePort()
    await standby.#serve(standby.#port)
    return standby
  }

  /** It is the primary from now on. */
  promote(): Promise<void> {
    return this.#run('pg_ctl', ['promote', '-w', '-t', '600', '-D', this.#data])
  }

  /** Ends it and keeps its data: SIGINT as `pg_ctl stop -m fast` does, SIGQUIT without a clean end. */
  async halt(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#process
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await ended
  }

  /** Starts it again on the same port with the same data. */
  async resume(): Promise<void> {
    await this.#serve(this.#port)
  }

  /** Stops or goes on with every one of its processes: while stopped it takes connections and answers nothing. */
  freeze(frozen: boolean): void {
    const pid = this.#process?.pid
    if (pid === undefined) return
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' }).stdout
    for (const each of [pid, ...children.split('\n').map(Number)]) {
      if (each > 0) process.kill(each, frozen ? 'SIGSTOP' : 'SIGCONT')
    }
  }

  async stop(): Promise<void> {
    process.off('exit', this.#onExit)
    // At once, without tidying up: nothing of it is needed any more.
    await this.halt('SIGQUIT')
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #createCluster(): string {
    const password = randomBytes(12).toString('hex')
    const passwordFile = join(this.#directory, 'password')
    writeFileSync(passwordFile, password)
    if (this.#user) chownSync(passwordFile, this.#user.uid, this.#user.gid)
    const options = [
      '--username=shortlink',
      '--auth=password',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
    ]
    const made = spawnSync(join(binaries() ?? '', 'initdb'), ['--pgdata', this.#data, '--no-sync', ...options], {
      ...this.#user,
      cwd: this.#directory,
      encoding: 'utf8',
    })
    if (made.error) throw made.error
    if (made.status !== 0) throw new Error(`initdb failed:\n${made.stderr}`)
    return password
  }

  async #serve(port: number): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: '',
      max_connections: 200,
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      ...this.#settings,
    }
    const server = spawn(
      join(binaries() ?? '', 'postgres'),
      ['-D', this.#data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      {
        ...this.#user,
        cwd: this.#directory,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, LC_ALL: 'C' },
      },
    )
    this.#process = server
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: server.stderr }).on('line', (line) => {
        this.#lastWords.push(line)
        if (this.#lastWords.length > 20) this.#lastWords.shift()
        if (/ready to accept (read-only )?connections/.test(line)) resolve()
      })
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${this.#lastWords.join('\n')}`)))
    })
  }

  async #run(program: string, flags: readonly string[]): Promise<void> {
    await promisify(execFile)(join(binaries() ?? '', program), flags, { ...this.#user, cwd: this.#directory })
  }

  get #data(): string {
    return join(this.#directory, 'data')
  }
}

/** The first directory that holds all programs. Debian keeps them out of PATH. */
function binaries(): string | undefined {
  const versions = (parent: string, rest: string): string[] =>
    existsSync(parent)
      ? readdirSync(parent)
          .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
          .map((name) => join(parent, name, rest))
      : []
  const directories = [
    ...(process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== ''),
    ...versions('/usr/lib/postgresql', 'bin'),
    ...['/opt/homebrew/opt', '/usr/local/opt'].flatMap((homebrew) =>
      versions(homebrew, 'bin').filter((directory) => directory.includes('postgresql')),
    ),
    ...versions('/Applications/Postgres.app/Contents/Versions', 'bin'),
    '/usr/pgsql/bin',
  ]
  return directories.find((directory) => programs.every((name) => existsSync(join(directory, name))))
}

const programs = ['initdb', 'postgres', 'pg_ctl', 'pg_basebackup']

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => idOf(flag, name))
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  return undefined
}

function idOf(flag: string, name: string): number | undefined {
  const answer = spawnSync('id', [flag, name], { encoding: 'utf8' })
  return answer.status === 0 ? Number(answer.stdout) : undefined
}
