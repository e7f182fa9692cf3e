import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { streamCertificate } from '../../storage/certificates/stream-certificate.js'
import { StreamFeed } from './stream-feed.js'
import { packBatch, unpackBatch } from './stream-messages.js'
import { type StreamThread, startStreamThread } from './stream-thread.js'

const workers: Worker[] = []
const notice = (worker: Worker) => workers.push(worker)
beforeAll(() => void process.on('worker', notice))
afterAll(() => void process.off('worker', notice))

let dataDir: string
let thread: StreamThread

async function start(port = 0): Promise<StreamThread> {
  const files = { certificateFile: undefined, keyFile: undefined }
  const { certificate: cert, key } = streamCertificate({ dataDir, host: 'localhost', ...files, now: Date.now() })
  const outside = { host: '127.0.0.1', port, tls: { cert, key }, tlsRequired: true }
  const local = { localPort: 0 }
  const deps = { authorize: async () => undefined, log: pino({ level: 'silent' }) }
  return startStreamThread({ file: join(dataDir, 'stream.sqlite'), durability: 'normal', outside, ...local }, deps)
}

function feedOf(thread: StreamThread): StreamFeed {
  const feed = new StreamFeed()
  thread.onFeed((port) => feed.connect(port))
  const port = thread.connect()
  if (!port) throw new Error('the thread is not running')
  feed.connect(port)
  return feed
}

const messages = ['one', 'zwei', 'ü'].map((text) => Buffer.from(text))
const depths = async () => {
  const { stats } = await thread.look()
  return Object.fromEntries(stats.topics.map(({ topic_name, depth }) => [topic_name, depth]))
}

describe('the stream thread', () => {
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'shortlink-stream-thread-'))
    thread = await start()
  })
  afterEach(async () => {
    await thread.close()
    rmSync(dataDir, { recursive: true })
  })

  it.each([
    ['garbage', (bytes: Buffer) => Buffer.alloc(bytes.length, 'garbage')],
    ['zeros', (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100)])],
    ['cut short', (bytes: Buffer) => bytes.subarray(0, 20_000)],
  ])('sets a damaged file aside, reports it, and creates a new one: %s', async (_, change) => {
    await feedOf(thread).publish([['clicks', messages]], { journalId: 'journal', row: 7 })
    await thread.close()
    const file = join(dataDir, 'stream.sqlite')
    const before = change(readFileSync(file))
    writeFileSync(file, before)
    thread = await start()
    const feed = feedOf(thread)
    expect(await feed.position('journal')).toBe(0)
    await feed.publish([['clicks', messages]], { journalId: 'journal', row: 8 })
    expect(await depths()).toEqual({ clicks: 3 })
    const [kept = ''] = readdirSync(dataDir).filter((name) =>
      /^stream\.sqlite\.damaged-[^-]*-[^-]*-[^-]*-[^-]*-[^-]*-[^-]*Z$/.test(name),
    )
    expect(readFileSync(join(dataDir, kept)).equals(before)).toBe(true)
    expect((await thread.look()).stats.health).toContain(kept)
    feed.close()
  })

  it('stores messages and their journal position atomically, once', async () => {
    const feed = feedOf(thread)
    expect(await feed.position('journal')).toBe(0)
    await feed.publish(
      [
        ['clicks', messages],
        ['clicks.O1', messages.slice(1)],
      ],
      { journalId: 'journal', row: 7 },
    )
    await feed.publish([['clicks', messages]], { journalId: 'journal', row: 7 })
    expect(await feed.position('journal')).toBe(7)
    expect(await depths()).toEqual({ clicks: 3, 'clicks.O1': 2 })
    feed.close()
  })

  it('moves the position also without messages', async () => {
    const feed = feedOf(thread)
    await feed.publish([], { journalId: 'journal', row: 3 })
    expect(await feed.position('journal')).toBe(3)
    feed.close()
  })

  it('restarts on its port with its messages, and accepts more', async () => {
    const feed = feedOf(thread)
    await feed.publish([['clicks', messages]], { journalId: 'journal', row: 1 })
    const { port } = thread
    // Not during a call: terminating a thread inside SQLite would crash the process.
    await workers.at(-1)?.terminate()
    await vi.waitFor(async () => expect(await feed.position('journal')).toBe(1), 60_000)
    await feed.publish([['clicks', messages]], { journalId: 'journal', row: 2 })
    expect(await depths()).toEqual({ clicks: 6 })
    expect(thread.port).toBe(port)
    expect(thread.restarts).toBe(1)
    feed.close()
  })

  it('reports what to do if its port is in use', async () => {
    await expect(start(thread.port)).rejects.toThrow(`The stream's port ${thread.port} on 127.0.0.1 is used`)
  })

  it('rejects calls after it closed', async () => {
    const feed = feedOf(thread)
    await thread.close()
    await expect(feed.position('journal')).rejects.toThrow('the stream thread is not running')
    await expect(thread.look()).rejects.toThrow('The stream is not available at the moment')
  })
})

it('packs messages into one buffer and unpacks them', () => {
  const packed = packBatch(['clicks', [...messages, Buffer.alloc(0)]])
  expect(packed.bytes).toHaveLength(9)
  expect(unpackBatch(packed)).toEqual(['clicks', [...messages, Buffer.alloc(0)]])
})
