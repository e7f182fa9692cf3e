/**
 * Starts one PostgreSQL for the whole test run, from the server binaries installed on this machine: an own directory, a
 * free loopback port, gone afterwards. A server that is already running is never used. Without binaries the tests that
 * need it are skipped with the reason.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestProject } from 'vitest/node'
import { isImported } from './chosen-files.js'
import { enginesWanted } from './engines-wanted.js'
import { freePort } from './free-port.js'

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgres: PostgresForTests
  }
}

/** Where the server of this run listens, or why there is none. */
export type PostgresForTests = { readonly url: string } | { readonly skip: string }

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!isImported(project, 'sql-engines.ts')) return undefined
  const skip = reasonToSkip()
  if (skip !== undefined) {
    console.log(`PostgreSQL tests are skipped: ${skip}`)
    project.provide('postgres', { skip })
    return undefined
  }
  const server = new PostgresServer()
  try {
    project.provide('postgres', { url: await server.start() })
  } catch (error) {
    await server.stop()
    throw error
  }
  return () => server.stop()
}

function reasonToSkip(): string | undefined {
  if (!enginesWanted().has('postgres')) return 'ENGINES leaves postgres out'
  if (process.platform === 'win32') return 'starting a server of our own is not supported on Windows'
  if (!binaries()) return 'no PostgreSQL server is installed (looked for initdb and postgres; on Debian: postgresql)'
  if (isRoot() && !unprivileged()) return 'PostgreSQL does not run as root, and there is no user postgres or nobody'
  return undefined
}

class PostgresServer {
  readonly #directory = mkdtempSync(join(tmpdir(), 'shortlink-postgres-'))
  readonly #user = isRoot() ? unprivileged() : undefined
  readonly #lastWords: string[] = []
  #process: ChildProcess | undefined
  // For a run that ends without tearing down, by Ctrl-C say.
  readonly #onExit = (): void => {
    this.#process?.kill('SIGQUIT')
    rmSync(this.#directory, { recursive: true, force: true })
  }

  async start(): Promise<string> {
    process.once('exit', this.#onExit)
    if (this.#user) chownSync(this.#directory, this.#user.uid, this.#user.gid)
    const password = this.#createCluster()

    const port = await freePort()
    await this.#serve(port)
    return `postgres://shortlink:${password}@127.0.0.1:${port}/postgres`
  }

  async stop(): Promise<void> {
    process.off('exit', this.#onExit)
    const server = this.#process
    if (server && server.exitCode === null && server.signalCode === null) {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      // At once, without tidying up: nothing of it is needed any more.
      server.kill('SIGQUIT')
      await ended
    }
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
        if (line.includes('database system is ready to accept connections')) resolve()
      })
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${this.#lastWords.join('\n')}`)))
    })
  }

  get #data(): string {
    return join(this.#directory, 'data')
  }
}

/** The directory with `initdb` and `postgres`: the first that holds both. Debian keeps them out of PATH. */
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
  return directories.find((directory) => ['initdb', 'postgres'].every((name) => existsSync(join(directory, name))))
}

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
