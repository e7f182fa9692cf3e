import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** A run of vitest with our set-up, empty caches, and a Go that only writes down that it was called, and fails. */
describe('programs that tests need', () => {
  const project = fileURLToPath(new URL('../..', import.meta.url))
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'shortlink-prepared-'))
    symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
    mkdirSync(join(root, 'bin'))
    writeFileSync(join(root, 'bin/go'), `#!/bin/sh\necho "$@" >> ${root}/called\necho 'no module proxy' >&2\nexit 1\n`)
    chmodSync(join(root, 'bin/go'), 0o755)
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function vitest(test: string): { output: string; called: string } {
    const globalSetup = [join(project, 'test/support/go-nsq-for-all.ts')]
    const reporters = ['default', join(project, 'test/support/closing-line.ts')]
    const config = { test: { include: ['*.test.ts'], globalSetup, reporters } }
    writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}\n`)
    writeFileSync(join(root, 'a.test.ts'), `import { expect, it } from 'vitest'\n${test}`)
    // The variables of the run this test is part of would steer the inner one.
    const outer = Object.entries(process.env).filter(([name]) => !/^(VITE|TEST|NODE_ENV)/.test(name))
    const env = {
      ...Object.fromEntries(outer),
      XDG_CACHE_HOME: join(root, 'cache'),
      PATH: `${join(root, 'bin')}${delimiter}${process.env.PATH}`,
    }
    const bin = join(project, 'node_modules/vitest/vitest.mjs')
    const { stdout } = spawnSync(process.execPath, [bin, 'run', '--root', root], { encoding: 'utf8', env })
    const called = join(root, 'called')
    return { output: stdout, called: existsSync(called) ? readFileSync(called, 'utf8') : '' }
  }

  it('are prepared before the tests, and one that cannot be had is a skip with the reason', () => {
    const support = join(root, 'support.ts')
    writeFileSync(support, `export { goNsq } from '${relative(root, join(project, 'test/support/go-nsq.ts'))}'\n`)
    const { output, called } = vitest(`import { goNsq } from './support.js'
      const programs = goNsq()
      it('reads', (context) => context.skip(programs.skip))`)
    expect(called).toContain('mod download')
    expect(output).toContain('the real nsqd cannot be built: no module proxy')
    expect(output.trimEnd().split('\n').at(-1)).toBe('0 passed, 0 failed, 1 skipped')
  })

  it('are left alone when no chosen file needs them', () => {
    const { output, called } = vitest(`it('adds', () => expect(1 + 1).toBe(2))`)
    expect(called).toBe('')
    expect(output.trimEnd().split('\n').at(-1)).toBe('1 passed, 0 failed, 0 skipped')
  })
})
