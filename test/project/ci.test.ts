import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTurn, long, sameOnPostgres, slowest } from '../../vitest.config.js'

/** The script in a folder of its own, with an `npm` and an `apt-get` that only write down what they were called with. */
describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  const script = fileURLToPath(new URL('../../.ci/run', import.meta.url))
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'shortlink-ci-'))
    for (const folder of ['.ci', 'bin']) mkdirSync(join(root, folder))
    copyFileSync(script, join(root, '.ci/run'))
    for (const program of ['bash', 'cat', 'dirname', 'mktemp', 'rm']) {
      const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' })
      symlinkSync(stdout.trim(), join(root, 'bin', program))
    }
    program('id', 'echo 0')
    program('apt-get', 'echo "$@" >>"$ROOT/installed"; exit 1')
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function program(name: string, text: string): void {
    writeFileSync(join(root, 'bin', name), `#!${join(root, 'bin/bash')}\n${text}\n`)
    chmodSync(join(root, 'bin', name), 0o755)
  }

  /** `failing` are the calls of npm that fail. */
  function run(...failing: string[]) {
    return runOn('1', ...failing)
  }

  function runOn(day: string, ...failing: string[]) {
    program(
      'npm',
      `echo "npm $*" >>"$ROOT/called"
       case "$*" in ${[...failing, 'nothing'].map((call) => `"${call}"`).join('|')}) failed=1 ;; *) failed=0 ;; esac
       [ "$1" = test ] && cat "$TEST_FIGURES"
       exit $failed`,
    )
    const { status, stdout } = spawnSync(join(root, 'bin/bash'), [join(root, '.ci/run')], {
      encoding: 'utf8',
      env: { ROOT: root, PATH: join(root, 'bin'), CI_DAY: day },
    })
    const called = readFileSync(join(root, 'called'), 'utf8').trimEnd().split('\n')
    return { status, stdout, called }
  }

  it('checks, then runs all tests', () => {
    const { status, called } = run()
    expect(called).toEqual(['npm run --silent check', 'npm test --silent'])
    expect(status).toBe(0)
  })

  it('has another version of Node on every ninth day', () => {
    expect(runOn('18').called).toEqual([
      'npm run --silent check',
      'npm run --silent test:node-versions -- --in-turn',
      'npm test --silent',
    ])
    expect(runOn('18', 'run --silent test:node-versions -- --in-turn').status).toBe(1)
  })

  it.each(['run --silent check', 'test --silent'])('goes on when "npm %s" fails, and fails in the end', (call) => {
    const { status, called } = run(call)
    expect(called).toHaveLength(2)
    expect(status).toBe(1)
  })

  it('counts checks that fail in the closing line', () => {
    expect(run('run --silent check').stdout).toContain('{"failed":1,"failures":["npm run check"]}\n')
  })

  it('installs what tests need, one by one, and goes on without', () => {
    const { status, stdout } = run()
    const installed = readFileSync(join(root, 'installed'), 'utf8')
    for (const name of ['chromium', 'redis-server', 'caddy', 'zbar-tools']) {
      expect(installed).toContain(`install -y -qq --no-install-recommends ${name}\n`)
      expect(stdout).toContain(`${name} could not be installed.\n`)
    }
    expect(status).toBe(0)
  })
})

it('the files that a run leaves out exist', () => {
  const left = [
    ...slowest,
    ...long,
    ...inTurn,
    ...Object.keys(sameOnPostgres).map((name) => `test/api/${name}.test.ts`),
  ]
  expect(left.filter((file) => !existsSync(fileURLToPath(new URL(`../../${file}`, import.meta.url))))).toEqual([])
})
