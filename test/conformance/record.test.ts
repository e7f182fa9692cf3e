import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const project = fileURLToPath(new URL('../..', import.meta.url))

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'shortlink-record-'))
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
  mkdirSync(join(root, 'records'))
})
afterEach(() => rmSync(root, { recursive: true }))

it('notes the test that asked, and nothing for hooks between tests, also when files share a worker', () => {
  const record = join(project, 'test/support/conformance-record.ts')
  const file = (name: string) => `import { beforeAll, describe, it } from 'vitest'
    import { recordForConformance } from ${JSON.stringify(record)}
    const asked = (path) => recordForConformance('GET', path, { status: 200, body: undefined })
    beforeAll(() => asked('/${name}/hook'))
    describe('the suite of ${name}', () => it('asks', () => asked('/${name}/test?a=b')))`
  for (const name of ['a', 'b']) writeFileSync(join(root, `${name}.test.ts`), file(name))
  const config = { test: { include: ['*.test.ts'], isolate: false, maxWorkers: 1 } }
  writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}\n`)
  // The variables of the run this test is part of would steer the inner one.
  const outer = Object.entries(process.env).filter(([name]) => !/^(VITE|TEST|NODE_ENV)/.test(name))
  const bin = join(project, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = spawnSync(process.execPath, [bin, 'run', '--root', root], {
    encoding: 'utf8',
    env: { ...Object.fromEntries(outer), CONFORMANCE_DIR: join(root, 'records') },
  })
  expect(status, stdout).toBe(0)
  const lines = readdirSync(join(root, 'records')).flatMap((name) =>
    readFileSync(join(root, 'records', name), 'utf8')
      .trimEnd()
      .split('\n'),
  )
  expect(lines.map((line) => JSON.parse(line)).sort((a, b) => a.path.localeCompare(b.path))).toEqual([
    { method: 'GET', path: '/a/test', status: 200, test: 'the suite of a > asks' },
    { method: 'GET', path: '/b/test', status: 200, test: 'the suite of b > asks' },
  ])
})
