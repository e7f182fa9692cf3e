import { type CompiledQuery, Kysely, type LogEvent, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LinkFilter, Position } from '../../src/core/links/link-store.js'
import type { QrCodeFilter } from '../../src/core/qr-codes/qr-code-store.js'
import { sqlLinkLists } from '../../src/storage/records/links/link-lists.js'
import { sqlQrCodeLists } from '../../src/storage/records/qr-codes/qr-code-lists.js'
import { RequestTransactions, transactOn } from '../../src/storage/sql/database/transact.js'
import type { Schema } from '../../src/storage/sql/tables/schema.js'
import { type SqlEngine, sqlEngines } from '../support/sql-engines.js'

const filters: Readonly<Record<string, LinkFilter>> = {
  'no filter': {},
  'a domain': { domain: 'sho.rt' },
  'a domain without links': { domain: 'other.example', archived: false },
  'a domain and a tag': { domain: 'sho.rt', tags: ['common'] },
  'archived off': { archived: false },
  'archived on': { archived: true },
  'a time': { createdAfter: 5_000_000, createdBefore: 15_000_000 },
  words: { words: ['rare', 'title'], archived: false },
  'a destination': { destination: { host: 'example.com', path: '/page1' } },
  'deep links': { deeplinks: true },
  'no deep links on a branded domain': { domainDeeplinks: false },
  'custom back-halves': { keywords: true },
  'no custom back-halves': { keywords: false },
  expiry: { expires: true, expired: { at: 1, wanted: false } },
  routing: { routing: true },
  'QR codes': { qrCodes: true },
  'no QR codes': { qrCodes: false },
  makers: { makers: ['ada', 'bob'] },
  'a tag': { tags: ['common'], archived: false },
  'a rare tag': { tags: ['rare'] },
  'a tag and a time': { tags: ['common'], createdAfter: 5_000_000, createdBefore: 15_000_000 },
  'several tags and words': { tags: ['common', 'rare'], words: ['title'] },
  'a small campaign': { campaignGuid: 'C1', archived: false },
  'a big campaign': { campaignGuid: 'C2', archived: false },
  'a big campaign and a tag': { campaignGuid: 'C2', tags: ['common'] },
  'a small channel': { channelGuid: 'H1' },
  'a big channel': { channelGuid: 'H2' },
}

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(`${engine.title}: a list of links reads along an index`, () => {
    let lists: ListsUnderWatch
    beforeAll(() =>
      watch(engine).then((watched) => {
        lists = watched
      }),
    )
    afterAll(() => lists?.close())

    it.each(Object.entries(filters))('with %s, on the first page and on a later one', async (_, filter) => {
      for (const after of [undefined, { createdAt: 12_000_000, id: 'sho.rt/h12000' }]) {
        const statements = [...(await lists.statementsOf(filter, after)), ...(await lists.statementsAt(filter))]
        expect(statements.length).toBeGreaterThan(0)
        for (const statement of statements) {
          const plan = await lists.plan(statement)
          // Domains are few, and a service without any has an empty table.
          const scanned = plan.scanned.filter((table) => table !== 'domains')
          expect(scanned, `${statement.sql}\n${plan.text}`).toEqual([])
        }
      }
    })

    it('when a ranking asks which links have most keywords, and whose addresses these are', async () => {
      const asked = await lists.statementsOfRanking()
      expect(asked).toHaveLength(4)
      for (const statement of asked) {
        const plan = await lists.plan(statement)
        expect(plan.scanned, `${statement.sql}\n${plan.text}`).toEqual([])
        expect(plan.sorts, `${statement.sql}\n${plan.text}`).toBe(false)
      }
      expect((await lists.plan(asked[1] as CompiledQuery)).text).toContain('links_keywords')
    })

    it('when the hosts of the newest links are gathered', async () => {
      const asked = await lists.statementsOfHosts()
      expect(asked.length).toBeGreaterThan(1)
      for (const statement of asked) {
        const plan = await lists.plan(statement)
        expect(plan.text).toContain('links_group')
        expect(plan.sorts, `${statement.sql}\n${plan.text}`).toBe(false)
      }
    })

    it.each<[string, QrCodeFilter, string]>([
      ['the group', {}, 'qr_codes_group'],
      ['the group', { words: ['rare'], archived: false, standAlone: true, designed: false }, 'qr_codes_group'],
      ['the group', { destination: { host: 'example.com', path: '' }, expires: true }, 'qr_codes_group'],
      ['a tag', { tags: ['common'], archived: false }, 'qr_code_tags_page'],
      ['a tag', { tags: ['common', 'own-Qh8000'] }, 'qr_code_tags_page'],
    ])('for QR codes too, in the order of %s for %j', async (_, filter, index) => {
      for (const statement of await lists.statementsOfCodes(filter)) {
        const plan = await lists.plan(statement)
        expect(plan.scanned, `${statement.sql}\n${plan.text}`).toEqual([])
        expect(plan.text).toContain(index)
        expect(plan.sorts, `${statement.sql}\n${plan.text}`).toBe(false)
      }
    })

    it.each([
      ['the group', {}, 'links_group'],
      ['the group', { domain: 'sho.rt', archived: false }, 'links_group'],
      ['the group', { words: ['rare'], archived: false }, 'links_group'],
      ['a tag', { tags: ['common'], archived: false }, 'link_tags_page'],
      ['a tag', { tags: ['rare', 'common'], words: ['rare'] }, 'link_tags_page'],
    ])('in the order of %s for %j', async (_, filter, index) => {
      for (const statement of await lists.statementsOf(filter, { createdAt: 12_000_000, id: 'sho.rt/h12000' })) {
        const plan = await lists.plan(statement)
        expect(plan.text).toContain(index)
        expect(plan.sorts, `${statement.sql}\n${plan.text}`).toBe(false)
      }
    })
  })
}

