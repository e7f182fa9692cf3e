/** What stands between the service and real daemons: publishing by both doors, lookups, statistics. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nsqjs from 'nsqjs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/core/values/time.js'
import { nsqdCluster } from '../../src/storage/nsqd/cluster.js'
import { openNsqdPublisher } from '../../src/storage/nsqd/open-publisher.js'
import { freePort } from '../support/free-port.js'
import { goNsq } from '../support/go-nsq.js'
import { post, type RealDaemon, startNsqlookupd, startRealNsqd } from './nsq-daemons.js'
import { certificate } from './nsqd/certificate.js'
import { aTopic, eventually } from './nsqd/subject.js'

const programs = goNsq()
const skip = 'skip' in programs ? programs.skip : undefined
const title = skip === undefined ? '' : ` (skipped: ${skip})`
const { nsqd: nsqdProgram = '', nsqlookupd: lookupdProgram = '' } = 'skip' in programs ? {} : programs

describe.skipIf(skip !== undefined)(`real daemons${title}`, () => {
  let folder: string
  let lookupd: RealDaemon
  let one: RealDaemon
  let other: RealDaemon
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-real-'))
    lookupd = await startNsqlookupd(lookupdProgram)
    one = await startRealNsqd(nsqdProgram, { lookupd })
    other = await startRealNsqd(nsqdProgram, { lookupd })
  })
  afterAll(async () => {
    for (const daemon of [one, other, lookupd]) await daemon?.stop()
    rmSync(folder, { recursive: true })
  })

  const addresses = (byTcp: boolean) => ({
    nsqdTcpAddresses: byTcp ? [one.tcp, other.tcp] : [],
    nsqdHttpAddresses: byTcp ? [] : [one.http, other.http],
    nsqlookupdHttpAddresses: [lookupd.http],
  })
  const open = (byTcp: boolean, onWarning: (message: string) => void = () => {}, nsqdBacklog = 0) =>
    openNsqdPublisher(
      { ...addresses(byTcp), dataDir: folder, nsqdAuthSecret: undefined, nsqdBacklog },
      systemClock,
      (_, message) => onWarning(message),
    )
  const waitTimeout = { timeout: 60_000, interval: 100 }
  const cluster = (change: object = {}) => nsqdCluster({ ...addresses(false), ...change }, { onFailure: () => {} })
  const numbered = (count: number, from = 0): Buffer[] =>
    Array.from({ length: count }, (_, index) => Buffer.from(JSON.stringify({ number: from + index })))

  it.each([
    ['by HTTP', false],
    ['by TCP', true],
  ])(
    'a topic that nobody reads gets no more messages than are allowed, and goes on when it is read, %s',
    async (_, byTcp) => {
      const warnings: string[] = []
      const publisher = open(byTcp, (message) => warnings.push(message), 100)
      const topic = `unread-${byTcp}`
      const held = async () => {
        const { daemons } = await cluster().stats()
        return daemons.flatMap(({ topics }) => topics).filter(({ topic_name }) => topic_name === topic)
      }
      const published = async () => (await held()).reduce((sum, { message_count }) => sum + message_count, 0)
      await publisher.send([[topic, numbered(100)]])
      const before = await vi.waitFor(async () => {
        const count = await published()
        await publisher.send([[topic, numbered(1)]])
        expect(warnings).toEqual(['stream topic has too many unread messages; skipping new ones'])
        return count
      }, waitTimeout)
      await publisher.send([[topic, numbered(50)]])
      expect(await published()).toBeLessThanOrEqual(before + 1)
      for (const { http } of [one, other]) await fetch(`${http}/topic/empty?topic=${topic}`, { method: 'POST' })
      await vi.waitFor(async () => {
        await publisher.send([[topic, numbered(1)]])
        expect(await published()).toBeGreaterThan(before + 1)
      }, waitTimeout)
      publisher.close()
    },
  )

  it.each([
    ['TCP', true],
    ['HTTP', false],
  ])('confirm what is published by %s, in turns', async (_, byTcp) => {
    const topic = aTopic()
    const publisher = open(byTcp)
    // Few: each is written to disk by itself, and a daemon that takes too long is passed by.
    for (let row = 1; row <= 4; row++) {
      await publisher.publish([[topic, numbered(50, row * 50)]], { journalId: topic, row })
    }
    publisher.close()
    expect(await open(byTcp).position(topic)).toBe(4)
    const counts = (await cluster().stats()).daemons.map(({ topics }) =>
      topics.find((each) => each.topic_name === topic),
    )
    expect(counts.map((found) => found?.message_count)).toEqual([100, 100])
  })

  it('keep all messages when one of them is killed while it is published to', { timeout: 120_000 }, async () => {
    const topic = aTopic()
    for (const daemon of [one, other]) {
      await post(daemon, `/topic/create?topic=${topic}`)
      await post(daemon, `/channel/create?topic=${topic}&channel=archive`)
      // What nsqd is just copying to a channel is lost when it is killed (docs/stream-nsqd.md): here it copies nothing.
      await post(daemon, `/topic/pause?topic=${topic}`)
    }
    const failures: string[] = []
    const publisher = open(true, (message) => failures.push(message))
    const rows = 60
    for (let row = 1; row <= rows; row++) {
      // In the middle of a batch, as far as anybody can tell.
      const dying = row === 20 ? one.kill() : undefined
      await publisher.publish([[topic, numbered(50, (row - 1) * 50)]], { journalId: topic, row })
      await dying
    }
    expect(failures.length).toBeGreaterThan(0)
    expect(await publisher.position(topic)).toBe(rows)
    publisher.close()

    await one.restart()
    for (const daemon of [one, other]) await post(daemon, `/topic/unpause?topic=${topic}`)
    const seen = new Set<number>()
    const reader = new nsqjs.Reader(topic, 'archive', { nsqdTCPAddresses: [one.tcp, other.tcp], maxInFlight: 100 })
    reader.on('message', (message) => {
      seen.add((message.json() as { number: number }).number)
      message.finish()
    })
    reader.connect()
    await eventually(async () => expect(seen.size).toBe(rows * 50))
    reader.close()
  })

  it('are looked up at nsqlookupd, each once', async () => {
    const topic = aTopic()
    await post(one, `/topic/create?topic=${topic}`)
    const [found, ...more] = await eventuallyFound(topic)
    expect(more).toEqual([])
    expect(found).toMatchObject({ broadcast_address: 'localhost', version: '1.3.0' })
    expect(`localhost:${found?.tcp_port}`).toBe(one.tcp)
    const twice = cluster({
      nsqlookupdHttpAddresses: [
        lookupd.http,
        lookupd.http.replace('127.0.0.1', 'localhost'),
        `http://127.0.0.1:${await freePort()}`,
      ],
    })
    expect(await twice.lookup(topic)).toHaveLength(1)
  })

  async function eventuallyFound(topic: string) {
    await eventually(async () => expect(await cluster().lookup(topic)).toHaveLength(1))
    return cluster().lookup(topic)
  }

  it('are all named for a topic that none of them has yet', async () => {
    const failures: string[] = []
    const watched = nsqdCluster(addresses(false), { onFailure: (address) => failures.push(address) })
    const found = (await watched.lookup(aTopic())).map(({ tcp_port }) => `localhost:${tcp_port}`)
    expect(found.sort()).toEqual([one.tcp, other.tcp].sort())
    // nsqlookupd's 404 for an unknown topic, known by its text, is an answer and not a failure.
    expect(failures).toEqual([])
    const byTcp = cluster({ nsqdTcpAddresses: [one.tcp], nsqdHttpAddresses: [] })
    expect(await byTcp.lookup(aTopic())).toMatchObject([{ broadcast_address: 'localhost', http_port: 0 }])
  })

  it('are away when neither they nor nsqlookupd answer', async () => {
    const port = await freePort()
    const nowhere = [`http://127.0.0.1:${port}`]
    const failures: string[] = []
    const silent = { nsqdTcpAddresses: [], nsqdHttpAddresses: nowhere, nsqlookupdHttpAddresses: nowhere }
    const away = nsqdCluster(silent, { onFailure: (address) => failures.push(address) })
    await expect(away.lookup('clicks')).rejects.toThrow(/No nsqd of the stream answers/)
    expect(failures).toHaveLength(1)
    expect(await away.stats()).toEqual({
      daemons: [{ address: `127.0.0.1:${port}`, health: 'ECONNREFUSED', topics: [] }],
    })
  })

  it('tell their statistics one by one, by their own address or as nsqlookupd knows them', async () => {
    const topic = aTopic()
    await post(one, `/topic/create?topic=${topic}`)
    await post(one, `/channel/create?topic=${topic}&channel=c`)
    await post(one, `/channel/pause?topic=${topic}&channel=c`)
    await fetch(`${one.http}/pub?topic=${topic}`, { method: 'POST', body: 'x' })
    const address = one.http.replace('http://127.0.0.1', 'localhost')
    for (const stream of [cluster(), cluster({ nsqdHttpAddresses: [], nsqdTcpAddresses: [one.tcp] })]) {
      await eventually(async () => {
        const { daemons } = await stream.stats()
        expect(daemons).toHaveLength(2)
        const mine = daemons.find((daemon) => daemon.address === address)
        expect(mine?.health).toBe('OK')
        expect(mine?.topics.find(({ topic_name }) => topic_name === topic)?.channels).toMatchObject([
          { channel_name: 'c', depth: 1, message_count: 1, paused: true, clients: [] },
        ])
      })
    }
  })

  it('are spoken to by TLS where they have a certificate that is accepted, and not otherwise', async () => {
    for (const [name, text] of Object.entries(certificate)) writeFileSync(join(folder, `${name}.pem`), text)
    const tls = ['cert', 'key'].map((name) => `--tls-${name}=${join(folder, `${name}.pem`)}`)
    const secure = await startRealNsqd(nsqdProgram, { flags: [...tls, '--tls-required=tcp-https'] })
    try {
      const config = {
        dataDir: folder,
        nsqdTcpAddresses: [secure.tcp],
        nsqdHttpAddresses: [],
        nsqlookupdHttpAddresses: [],
        nsqdAuthSecret: undefined,
        nsqdBacklog: 0,
      }
      const publisher = openNsqdPublisher(config, systemClock, () => {})
      const attempt = publisher.publish([['clicks', numbered(1)]], { journalId: 'tls', row: 1 })
      await expect(attempt).rejects.toThrow(/certificate .* is not trusted .* NODE_EXTRA_CA_CERTS/)
      expect(await publisher.position('tls')).toBe(0)
      publisher.close()
    } finally {
      await secure.stop()
    }
  })
})
