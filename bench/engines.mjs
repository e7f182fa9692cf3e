// The databases of the records, with many links that were not made through the service.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { openPostgres } from '../dist-modules/storage/records/postgres.js'
import { openSqlite } from '../dist-modules/storage/records/sqlite.js'
import { startPostgres } from './postgres.mjs'
import { domain, seedStatements } from './seed-links.mjs'
import { ownBuild, startShortlink } from './servers.mjs'

/** Does the work on each engine that is installed; returns all its rows. */
export async function onEachEngine(directory, say, work) {
  const rows = []
  for (const [name, open] of Object.entries({ SQLite: sqlite, PostgreSQL: postgres })) {
    const engine = await open(join(directory, name.toLowerCase()))
    if (engine.skip) {
      say(`${name} is left out: ${engine.skip}`)
      continue
    }
    try {
      rows.push(...(await work(name, engine)))
    } finally {
      await engine.stop()
    }
  }
  return rows
}

/**
 * `make` a database, `seed` it with links while nobody uses it, then `open` its stores or `serve` it. Each database has a name.
 */
export async function sqlite(directory) {
  const homeOf = (name) => join(directory, name)
  const fileOf = (name) => join(homeOf(name), 'records.sqlite')
  return {
    async make(name) {
      mkdirSync(homeOf(name), { recursive: true })
      migrate(homeOf(name))
    },
    async seed(name, count, group) {
      const database = new Database(fileOf(name))
      for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -1500000']) database.pragma(pragma)
      for (const statement of seedStatements(count, group)) database.exec(statement)
      database.close()
    },
    open: (name) => openSqlite(fileOf(name)),
    serve: (name) => startShortlink(homeOf(name), ['--domains', domain]),
    async stop() {},
  }
}

async function postgres(directory) {
  const server = await startPostgres()
  if (server.skip) return server
  const homeOf = (name) => join(directory, name)
  const urlOf = (name) => server.url.replace(/postgres$/, name)
  return {
    async make(name) {
      mkdirSync(homeOf(name), { recursive: true })
      await query(server.url, `create database ${name}`)
      migrate(homeOf(name), '--database-url', urlOf(name))
    },
    async seed(name, count, group) {
      const url = urlOf(name)
      await withoutIndexes(url, ['links', 'addresses', 'link_tags'], () => query(url, ...seedStatements(count, group)))
      await query(url, 'vacuum analyze', 'checkpoint')
    },
    open: (name) => openPostgres(urlOf(name)),
    serve: (name) => startShortlink(homeOf(name), ['--domains', domain, '--database-url', urlOf(name)]),
    stop: server.stop,
  }
}

function migrate(dataDir, ...flags) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ownBuild, 'dist/main.js'), 'migrate', '--data-dir', dataDir, ...flags],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`the tables could not be made: ${stderr}`)
}

/** Building indexes over full tables is far faster than row by row. */
async function withoutIndexes(url, tables, work) {
  const names = tables.map((table) => `'${table}'::regclass`).join(', ')
  const [constraints, indexes] = await query(
    url,
    `select conrelid::regclass as on_table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype in ('p', 'u') and conrelid in (${names})`,
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in (${names}) and indexrelid not in (select conindid from pg_constraint)`,
  )
  await query(
    url,
    ...constraints.map(({ on_table, name }) => `alter table ${on_table} drop constraint ${name}`),
    ...indexes.map(({ name }) => `drop index ${name}`),
  )
  await work()
  await query(
    url,
    ...constraints.map((each) => `alter table ${each.on_table} add constraint ${each.name} ${each.definition}`),
    ...indexes.map(({ definition }) => definition),
  )
}

/** The rows of each statement. */
async function query(url, ...statements) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const answers = []
    for (const statement of statements) answers.push((await client.query(statement)).rows)
    return answers
  } finally {
    await client.end()
  }
}
