import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect } from 'vitest'
import { httpSession } from '../../src/storage/clickhouse/http-session.js'

/** Visitors, some of whom keep their connection. Each visit has a number in its referrer. */
export class Load {
  readonly answered = new Set<string>()
  /** What went wrong for those that were not. */
  readonly failures: string[] = []
  readonly #url: string
  #sent = 0
  #unsure = 0
  #isOver = false

  constructor(url: string) {
    this.#url = url
  }

  /** Until the service is gone, or it is stopped. */
  async run(visitors: number, stopped?: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: visitors }, (_, index) => this.#visitor(index % 2 === 0, stopped)))
    this.#isOver = true
  }

  async reached(answered: number): Promise<void> {
    while (this.answered.size < answered && !this.#isOver) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(this.answered.size).toBeGreaterThanOrEqual(answered)
  }

  /** Clicks by referrer. */
  expectCounted(counted: ReadonlyMap<string, number>): void {
    const missing = [...this.answered].filter((referrer) => !counted.has(referrer))
    const repeated = [...counted].filter(([, count]) => count !== 1)
    expect({ missing: missing.slice(0, 5), repeated: repeated.slice(0, 5) }).toEqual({ missing: [], repeated: [] })
    // What was recorded but not answered is at most what was on its way.
    expect(counted.size - this.answered.size).toBeLessThanOrEqual(this.#unsure)
  }

  async #visitor(keepAlive: boolean, stopped?: AbortSignal): Promise<void> {
    const agent = new Agent({ keepAlive, maxSockets: 1 })
    for (let isGone = false; !isGone && !stopped?.aborted; ) {
      const referrer = `https://visit.example/${this.#sent++}`
      const outcome = await visit(this.#url, referrer, agent)
      if (outcome === 'answered') this.answered.add(referrer)
      else this.failures.push(outcome)
      if (outcome !== 'answered' && outcome !== refused) this.#unsure++
      // Nobody listens: the service is gone, and does not come back here.
      isGone = outcome === refused
    }
    agent.destroy()
  }
}

const refused = 'ECONNREFUSED'

/** `answered`, or why not. */
function visit(url: string, referer: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent, headers: { referer, 'user-agent': 'Mozilla/5.0' } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === 301 ? 'answered' : `status ${response.statusCode}`))
      response.on('error', (error) => resolve(error.message))
    })
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

/** Clicks by referrer in the DuckDB file of a stopped service, and how many journals they are from. */
export async function clicksIn(dataDir: string): Promise<{ counted: Map<string, number>; journals: number }> {
  const instance = await DuckDBInstance.create(join(dataDir, 'clicks.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const sql = 'SELECT value, count(*) FROM clicks JOIN referrers ON referrers.id = clicks.referrer GROUP BY value'
  const rows = (await connection.runAndReadAll(sql)).getRows()
  const cursors = await connection.runAndReadAll('SELECT count(*) FROM cursors WHERE last_row > 0')
  connection.closeSync()
  instance.closeSync()
  const counted = new Map(rows.map(([referrer, count]) => [String(referrer), Number(count)]))
  return { counted, journals: Number(cursors.getRows()[0]?.[0]) }
}

/** Clicks by referrer in ClickHouse. */
export async function clicksInClickhouse(url: string): Promise<Map<string, number>> {
  const session = httpSession(url)
  const rows = await session.query(
    `SELECT referrer, sum(n) FROM \`${session.database}\`.clicks WHERE referrer LIKE 'https://visit.example/%' GROUP BY referrer`,
  )
  await session.close()
  return new Map(rows.map(([referrer, count]) => [String(referrer), Number(count)]))
}
