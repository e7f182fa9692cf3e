/** The base URL of the service changes between two starts: nothing is lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Config } from '../../src/config/config.js'
import { visit } from '../api/visits.js'
import { read } from '../stream/reading.js'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { sqlEngines } from '../support/sql-engines.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const clickhouse = new ClickhouseServer()
afterAll(() => clickhouse.stop())

interface Place {
  readonly config: Partial<Config>
  /** Runs SQL directly on the database. */
  run(sql: string): Promise<void>
  remove(): Promise<void>
}

for (const engine of sqlEngines()) {
  const skip = engine.skip ?? (engine.name === 'postgres' ? ClickhouseServer.skip() : undefined)
  const title = engine.name === 'sqlite' ? 'on SQLite and DuckDB' : 'on PostgreSQL and ClickHouse'
  // Each test starts the service several times, and ClickHouse too.
  const waitTimeout = { timeout: 90_000 }
  describe.skipIf(skip)(skip === undefined ? title : `${title} (skipped: ${skip})`, waitTimeout, () => {
    let place: Place | undefined
    let running: StartedApp | undefined
    afterEach(async () => {
      await running?.close()
      running = undefined
      await place?.remove()
      place = undefined
    })

    /** Stops the service if it runs, and starts it on the same data; by default on another port. */
    async function start(config: Partial<Config> = {}): Promise<StartedApp> {
      await running?.close()
      running = undefined
      place ??= await aPlace()
      running = await startApp({ nsqdPort: 0, trustProxy: 1, ...place.config, ...config })
      return running
    }

    async function aPlace(): Promise<Place> {
      const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-renamed-'))
      const database = await engine.create()
      const records = await database.connect()
      await records.migrate()
      await records.close()
      const isShared = database.databaseUrl !== undefined
      const clickhouseUrl = isShared ? await clickhouse.newDatabase() : undefined
      const file = join(dataDir, 'records.sqlite')
      return {
        config: { dataDir, databaseUrl: database.databaseUrl, clickhouseUrl },
        run: (sql) => (isShared ? database.run(sql) : runOnFile(file, sql)),
        async remove() {
          rmSync(dataDir, { recursive: true, force: true })
          await database.remove()
          if (clickhouseUrl !== undefined) await clickhouse.drop(clickhouseUrl)
        },
      }
    }

    it('links, custom links, ids and metrics move with the default domain to its new name', async () => {
      const first = await start()
      const old = first.domain
      const groups = await first.request('GET', '/v4/groups')
      const { guid: groupGuid, organization_guid: organizationGuid } = groups.body.groups[0]
      const post = (at: StartedApp, path: string, body: object) => at.request('POST', path, { body })
      const { body: link } = await post(first, '/v4/shorten', { long_url: 'https://example.com/a' })
      const { body: custom } = await post(first, '/v4/shortlinks', { shortlink_id: link.id, keyword: 'spring' })
      expect(custom.custom_shortlinks).toEqual([`http://${old}/spring`])
      const { body: deep } = await post(first, '/v4/shortlinks', {
        long_url: 'https://example.com/deep',
        deeplinks: [{ os: 'ios', app_uri_path: 'a' }],
      })
      await first.request('PATCH', `/v4/groups/${groupGuid}/preferences`, { body: { domain_preference: old } })
      await first.request('PUT', `/v4/organizations/${organizationGuid}/stream_access`)
      const v3 = async (at: StartedApp, call: string) =>
        (await at.request('GET', `/v3/${call}&access_token=${at.token}`, { token: null })).body.data
      const globalLink = (await v3(first, `link/lookup?url=${encodeURIComponent('https://example.com/a')}`))
        .link_lookup[0].aggregate_link
      const hash = link.id.split('/')[1]
      await visit(first, `${old}/${hash}`)
      await visit(first, `${old}/spring`)
      await first.clicksCounted()

      let former = [old]
      let counted = 1
      const changes = [
        {},
        {
          baseUrl: 'https://links.example.com',
          nsqdAddress: 'localhost',
          domains: ['sho.rt'] as [string],
          anyHost: false,
        },
      ]
      for (const change of changes) {
        const started = await start(change)
        const name = change.domains?.[0] ?? started.domain
        const scheme = change.baseUrl ? 'https' : 'http'
        const answers: unknown[] = []
        const ask = async (method: string, path: string, body?: object) => {
          const answer = await started.request(method, path, body ? { body } : {})
          answers.push(answer.body)
          return answer
        }

        const reader = read({
          topic: `clicks.${organizationGuid}`,
          token: started.token,
          dataDir: started.app.config.dataDir,
          place: {
            lookupdHTTPAddresses: [
              `http://localhost:${started.app.config.port}/v3/nsq/lookup?access_token=${started.token}`,
            ],
          },
        })
        for (const host of [name, ...former]) {
          const headers = { host }
          for (const path of [`/${hash}`, '/spring']) {
            const redirect = await started.request('GET', path, { token: null, headers })
            expect([host, path, redirect.status, redirect.headers.location]).toEqual([
              host,
              path,
              301,
              'https://example.com/a',
            ])
          }
          const information = await started.request('GET', '/spring+', { token: null, headers })
          expect(information.text).toContain(`${scheme}://${name}/spring`)
          // The API stays reachable by former names that proxies may still send.
          expect((await started.request('GET', '/v4/user', { headers })).status).toBe(host === 'sho.rt' ? 404 : 200)
        }
        await started.clicksCounted()
        counted += 1 + former.length

        for (const host of [name, ...former]) {
          const found = await ask('GET', `/v4/shortlinks/${host}/${hash}`)
          expect(found.body).toMatchObject({
            id: `${name}/${hash}`,
            link: `${scheme}://${name}/${hash}`,
            custom_shortlinks: [`${scheme}://${name}/spring`],
          })
          for (const backHalf of [hash, 'spring']) {
            const summary = await ask('GET', `/v4/shortlinks/${host}/${backHalf}/clicks/summary?unit=day&units=-1`)
            expect([host, backHalf, summary.body.total_clicks]).toEqual([host, backHalf, counted])
          }
          const expanded = await ask('POST', '/v4/expand', { shortlink_id: `${host}/spring` })
          expect(expanded.body).toMatchObject({ id: `${name}/spring`, link: `${scheme}://${name}/spring` })
          const listed = await ask('GET', `/v4/groups/${groupGuid}/shortlinks?domain=${host}`)
          expect(listed.body.links.map(({ id }: { id: string }) => id).sort()).toEqual(
            [`${name}/${hash}`, `${name}/${deep.id.split('/')[1]}`].sort(),
          )
          const url = encodeURIComponent(`http://${host}/${hash}`)
          expect((await v3(started, `expand?shortUrl=${url}`)).expand[0].long_url).toBe('https://example.com/a')
          expect((await v3(started, `link/clicks?link=${url}&unit=day&units=-1`)).link_clicks).toBe(counted)
          const changed = await ask('PATCH', `/v4/shortlinks/${host}/${hash}`, { title: `by ${host}`.slice(0, 9) })
          expect([changed.status, changed.body.id]).toEqual([200, `${name}/${hash}`])
          const refused = await ask('POST', '/v4/shorten', { long_url: `http://${host}/x` })
          expect(refused.body.message).toBe('ALREADY_A_SHORTLINK')
          // Existing links are found by any name.
          const again = await ask('POST', '/v4/shorten', { long_url: 'https://example.com/a', domain: host })
          expect(again.body.id).toBe(`${name}/${hash}`)
        }
        const sorted = await ask('GET', `/v4/groups/${groupGuid}/shortlinks/clicks?unit=day&units=-1`)
        expect(sorted.body.sorted_links[0].id).toMatch(new RegExp(`^${name}/`))
        expect((await ask('GET', `/v4/shortlinks/${name}/${deep.id.split('/')[1]}`)).body.deeplinks[0].shortlink).toBe(
          `${name}/${deep.id.split('/')[1]}`,
        )
        const preferences = await ask('GET', `/v4/groups/${groupGuid}/preferences`)
        expect(preferences.body.domain_preference).toBe(name)
        const lookedUp = await v3(started, `link/lookup?url=${encodeURIComponent('https://example.com/a')}`)
        expect(lookedUp.link_lookup[0].aggregate_link).toBe(globalLink.replace(`http://${old}`, `${scheme}://${name}`))
        const body = { export_type: 'link_engagements_batch', shortlinks: former.map((host) => `${host}/${hash}`) }
        const exported = await ask('POST', `/v4/groups/${groupGuid}/exports`, body)
        const csv = Buffer.from(exported.body.data_uri.split(',')[1], 'base64').toString()
        expect(csv).toContain(`\n${name}/${hash},${scheme}://${name}/${hash},`)
        await ask('POST', '/v4/shortlinks', { shortlink_id: link.id, keyword: 'spring', domain: old })

        await reader.until(({ clicks }) => clicks.filter(({ hh }) => hh === name).length >= 2)
        expect(reader.clicks.filter(({ hh }) => hh === name).at(-1)).toMatchObject({ link: `${name}/${hash}` })
        reader.close()

        // No response contains a former name.
        const told = JSON.stringify([answers, await v3(started, 'user/link_history?limit=9'), csv])
        for (const host of former) expect(told).not.toContain(`${host}/`)
        former = [name, ...former]
      }
    })

    it('can return to a former name', async () => {
      const first = await start()
      const { body: link } = await first.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/' } })
      const port = first.app.config.port
      const { baseUrl, domains } = first.app.config
      await start()
      const back = await start({ baseUrl, domains })
      expect(back.app.config.domains).toEqual([`localhost:${port}`])
      const found = await back.request('GET', `/v4/shortlinks/${link.id}`)
      expect([found.status, found.body.id]).toEqual([200, link.id])
    })

    it('does not start if links of another built-in domain would be lost, and says what to do', async () => {
      const both = { domains: ['one.example', 'two.example'] as [string, string], anyHost: false }
      const first = await start(both)
      const { body } = await first.request('POST', '/v4/shorten', {
        body: { long_url: 'https://example.com/', domain: 'two.example' },
      })
      const lost = start({ domains: ['one.example'], anyHost: false })
      await expect(lost).rejects.toThrow(
        'There are links on two.example, which --domains no longer lists: they would stop working. ' +
          'Add the name again (--domains one.example,two.example), or rename the domain first ' +
          '(bin/shortlink domain rename two.example NEW) and add NEW to --domains.',
      )
      const again = await start(both)
      expect((await again.request('GET', `/v4/shortlinks/${body.id}`)).status).toBe(200)
    })

    it('recovers links that an earlier version lost with a change of port', async () => {
      const first = await start()
      const old = first.domain
      const { body: link } = await first.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/' } })
      await first.close()
      running = undefined
      // As an earlier version left it: no table of names, and links created on another port.
      await place?.run(`delete from built_in_domains;
        insert into links (id, domain, hash, group_guid, long_url, long_url_key, created_at, modified_at, created_by)
          select 'localhost:1/lost001', 'localhost:1', 'lost001', group_guid, long_url, 'key', 1, 1, 'admin' from links;
        insert into addresses (address, kind, link_id, created_at)
          values ('localhost:1/lost001', 'hash', 'localhost:1/lost001', 1)`)
      const upgraded = await start()
      expect((await upgraded.request('GET', `/v4/shortlinks/${old}/${link.id.split('/')[1]}`)).status).toBe(200)
      expect((await upgraded.request('GET', '/v4/shortlinks/localhost:1/lost001')).body.id).toBe('localhost:1/lost001')
      const headers = { host: 'localhost:1' }
      expect((await upgraded.request('GET', '/lost001', { token: null, headers })).status).toBe(301)
    })

    it('does not let an organization add a former name', async () => {
      const first = await start({ domains: ['old.example'], anyHost: false })
      await first.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/' } })
      const renamed = await start({ domains: ['new.example'], anyHost: false })
      const { body } = await renamed.request('GET', '/v4/organizations')
      const path = `/v4/organizations/${body.organizations[0].guid}/domains`
      const refused = await renamed.request('POST', path, { body: { domain: 'old.example' } })
      expect([refused.status, refused.body.description]).toEqual([
        400,
        'old.example is or was a domain of this service. Add a domain of your own.',
      ])
    })
  })
}

async function runOnFile(file: string, statements: string): Promise<void> {
  const { default: Database } = await import('libsql')
  const database = new Database(file)
  database.exec(statements)
  database.close()
}
