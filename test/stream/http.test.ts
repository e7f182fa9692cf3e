/**
 * The stream's HTTP side with the endpoint in the process: lookup as NSQ clients ask for it, statistics as v3 answers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import nsqjs, { type NsqjsReader } from 'nsqjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aMember, aStranger } from '../api/alter-records.js'
import { asking } from '../api/v3/ask.js'
import { freePort } from '../support/free-port.js'
import { goNsq } from '../support/go-nsq.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { certificate } from './nsqd/certificate.js'
import { eventually } from './nsqd/subject.js'
import { allowed, clicksOn, type Received } from './readers.js'

let folder: string
let port: number
let started: StartedApp
let v3: ReturnType<typeof asking>
let topic: string
let link: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-stream-http-'))
  for (const [name, text] of Object.entries(certificate)) writeFileSync(join(folder, `${name}.pem`), text)
  port = await freePort()
  started = await startApp({
    nsqdPort: port,
    nsqdAddress: `localhost:${port}`,
    nsqdCertificate: join(folder, 'cert.pem'),
    nsqdKey: join(folder, 'key.pem'),
  })
  v3 = asking(started)
  ;({ topic, link } = await allowed(started))
})
afterAll(async () => {
  await started.close()
  rmSync(folder, { recursive: true })
})

const lookupAddress = (token = started.token) =>
  `http://localhost:${new URL(started.url).port}/v3/nsq/lookup?access_token=${token}`

function aReader(channel: string, options: object = {}): NsqjsReader {
  return new nsqjs.Reader(topic, channel, {
    lookupdHTTPAddresses: [lookupAddress()],
    tls: true,
    tlsVerification: true,
    ca: Buffer.from(certificate.cert),
    authSecret: started.token,
    maxInFlight: 1000,
    clientId: 'reader-1',
    ...options,
  })
}

describe('GET /v3/nsq/lookup', () => {
  it('OK: answers as nsqlookupd does, at both levels, also before the first message', async () => {
    const answer = await v3.ask('nsq/lookup', { topic })
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-nsq-content-type': 'nsq; version=1.0',
      'cache-control': 'no-store',
    })
    const producer = {
      remote_address: expect.any(String),
      hostname: expect.any(String),
      broadcast_address: 'localhost',
      tcp_port: port,
      http_port: 0,
      version: expect.stringMatching(/^1\.\d+\.\d+$/),
    }
    expect(answer.body).toEqual({
      status_code: 200,
      status_txt: 'OK',
      channels: [],
      producers: [producer],
      data: { channels: [], producers: [producer] },
    })
  })

  it('OK: takes the token from the header in which go-nsq sends its secret', async () => {
    const { status, body } = await started.request('GET', `/v3/nsq/lookup?topic=${topic}`)
    expect([status, body.producers.length]).toEqual([200, 1])
    const wrong = await started.request('GET', `/v3/nsq/lookup?topic=${topic}`, { token: 'b'.repeat(40) })
    expect([wrong.status, wrong.body.status_txt]).toEqual([403, 'INVALID_ARG_ACCESS_TOKEN'])
  })

  it('OK: HEAD is answered as GET is, without a body', async () => {
    const { status, text } = await started.request(
      'HEAD',
      `/v3/nsq/lookup?access_token=${started.token}&topic=${topic}`,
    )
    expect([status, text]).toEqual([200, ''])
  })

  async function refused(query: Record<string, string>, token?: string | null) {
    const { status, headers, body } = await v3.ask('nsq/lookup', query, token)
    const { status_code, status_txt, ...rest } = body
    expect(headers['x-nsq-content-type']).toBe('nsq; version=1.0')
    expect(status_code).toBe(status)
    expect(rest).toEqual({ data: null, message: status_txt })
    return `${status} ${status_txt}`
  }

  it('MISSING_ARG_ACCESS_TOKEN: 403 without a token', async () => {
    expect(await refused({ topic }, null)).toBe('403 MISSING_ARG_ACCESS_TOKEN')
  })

  it('INVALID_ARG_ACCESS_TOKEN: 403 with a token that nobody has', async () => {
    expect(await refused({ topic }, 'b'.repeat(40))).toBe('403 INVALID_ARG_ACCESS_TOKEN')
  })

  it('MISSING_ARG_TOPIC: 400 without a topic', async () => {
    expect(await refused({})).toBe('400 MISSING_ARG_TOPIC')
    expect(await refused({ topic: '' })).toBe('400 MISSING_ARG_TOPIC')
  })

  it.each(['a:b', 'x'.repeat(65), 'clicks#other', '%00', '../x'])('INVALID_ARG_TOPIC: 400 for %s', async (name) => {
    expect(await refused({ topic: name })).toBe('400 INVALID_ARG_TOPIC')
  })

  it('INVALID_ARG_FORMAT: 400 for anything but JSON', async () => {
    expect(await refused({ topic, format: 'xml' })).toBe('400 INVALID_ARG_FORMAT')
  })

  it('FORBIDDEN: 403 for accounts that were not allowed to read the stream', async () => {
    const member = await aMember(started, started.groupGuid)
    expect(await refused({ topic }, member)).toBe('403 FORBIDDEN')
    const stranger = await aStranger(started)
    expect(await refused({ topic }, stranger.token)).toBe('403 FORBIDDEN')
  })

  it('FORBIDDEN: 403 for topics of others and for topics that do not exist', async () => {
    expect(await refused({ topic: `${topic}x` })).toBe('403 FORBIDDEN')
    expect(await refused({ topic: 'nothing' })).toBe('403 FORBIDDEN')
  })
})

describe('readers who know nothing but the lookup address', () => {
  it('nsqjs finds the stream, upgrades, authorizes and receives clicks', async () => {
    const reader = aReader('by-lookup')
    const received: Received[] = []
    reader.on('message', (message) => {
      received.push(message.json() as Received)
      message.finish()
    })
    const connected = new Promise<void>((resolve) => reader.on('nsqd_connected', resolve))
    reader.connect()
    await connected
    await clicksOn(started, link, 25)
    await eventually(async () => expect(new Set(received.map(({ event_id }) => event_id)).size).toBe(25))
    const { body } = await v3.ask('nsq/lookup', { topic })
    expect(body.channels).toContain('by-lookup')
    reader.close()
  })

  it('nsq_tail, made with go-nsq, does the same', async (context) => {
    const programs = goNsq()
    if ('skip' in programs) return context.skip(programs.skip)
    await clicksOn(started, link, 3)
    const options = ['tls_v1,true', `tls_root_ca_file,${join(folder, 'cert.pem')}`, `auth_secret,${started.token}`]
    const tail = spawn(programs.nsqTail, [
      `--topic=${topic}`,
      '--channel=by-lookup',
      '-n=3',
      `--lookupd-http-address=${lookupAddress()}`,
      ...options.map((option) => `--consumer-opt=${option}`),
    ])
    const lines: string[] = []
    createInterface({ input: tail.stdout }).on('line', (line) => lines.push(line))
    await once(tail, 'exit')
    expect(lines.map((line) => (JSON.parse(line) as Received).h)).toEqual(Array(3).fill(link.slice(1)))
  })
})

describe('GET /v3/nsq/stats', () => {
  it('OK: has every documented field, with the right types', async () => {
    const reader = aReader('counted')
    reader.on('message', (message) => message.finish())
    reader.connect()
    await eventually(async () => {
      const { topics } = await v3.data('nsq/stats', { topic })
      expect(topics[0].channels.map((channel: { channel_name: string }) => channel.channel_name)).toContain('counted')
    })
    await clicksOn(started, link, 4)
    await eventually(async () => {
      const { topics } = await v3.data('nsq/stats', { topic })
      expect(topics).toHaveLength(1)
      expect({ ...topics[0], channels: [] }).toEqual({
        topic_name: topic,
        producers: [`localhost:${port}`],
        channels: [],
      })
      const found = topics[0].channels.find((channel: { channel_name: string }) => channel.channel_name === 'counted')
      expect(found).toEqual({
        channel_name: 'counted',
        producer: `localhost:${port}`,
        depth: 0,
        backend_depth: 0,
        in_flight_count: 0,
        deferred_count: 0,
        timeout_count: 0,
        requeue_count: 0,
        message_count: 4,
        paused: false,
        clients: [
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
            finish_count: 4,
            message_count: 4,
            in_flight_count: 0,
            ready_count: 1000,
            sample_rate: 0,
            tls: true,
            deflate: false,
            snappy: false,
          },
        ],
      })
    })
    reader.close()
  })

  it('OK: without a topic, all that the token may read', async () => {
    const { topics } = await v3.data('nsq/stats')
    expect(topics.map(({ topic_name }: { topic_name: string }) => topic_name)).toContain(topic)
  })

  it('OK: no topics for one that does not exist, or is not yours', async () => {
    expect(await v3.get('nsq/stats', { topic: 'nothing' })).toEqual({
      data: { topics: [] },
      status_code: 200,
      status_txt: 'OK',
    })
    expect(await v3.data('nsq/stats', { topic: `${topic}x` })).toEqual({ topics: [] })
  })

  it('OK: as XML and as JSONP', async () => {
    const xml = await v3.ask('nsq/stats', { topic, format: 'xml' })
    expect(xml.headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(xml.text).toContain(
      `<topic_name>${topic}</topic_name><producers><entry>localhost:${port}</entry></producers>`,
    )
    const script = await v3.ask('nsq/stats', { topic, callback: 'show' })
    expect(script.text).toMatch(/^show\(\{"data":\{"topics":\[/)
  })

  it('INVALID_ARG_FORMAT: there is no text of it', async () => {
    const { status, text } = await v3.ask('nsq/stats', { topic, format: 'txt' })
    expect([status, text]).toEqual([500, 'INVALID_ARG_FORMAT'])
    expect(await v3.refusal('nsq/stats', { format: 'yaml' })).toBe('200 500 INVALID_ARG_FORMAT')
  })

  it('MISSING_ARG_ACCESS_TOKEN, INVALID_ARG_ACCESS_TOKEN: only with a token, in the query', async () => {
    expect(await v3.refusal('nsq/stats', { topic }, null)).toBe('200 500 MISSING_ARG_ACCESS_TOKEN')
    expect(await v3.refusal('nsq/stats', { topic }, 'b'.repeat(40))).toBe('200 500 INVALID_ARG_ACCESS_TOKEN')
    const { body } = await started.request('GET', '/v3/nsq/stats')
    expect(body.status_txt).toBe('MISSING_ARG_ACCESS_TOKEN')
  })

  it('FORBIDDEN: for accounts that were not allowed to read the stream', async () => {
    const member = await aMember(started, started.groupGuid)
    expect(await v3.refusal('nsq/stats', { topic }, member)).toBe('200 403 FORBIDDEN')
  })
})

describe('what is only for real daemons', () => {
  it('there is no auth server while the stream is in the process', async () => {
    expect((await started.request('GET', `/internal/nsq/auth?secret=${started.token}`)).status).toBe(404)
  })

  it('the service does not start with a stream in the process and real daemons', async () => {
    const both = startApp({ nsqdPort: await freePort(), nsqdHttpAddresses: ['http://127.0.0.1:4151'] })
    await expect(both).rejects.toThrow(/either embedded \(nsqdPort\) or on external daemons/)
    const lookupOnly = startApp({ nsqlookupdHttpAddresses: ['http://127.0.0.1:4161'] })
    await expect(lookupOnly).rejects.toThrow(/Set the daemons that clicks are published to/)
  })
})
