import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { defaultDomain, sqlEngines, type TestDatabase } from '../../../test/support/sql-engines.js'
import type { LinkToImport } from '../../core/imports/import-store.js'
import { RedirectCache } from '../../core/links/redirect-cache.js'
import { LinkFollower } from '../../core/stream/link-follower.js'
import { CurrentDomainNames, Subscriptions } from '../../core/stream/subscriptions.js'
import { ownCursor } from '../../runtime/threads/stream-links.js'
import { CursorFile } from '../nsqd/cursor-file.js'
import { NsqdPublisher } from '../nsqd/publisher.js'
import type { Records } from './records.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    /** Two processes on one database: tests the memory of the first, the second makes the changes. */
    async function twoProcesses(test: (here: Here, there: Records, database: TestDatabase) => Promise<void>) {
      const database = await engine.create()
      const [first, second] = [await database.connect(), await database.connect()]
      await first.migrate()
      // The counter is polled once a millisecond, so this clock advances with every read.
      let looks = 0
      const clock = { now: () => looks++ }
      const redirectCache = new RedirectCache(
        { links: first.links, clock, externalChanges: first.externalChanges },
        100,
      )
      // On PostgreSQL the version changes once it listens; earlier notifications are missed.
      if (engine.name === 'postgres') await vi.waitFor(() => expect(first.externalChanges.version()).toBe(1), timeout)
      const here: Here = {
        records: first,
        remembers: async (address) => {
          await nextTurn()
          return redirectCache.peek(address, clock.now())?.longUrl
        },
        visit: async (address) => {
          await nextTurn()
          const target = redirectCache.peek(address, clock.now()) ?? (await redirectCache.load(address))
          return target?.deletedAt === undefined ? target?.longUrl : undefined
        },
      }
      await test(here, second, database)
      await first.close()
      await second.close()
      await database.remove()
    }

    it('follows a destination that another process changed', () =>
      twoProcesses(async (here, there) => {
        const link = await aLink(there, 'https://example.com/old')
        await here.visit(link.id)
        await there.links.update(link.id, { longUrl: 'https://example.com/new' }, context)
        await vi.waitFor(async () => expect(await here.visit(link.id)).toBe('https://example.com/new'), timeout)
      }))

    it('notices deleted links, new keywords and moved keywords', () =>
      twoProcesses(async (here, there) => {
        const [one, two] = [await aLink(there, 'https://example.com/1'), await aLink(there, 'https://example.com/2')]
        const word = `${defaultDomain}/word`
        expect(await here.visit(word)).toBeUndefined()
        await there.links.addKeyword(word, one.id, context)
        await vi.waitFor(async () => expect(await here.visit(word)).toBe('https://example.com/1'), timeout)
        await there.links.moveKeyword(word, two.id, context)
        await vi.waitFor(async () => expect(await here.visit(word)).toBe('https://example.com/2'), timeout)

        const gone = await aLink(there, 'https://example.com/gone')
        expect(await here.visit(gone.id)).toBe('https://example.com/gone')
        await there.links.remove(gone.id, 5)
        await vi.waitFor(async () => expect(await here.visit(gone.id)).toBeUndefined(), timeout)
      }))

    it('keeps its cache after its own changes to other links', () =>
      twoProcesses(async (here) => {
        const link = await aLink(here.records, 'https://example.com/mine')
        await here.visit(link.id)
        const other = await aLink(here.records, 'https://example.com/other')
        await here.records.links.update(other.id, { longUrl: 'https://example.com/other2' }, context)
        expect(await here.remembers(link.id)).toBeDefined()
      }))

    it('keeps links in its cache that an import of another process does not touch', () =>
      twoProcesses(async (here, there) => {
        const [hot, replaced] = [
          await aLink(there, 'https://example.com/hot'),
          await aLink(there, 'https://example.com/1'),
        ]
        const imported = `${defaultDomain}/imported`
        expect(await here.visit(hot.id)).toBe('https://example.com/hot')
        expect(await here.visit(replaced.id)).toBe('https://example.com/1')
        expect(await here.visit(imported)).toBeUndefined()
        const owner = { groupGuid: 'B1', login: 'ada', at: 1_000 }
        const links = [anImport(imported, 'https://example.com/new'), anImport(replaced.id, 'https://example.com/2')]
        await there.linkImports.importLinks(owner, links, 'replace')
        await vi.waitFor(async () => expect(await here.visit(imported)).toBe('https://example.com/new'), timeout)
        await vi.waitFor(async () => expect(await here.visit(replaced.id)).toBe('https://example.com/2'), timeout)
        expect(await here.remembers(hot.id)).toBe('https://example.com/hot')
      }))

    it('follows more changes than it is told one by one', () =>
      twoProcesses(async (here, there) => {
        const links = []
        for (let index = 0; index < 100; index++) links.push(await aLink(there, `https://example.com/old/${index}`))
        for (const { id } of links) await here.visit(id)
        for (const { id } of links) await there.links.update(id, { longUrl: `${id}.example` }, context)
        for (const { id } of links) {
          await vi.waitFor(async () => expect(await here.visit(id)).toBe(`${id}.example`), timeout)
        }
      }))

    it('keeps its cache while another thread reads new links', () =>
      twoProcesses(async (here, there) => {
        const link = await aLink(here.records, 'https://example.com/hot')
        await here.visit(link.id)
        const folder = mkdtempSync(join(tmpdir(), 'shortlink-elsewhere-'))
        const { told, cursor, poll, at } = aFollower(there, join(folder, 'positions.json'))
        const before = await cursor.take(at())
        const made: string[] = []
        for (let minutes = 0; minutes < 3; minutes++) {
          made.push((await aLink(here.records, `https://example.com/made/${minutes}`, at())).id)
          await poll(120)
        }
        expect(told).toEqual(made)
        expect(await cursor.take(at())).toBeGreaterThan(before ?? 0)
        expect(await here.remembers(link.id)).toBe('https://example.com/hot')
        await there.links.update(link.id, { longUrl: 'https://example.com/new' }, context)
        await vi.waitFor(async () => expect(await here.visit(link.id)).toBe('https://example.com/new'), timeout)
        rmSync(folder, { recursive: true })
      }))

    if (engine.name !== 'postgres') return

    it('listens again after a lost connection, and clears its cache', () =>
      twoProcesses(async (here, there, database) => {
        const link = await aLink(there, 'https://example.com/old')
        await here.visit(link.id)
        await database.run(`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'shortlink notifications'`)
        await there.links.update(link.id, { longUrl: 'https://example.com/while-away' }, context)
        await vi.waitFor(async () => expect(await here.visit(link.id)).toBe('https://example.com/while-away'), timeout)
        // The links of the cut-off process still work, and so do its writes.
        expect((await here.records.links.update(link.id, { title: 'T' }, context)).outcome).toBe('done')
      }))

    it('reports that everything changed if a change has too many addresses', () =>
      twoProcesses(async (here, there) => {
        const link = await aLink(there, 'https://example.com/many')
        for (let index = 0; index < 180; index++) {
          await there.links.addKeyword(`${defaultDomain}/${String(index).padStart(50, 'k')}`, link.id, context)
        }
        await here.visit(link.id)
        await there.links.update(link.id, { longUrl: 'https://example.com/moved' }, context)
        await vi.waitFor(async () => expect(await here.visit(link.id)).toBe('https://example.com/moved'), timeout)
      }))
  })
}

