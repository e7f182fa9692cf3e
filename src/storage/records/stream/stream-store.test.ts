import Database from 'libsql'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultDomain, type SqlEngine, sqlEngines, type TestDatabase } from '../../../../test/support/sql-engines.js'
import { LinkFollower } from '../../../core/stream/link-follower.js'
import { streamStoreContract } from '../../../core/stream/stream-store.contract.js'
import { CurrentDomainNames, Subscriptions } from '../../../core/stream/subscriptions.js'
import type { Records } from '../records.js'

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    streamStoreContract(engine.open, defaultDomain)

    describe('an open transaction of another process', () => {
      let database: TestDatabase
      let records: Records
      let writer: Writer
      beforeEach(async () => {
        database = await engine.create()
        records = await database.connect()
        await records.migrate()
        writer = await aWriter(engine, database)
      })
      afterEach(async () => {
        await writer.close()
        await records.close()
        await database.remove()
      })

      it('is reported with its age until it ends', async () => {
        const began = performance.now()
        expect(await records.streamStore.openFor()).toBe(0)
        await writer.run(begin(engine))
        await writer.run(anInsert('open', 1))
        const first = await records.streamStore.openFor()
        const second = await records.streamStore.openFor()
        expect(first).toBeGreaterThan(0)
        expect([first, second]).toEqual([Math.ceil(first), Math.ceil(second)])
        expect(second).toBeGreaterThanOrEqual(first)
        expect(second).toBeLessThan(performance.now() - began + clockGrain)
        await writer.run('rollback')
        expect(await records.streamStore.openFor()).toBe(0)
      })

      it('is waited for: its links are published however late it ends', async () => {
        // The service's clock runs a hundred times faster than real time.
        const [start, began, speed] = [1_700_000_000_000, performance.now(), 100]
        const clock = { now: () => Math.floor(start + (performance.now() - began) * speed) }
        const told: string[] = []
        await records.streamStore.allowReader({ kind: 'login', subject: 'nobody' }, 'operator', start)
        const subscriptions = new Subscriptions({ ...records })
        subscriptions.watch(new Set(['links']))
        const follower = new LinkFollower({
          streamStore: { ...records.streamStore, openFor: async () => (await records.streamStore.openFor()) * speed },
          subscriptions,
          names: new CurrentDomainNames(records),
          cursor: { take: async (from) => from, move: async () => true, leave: async () => {} },
          send: async ([[, messages] = ['', []]]) => {
            for (const message of messages) told.push(JSON.parse(String(message)).link)
          },
          clock,
        })
        // Longer than the wait for a transaction that began before the first poll: from here on only this one counts.
        while (clock.now() < start + 90_000) await follower.poll()
        const late = clock.now()
        await writer.run(begin(engine))
        await writer.run(anInsert('late', late))
        for (let looks = 0; looks < 100 || clock.now() < late + 180_000; looks++) await follower.poll()
        expect(told).toEqual([])
        await writer.run('commit')
        const ended = clock.now()
        while (told.length === 0 && clock.now() < ended + 3_600_000) await follower.poll()
        expect(told).toEqual([`${defaultDomain}/late`])
      })
    })
  })
}

/** The server's clock differs from ours. */
const clockGrain = 50

interface Writer {
  run(sql: string): Promise<unknown>
  close(): Promise<unknown>
}

/** Bypasses our own code, which leaves no transaction open. */
async function aWriter({ name }: SqlEngine, { location }: TestDatabase): Promise<Writer> {
  if (name === 'sqlite') {
    const database = new Database(location)
    return { run: async (sql) => database.exec(sql), close: async () => database.close() }
  }
  const client = new Client({ connectionString: location, application_name: 'shortlink' })
  await client.connect()
  return { run: (sql) => client.query(sql), close: () => client.end() }
}

function begin({ name }: SqlEngine): string {
  return name === 'sqlite' ? 'begin immediate' : 'begin'
}

function anInsert(hash: string, at: number): string {
  const id = `${defaultDomain}/${hash}`
  return `insert into links (id, domain, hash, group_guid, long_url, long_url_key, created_at, modified_at, created_by)
    values ('${id}', '${defaultDomain}', '${hash}', 'B1', 'https://example.com/', 'k', ${at}, ${at}, 'ada')`
}