interface ListsUnderWatch {
  /** What reading and counting a page really send to the engine. */
  statementsOf(filter: LinkFilter, after: Position | undefined): Promise<readonly CompiledQuery[]>
  /** What is sent to find which of 200 links match. */
  statementsAt(filter: LinkFilter): Promise<readonly CompiledQuery[]>
  /** What the questions of a ranking send: two pages of links with keywords, two of addresses. */
  statementsOfRanking(): Promise<readonly CompiledQuery[]>
  statementsOfHosts(): Promise<readonly CompiledQuery[]>
  statementsOfCodes(filter: QrCodeFilter): Promise<readonly CompiledQuery[]>
  plan(statement: CompiledQuery): Promise<Plan>
  close(): Promise<void>
}

interface Plan {
  readonly text: string
  /** Tables that are read from end to end. */
  readonly scanned: readonly string[]
  /** The page itself is sorted. */
  readonly sorts: boolean
}

async function watch(engine: SqlEngine): Promise<ListsUnderWatch> {
  const database = await engine.create()
  const records = await database.connect()
  await records.migrate()
  await records.close()
  await database.run(seed)
  await database.run(engine.name === 'postgres' ? 'vacuum analyze' : 'select 1')

  const sent: CompiledQuery[] = []
  const log = (event: LogEvent) => {
    sent.push(event.query)
  }
  const dialect =
    engine.name === 'postgres'
      ? new PostgresDialect({ pool: new Pool({ connectionString: database.location, max: 1 }) })
      : new SqliteDialect({ database: new Database(database.location) })
  const db = new Kysely<Schema>({ dialect, log })
  const position = engine.name === 'postgres' ? 'strpos' : 'instr'
  const transact = transactOn(db, () => false, new RequestTransactions())
  const lists = sqlLinkLists(db, transact, position)
  const codes = sqlQrCodeLists(db, transact, position)
  return {
    async statementsOf(filter, after) {
      sent.length = 0
      await lists.page({ groupGuid: 'B1', filter, after, size: 50 })
      await lists.count('B1', filter, { passed: 4000, read: 100 })
      return [...sent]
    },
    async statementsAt(filter) {
      sent.length = 0
      const addresses = Array.from({ length: 200 }, (_, number) => `sho.rt/h${number}`)
      await lists.linksAt('B1', addresses, filter)
      return [...sent]
    },
    async statementsOfCodes(filter) {
      sent.length = 0
      await codes.page({ groupGuid: 'B1', filter, after: { createdAt: 12_000_000, id: 'Qh12000' }, size: 50 })
      return [...sent]
    },
    async statementsOfHosts() {
      sent.length = 0
      await lists.hosts('B1', 5000)
      return [...sent]
    },
    async statementsOfRanking() {
      sent.length = 0
      await lists.withMostKeywords('B1', 400)
      const addresses = Array.from({ length: 400 }, (_, number) => `sho.rt/h${number}`)
      await lists.addressesAt('B1', addresses)
      return [...sent]
    },
    plan: (statement) =>
      engine.name === 'postgres'
        ? postgresPlan(database.location, statement)
        : sqlitePlan(database.location, statement),
    async close() {
      await db.destroy()
      await database.remove()
    },
  }
}