interface Here {
  readonly records: Records
  /** The cached destination, read in a separate event-loop turn. */
  remembers(address: string): Promise<string | undefined>
  /** The destination that a visitor gets, if the link is not deleted. */
  visit(address: string): Promise<string | undefined>
}

/** Like the click thread with external nsqd daemons and records of one process. */
function aFollower(records: Records, positions: string) {
  const told: string[] = []
  let now = 2_000
  const clock = { now: () => now }
  const fail = (reason: string) => {
    throw new Error(reason)
  }
  const publisher = new NsqdPublisher({
    daemons: [],
    cursors: new CursorFile(positions, fail),
    clock,
    takes: () => true,
    onFailure: fail,
  })
  const cursor = ownCursor(publisher)
  const subscriptions = new Subscriptions({ ...records })
  subscriptions.watch(new Set(['links']))
  const follower = new LinkFollower({
    streamStore: records.streamStore,
    subscriptions,
    names: new CurrentDomainNames(records),
    cursor,
    send: async ([[, messages] = ['', []]]) => {
      for (const message of messages) told.push(JSON.parse(String(message)).link)
    },
    clock,
  })
  const poll = async (times: number) => {
    for (let time = 0; time < times; time++) now += await follower.poll()
  }
  return { told, cursor, poll, at: clock.now }
}

const timeout = { timeout: 30_000, interval: 10 }
const context = { login: 'ada', at: 1_000 }

let drawn = 0
const hash = () => `h${drawn++}`

async function aLink(records: Records, longUrl: string, at = 1_000) {
  const owner = { groupGuid: 'B1', organizationGuid: 'O1', createdBy: 'ada', clientId: undefined }
  const draft = { ...owner, domain: defaultDomain, longUrl, at }
  return (await records.links.findOrInsert(draft, hash)).link
}

function anImport(address: string, longUrl: string): LinkToImport {
  const backHalf = address.slice(defaultDomain.length + 1)
  const nothing = { keywords: [], tags: [], archived: false, title: undefined, expiresAt: undefined, note: undefined }
  return { address, domain: defaultDomain, backHalf, longUrl, createdAt: 1_000, ...nothing }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
