/** Two processes that share records and clicks: somebody who comes to both is one visitor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClickhouseServer } from '../support/clickhouse-server.js'
import { sqlEngines, type TestDatabase } from '../support/sql-engines.js'
import { type StartedApp, startApp } from '../support/start-app.js'

const postgres = sqlEngines().find(({ name }) => name === 'postgres')
const skip = ClickhouseServer.skip() ?? (postgres ? postgres.skip : 'ENGINES leaves postgres out')
const title = 'visitors of two processes'
describe.skipIf(skip)(skip === undefined ? title : `${title} (skipped: ${skip})`, () => {
  const clickhouse = new ClickhouseServer()
  let database: TestDatabase | undefined
  const processes: StartedApp[] = []
  beforeAll(async () => {
    database = await postgres?.create()
    const records = await database?.connect()
    await records?.migrate()
    await records?.close()
    const shared = { databaseUrl: database?.databaseUrl, clickhouseUrl: await clickhouse.newDatabase() }
    for (let count = 0; count < 2; count++) {
      processes.push(
        await startApp({ ...shared, baseUrl: 'http://shared.example', domains: ['shared.example'], trustProxy: 1 }),
      )
    }
  })
  afterAll(async () => {
    for (const each of processes) await each.close()
    await clickhouse.stop()
    await database?.remove()
  })

  it('OK: measure=visitors counts each once, wherever they came', async () => {
    const [one] = processes
    const { body } = (await one?.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/' } })) ?? {}
    for (const each of processes) {
      for (const address of ['8.8.8.8', '8.8.4.4']) {
        const headers = { host: 'shared.example', 'x-forwarded-for': address, 'user-agent': browser }
        const visit = await each.request('GET', `/${String(body.id).split('/')[1]}`, { token: null, headers })
        expect(visit.status).toBe(301)
      }
      await each.clicksCounted()
    }
    const summary = async (measure: string) => {
      const path = `/v4/shortlinks/${body.id}/clicks/summary?unit=day&units=-1&measure=${measure}`
      return (await one?.request('GET', path))?.body.total_clicks
    }
    expect(await summary('clicks')).toBe(4)
    expect(await summary('visitors')).toBe(2)
  })
})

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
