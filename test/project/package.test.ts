import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

describe('the package that npm pack makes', () => {
  let folder: string
  let installed: string
  // Packing and installing take most of a minute, and are not what is tested.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-package-'))
    installed = join(folder, 'empty')
    mkdirSync(installed)
    await run('npm', ['pack', '--pack-destination', folder], { cwd: root })
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
    const quietly = ['--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
    await run('npm', ['install', ...quietly, join(folder, archive)], { cwd: installed })
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('holds the built program and its pages, and neither sources, tests nor tools', () => {
    const packed = join(installed, 'node_modules', 'shortlink')
    expect(readdirSync(packed).sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'deploy',
      'dist',
      'dist-web',
      'docs',
      'package.json',
    ])
    const built = readdirSync(join(packed, 'dist'), { recursive: true, encoding: 'utf8' })
    expect(built.filter((name) => /\.(ts|map)$|\.test\./.test(name))).toEqual([])
    for (const tool of ['esbuild', 'vitest', 'typescript']) {
      expect(existsSync(join(installed, 'node_modules', tool)), tool).toBe(false)
    }
  })

  it('serves from an empty folder', { timeout: 60_000 }, async () => {
    const port = await freePort()
    const command = join(installed, 'node_modules', '.bin', 'shortlink')
    const child = spawn(command, ['serve', '--port', String(port)], { cwd: installed })
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
    expect(existsSync(join(installed, 'data', 'first-credentials.txt'))).toBe(true)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
