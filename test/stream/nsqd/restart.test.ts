import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RawClient } from './raw-client.js'

const rounds = 4
const perRound = 10_000
const perBatch = 100

let directory: string
let child: ChildProcess | undefined
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'shortlink-nsqd-kill-'))
})
afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(directory, { recursive: true })
})

it('delivers every published message on each channel although it is killed with SIGKILL in mid-stream', async () => {
  // By body, the ids under which it came: more than one would mean that it was published more than once.
  const seen = { one: new Map<string, Set<string>>(), other: new Map<string, Set<string>>() }
  let published = 0
  let deliveries = 0
  for (let round = 1; round <= rounds; round++) {
    const { port, position } = await startProcess()
    // What was acknowledged is there; what was on its way may be.
    expect(position).toBeGreaterThanOrEqual(published)
    published = position
    const clients = [await consumer(port, 'one'), await consumer(port, 'one'), await consumer(port, 'other')]
    const consumers = clients.map((client, index) => consume(client, index === 2 ? seen.other : seen.one))
    const target = round * perRound
    const killAt = round === rounds ? undefined : published + 500 + Math.floor(Math.random() * (perRound - 1000))
    while (published < target) {
      child?.send({ from: published, to: published + perBatch })
      if (killAt !== undefined && published >= killAt) break
      const [answer] = (await once(child as ChildProcess, 'message')) as [{ published: number }]
      published = answer.published
    }
    if (round === rounds)
      await expect
        .poll(() => [seen.one.size, seen.other.size], { timeout: 60_000, interval: 50 })
        .toEqual([published, published])
    await kill()
    deliveries += (await Promise.all(consumers)).reduce((sum, count) => sum + count, 0)
  }
  for (const ids of [...seen.one.values(), ...seen.other.values()]) expect(ids.size).toBe(1)
  expect(deliveries).toBeGreaterThanOrEqual(2 * published)
}, 120_000)

it('refuses to publish when the disk is full, and goes on delivering what it has', async () => {
  // A limit on the size of files is the nearest thing to a full disk that needs no other disk.
  const program = [new URL('engine-process.mjs', import.meta.url).pathname, join(directory, 'stream.sqlite')]
  const line = 'ulimit -f 6000; exec "$0" "$@"'
  child = spawn('sh', ['-c', line, process.execPath, ...program], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const reader = await RawClient.to(port)
  await reader.subscribe('t', 'ch', 0)
  let published = 0
  let refusal = ''
  while (refusal === '') {
    const producer = await RawClient.to(port)
    producer.command('PUB t', Buffer.alloc(100_000))
    const { type, data } = await producer.frame()
    if (type === 0) published++
    else refusal = data.toString()
    producer.close()
  }
  expect(refusal).toBe('E_PUB_FAILED PUB failed')
  expect(published).toBeGreaterThan(5)
  reader.command('RDY 2500')
  expect(await reader.messages(published)).toHaveLength(published)
  reader.close()
})

async function startProcess(): Promise<{ port: number; position: number }> {
  child = fork(new URL('engine-process.mjs', import.meta.url), [join(directory, 'stream.sqlite')], { execArgv: [] })
  const [started] = (await once(child, 'message')) as [{ port: number; position: number }]
  return started
}

async function kill(): Promise<void> {
  const ended = once(child as ChildProcess, 'exit')
  child?.kill('SIGKILL')
  await ended
}

async function consumer(port: number, channel: string): Promise<RawClient> {
  const client = await RawClient.to(port)
  await client.subscribe('t', channel, 200)
  return client
}

/** Finishes most messages, requeues some and leaves a few without an answer; until the connection breaks. */
async function consume(client: RawClient, seen: Map<string, Set<string>>): Promise<number> {
  let count = 0
  try {
    for (;;) {
      const { id, body, attempts } = await client.message()
      count++
      if (attempts === 1 && count % 50 === 0) client.command(`REQ ${id} ${count % 100}`)
      if (attempts === 1 && (count % 50 === 0 || count % 777 === 0)) continue
      const ids = seen.get(body.toString()) ?? new Set()
      seen.set(body.toString(), ids.add(id))
      client.command(`FIN ${id}`)
    }
  } catch {
    // Killed, as it should be.
    return count
  }
}
