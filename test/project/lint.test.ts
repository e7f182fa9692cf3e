import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** What `npm run check` says of a small project with our settings. */
describe('the check', () => {
  const project = fileURLToPath(new URL('../..', import.meta.url))
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'shortlink-lint-'))
    symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'))
    mkdirSync(join(root, 'src'))
    for (const file of ['.oxlintrc.json', 'knip.config.js', 'package.json', 'tsconfig.json', 'vitest.config.ts'])
      copyFileSync(join(project, file), join(root, file))
    mkdirSync(join(root, 'tools'))
    copyFileSync(join(project, 'tools/package.json'), join(root, 'tools/package.json'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function write(file: string, ...lines: string[]) {
    writeFileSync(join(root, 'src', file), `${lines.join('\n')}\n`)
  }

  function run(tool: string, ...args: string[]): string {
    const { stdout, stderr } = spawnSync(join(project, 'node_modules/.bin', tool), args, {
      cwd: root,
      encoding: 'utf8',
    })
    return stdout + stderr
  }

  it('fails on a promise that nobody awaits, also one from Node or a package', () => {
    write(
      'main.ts',
      `import { readFile } from 'node:fs/promises'`,
      `import type { Pool } from 'pg'`,
      'async function own(): Promise<void> {}',
      'export async function begin(pool: Pool): Promise<void> {',
      '  own()',
      `  readFile('a')`,
      `  pool.query('SELECT 1')`,
      '  own().then(() => 1)',
      '  await own()',
      '  void own()',
      '  own().catch(() => undefined)',
      '}',
    )
    const complaints = run('oxlint', '--type-aware', '--format', 'unix', 'src')
    const lines = [...complaints.matchAll(/main\.ts:(\d+):\d+: .*no-floating-promises/g)].map(([, line]) =>
      Number(line),
    )
    expect(
      lines.sort((a, b) => a - b),
      complaints,
    ).toEqual([5, 6, 7, 8])
  })

  it('fails on an export that nobody imports, and on a file', () => {
    write('main.ts', `import { used } from './part.js'`, 'used()')
    write('part.ts', 'export function used() {}', 'export function unused() {}', 'export interface Unused {}')
    write('forgotten.ts', 'export const forgotten = 1')
    const complaints = run('knip', '--include', 'exports,types,files')
    expect(complaints).toMatch(/^unused +function +src\/part\.ts:2/m)
    expect(complaints).toMatch(/^Unused +interface +src\/part\.ts:3/m)
    expect(complaints).toMatch(/^src\/forgotten\.ts/m)
    expect(complaints).not.toMatch(/^used /m)
  })
})
