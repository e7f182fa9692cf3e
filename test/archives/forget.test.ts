/** Forgetting people: nothing of the records names them afterwards. The data is random; SEED=<number> repeats a run. */
import { describe, expect, it } from 'vitest'
import type { Records } from '../../src/storage/records/records.js'
import { sqlEngines, type TestDatabase } from '../support/sql-engines.js'
import { Random } from './random.js'
import { randomRecords, rowsOf } from './random-records.js'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
console.log(`forget: SEED=${seed}`)
const data = randomRecords(new Random(seed), 30)
const login = String(data.tables.users[0]?.login)
const person = 'erika.mustermann'
const email = 'Erika@Example.com'
const at = Date.UTC(2026, 10, 16)

describe.each(sqlEngines().map((engine) => [engine.title, engine] as const))('on %s', (_, engine) => {
  it.skipIf(engine.skip)('a forgotten user is named nowhere, and a dry run changes nothing', async () => {
    await withRecords(engine.create, async (records, database) => {
      await database.run(`insert into webhook_deliveries (id, webhook_guid, at, answer, duration_ms, tries, events)
        values ('d', 'w', 1, '', 1, 1, '[["e","{\\"login\\":\\"${person}\\"}"]]')`)
      const before = await everythingIn(records)
      expect(before).toContain(person)
      const dry = await records.privacy.forgetUser(person, { pseudonym: 'forgotten-x', at, dryRun: true })
      expect(await everythingIn(records)).toBe(before)

      const forgotten = await records.privacy.forgetUser(person, { pseudonym: 'forgotten-x', at, dryRun: false })
      expect(forgotten).toEqual(dry)
      expect(forgotten).toMatchObject({ outcome: 'forgotten', rows: { users: 1, webhook_deliveries: 1 } })
      const after = await everythingIn(records)
      expect(after).not.toContain(person)
      expect(after.toLowerCase()).not.toContain(email.toLowerCase())
      expect(after).toContain('forgotten-x')
      expect(await records.privacy.forgetUser(person, { pseudonym: 'y', at, dryRun: false })).toEqual({
        outcome: 'no-user',
      })
    })
  })

  it.skipIf(engine.skip)('the last administrator of an organization is not forgotten', async () => {
    await withRecords(engine.create, async (records, database) => {
      await database.run(`update organization_members set role = 'admin' where login = '${person}'`)
      await database.run('update users set is_active = 1')
      await database.run('update organizations set is_active = 1')
      const before = await everythingIn(records)
      const refused = await records.privacy.forgetUser(person, { pseudonym: 'forgotten-x', at, dryRun: false })
      expect(refused).toMatchObject({ outcome: 'last-admin' })
      expect(await everythingIn(records)).toBe(before)
    })
  })

  it.skipIf(engine.skip)('of events and results, only those of the forgotten link go', async () => {
    await withRecords(engine.create, async (records, database) => {
      const id = String(data.tables.links[0]?.id)
      const others = [`${id}-2`, `${id}/2`, `le${id}`, id.toUpperCase(), `${id.slice(0, -1)}%`]
      const written = (link: string) => [JSON.stringify({ link }), JSON.stringify({ url: `https://${link}?r=qr` })]
      const payloads = [...others, id].flatMap(written)
      for (const [row, payload] of payloads.entries()) {
        await database.run(`insert into webhook_failures (webhook_guid, event_id, id, state, tries, failed_at, failure, payload)
          values ('w', 'e${row}', 'f${row}', 'waiting', 1, 1, '', '${payload}')`)
        await database.run(`insert into webhook_deliveries (id, webhook_guid, at, answer, duration_ms, tries, events)
          values ('d${row}', 'w', 1, '', 1, 1, '${JSON.stringify([['e', payload]])}')`)
      }
      const forgotten = await records.privacy.forgetLink(id, { at, dryRun: false })
      expect(forgotten?.rows).toMatchObject({ webhook_failures: 2, webhook_deliveries: 2 })
    })
  })

  it.skipIf(engine.skip)('a forgotten link says nothing any more, and its addresses stay taken', async () => {
    await withRecords(engine.create, async (records) => {
      const keyword = data.tables.addresses.find(({ kind }) => kind === 'keyword')
      const id = String(keyword?.link_id)
      const link = data.tables.links.find((row) => row.id === id)
      const hosts = [new URL(String(link?.long_url)).host, 'other.example:8080']
      for (const host of hosts) await records.siteIcons.save({ host, image: 'data:', fetchedAt: 1 }, 10)
      const before = await everythingIn(records)
      const dry = await records.privacy.forgetLink(String(keyword?.address), { at, dryRun: true })
      expect(await everythingIn(records)).toBe(before)

      const forgotten = await records.privacy.forgetLink(String(keyword?.address), { at, dryRun: false })
      expect(forgotten).toEqual(dry)
      expect(forgotten?.addresses).toEqual(expect.arrayContaining([id, keyword?.address]))
      const after = await everythingIn(records)
      expect(after).not.toContain(JSON.stringify(link?.long_url))
      expect(await records.siteIcons.find(hosts)).toMatchObject([{ host: 'other.example:8080' }])
      for (const table of ['link_tags', 'link_history', 'link_deeplinks', 'channel_links', 'site_links'] as const) {
        expect(linesIn(after, table).filter((line) => line.includes(`"${id}"`))).toEqual([])
      }
      // As a button of a site, too: other blocks stay.
      expect(linesIn(before, 'sites').join()).toContain(`\\"${id}\\"`)
      expect(linesIn(after, 'sites').join()).not.toContain(`\\"${id}\\"`)
      expect(linesIn(after, 'sites').join()).toContain('text_block')
      const [row] = linesIn(after, 'links').filter((line) => line.includes(`"id":"${id}"`))
      const bare = { long_url: 'about:blank', title: null, note: null, dynamic_routing: null }
      expect(JSON.parse(row ?? '{}')).toMatchObject({ ...bare, deleted_at: link?.deleted_at ?? at })
      expect(linesIn(after, 'addresses')).toEqual(linesIn(before, 'addresses'))
      expect(await records.links.target(id)).not.toMatchObject({ destination: link?.long_url })
      expect(await records.privacy.forgetLink('sho.rt/none', { at, dryRun: false })).toBeUndefined()
    })
  })
})

