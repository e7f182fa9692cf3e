/**
 * Migrations that a version was released with are never edited: databases that have run them would differ from new ones. At a
 * release, `RELEASE=1 npx vitest run test/project/migrations.test.ts` adds the new ones to the list.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { Kysely, type Migration, Migrator, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
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

describe('docs/adr/2026-11-19-expand-then-contract.md', () => {
  const expand = (change: string): Migration => ({
    up: (db) =>
      sql
        .raw(change)
        .execute(db)
        .then(() => {}),
  })

  it('the name of a migration says whether it expands or contracts', () => {
    const names = Object.keys(migrations).filter((name) => name > '0057')
    expect(names.filter((name) => !/^\d{4}-(expand|contract)-[a-z]/.test(name))).toEqual([])
  })

  it('those that say so only expand', async () => {
    expect(await contractions(migrations)).toEqual([])
  })

  it.each([
    ['alter table links add column remark text', []],
    [`alter table links add column remark text not null default ''`, []],
    ['create table remarks (id text not null)', []],
    ['alter table links drop column title', ['9998-expand-test: links.title is gone']],
    ['alter table links rename column title to heading', ['9998-expand-test: links.title is gone']],
    ['drop table link_tags', ['9998-expand-test: link_tags is gone']],
  ])('%s: %j', async (change, found) => {
    expect(await contractions({ ...migrations, '9998-expand-test': expand(change) })).toEqual(found)
  })
})

it('the changelog has a heading for the version of the program', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')} - \\d{4}-\\d{2}-\\d{2}$`, 'm'))
})

/** What migrations take away although their names say that they only expand. */
async function contractions(all: Readonly<Record<string, Migration>>): Promise<string[]> {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...all }) } })
  const migrateTo = async (name: string) => {
    const { error } = await migrator.migrateTo(name)
    if (error) throw error
  }
  const found: string[] = []
  const names = Object.keys(all)
  for (const [index, name] of names.entries()) {
    if (!name.includes('-expand-')) continue
    await migrateTo(names[index - 1] ?? '')
    const before = await db.introspection.getTables()
    await migrateTo(name)
    const after = new Map((await db.introspection.getTables()).map((table) => [table.name, table]))
    for (const { name: table, columns } of before) {
      const now = after.get(table)
      if (!now) found.push(`${name}: ${table} is gone`)
      for (const column of now ? columns : []) {
        const same = now?.columns.find((each) => each.name === column.name)
        if (!same) found.push(`${name}: ${table}.${column.name} is gone`)
        else if (!isDeepStrictEqual(same, column)) found.push(`${name}: ${table}.${column.name} is changed`)
      }
      for (const column of now?.columns ?? []) {
        const isNew = !columns.some((each) => each.name === column.name)
        const isOptional = column.isNullable || column.hasDefaultValue
        if (isNew && !isOptional) found.push(`${name}: ${table}.${column.name} must be optional or have a default`)
      }
    }
  }
  await db.destroy()
  return found
}

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
