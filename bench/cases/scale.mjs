// Does the service slow down as its tables grow? On both engines, with 10,000 and 2,000,000 links: new links and
// lookups in the stores alone, new links through the API, and the first against the 1000th page of a list in a group
// of 1,000,000.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import pg from 'pg'
import { randomHash } from '../../dist/core/values/random.js'
import { openPostgres } from '../../dist/storage/records/postgres.js'
import { openSqlite } from '../../dist/storage/records/sqlite.js'
import { startPostgres } from '../postgres.mjs'
import { median } from '../rounds.mjs'
import { address, bigGroup, commonTag, domain, seedStatements } from '../seed-links.mjs'
import { startShortlink } from '../servers.mjs'
import { newLinks } from './shorten.mjs'

const few = 10_000
const many = 2_000_000
const measuredRounds = 7

export async function run({ directory, say }) {
  const rows = []
  for (const [name, open] of Object.entries({ SQLite: sqlite, PostgreSQL: postgres })) {
    const engine = await open(join(directory, name.toLowerCase()))
    if (engine.skip) {
      say(`${name} is left out: ${engine.skip}`)
      continue
    }
    const records = {}
    const services = {}
    try {
      for (const count of [few, many]) {
        const started = performance.now()
        records[count] = await engine.seeded(count)
        say(`${name}: ${count} links seeded in ${((performance.now() - started) / 1000).toFixed(1)} s`)
      }
      rows.push(...(await growth(name, records[few], records[many], say)), ...(await pages(name, records[many], say)))
      for (const count of [few, many]) {
        await records[count].close()
        delete records[count]
        services[count] = await engine.serve(count)
      }
      rows.push(await creation(name, services[few], services[many], say))
    } finally {
      for (const each of Object.values(records)) await each.close()
      for (const each of Object.values(services)) await each.stop()
      await engine.stop()
    }
  }
  return rows
}

async function growth(engine, small, big, say) {
  const tasks = {
    'new links': (records) => perSecond(1000, () => records.links.findOrInsert(newDraft(), randomHash)),
    'redirect lookups': (records, existing) => perSecond(5000, () => records.links.target(anyOf(existing))),
    'links read in full': (records, existing) => perSecond(5000, () => records.links.get(anyOf(existing))),
  }
  const rows = []
  for (const [what, task] of Object.entries(tasks)) {
    const ratios = []
    const figures = []
    // The first rounds fill caches and warm up the compiler.
    for (let round = -2; round < measuredRounds; round++) {
      const atFew = await task(small, few)
      const atMany = await task(big, many)
      say(`${engine}, ${what}: ${Math.round(atFew)}/s at ${few}, ${Math.round(atMany)}/s at ${many}`)
      if (round < 0) continue
      ratios.push(atFew / atMany)
      figures.push(atMany)
    }
    rows.push(slowdown(atBoth(engine, `${what}, store alone,`), figures, ratios, 1.5))
  }
  return rows
}

async function creation(engine, small, big, say) {
  const ratios = []
  const figures = []
  for (let round = -2; round < measuredRounds; round++) {
    const atFew = await newLinks(small.url, 1)
    const atMany = await newLinks(big.url, 1)
    say(`${engine}, POST /v4/shorten: ${Math.round(atFew)}/s at ${few}, ${Math.round(atMany)}/s at ${many}`)
    if (round < 0) continue
    ratios.push(atFew / atMany)
    figures.push(atMany)
  }
  return slowdown(atBoth(engine, 'POST /v4/shorten'), figures, ratios, 1.5)
}

function atBoth(engine, what) {
  return `${engine}: ${what} at ${many.toLocaleString('en')} against ${few.toLocaleString('en')}`
}

async function pages(engine, records, say) {
  const rows = []
  for (const [what, filter] of Object.entries({
    list: { archived: false },
    'list of a tag': { archived: false, tags: [commonTag] },
  })) {
    const deep = await positionOfPage(records, filter, 1000)
    const read = (after) => perSecond(100, () => page(records, filter, after), 1)
    const ratios = []
    const figures = []
    for (let round = -2; round < measuredRounds; round++) {
      const first = await read(undefined)
      const thousandth = await read(deep)
      say(`${engine}, ${what}: page 1 ${Math.round(first)}/s, page 1000 ${Math.round(thousandth)}/s`)
      if (round < 0) continue
      ratios.push(first / thousandth)
      figures.push(thousandth)
    }
    rows.push(slowdown(`${engine}: 1000th page of a ${what} against its first`, figures, ratios, 2))
  }
  return rows
}

/** Pages through the list like a client. */
async function positionOfPage(records, filter, number) {
  let after
  for (let at = 1; at < number; at++) {
    const { links } = await page(records, filter, after)
    after = links.at(-1)
  }
  return after
}

async function page(records, filter, after) {
  const read = await records.links.page({ groupGuid: bigGroup, filter, after, size: 50 })
  if (read.links.length !== 50 || !read.more) throw new Error('the list is shorter than it was seeded')
  return read
}

/** Operations per second of several callers that each wait for their result. */
async function perSecond(count, operation, callers = 32) {
  let left = count
  const started = performance.now()
  const call = async () => {
    while (left-- > 0) await operation()
  }
  await Promise.all(Array.from({ length: callers }, call))
  return count / ((performance.now() - started) / 1000)
}

function slowdown(what, figures, ratios, goal) {
  const ratio = median(ratios)
  return { what, figure: median(figures), unit: '/s', ratio, goal: `<= ${goal}`, met: ratio <= goal }
}

function anyOf(existing) {
  return address(1 + Math.floor(Math.random() * existing))
}

let made = 0
function newDraft() {
  const longUrl = `https://example.com/new/${process.pid}/${made++}/${Math.random()}?utm_source=bench`
  return {
    groupGuid: bigGroup,
    organizationGuid: 'Oscale',
    domain,
    longUrl,
    createdBy: 'bench',
    clientId: undefined,
    at: Date.now(),
  }
}

export async function sqlite(directory) {
  mkdirSync(directory, { recursive: true })
  const homeOf = (count) => join(directory, String(count))
  return {
    async seeded(count) {
      const empty = join(directory, 'empty.sqlite')
      const records = await openSqlite(empty)
      await records.migrate()
      await records.close()
      // A copy: statements that are not garbage-collected yet hold the original, and its journal could not be turned
      // off.
      const file = join(homeOf(count), 'records.sqlite')
      mkdirSync(homeOf(count))
      copyFileSync(empty, file)
      const database = new Database(file)
      for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -1500000']) database.pragma(pragma)
      for (const statement of seedStatements(count)) database.exec(statement)
      database.close()
      return openSqlite(file)
    },
    serve: (count) => startShortlink(homeOf(count), ['--domains', domain]),
    async stop() {},
  }
}

async function postgres(directory) {
  const server = await startPostgres()
  if (server.skip) return server
  const urlOf = (count) => server.url.replace(/postgres$/, `links_${count}`)
  return {
    async seeded(count) {
      await query(server.url, `create database links_${count}`)
      const url = urlOf(count)
      const records = await openPostgres(url)
      await records.migrate()
      await withoutIndexes(url, ['links', 'addresses', 'link_tags'], () => query(url, ...seedStatements(count)))
      await query(url, 'vacuum analyze', 'checkpoint')
      return records
    },
    serve: (count) =>
      startShortlink(join(directory, String(count)), ['--domains', domain, '--database-url', urlOf(count)]),
    stop: server.stop,
  }
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
