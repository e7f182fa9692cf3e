/** What the embedded endpoint promises beyond the protocol: durability, retention, limits, and who may stay. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Authorization, any } from '../../../src/engines/nsqd/authorization.js'
import type { NsqdOptions } from '../../../src/engines/nsqd/options.js'
import { type Nsqd, startNsqd } from '../../../src/engines/nsqd/server.js'
import { certificate } from './certificate.js'
import { RawClient, size } from './raw-client.js'
import { eventually } from './subject.js'

let directory: string
let nsqd: Nsqd
const clients: RawClient[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'shortlink-engine-'))
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await nsqd.close()
  rmSync(directory, { recursive: true })
})

describe('durability', () => {
  it('takes over a batch exactly once, over all its topics, also across a restart', async () => {
    await start()
    expect(nsqd.sourcePosition('journal')).toBe(0)
    const batches = [['a', buffers('1', '2')] as const, ['b', buffers('3')] as const, ['a', buffers('4')] as const]
    expect(nsqd.publishOnce('journal', 7, batches)).toBe(true)
    expect(nsqd.publishOnce('journal', 7, batches)).toBe(false)
    await restart()
    expect(nsqd.sourcePosition('journal')).toBe(7)
    expect(nsqd.publishOnce('journal', 7, batches)).toBe(false)
    expect(nsqd.publishOnce('other', 1, [['b', buffers('5')]])).toBe(true)
    expect(await bodies(await consumer('a', 10), 3)).toEqual(['1', '2', '4'])
    expect(await bodies(await consumer('b', 10), 2)).toEqual(['3', '5'])
  })

  it('publishes nothing of a batch with a message that is too large, and keeps the position', async () => {
    await start({ limits: { maxMessageSize: 3 } })
    expect(() => nsqd.publishOnce('journal', 1, [['a', buffers('ok', 'large')]])).toThrow('1 to 3 bytes')
    expect(nsqd.sourcePosition('journal')).toBe(0)
    nsqd.publish('a', buffers('ok'))
    expect(nsqd.stats().topics[0]).toMatchObject({ depth: 1, message_count: 1 })
  })

  it('rebuilds what was in flight, requeued, deferred and waiting, with its attempts', async () => {
    await start()
    nsqd.publish('t', buffers('finished', 'in flight', 'deferred', 'waiting'))
    const before = await consumer('t', 3)
    const [finished, , deferred] = await before.messages(3)
    before.command('RDY 0')
    before.command(`FIN ${finished?.id}`)
    before.command(`REQ ${deferred?.id} 600`)
    await eventually(async () => expect(channel()).toMatchObject({ deferred_count: 1, in_flight_count: 1, depth: 1 }))
    await restart()
    expect(channel()).toMatchObject({ deferred_count: 1, in_flight_count: 0, depth: 2 })
    const after = await consumer('t', 10)
    const messages = await after.messages(3)
    expect(messages.map(({ body, attempts }) => [body.toString(), attempts]).sort()).toEqual([
      ['deferred', 2],
      ['in flight', 2],
      ['waiting', 1],
    ])
    expect(messages.at(-1)?.body.toString()).toBe('deferred')
    for (const { id } of messages) after.command(`FIN ${id}`)
    await eventually(async () => expect(channel()).toMatchObject({ in_flight_count: 0, depth: 0 }))
    await restart()
    expect(channel()).toMatchObject({ depth: 0, deferred_count: 0 })
  })

  it('delivers a delayed message once, in its time, also behind a backlog and across a restart', async () => {
    await start()
    await consumer('t', 0)
    nsqd.publish('t', buffers('one', 'two'))
    nsqd.publish('t', buffers('delayed'), 300)
    nsqd.publish('t', buffers('three'))
    expect(channel()).toMatchObject({ depth: 3, deferred_count: 1, message_count: 4 })
    await restart()
    expect(channel()).toMatchObject({ depth: 3, deferred_count: 1 })
    const after = await consumer('t', 10)
    expect(await bodies(after, 4)).toEqual(['one', 'two', 'three', 'delayed'])
    await after.silence(200)
    expect(channel()).toMatchObject({ depth: 0, deferred_count: 0, in_flight_count: 4 })
  })

  it('keeps a channel paused across a restart, and forgets ephemeral topics', async () => {
    await start()
    await consumer('t', 1)
    await consumer('passing#ephemeral', 1)
    nsqd.pauseChannel('t', 'ch', true)
    nsqd.publish('passing#ephemeral', buffers('gone'))
    await restart()
    expect(nsqd.stats().topics.map(({ topic_name }) => topic_name)).toEqual(['t'])
    expect(channel()).toMatchObject({ paused: true })
  })
})

describe('retention', () => {
  it('drops from the log what every channel has finished, and never gives a number twice', async () => {
    await start({ retention: { interval: 20 } })
    const client = await consumer('t', 10)
    nsqd.publish('t', buffers('1', '2', '3'))
    const messages = await client.messages(3)
    for (const { id } of messages) client.command(`FIN ${id}`)
    await eventually(async () => expect(nsqd.counters().logBytes).toBe(0))
    await restart()
    nsqd.publish('t', buffers('4'))
    expect((await (await consumer('t', 10)).message()).id).toBe('0000000000000004')
  })

  it('drops what is too old, and counts for each channel what it had not finished', async () => {
    await start({ retention: { age: 200, interval: 20 } })
    const behind = await consumer('t', 1)
    const ahead = await consumer('t', 10, 'ahead')
    nsqd.publish('t', buffers('1', '2', '3'))
    for (const { id } of await ahead.messages(3)) ahead.command(`FIN ${id}`)
    const { id } = await behind.message()
    await eventually(async () => expect(channel()).toMatchObject({ lost_count: 2, depth: 0, in_flight_count: 1 }))
    expect(channel('t', 'ahead')).toMatchObject({ lost_count: 0 })
    behind.command(`FIN ${id}`)
    nsqd.publish('t', buffers('4'))
    expect((await behind.message()).body.toString()).toBe('4')
    expect(nsqd.counters()).toMatchObject({ lost: 2, published: 4 })
    await restart()
    expect(channel()).toMatchObject({ lost_count: 2 })
  })

  it('drops the oldest messages of all topics when there are too many bytes', async () => {
    await start({ retention: { size: 3000, interval: 20 } })
    const client = await consumer('t', 0)
    for (let index = 0; index < 10; index++) nsqd.publish(index % 2 === 0 ? 't' : 'u', [Buffer.alloc(1000, `${index}`)])
    await eventually(async () => expect(nsqd.counters().logBytes).toBeLessThanOrEqual(3000))
    expect(nsqd.counters().logBytes).toBeGreaterThan(1000)
    client.command('RDY 10')
    expect((await client.message()).body.toString()).toMatch(/^8+$/)
    expect(channel()).toMatchObject({ lost_count: 4 })
  })
})

describe('who may stay', () => {
  const allowed: Authorization = {
    identity: 'alice',
    identityUrl: '',
    ttl: 1,
    grants: [{ topic: 't', channels: any, permissions: ['subscribe'] }],
  }
  const authorized = async (): Promise<RawClient> => {
    const client = await connect()
    client.command('AUTH', 'secret')
    await client.response()
    await client.subscribe('t', 'ch', 10)
    return client
  }

  it('ends live subscriptions of who is revoked, and of nobody else', async () => {
    const authorize = async (secret: string): Promise<Authorization> => ({ ...allowed, identity: secret, ttl: 60 })
    await start({ authorize })
    const alice = await authorized()
    const bob = await connect()
    bob.command('AUTH', 'bob')
    await bob.response()
    expect(nsqd.revoke(({ secret, topic, channel }) => secret === 'secret' && topic === 't' && channel === 'ch')).toBe(
      1,
    )
    expect(await alice.refusal()).toBe('E_UNAUTHORIZED AUTH revoked')
    await alice.closed()
    await bob.subscribe('t', 'ch')
    expect(channel().clients.map(({ auth_identity }) => auth_identity)).toEqual(['bob'])
  })

  it('asks again after the time to live, about subscriptions too', async () => {
    let answer = allowed
    let asked = 0
    await start({
      async authorize() {
        asked++
        return answer
      },
    })
    const client = await authorized()
    await eventually(async () => expect(asked).toBeGreaterThanOrEqual(2))
    nsqd.publish('t', buffers('still allowed'))
    expect((await client.message()).body.toString()).toBe('still allowed')
    answer = { ...allowed, grants: [] }
    expect(await client.refusal()).toBe('E_UNAUTHORIZED AUTH revoked')
    await client.closed()
  })

  it('lets a subscription go on while nobody can say anything about it', async () => {
    let asked = 0
    await start({
      async authorize() {
        if (asked++ > 0) throw new Error('away')
        return allowed
      },
    })
    const client = await authorized()
    await eventually(async () => expect(asked).toBe(2))
    nsqd.publish('t', buffers('goes on'))
    expect((await client.message()).body.toString()).toBe('goes on')
  })

  it('takes AUTH, and what follows it, in order while the answer takes its time', async () => {
    let answer: (answer: Authorization) => void = () => {}
    await start({ authorize: () => new Promise((resolve) => (answer = resolve)) })
    nsqd.publish('t', buffers('1'))
    const client = await connect()
    client.command('AUTH', 'secret')
    client.send('SUB t ch\nRDY 1\n')
    await client.silence(100)
    answer(allowed)
    expect(JSON.parse(await client.response())).toMatchObject({ identity: 'alice' })
    expect(await client.response()).toBe('OK')
    expect((await client.message()).body.toString()).toBe('1')
  })
})

describe('limits', () => {
  it('holds back from a consumer that does not read, serves the others, and closes it in the end', async () => {
    await start()
    const slow = await connect()
    await slow.negotiate({ heartbeat_interval: 1000 })
    await slow.subscribe('t', 'ch', 2500)
    slow.hang()
    const fast = await consumer('t', 10)
    const body = Buffer.alloc(100_000)
    for (let index = 0; index < 40; index++)
      nsqd.publish(
        't',
        Array.from({ length: 10 }, () => body),
      )
    let received = 0
    while (received < 100) {
      const { id } = await fast.message()
      fast.command(`FIN ${id}`)
      received++
    }
    // What the kernel takes is its own affair, so this is far from a quarter of a megabyte, and far from all.
    const [first] = channel().clients
    expect((first?.in_flight_count ?? 0) * body.length).toBeLessThan(12_000_000)
    await eventually(async () => expect(channel().client_count).toBe(1))
  })

  it('reads no more from a client that does not read its answers', async () => {
    await start()
    const client = await consumer('t', 1)
    client.hang()
    const said = 600_000
    client.send('FIN ffffffffffffffff\n'.repeat(said))
    const answered = (): number => nsqd.counters().errors.E_FIN_FAILED ?? 0
    let before = -1
    await eventually(async () => {
      const stalled = answered() > 0 && answered() === before
      before = answered()
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(stalled).toBe(true)
    })
    expect(answered()).toBeLessThan(said)
  })

  it('closes a connection that says nothing, and one whose TLS handshake stalls', async () => {
    await start({ tls: certificate, limits: { handshakeTimeout: 200 } })
    const mute = await RawClient.silent(nsqd.port)
    const stalled = await connect()
    await stalled.negotiate({ tls_v1: true })
    await mute.closed()
    await stalled.closed()
    expect(nsqd.counters().openConnections).toBe(0)
  })

  it('drops what was said in clear before the upgrade', async () => {
    await start({ tls: certificate, tlsRequired: true, limits: { handshakeTimeout: 300 } })
    const client = await connect()
    client.send('IDENTIFY\n', size(43), '{"feature_negotiation":true,"tls_v1":true }\n', 'PUB injected\n', size(1), 'x')
    await client.response()
    await client.closed().catch(() => {})
    expect(nsqd.stats().topics).toEqual([])
  })

  it('pushes out the oldest stranger when there are too many, and lets who knows a secret through', async () => {
    const grants = [{ topic: 't', channels: any, permissions: ['subscribe'] }] as const
    const authorize = async (): Promise<Authorization> => ({ identity: 'a', identityUrl: '', ttl: 60, grants })
    await start({ authorize, limits: { maxUnauthenticated: 5 } })
    const known = await connect()
    known.command('AUTH', 'secret')
    await known.response()
    const strangers: RawClient[] = []
    for (let count = 0; count < 20; count++) strangers.push(await connect())
    await eventually(async () => expect(strangers.filter(({ isClosed }) => isClosed)).toHaveLength(15))
    expect(strangers.slice(15).some(({ isClosed }) => isClosed)).toBe(false)
    await known.subscribe('t', 'ch')
    expect(nsqd.counters()).toMatchObject({ openConnections: 6, connectionsRefused: 15 })
  })

  it('refuses connections, channels and consumers above their limits', async () => {
    await start({ limits: { maxConnections: 3, maxChannels: 1, maxChannelConsumers: 1 } })
    const first = await consumer('t', 0)
    const second = await connect()
    second.command('SUB t ch')
    expect(await second.refusal()).toBe('E_SUB_FAILED SUB failed consumers for t:ch exceeds limit of 1')
    const third = await connect()
    third.command('SUB t other')
    expect(await third.refusal()).toBe('E_SUB_FAILED SUB failed channels of t exceed limit of 1')
    for (let count = 0; count < 2; count++) await connect()
    await (await connect()).closed()
    expect(first.isClosed).toBe(false)
  })

  it('takes no more memory for bodies that never end than it was given', async () => {
    await start({ limits: { maxUnread: 1_000_000 } })
    const hoarders: RawClient[] = []
    for (let count = 0; count < 10; count++) {
      const client = await connect()
      client.send('PUB t\n', size(1_000_000), Buffer.alloc(300_000))
      hoarders.push(client)
    }
    await eventually(async () => expect(hoarders.filter(({ isClosed }) => isClosed).length).toBeGreaterThanOrEqual(7))
    await (await connect()).publish('t', 'small')
  })

  it('hands out nothing new while too much of a channel is unfinished', async () => {
    await start({ limits: { maxOutstanding: 3 } })
    nsqd.publish('t', buffers('1', '2', '3', '4'))
    const client = await consumer('t', 10)
    const [first] = await client.messages(3)
    client.command(`REQ ${first?.id} 60000`)
    await client.silence(200)
    expect(channel()).toMatchObject({ deferred_count: 1, in_flight_count: 2, depth: 1 })
  })

  it('goes on with other messages while one of them always fails', async () => {
    await start()
    nsqd.publish('t', buffers('poison', 'a', 'b', 'c'))
    const client = await consumer('t', 1)
    const finished: string[] = []
    while (finished.length < 3) {
      const { id, body } = await client.message()
      if (body.toString() === 'poison') client.command(`REQ ${id} 0`)
      else client.command(`FIN ${id}`)
      if (body.toString() !== 'poison') finished.push(body.toString())
    }
    expect(finished).toEqual(['a', 'b', 'c'])
  })
})

async function start(options: Partial<NsqdOptions> = {}): Promise<void> {
  lastOptions = options
  nsqd = await startNsqd({ file: join(directory, 'stream.sqlite'), port: 0, ...options })
}

let lastOptions: Partial<NsqdOptions> = {}

async function restart(): Promise<void> {
  await nsqd.close()
  await start(lastOptions)
}

async function connect(): Promise<RawClient> {
  const client = await RawClient.to(nsqd.port)
  clients.push(client)
  return client
}

async function consumer(topic: string, ready: number, name = 'ch'): Promise<RawClient> {
  const client = await connect()
  await client.subscribe(topic, name, ready)
  return client
}

async function bodies(client: RawClient, count: number): Promise<readonly string[]> {
  return (await client.messages(count)).map(({ body }) => body.toString())
}

function channel(topic = 't', name = 'ch') {
  const found = nsqd.stats({ topic }).topics[0]?.channels.find(({ channel_name }) => channel_name === name)
  if (!found) throw new Error(`there is no channel ${name}`)
  return found
}

function buffers(...texts: readonly string[]): readonly Buffer[] {
  return texts.map((text) => Buffer.from(text))
}