async function withRecords(
  create: () => Promise<TestDatabase>,
  work: (records: Records, database: TestDatabase) => Promise<void>,
): Promise<void> {
  const database = await create()
  const records = await database.connect()
  try {
    await records.migrate()
    // The only administrators are others.
    const members = data.tables.organization_members.map((row) => ({ ...row, role: 'member' }))
    const users = data.tables.users.map((row) =>
      row.login === login ? { ...row, email, email_key: email.toLowerCase() } : row,
    )
    const tables = JSON.parse(
      JSON.stringify({ ...data.tables, organization_members: members, users }).replaceAll(`"${login}"`, `"${person}"`),
    ) as typeof data.tables
    await records.tables.fill('archive with secrets', async (writer) => {
      for (const [sha256] of data.images)
        await writer.write('image_blobs', [{ sha256, blob_key: `${sha256}-0123456789` }])
      for (const table of records.tables.tables('archive with secrets'))
        await writer.write(table.name, rowsOf({ tables }, table.name))
    })
    await work(records, database)
  } finally {
    await records.close()
    await database.remove()
  }
}

/** All rows of all tables, as text. */
async function everythingIn(records: Records): Promise<string> {
  return records.tables.read(async (reader) => {
    const lines: string[] = []
    for (const table of records.tables.tables('archive with secrets')) {
      for await (const rows of reader.rows(table, { sorted: true })) {
        lines.push(...rows.map((row) => `${table.name} ${JSON.stringify(row)}`))
      }
    }
    return lines.join('\n')
  })
}

function linesIn(everything: string, table: string): readonly string[] {
  const lines = everything.split('\n').filter((line) => line.startsWith(`${table} `))
  return lines.map((line) => line.slice(table.length + 1))
}
