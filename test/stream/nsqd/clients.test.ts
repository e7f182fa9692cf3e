/** Public clients, unmodified, with TLS and AUTH: they know nothing of us, and should not notice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import nsqjs, { type NsqjsMessage, type NsqjsReader } from 'nsqjs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { any } from '../../../src/engines/nsqd/authorization.js'
import { type Nsqd, startNsqd } from '../../../src/engines/nsqd/server.js'
import { goNsq } from '../../support/go-nsq.js'
import { certificate } from './certificate.js'
import { eventually } from './subject.js'

const secret = 'the-access-token'
let directory: string
let nsqd: Nsqd
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'shortlink-clients-'))
  await start(0)
})
afterEach(async () => {
  await nsqd.close()
  rmSync(directory, { recursive: true })
})

async function start(port: number): Promise<void> {
  const grants = [{ topic: 'clicks', channels: any, permissions: ['subscribe', 'publish'] }] as const
  nsqd = await startNsqd({
    file: join(directory, 'stream.sqlite'),
    port,
    tls: certificate,
    tlsRequired: true,
    authorize: async (given) => ({
      identity: 'alice',
      identityUrl: '',
      ttl: 60,
      grants: given === secret ? grants : [],
    }),
  })
}

const numbered = (count: number, from = 0): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from(JSON.stringify({ number: from + index })))

describe('nsqjs', () => {
  const reader = (options: object = {}): NsqjsReader =>
    new nsqjs.Reader('clicks', 'archive', {
      nsqdTCPAddresses: [`localhost:${nsqd.port}`],
      tls: true,
      tlsVerification: true,
      ca: Buffer.from(certificate.cert),
      authSecret: secret,
      maxInFlight: 1000,
      ...options,
    })
  const collect = (from: NsqjsReader, answer: (message: NsqjsMessage) => void): Set<number> => {
    const seen = new Set<number>()
    from.on('message', (message) => {
      seen.add((message.json() as { number: number }).number)
      answer(message)
    })
    from.connect()
    return seen
  }

  it.each([{}, { deflate: true }])('receives everything with TLS and AUTH, with %o', async (options) => {
    nsqd.publish('clicks', numbered(5000))
    const consumer = reader(options)
    const seen = collect(consumer, (message) => message.finish())
    await eventually(async () => expect(seen.size).toBe(5000))
    await eventually(async () =>
      expect(nsqd.stats().topics[0]?.channels[0]).toMatchObject({ in_flight_count: 0, depth: 0, requeue_count: 0 }),
    )
    expect(nsqd.stats().topics[0]?.channels[0]?.clients[0]).toMatchObject({
      tls: true,
      deflate: 'deflate' in options,
      auth_identity: 'alice',
      user_agent: expect.stringMatching(/^nsqjs\//),
      ready_count: 1000,
      finish_count: 5000,
    })
    consumer.close()
    await eventually(async () => expect(nsqd.counters().openConnections).toBe(0))
  })

  it('requeues, and is given again what it let time out', async () => {
    nsqd.publish('clicks', numbered(20))
    const consumer = reader({ messageTimeout: 1000 })
    const attempts = new Map<number, number>()
    collect(consumer, (message) => {
      const { number } = message.json() as { number: number }
      attempts.set(number, message.attempts)
      if (message.attempts === 1 && number === 7) return
      if (message.attempts === 1 && number === 9) message.requeue(0, false)
      else message.finish()
    })
    await eventually(async () => expect([attempts.get(7), attempts.get(9)]).toEqual([2, 2]))
    expect(attempts.size).toBe(20)
    expect(nsqd.stats().topics[0]?.channels[0]).toMatchObject({ timeout_count: 1, requeue_count: 1 })
    consumer.close()
  })

  it('reports a secret that is not known', async () => {
    const consumer = reader({ authSecret: 'wrong' })
    const failed = new Promise<Error>((resolve) => {
      consumer.on('error', resolve)
      consumer.on('nsqd_closed', () => {})
    })
    consumer.connect()
    expect((await failed).message).toContain('E_UNAUTHORIZED')
    consumer.close()
  })
})

describe('nsq_tail, made with go-nsq', () => {
  it('receives with TLS and AUTH', async (context) => {
    const programs = goNsq()
    if ('skip' in programs) return context.skip(programs.skip)
    const ca = join(directory, 'ca.pem')
    writeFileSync(ca, certificate.cert)
    nsqd.publish('clicks', numbered(50))
    const options = [`tls_v1,true`, `tls_root_ca_file,${ca}`, `auth_secret,${secret}`, 'deflate,true']
    const tail = spawn(programs.nsqTail, [
      '--topic=clicks',
      '--channel=archive',
      '-n=50',
      '--max-in-flight=1000',
      `--nsqd-tcp-address=localhost:${nsqd.port}`,
      ...options.map((option) => `--consumer-opt=${option}`),
    ])
    const seen = new Set<string>()
    createInterface({ input: tail.stdout }).on('line', (line) => seen.add(line))
    await once(tail, 'exit')
    expect(seen.size).toBe(50)
  })
})
