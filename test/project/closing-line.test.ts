import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const project = fileURLToPath(new URL('../..', import.meta.url))

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shortlink-closing-'))
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** Runs vitest on these files with our reporter and answers what it printed. */
function vitest(
  files: Record<string, string>,
  settings: Record<string, unknown> = {},
  own: Record<string, string> = {},
  args: readonly string[] = [],
) {
  const reporters = ['default', join(project, 'test/support/closing-line.ts')]
  const config = { test: { include: ['*.test.js'], reporters, ...settings } }
  writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}\n`)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const bin = join(project, 'node_modules/vitest/vitest.mjs')
  // The variables of the run this test is part of would steer the inner one.
  const outer = Object.entries(process.env).filter(([name]) => !/^(VITE|TEST|NODE_ENV)/.test(name))
  const env = { ...Object.fromEntries(outer), ...own }
  const ran = spawnSync(process.execPath, [bin, 'run', '--root', root, ...args], { encoding: 'utf8', env })
  return { status: ran.status, lines: ran.stdout.trimEnd().split('\n') }
}

const header = `import { beforeAll, describe, expect, it } from 'vitest'\n`

it('ends with what was skipped and why, and one line of figures', () => {
  const { status, lines } = vitest({
    'a.test.js': `${header}
      it('passes', () => {})
      it('fails', () => expect(1).toBe(2))
      it('is skipped', (context) => context.skip('no printer attached'))
      describe.skip('PostgreSQL (skipped: no server found)', () => {
        it('one', () => {})
        describe('inner', () => { it('two', () => {}) })
      })`,
  })
  expect(status).toBe(1)
  expect(lines.slice(-8)).toEqual([
    'Failed:',
    '  a.test.js > fails',
    '',
    'Skipped:',
    '  1 in a.test.js: no printer attached',
    '  2 in a.test.js > PostgreSQL: no server found',
    '',
    '1 passed, 1 failed, 3 skipped',
  ])
})

it('counts a file that does not load and a suite that cannot start as failed', () => {
  const { status, lines } = vitest({
    'broken.test.js': `import './nowhere.js'\n`,
    'hook.test.js': `${header}
      describe('a suite', () => {
        beforeAll(() => { throw new Error('no') })
        it('never runs', () => {})
      })`,
    'good.test.js': `${header}it('passes', () => {})`,
  })
  expect(status).toBe(1)
  expect(lines.at(-1)).toBe('1 passed, 2 failed, 1 skipped')
  expect(lines).toContain('  1 in hook.test.js > a suite: its suite failed before it')
})

it('names what passed only when it was tried again, which is a failure where processes are killed', () => {
  const once = `${header}let tries = 0
    it('fails once', () => expect(++tries).toBe(2))`
  const { status, lines } = vitest({ 'a.test.js': once, 'killed.test.js': once }, { retry: 1 })
  expect(status).toBe(1)
  expect(lines.slice(-8)).toEqual([
    'Failed:',
    '  killed.test.js > fails once',
    '',
    'Passed only when tried again:',
    '  a.test.js > fails once',
    '  killed.test.js > fails once',
    '',
    '1 passed, 1 failed, 0 skipped',
  ])
})

it('counts what breaks outside of all tests, and still has the last word', () => {
  const { status, lines } = vitest(
    { 'good.test.js': `${header}it('passes', () => {})` },
    { globalSetup: ['./nowhere.js'] },
  )
  expect(status).toBe(1)
  expect(lines.at(-1)).toBe('0 passed, 1 failed, 0 skipped')
})

it('lists nothing when nothing was skipped', () => {
  const { status, lines } = vitest({ 'good.test.js': `${header}it('passes', () => {})` })
  expect(status).toBe(0)
  expect(lines.join('\n')).not.toContain('Skipped')
  expect(lines.at(-1)).toBe('1 passed, 0 failed, 0 skipped')
})

it('leaves the figures to the last of several parts, which tells their sum', () => {
  const figures = join(root, 'figures')
  const part = (text: string) => vitest({ 'a.test.js': header + text }, {}, { TEST_FIGURES: figures })
  const first = part(`
    describe('a suite', () => it('fails', () => expect(1).toBe(2)))
    it('is skipped', (context) => context.skip('no printer attached'))`)
  expect(first.lines.join('\n')).not.toContain('1 failed, 1 skipped')
  part(`it('passes', () => {})`)
  appendFileSync(figures, '{"failed":1,"failures":["npm run check"]}\n')
  const sum = spawnSync(process.execPath, [join(project, 'test/support/figures.mjs')], {
    encoding: 'utf8',
    env: { TEST_FIGURES: figures },
  })
  expect(sum.stdout.trim().split('\n')).toEqual([
    'Failed:',
    '  a.test.js > a suite > fails',
    '  npm run check',
    '',
    'Skipped:',
    '  1 in a.test.js: no printer attached',
    '',
    '1 passed, 2 failed, 1 skipped',
  ])
})

it('fails when everything was asked for and a test file did not run', () => {
  const files = {
    'a.test.js': `${header}it('passes', () => {})`,
    'left-out.test.js': `${header}it('passes', () => {})`,
  }
  const whole = vitest(files, { exclude: ['left-out.test.js'] })
  expect(whole.status).toBe(1)
  expect(whole.lines.slice(-4)).toEqual([
    'Failed:',
    `  ${join(root, 'left-out.test.js')} did not run`,
    '',
    '1 passed, 1 failed, 0 skipped',
  ])
  const narrowed = vitest(files, { exclude: ['left-out.test.js'] }, {}, ['a.test.js'])
  expect([narrowed.status, narrowed.lines.at(-1)]).toEqual([0, '1 passed, 0 failed, 0 skipped'])
})
