import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** With an `npx` in place of the real one. */
describe.skipIf(process.platform === 'win32')('a version of Node for tests', () => {
  const script = fileURLToPath(new URL('../../scripts/node-versions.mjs', import.meta.url))
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-node-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function run(npx: string) {
    writeFileSync(join(folder, 'npx'), `#!/bin/sh\n${npx}\n`)
    chmodSync(join(folder, 'npx'), 0o755)
    const figures = join(folder, 'figures')
    writeFileSync(figures, '')
    const { status, stdout } = spawnSync(process.execPath, [script, '24'], {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, TEST_FIGURES: figures },
    })
    return { status, stdout, figures: readFileSync(figures, 'utf8') }
  }

  it('that cannot be installed is skipped with the reason', () => {
    const { status, stdout, figures } = run(`
      echo 'npm error code ENOTFOUND' >&2
      echo 'npm error network request to https://registry.example/node failed' >&2
      exit 1`)
    const reason = 'the package node@24 cannot be installed (network request to https://registry.example/node failed)'
    expect(status).toBe(0)
    expect(stdout).toContain(`Node 24 is skipped: ${reason}\n`)
    expect(JSON.parse(figures)).toEqual({ skipped: 1, skips: { [`Node 24: ${reason}`]: 1 } })
  })

  it('that cannot load the native packages is a failure', () => {
    const { status, figures } = run('echo /bin/false')
    expect(status).toBe(1)
    expect(JSON.parse(figures)).toEqual({
      failed: 1,
      failures: ['Node 24: the native packages cannot be loaded'],
    })
  })
})
