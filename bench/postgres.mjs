// A PostgreSQL server for the bench, from the installed binaries; never uses a running server.
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './servers.mjs'

// Survives a crash of the process but not of the machine, like SQLite in its default mode.
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '512MB',
  max_wal_size: '8GB',
  maintenance_work_mem: '512MB',
  synchronous_commit: 'off',
}

/** { url, stop }, or { skip } with the reason. */
export async function startPostgres() {
  const binaries = findBinaries()
  if (!binaries) return { skip: 'no PostgreSQL server is installed' }
  const user = process.getuid?.() === 0 ? unprivileged() : {}
  if (!user) return { skip: 'PostgreSQL does not run as root, and there is no user postgres or nobody' }
  // Directly in the temporary directory, which every user may enter.
  const directory = mkdtempSync(join(tmpdir(), 'shortlink-bench-postgres-'))
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  const options = ['--username=shortlink', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  const made = spawnSync(join(binaries, 'initdb'), ['--pgdata', data, ...options], { ...user, cwd: directory })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)

  const port = await freePort()
  const flags = Object.entries({ ...settings, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(binaries, 'postgres'), ['-D', data, ...flags], {
    ...user,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LC_ALL: 'C' },
  })
  const stopNow = () => {
    server.kill('SIGQUIT')
    rmSync(directory, { recursive: true, force: true })
  }
  process.once('exit', stopNow)
  const ended = new Promise((resolve) => server.once('exit', resolve))
  await new Promise((resolve, reject) => {
    let said = ''
    createInterface({ input: server.stderr }).on('line', (line) => {
      said += `${line}\n`
      if (line.includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said}`)))
  })
  return {
    url: `postgres://shortlink@127.0.0.1:${port}/postgres`,
    async stop() {
      process.off('exit', stopNow)
      server.kill('SIGQUIT')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** The directory with `initdb` and `postgres`. Debian keeps them out of PATH. */
function findBinaries() {
  const parent = '/usr/lib/postgresql'
  const versions = existsSync(parent) ? readdirSync(parent).sort((one, other) => Number(other) - Number(one)) : []
  const directories = [
    ...(process.env.PATH ?? '').split(':').filter(Boolean),
    ...versions.map((version) => join(parent, version, 'bin')),
  ]
  return directories.find((directory) => ['initdb', 'postgres'].every((name) => existsSync(join(directory, name))))
}

function unprivileged() {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }))
    if (uid.status === 0 && gid.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  return undefined
}
