import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rounds } from '../support/rounds.js'
import { drained, shortenAt, startProcess } from '../support/start-process.js'

const connections = 16
const killAfter = 4000

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'shortlink-kill-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
  'keeps every answered redirect exactly once when killed with SIGKILL in the middle (round %i)',
  { timeout: 120_000 },
  async () => {
    const first = await startProcess(dataDir)
    const { path } = await shortenAt(first.url, 'https://example.com/killed')

    // Each visit carries a number in its referrer, so that the click log can be held against what was answered.
    let sent = 0
    const answered = new Set<string>()
    const visitUntilDead = async (): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      for (let alive = true; alive; ) {
        const referrer = `https://visit.example/${sent++}`
        alive = await visit(first.url + path, referrer, agent)
        if (alive) answered.add(referrer)
        if (answered.size === killAfter) first.child.kill('SIGKILL')
      }
      agent.destroy()
    }
    await Promise.all(Array.from({ length: connections }, visitUntilDead))
    await first.stop('SIGKILL')
    expect(answered.size).toBeGreaterThanOrEqual(killAfter)

    const second = await startProcess(dataDir)
    await drained(second.url)
    expect(await second.stop('SIGTERM')).toBe(0)

    const counted = await clicksByReferrer(join(dataDir, 'clicks.duckdb'))
    const missing = [...answered].filter((referrer) => !counted.has(referrer))
    const repeated = [...counted].filter(([, count]) => count !== 1)
    expect({ missing, repeated }).toEqual({ missing: [], repeated: [] })
    // What was recorded but not answered any more is at most what was on its way.
    expect(counted.size - answered.size).toBeLessThanOrEqual(connections)
  },
)

function visit(url: string, referer: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { referer, 'user-agent': 'Mozilla/5.0' } }, (response) => {
      // The answer is complete with its headers: a 301 here has no body.
      response.resume()
      response.on('end', () => resolve(response.statusCode === 301))
      response.on('error', () => resolve(false))
    })
    request.on('error', () => resolve(false))
  })
}

async function clicksByReferrer(file: string): Promise<Map<string, number>> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const sql = 'SELECT value, count(*) FROM clicks JOIN referrers ON referrers.id = clicks.referrer GROUP BY value'
  const rows = (await connection.runAndReadAll(sql)).getRows()
  connection.closeSync()
  instance.closeSync()
  return new Map(rows.map(([referrer, count]) => [String(referrer), Number(count)]))
}
