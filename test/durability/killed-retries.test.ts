import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import Database from 'libsql'
import { expect, it } from 'vitest'
import { processToken, type ServiceProcess, startProcess } from '../support/start-process.js'

const kills = 6
const clients = 8
const answersBetween = 60

it('makes exactly one link for each Idempotency-Key when killed with SIGKILL again and again', {
  timeout: 240_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-killed-retries-'))
  let service: ServiceProcess = await startProcess(dataDir)
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
    service = await startProcess(dataDir, [], '', Number(port))
  }
  isOver = true
  await Promise.all(working)

  const [someKey = ''] = answered.keys()
  const again = await shorten(service.url, someKey)
  expect(again).toEqual({ ...answered.get(someKey), isReplayed: true })
  expect(await service.stop('SIGTERM')).toBe(0)

  const records = new Database(join(dataDir, 'records.sqlite'))
  const links = records.prepare('select id, long_url from links').all() as { id: string; long_url: string }[]
  records.close()
  rmSync(dataDir, { recursive: true, force: true })
  const made = links.map(({ id, long_url }) => [long_url, id]).sort()
  const told = [...answered].map(([key, { id }]) => [longUrlOf(key), id]).sort()
  expect(made).toEqual(told)
  // Otherwise nothing was interrupted.
  expect(retried).toBeGreaterThanOrEqual(kills)
})

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