async function sqlitePlan(file: string, { sql, parameters }: CompiledQuery): Promise<Plan> {
  const database = new Database(file)
  try {
    const rows = database.prepare(`explain query plan ${sql}`).all(parameters) as { detail: string }[]
    const lines = rows.map((row) => row.detail)
    return {
      text: lines.join('\n'),
      // A derived table is no table: what it is made of stands on the lines before it.
      scanned: lines.flatMap((line) => /^SCAN (?!held)(\S+)/.exec(line)?.[1] ?? []),
      sorts: lines.includes('USE TEMP B-TREE FOR ORDER BY'),
    }
  } finally {
    database.close()
  }
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

async function postgresPlan(url: string, { sql, parameters }: CompiledQuery): Promise<Plan> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(`explain (format json) ${sql}`, [...parameters])
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as [{ Plan: PlanNode }]
    const nodes = nodesOf(root)
    return {
      text: JSON.stringify(root, undefined, 1),
      scanned: nodes.flatMap((node) => (node['Node Type'] === 'Seq Scan' ? (node['Relation Name'] ?? []) : [])),
      // It may find it cheaper to fetch a stretch and sort it: never more than one step of the way.
      sorts: false,
    }
  } finally {
    await client.end()
  }
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** 40,000 links, half of them in one group, and enough of everything else that no engine is tempted to read all of it. */
const seed = `
  with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 40000)
  insert into links (id, domain, hash, group_guid, long_url, long_url_key, reuse_key, title, archived, created_at,
      modified_at, created_by, expires_at, dynamic_routing)
    select 'sho.rt/h' || cast(i as text), 'sho.rt', 'h' || cast(i as text), case when i % 2 = 0 then 'B1' else 'B2' end,
      'https://www.example.com/page' || cast(i as text), 'k' || cast(i as text), 'r' || cast(i as text),
      case when i % 100 = 0 then 'A rare title' end, case when i % 50 = 0 then 1 else 0 end, i * 1000, i * 1000, 'ada',
      case when i % 10 = 0 then 1000000 + i end, case when i % 20 = 0 then '[]' end
    from numbers;
  insert into addresses (address, kind, link_id, created_at) select id, 'hash', id, created_at from links;
  insert into addresses (address, kind, link_id, created_at)
    select 'sho.rt/k' || hash, 'keyword', id, created_at from links where created_at % 8000 = 0;
  update links set keyword_count = 1 where created_at % 8000 = 0;
  insert into link_tags (link_id, tag, position, group_guid, created_at)
    select id, 'common', 0, group_guid, created_at from links where created_at % 4000 = 0;
  insert into link_tags (link_id, tag, position, group_guid, created_at)
    select id, 'rare', 1, group_guid, created_at from links where created_at % 2000000 = 0;
  insert into link_tags (link_id, tag, position, group_guid, created_at)
    select id, 'own-' || hash, 2, group_guid, created_at from links;
  insert into link_deeplinks (guid, link_id, position, app_guid, os, app_uri_path, install_url, install_type, brand_guid,
      created_at, modified_at)
    select 'R' || hash, id, 0, '', 'ios', '', '', 'no_install', '', 1, 1 from links where created_at % 8000 = 0;
  insert into campaigns (guid, group_guid, name, description, created_by, created_at, modified_at)
    values ('C1', 'B1', '', '', '', 1, 1), ('C2', 'B1', '', '', '', 1, 1);
  insert into channels (guid, group_guid, name, created_at, modified_at)
    values ('H1', 'B1', '', 1, 1), ('H2', 'B1', '', 1, 1);
  insert into channel_links (channel_guid, campaign_guid, link_id)
    select 'H1', 'C1', id from links where created_at % 1000000 = 0;
  insert into channel_links (channel_guid, campaign_guid, link_id)
    select 'H2', 'C2', id from links where created_at % 4000 = 0;
  insert into qr_codes (id, group_guid, link_id, address, title, created_by, created_at, modified_at)
    select 'Q' || hash, group_guid, id, id, 'A code', 'ada', created_at, created_at from links where created_at % 4000 = 0;
  insert into site_links (link_id, site_guid, type)
    select id, 'M1', 'shortlink' from links where created_at % 4000 = 0;
  update links set hidden = 1 where created_at % 40000 = 0;
  insert into qr_code_tags (code_id, tag, position, group_guid, created_at)
    select id, 'common', 0, group_guid, created_at from qr_codes where created_at % 8000 = 0;
  insert into qr_code_tags (code_id, tag, position, group_guid, created_at)
    select id, 'own-' || id, 1, group_guid, created_at from qr_codes`
