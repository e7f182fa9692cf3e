/**
 * A rolling upgrade: the program of a former commit and the present one on one database, under load while the present one and
 * then a newer one expand the tables (docs/adr/2026-11-19-expand-then-contract.md).
 */

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { formerProgram } from '../support/former-program.js'
import { migrateBeyond } from '../support/migrate-to.js'
import { runCommand } from '../support/run-command.js'
import { postgresEngine, type TestDatabase } from '../support/sql-engines.js'
import { drained, processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'

const former = formerProgram()
const engine = postgresEngine()
const skip = ('skip' in former ? former.skip : undefined) ?? engine.skip ?? ClickhouseServer.skip()
const patiently = { timeout: 120_000, interval: 50 }

describe.skipIf(skip)(`two versions on one database${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-versions-'))
  const clickhouse = new ClickhouseServer()
  const formerFolder = 'skip' in former ? '' : former.folder
  let database: TestDatabase
  let flags: readonly string[]
  let nodes: ServiceProcess[] = []

  beforeAll(async () => {
    database = await engine.create()
    const place = ['--database-url', String(database.databaseUrl)]
    flags = [...place, '--clickhouse-url', await clickhouse.newDatabase(), '--base-url', 'http://s.example.test']
    await promisify(execFile)(process.execPath, [join(formerFolder, 'dist/main.js'), 'migrate', ...place])
    nodes = [await startProcess(join(folder, 'former'), flags, '', undefined, formerFolder)]
    expect(await runCommand(['migrate', ...place])).toMatchObject({ code: 0 })
    nodes.push(await startProcess(join(folder, 'present'), flags))
  }, 240_000)
  afterAll(async () => {
    for (const node of nodes) await node.stop('SIGKILL')
    await clickhouse.stop()
    await database?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = (node: ServiceProcess, method: string, path: string, body?: object) =>
    fetch(`${node.url}/v4${path}`, {
      method,
      headers: { authorization: `Bearer ${processToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const visit = (node: ServiceProcess, path: string) => fetch(node.url + path, { redirect: 'manual' })
  const targetAt = async (node: ServiceProcess, path: string) => (await visit(node, path)).headers.get('location')

  async function understandEachOther(): Promise<void> {
    for (const maker of nodes) {
      const editor = nodes.find((node) => node !== maker) ?? maker
      const target = `https://example.com/${Math.random()}`
      const { id, path } = await shortenAt(maker.url, target)
      for (const node of nodes) expect(await targetAt(node, path)).toBe(target)
      const edited = await ask(editor, 'PATCH', `/shortlinks/${id}`, {
        long_url: `${target}/new`,
        title: 'new',
        tags: ['a'],
      })
      expect(edited.status).toBe(200)
      for (const node of nodes) {
        await vi.waitFor(async () => expect(await targetAt(node, path)).toBe(`${target}/new`), patiently)
      }
      const answers = nodes.map(async (node) => (await ask(node, 'GET', `/shortlinks/${id}`)).json())
      const [one, other] = (await Promise.all(answers)) as [Record<string, unknown>, Record<string, unknown>]
      expect(one).toMatchObject({ title: 'new', tags: ['a'] })
      expect(Object.fromEntries(Object.keys(one).map((name) => [name, other[name]]))).toEqual(one)
    }
  }

  it('make, read, edit and redirect the links of each other', { timeout: 240_000 }, understandEachOther)

  it('lose nothing while a newer version expands the tables', { timeout: 300_000 }, async () => {
    const [first, second] = nodes as [ServiceProcess, ServiceProcess]
    const known = await shortenAt(first.url, 'https://example.com/known')
    const made = new Set<string>()
    const statuses = new Map<number, number>()
    let ended = false
    const load = nodes.map(async (node, index) => {
      for (let number = 0; !ended; number++) {
        const { status } = await visit(node, known.path)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const answer = await ask(node, 'POST', '/shorten', { long_url: `https://example.com/${index}/${number}` })
        expect(answer.status).toBe(201)
        made.add(((await answer.json()) as { id: string }).id)
        await wait(5)
      }
    })
    const progress = async () => {
      const before = made.size
      await vi.waitFor(() => expect(made.size).toBeGreaterThan(before + 20), patiently)
    }
    await progress()
    await migrateBeyond(engine, database, {
      '9998-expand-test': {
        async up(db) {
          await sql`alter table links add column remark text, add column remark_kind text not null default ''`.execute(
            db,
          )
          await sql`create table remarks (id text primary key, link_id text not null)`.execute(db)
          await sql`create index links_by_remark on links (remark_kind)`.execute(db)
        },
      },
    })
    await progress()
    ended = true
    await Promise.all(load)

    expect([...statuses.keys()]).toEqual([301])
    for (const id of made)
      for (const node of nodes) expect((await ask(node, 'GET', `/shortlinks/${id}`)).status).toBe(200)
    for (const node of nodes) await drained(node.url)
    for (const node of nodes) {
      const summary = await (await ask(node, 'GET', `/shortlinks/${known.id}/clicks/summary`)).json()
      expect(summary).toMatchObject({ total_clicks: statuses.get(301) })
    }
    console.log(`${statuses.get(301)} visits and ${made.size} links, all of them there on both versions`)
    await second.stop('SIGKILL')
  })

  it('goes on after a crash although the tables are newer, and migrates nothing', { timeout: 240_000 }, async () => {
    expect(await runCommand(['migrate', '--database-url', String(database.databaseUrl)])).toMatchObject({ code: 0 })
    nodes[1] = await startProcess(join(folder, 'present'), flags)
    await understandEachOther()
  })

  it('makes backups that only a program restores which knows those tables', { timeout: 240_000 }, async () => {
    const place = join(folder, 'backup')
    const made = await runCommand(['backup', place, '--data-dir', join(folder, 'present'), ...flags])
    expect(made).toMatchObject({ code: 0 })
    const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as { schema: string }
    expect(manifest.schema).toBe('9998-expand-test')
  })
})
