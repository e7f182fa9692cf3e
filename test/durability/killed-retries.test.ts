import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'libsql'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { sqlEngines } from '../support/sql-engines.js'
import { processToken, type ServiceProcess, startProcess } from '../support/start-process.js'

const kills = 2 * rounds
const clients = 8
const answersBetween = 60

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('makes exactly one link for each Idempotency-Key when killed with SIGKILL again and again', {
      timeout: 240_000 * rounds,
    }, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-killed-retries-'))
      // SQLite is in the data directory.
      const database = engine.name === 'postgres' ? await engine.create() : undefined
      const flags = database?.databaseUrl === undefined ? [] : ['--database-url', database.databaseUrl]
      if (database) expect(await runCommand(['migrate', ...flags])).toMatchObject({ code: 0 })
      let service: ServiceProcess = await startProcess(dataDir, flags)
      const { port } = new URL(service.url)
      const answered = new Map<string, Answer>()
      let [sent, retried, isOver] = [0, 0, false]

      const client = async (): Promise<void> => {
        while (!isOver) {
          const key = `key-${sent++}`
          let answer = await shorten(service.url, key)
          // Also after a refusal, such as 409 or 503: a client only knows that it has no link yet.
          while (answer?.status !== 201) {
            retried += 1
            await setTimeout(20)
            answer = await shorten(service.url, key)
          }
          answered.set(key, answer)
        }
      }
      const working = Array.from({ length: clients }, client)
      for (let kill = 0; kill < kills; kill += 1) {
        const before = answered.size
        while (answered.size < before + answersBetween) await setTimeout(1)
        await service.stop('SIGKILL')
        service = await startProcess(dataDir, flags, '', Number(port))
      }
      isOver = true
      await Promise.all(working)

      const [someKey = ''] = answered.keys()
      const again = await shorten(service.url, someKey)
      expect(again).toEqual({ ...answered.get(someKey), isReplayed: true })
      expect(await service.stop('SIGTERM')).toBe(0)

      const links = database?.databaseUrl ? await linksInPostgres(database.databaseUrl) : linksInSqlite(dataDir)
      rmSync(dataDir, { recursive: true, force: true })
      await database?.remove()
      const made = links.map(({ id, long_url }) => [long_url, id]).sort()
      const told = [...answered].map(([key, { id }]) => [longUrlOf(key), id]).sort()
      expect(made).toEqual(told)
      // Otherwise nothing was interrupted.
      expect(retried).toBeGreaterThanOrEqual(kills)
    })
  })
}

interface LinkRow {
  readonly id: string
  readonly long_url: string
}

const allLinks = 'select id, long_url from links'

function linksInSqlite(dataDir: string): readonly LinkRow[] {
  const records = new Database(join(dataDir, 'records.sqlite'))
  const links = records.prepare(allLinks).all() as LinkRow[]
  records.close()
  return links
}

async function linksInPostgres(connectionString: string): Promise<readonly LinkRow[]> {
  const client = new Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<LinkRow>(allLinks)
  await client.end()
  return rows
}

interface Answer {
  readonly status: number
  readonly id: string
  readonly isReplayed: boolean
}

function longUrlOf(key: string): string {
  return `https://example.com/${key}`
}

/** Undefined: no answer. */
async function shorten(url: string, key: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${url}/v4/shorten`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${processToken}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ long_url: longUrlOf(key), force_new_link: true }),
    })
    const { id } = (await response.json()) as { id: string }
    const isReplayed = response.headers.get('idempotent-replayed') === 'true'
    return { status: response.status, id, isReplayed }
  } catch {
    return undefined
  }
}
