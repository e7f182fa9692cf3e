/** The whole service with real daemons behind it: it feeds them, tells readers where they are, and says who may read. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import nsqjs, { type NsqjsReader } from 'nsqjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publisherSecret } from '../../src/core/stream/access.js'
import { asking } from '../api/v3/ask.js'
import { goNsq } from '../support/go-nsq.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { freePorts, type RealDaemon, startNsqlookupd, startRealNsqd } from './nsq-daemons.js'
import { certificate } from './nsqd/certificate.js'
import { eventually } from './nsqd/subject.js'
import { allowed, clicksOn, type Received } from './readers.js'

const programs = goNsq()
const skip = 'skip' in programs ? programs.skip : undefined
const title = skip === undefined ? '' : ` (skipped: ${skip})`
const { nsqd: nsqdProgram = '', nsqlookupd: lookupdProgram = '', nsqTail = '' } = 'skip' in programs ? {} : programs

const authSecret = 'the-secret-of-the-daemons'

describe.skipIf(skip !== undefined)(`the service with real daemons, TLS and AUTH${title}`, () => {
  let folder: string
  let lookupd: RealDaemon
  let daemons: RealDaemon[] = []
  let started: StartedApp
  let topic: string
  let link: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'shortlink-service-nsqd-'))
    for (const [name, text] of Object.entries(certificate)) writeFileSync(join(folder, `${name}.pem`), text)
    lookupd = await startNsqlookupd(lookupdProgram)
    const ports = [await freePorts(), await freePorts()]
    started = await startApp({
      nsqdHttpAddresses: ports.map(({ http }) => `http://127.0.0.1:${http}`),
      nsqlookupdHttpAddresses: [lookupd.http],
      nsqdAuthSecret: authSecret,
    })
    const tls = ['cert', 'key'].map((name) => `--tls-${name}=${join(folder, `${name}.pem`)}`)
    const auth = `--auth-http-address=${started.url}/internal/nsq/auth/${authSecret}`
    const flags = [...tls, '--tls-required=tcp-https', auth]
    daemons = await Promise.all(ports.map((at) => startRealNsqd(nsqdProgram, { lookupd, ports: at, flags })))
    ;({ topic, link } = await allowed(started))
  })
  afterAll(async () => {
    await started?.close()
    for (const daemon of [...daemons, lookupd]) await daemon?.stop()
    rmSync(folder, { recursive: true })
  })

  const lookupAddress = () =>
    `http://localhost:${new URL(started.url).port}/v3/nsq/lookup?access_token=${started.token}`

  function aReader(channel: string, options: object = {}, on = topic): NsqjsReader {
    return new nsqjs.Reader(on, channel, {
      lookupdHTTPAddresses: [lookupAddress()],
      lookupdPollInterval: 1,
      tls: true,
      tlsVerification: true,
      ca: Buffer.from(certificate.cert),
      authSecret: started.token,
      maxInFlight: 1000,
      clientId: 'reader-1',
      ...options,
    })
  }

  /** Event ids of what a reader of this channel finished; resolves when it is connected to all daemons. */
  async function reading(channel: string): Promise<{ seen: Set<string>; close: () => void }> {
    const reader = aReader(channel)
    const seen = new Set<string>()
    reader.on('message', (message) => {
      seen.add((message.json() as Received).event_id)
      message.finish()
    })
    // A daemon that is killed is an error to the client, and what these tests are about.
    reader.on('error', () => {})
    reader.connect()
    await eventually(async () => expect(await clientsOf(channel)).toBe(daemons.length))
    return { seen, close: () => reader.close() }
  }

  async function clientsOf(channel: string): Promise<number> {
    const { topics } = await asking(started).data('nsq/stats', { topic })
    const channels: readonly { channel_name: string; clients: readonly unknown[] }[] = topics[0]?.channels ?? []
    return channels.filter(({ channel_name }) => channel_name === channel).flatMap(({ clients }) => clients).length
  }

  it('clicks arrive at a reader that knows only the lookup address and its token', { timeout: 120_000 }, async () => {
    const { seen, close } = await reading('archive')
    await clicksOn(started, link, 40)
    await eventually(async () => expect(seen.size).toBe(40))
    close()
  })

  it('links that are made arrive in topics of their own, once each', { timeout: 120_000 }, async () => {
    const links = topic.replace('clicks', 'links')
    const seen: string[] = []
    const reader = aReader('archive', {}, links)
    reader.on('message', (message) => {
      seen.push((message.json() as { link: string }).link)
      message.finish()
    })
    reader.connect()
    const made: string[] = []
    for (let index = 0; index < 30; index++) {
      const body = { long_url: `https://example.com/linked/${index}` }
      made.push((await started.request('POST', '/v4/shorten', { body })).body.id)
    }
    await eventually(async () => expect(made.filter((id) => !seen.includes(id))).toEqual([]))
    expect(seen.filter((id) => made.includes(id))).toHaveLength(made.length)
    reader.close()
  })

  it('nsq_tail receives through our lookup too', { timeout: 120_000 }, async () => {
    const options = ['tls_v1,true', `tls_root_ca_file,${join(folder, 'cert.pem')}`, `auth_secret,${started.token}`]
    const tail = spawn(nsqTail, [
      `--topic=${topic}`,
      '--channel=archive',
      '-n=4',
      `--lookupd-http-address=${lookupAddress()}`,
      ...options.map((option) => `--consumer-opt=${option}`),
    ])
    const lines: string[] = []
    createInterface({ input: tail.stdout }).on('line', (line) => lines.push(line))
    await clicksOn(started, link, 8)
    await once(tail, 'exit')
    expect(lines.map((line) => (JSON.parse(line) as Received).h)).toEqual(Array(4).fill(link.slice(1)))
  })

  it('statistics come from all daemons, one entry for each channel and daemon', { timeout: 120_000 }, async () => {
    // Clicks of before are not for a channel that is made now.
    await eventually(async () => {
      const { body } = await started.request('GET', '/readyz')
      expect(body.pipeline.others.stream.row).toBe(started.app.journal.status().lastRow)
    })
    const { close } = await reading('counted')
    const { topics } = await asking(started).data('nsq/stats', { topic })
    const addresses = daemons.map(({ http }) => http.replace('http://127.0.0.1', 'localhost'))
    expect(topics[0].producers.toSorted()).toEqual(addresses.toSorted())
    const mine = topics[0].channels.filter((each: { channel_name: string }) => each.channel_name === 'counted')
    expect(mine.map((each: { producer: string }) => each.producer).toSorted()).toEqual(addresses.toSorted())
    for (const channel of mine) {
      expect(channel.clients).toEqual([
        {
          client_id: 'reader-1',
          name: 'reader-1',
          hostname: expect.any(String),
          auth_identity: 'admin',
          user_agent: expect.stringMatching(/^nsqjs\//),
          version: 'V2',
          state: 3,
          remote_address: expect.stringMatching(/:\d+$/),
          connect_ts: expect.any(Number),
          requeue_count: 0,
          finish_count: 0,
          message_count: 0,
          in_flight_count: 0,
          ready_count: expect.any(Number),
          sample_rate: 0,
          tls: true,
          deflate: false,
          snappy: false,
        },
      ])
    }
    close()
  })

  it.each([
    ['a token that nobody has', () => aReader('archive', { authSecret: 'b'.repeat(40) })],
    ['a topic that the token may not read', () => aReader('archive', direct(), `${topic}2`)],
    ['a topic that is only alike', () => aReader('archive', direct(), topic.replace('.', 'x'))],
  ])('daemons refuse %s', async (_, open) => {
    const reader = open()
    const failure = new Promise<Error>((resolve) => reader.on('error', resolve))
    reader.connect()
    expect((await failure).message).toContain('E_UNAUTHORIZED')
    reader.close()
  })

  const direct = () => ({ lookupdHTTPAddresses: [], nsqdTCPAddresses: [daemons[0]?.tcp] })

  it('while one daemon is dead, and after it is back, every click arrives', { timeout: 120_000 }, async () => {
    const { seen, close } = await reading('steady')
    const [one] = daemons
    let clicks = 0
    const more = async (count: number) => {
      await clicksOn(started, link, count)
      clicks += count
    }
    await more(30)
    await eventually(async () => expect(seen.size).toBe(clicks))
    await one?.kill()
    await more(60)
    await eventually(async () => expect(seen.size).toBe(clicks))
    const { body } = await started.request('GET', '/readyz')
    expect(body.journal.lost).toBe(0)
    await one?.restart()
    await eventually(async () => expect(await clientsOf('steady')).toBe(daemons.length))
    await more(30)
    await eventually(async () => expect(seen.size).toBe(clicks))
    close()
  })

  it('while all daemons are dead clicks wait, and statistics and lookups say so', { timeout: 120_000 }, async () => {
    const v3 = asking(started)
    const { seen, close } = await reading('patient')
    for (const daemon of daemons) await daemon.kill()
    await clicksOn(started, link, 20)
    await started.clicksCounted()
    expect(await v3.data('nsq/stats', { topic })).toEqual({ topics: [] })
    await eventually(async () => {
      const { status, body } = await v3.ask('nsq/lookup', { topic })
      expect([status, body.message]).toEqual([503, 'TEMPORARILY_UNAVAILABLE'])
    })
    for (const daemon of daemons) await daemon.restart()
    await eventually(async () => expect(seen.size).toBe(20))
    close()
  })

  it('publishes by TCP with TLS and AUTH where the authority is known', async () => {
    const [one] = daemons
    const script = `
      const { tcpDaemon } = await import(${JSON.stringify(new URL('../../dist-modules/storage/nsqd/tcp-daemon.js', import.meta.url).href)})
      const daemon = tcpDaemon(${JSON.stringify(one?.tcp)}, ${JSON.stringify(publisherSecret(authSecret))})
      await daemon.publish('by-tcp', [Buffer.from('a'), Buffer.from('b')])
      daemon.close()`
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') }
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
    const { daemons: told } = await started.app.stream.stats()
    const topics = told.flatMap((daemon) => daemon.topics).filter(({ topic_name }) => topic_name === 'by-tcp')
    expect(topics.map(({ message_count }) => message_count)).toEqual([2])
  })
})
