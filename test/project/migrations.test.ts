/**
 * Migrations that a version was released with are never edited: databases that have run them would differ from new ones. At a
 * release, `RELEASE=1 npx vitest run test/project/migrations.test.ts` adds the new ones to the list.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { statements } from '../../src/storage/clickhouse/schema.js'
import { migrations as duckdbMigrations } from '../../src/storage/duckdb/schema.js'
import * as migrations from '../../src/storage/sql/migrations/index.js'

const folder = fileURLToPath(new URL('../../src/storage/sql/migrations/', import.meta.url))
const list = fileURLToPath(new URL('../releases/migrations.json', import.meta.url))
const files = readdirSync(folder).filter((name) => /^\d{4}-[\w-]+\.ts$/.test(name) && !name.endsWith('.test.ts'))

const current: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    files.map((name) => [name.replace(/\.ts$/, ''), sha256(whatItDoes(readFileSync(folder + name, 'utf8')))]),
  ),
  ...Object.fromEntries(duckdbMigrations.map((sql, index) => [`clicks in DuckDB, ${index + 1}`, sha256(sql)])),
  ...Object.fromEntries(
    versionsOf((version) => statements('clicks', undefined, version)).map((sql, index) => [
      `clicks in ClickHouse, ${index + 1}`,
      sha256(sql),
    ]),
  ),
}

if (process.env.RELEASE) writeFileSync(list, `${JSON.stringify(current, undefined, 2)}\n`)
const released = JSON.parse(readFileSync(list, 'utf8')) as Readonly<Record<string, string>>

it('released migrations are as they were released: add a new one instead', () => {
  expect(Object.fromEntries(Object.keys(released).map((name) => [name, current[name]]))).toEqual(released)
})

it('new migrations come after the released ones, and all are listed', () => {
  const names = Object.keys(migrations)
  expect(names).toEqual([...names].sort())
  expect(names).toEqual(files.map((name) => name.replace(/\.ts$/, '')))
  const last = Object.keys(released)
    .filter((name) => name in migrations)
    .sort()
    .at(-1)
  expect(names.filter((name) => !(name in released) && name < (last ?? ''))).toEqual([])
})

it('the changelog has a heading for the version of the program', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`, 'm'))
})

/** The statements of each version alone: those from it on, without those from the next one on. */
function versionsOf(from: (version: number) => readonly string[]): readonly string[] {
  const texts: string[] = []
  for (let version = 0; from(version).length > 0; version++) {
    texts.push(
      from(version)
        .slice(0, from(version).length - from(version + 1).length)
        .join('\n'),
    )
  }
  return texts
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Without its imports, which may move. */
function whatItDoes(source: string): string {
  return source.replace(/^import [^;]*? from '[^']+'\n/gm, '')
}
