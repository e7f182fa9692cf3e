import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { visitKinds } from '../../src/core/clicks/dimensions.js'
import { rounds } from '../support/rounds.js'
import { startApp } from '../support/start-app.js'
import { drained, startProcess } from '../support/start-process.js'
import { aDocument, publishSite } from './publish.js'
import { link, makeThings, person } from './samples.js'

const connections = 16
/** ROUNDS=25 makes a hundred thousand visits. */
const killAfter = 4000

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-killed-pages-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

it(`keeps every view, button and download exactly once, killed with SIGKILL after every ${killAfter} of them`, {
  timeout: 60_000 + rounds * 60_000,
}, async () => {
  const paths = await publish()
  let sent = 0
  let unsure = 0
  /** The mark of each answered visit, in its referrer, with its kind. */
  const answered = new Map<string, string>()
  for (let round = 1; round <= rounds; round++) {
    const service = await startProcess(dataDir)
    const visitUntilDead = async (): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let alive = true; alive; ) {
        const { path, status, kind } = paths[sent % paths.length] as (typeof paths)[number]
        const referrer = `https://visit.example/${sent++}`
        alive = await visit(service.url + path, referrer, agent, status)
        if (alive) answered.set(referrer, kind)
        else unsure++
        if (answered.size === killAfter * round) service.child.kill('SIGKILL')
      }
      agent.destroy()
    }
    await Promise.all(Array.from({ length: connections }, visitUntilDead))
    await service.stop('SIGKILL')
    expect(answered.size).toBeGreaterThanOrEqual(killAfter * round)
  }

  const last = await startProcess(dataDir)
  await drained(last.url)
  expect(await last.stop('SIGTERM')).toBe(0)
  const counted = await visitsByReferrer(join(dataDir, 'clicks.duckdb'))
  const missing = [...answered].filter(([referrer, kind]) => counted.get(`${referrer} ${kind}`) === undefined)
  const repeated = [...counted].filter(([, count]) => count !== 1)
  expect({ missing: missing.slice(0, 5), repeated: repeated.slice(0, 5) }).toEqual({ missing: [], repeated: [] })
  // What was recorded but not answered any more is at most what was on its way.
  expect(counted.size - answered.size).toBeGreaterThanOrEqual(0)
  expect(counted.size - answered.size).toBeLessThanOrEqual(unsure)
})

/** A page with a button and a business card: what visitors can do there. */
async function publish() {
  const started = await startApp({ dataDir, databaseUrl: undefined })
  const things = await makeThings(started)
  const card = person()
  const { guid, path } = await publishSite(started, aDocument({}, [link(things, 'A button'), card]))
  await started.close()
  return [
    { path, status: 200, kind: 'view' },
    { path: `/${things.links[0]?.split('/')[1]}?r=${guid}`, status: 301, kind: 'button' },
    { path: `${path}?card=${card.id}`, status: 200, kind: 'button' },
  ]
}

/** Whether the whole answer came. */
function visit(url: string, referer: string, agent: Agent, status: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { referer, 'user-agent': 'Mozilla/5.0' } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.complete && response.statusCode === status))
      response.on('error', () => resolve(false))
    })
    request.on('error', () => resolve(false))
  })
}

/** By referrer and kind. */
async function visitsByReferrer(file: string): Promise<ReadonlyMap<string, number>> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const sql =
    'SELECT value, kind, count(*) FROM clicks JOIN referrers ON referrers.id = clicks.referrer GROUP BY value, kind'
  const rows = (await connection.runAndReadAll(sql)).getRows()
  connection.closeSync()
  instance.closeSync()
  return new Map(rows.map(([referrer, kind, count]) => [`${referrer} ${visitKinds[Number(kind)]}`, Number(count)]))
}
