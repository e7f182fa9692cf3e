import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/check-imports.mjs', import.meta.url))

function check(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Writes one file for each [folder, text] into a tree of its own and checks the tree. */
function checkTree(rows: readonly (readonly [folder: string, text: string])[]) {
  const root = mkdtempSync(join(tmpdir(), 'shortlink-imports-'))
  for (const [i, [folder, text]] of rows.entries()) {
    mkdirSync(join(root, 'src', folder), { recursive: true })
    writeFileSync(join(root, 'src', fileOf(folder, i)), `${text}\n`)
  }
  const checked = check('--root', root)
  rmSync(root, { recursive: true })
  return checked
}

function fileOf(folder: string, row: number): string {
  return posix.join(folder, `file${row}.ts`)
}

it('every arrow of ours points inwards', () => {
  expect(check()).toMatchObject({ status: 0, stderr: '' })
})

it('draws the rooms', () => {
  const { stdout } = check('--draw')
  expect(stdout).toMatch(/^flowchart TD\n/)
  expect(stdout).toContain('  storage --> core\n')
})

it('draws the floors of core', () => {
  const { stdout } = check('--draw', 'core')
  expect(stdout).toContain('  core_accounts["accounts"] --> core_values["values"]\n')
})

it('a circle of folders fails the check, though no file imports itself', () => {
  const { status, stderr } = checkTree([
    ['core/links', `import { b } from '../clicks/file1.js'`],
    ['core/clicks', 'export const b = 1'],
    ['core/clicks', `import { b } from '../links/file3.js'`],
    ['core/links', 'export const b = 1'],
  ])
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'a circle of imports: core/clicks -> core/links -> core/clicks\n',
  })
})

it('a circle of files in one folder fails the check', () => {
  const { status, stderr } = checkTree([
    ['engines/nsqd', `import { b } from './file1.js'`],
    ['engines/nsqd', `import type { B } from './file2.js'`],
    ['engines/nsqd', `import { b } from './file0.js'`],
  ])
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^a circle of imports: engines\/nsqd\/file0.ts -> engines\/nsqd\/file1.ts -> .*file2.ts -> .*file0.ts\n$/,
  )
})

describe('arrows that are turned round', () => {
  const rows: [folder: string, text: string][] = [
    ['core', `import { b } from '../storage/b.js'`],
    ['core', `import type { B } from '../edges/v4/b.js'`],
    ['core', `import {\n  b,\n} from '../config/b.js'`],
    ['core/links', `export { b } from '../../storage/b.js'`],
    ['core', `const b = await import('../app.js')`],
    ['core', `import '../runtime/b.js'`],
    ['lib', `import { b } from '../core/b.js'`],
    ['engines/nsqd', `import { b } from '../../core/b.js'`],
    ['config', `import { b } from '../core/b.js'`],
    ['storage/sql', `import { b } from '../../config/b.js'`],
    ['edges/v4', `import { b } from '../../storage/sql/b.js'`],
    ['edges/v4', `import { b } from '../v3/b.js'`],
    ['edges/v4', `import { b } from '../../config/b.js'`],
    ['edges/v4', `import type { App } from '../../app.js'`],
    ['edges/v4', `import { b } from '../../engines/nsqd/b.js'`],
    ['runtime/threads', `import { b } from '../../edges/v4/b.js'`],
    ['cellar', `import { b } from '../lib/b.js'`],
  ]
  const { status, stderr } = checkTree(rows)
  const complaints = stderr.split('\n').filter((line) => line.includes('must not import'))

  it('fail the check, each with its own complaint', () => {
    expect(status).toBe(1)
    expect(complaints).toHaveLength(rows.length)
  })

  it.each(rows.map(([folder, text], i) => [folder, text, fileOf(folder, i)]))('%s: %s', (_folder, _text, file) => {
    expect(complaints.filter((line) => line.startsWith(`src/${file} must not import src/`))).toHaveLength(1)
  })
})

it('arrows that point inwards are accepted', () => {
  const rows: [folder: string, text: string][] = [
    ['core/links', `import { b } from '../auth/b.js'`],
    ['core', `import { b } from '../lib/b.js'`],
    ['core', `import fastify from 'fastify'`],
    ['storage/nsq', `import { b } from '../../engines/nsqd/b.js'`],
    ['edges/v4', `import { b } from '../http/b.js'`],
    ['edges/v4', `import type { Config } from '../../config/b.js'`],
    ['edges/v4', `import { type Config, type Given } from '../../config/b.js'`],
    ['edges/v4/schemas', `import { b } from '../b.js'`],
    ['edges/stream', `import { b } from '../../engines/nsqd/b.js'`],
    ['runtime/threads', `import { b } from '../../storage/b.js'`],
    ['commands', `import { b } from '../app.js'`],
    ['', `import { b } from './storage/b.js'`],
  ]
  expect(checkTree(rows)).toEqual({ status: 0, stderr: '', stdout: expect.stringContaining(`${rows.length} files`) })
})
