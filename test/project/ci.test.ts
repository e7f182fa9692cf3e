import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** The script in a folder of its own, with an `npm` and an `apt-get` that only write down what they were called with. */
describe.skipIf(process.platform === 'win32')('.ci/run', () => {
  const project = fileURLToPath(new URL('../..', import.meta.url))
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'shortlink-ci-'))
    for (const folder of ['.ci', 'bin', 'test/support']) mkdirSync(join(root, folder), { recursive: true })
    for (const file of ['.ci/run', 'test/support/figures.mjs']) copyFileSync(join(project, file), join(root, file))
    for (const program of ['bash', 'dirname', 'mktemp', 'node', 'rm']) {
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
    return runAfter('0', ...failing)
  }

  function runAfter(seconds: string, ...failing: string[]) {
    program(
      'npm',
      `echo "npm $*\${API_RECORDS:+ on $API_RECORDS}" >>"$ROOT/called"
       case "$*" in ${[...failing, 'nothing'].map((call) => `"${call}"`).join('|')}) exit 1 ;; esac
       [ "$1" = test ] && echo '{"passed":10,"skipped":1}' >>"$TEST_FIGURES"
       exit 0`,
    )
    const { status, stdout } = spawnSync(join(root, 'bin/bash'), [join(root, '.ci/run')], {
      encoding: 'utf8',
      env: { ROOT: root, PATH: join(root, 'bin'), SECONDS: seconds },
    })
    const called = readFileSync(join(root, 'called'), 'utf8').trimEnd().split('\n')
    return { status, lines: stdout.trimEnd().split('\n'), called }
  }

  const files = readdirSync('test/api').map((name) => `test/api/${name}`)

  it('checks, runs all tests, repeats some on PostgreSQL and on other versions of Node, and measures speed', () => {
    const { status, lines, called } = run()
    expect(called).toEqual([
      'npm run --silent check',
      'npm test --silent',
      expect.stringMatching(/^npm test --silent -- (test\/api\/[\w-]+\.test\.ts ){10,}on postgres$/),
      'npm run --silent test:node-versions -- 22 24',
      'npm run --silent speed',
    ])
    const repeated = called[2]?.match(/test\/api\/\S+/g) ?? []
    expect(repeated.filter((file) => !files.includes(file))).toEqual([])
    expect(lines.at(-1)).toBe('20 passed, 0 failed, 2 skipped')
    expect(status).toBe(0)
  })

  it('repeats nothing after an hour, and says so, but runs every file', () => {
    const { status, lines, called } = runAfter('3600')
    expect(called).toEqual(['npm run --silent check', 'npm test --silent'])
    expect(lines).toContain('  1 in Once more on PostgreSQL: an hour has passed')
    expect(lines.at(-1)).toBe('10 passed, 0 failed, 4 skipped')
    expect(status).toBe(0)
  })

  it.each(['run --silent check', 'test --silent', 'run --silent test:node-versions -- 22 24', 'run --silent speed'])(
    'goes on when "npm %s" fails, and fails in the end',
    (call) => {
      const { status, called } = run(call)
      expect(called).toHaveLength(5)
      expect(status).toBe(1)
    },
  )

  it('counts checks that fail in the closing line', () => {
    const { lines } = run('run --silent check')
    expect(lines).toContain('  npm run check')
    expect(lines.at(-1)).toBe('20 passed, 1 failed, 2 skipped')
  })

  it('installs what tests need, one by one, and goes on without', () => {
    const { status, lines } = run()
    const installed = readFileSync(join(root, 'installed'), 'utf8')
    for (const name of ['chromium', 'redis-server', 'caddy', 'zbar-tools']) {
      expect(installed).toContain(`install -y -qq --no-install-recommends ${name}\n`)
      expect(lines).toContain(`${name} could not be installed.`)
    }
    expect(status).toBe(0)
  })
})
