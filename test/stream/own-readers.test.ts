/** The service's own readers: the embedded daemon without a port for others, and a real nsqd, through one client. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type StreamMessage, TopicReader } from '../../src/storage/nsqd/topic-reader.js'
import { visit } from '../api/visits.js'
import { goNsq } from '../support/go-nsq.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { type RealDaemon, startRealNsqd } from './nsq-daemons.js'
import { eventually } from './nsqd/subject.js'

const programs = goNsq()
const nsqd = 'skip' in programs ? programs : { program: programs.nsqd }

const places = [
  { name: 'embedded, without a port for others', skip: undefined },
  { name: 'embedded, with a port for others', skip: undefined },
  { name: 'real nsqd', skip: 'skip' in nsqd ? nsqd.skip : undefined },
] as const

for (const { name, skip } of places) {
  const isReal = name === 'real nsqd'
  describe.skipIf(skip !== undefined)(`${name}${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
    let daemon: RealDaemon | undefined
    let started: StartedApp
    let topic: string
    let link: string
    const open: TopicReader[] = []

    beforeAll(async () => {
      daemon = isReal && 'program' in nsqd ? await startRealNsqd(nsqd.program) : undefined
      const port = name === 'embedded, with a port for others' ? { nsqdPort: 0 } : {}
      started = await startApp(daemon ? { nsqdHttpAddresses: [daemon.http] } : port)
      const { body } = await started.request('GET', '/v4/organizations')
      topic = `clicks.${body.organizations[0].guid}`
      link = (await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/own' } })).body.id
    })
    afterEach(async () => {
      for (const reader of open.splice(0)) await reader.close()
    })
    afterAll(async () => {
      await started.close()
      await daemon?.stop()
    })

    async function reading(channel: string, take: (message: StreamMessage) => void): Promise<TopicReader> {
      const reader = new TopicReader(
        { topic, channel, maxInFlight: 10 },
        { daemons: () => started.app.stream.daemons(), onMessage: take, onFailure: () => {} },
      )
      open.push(reader)
      await reader.start()
      return reader
    }

    const itWithoutPort = name === 'embedded, without a port for others' ? it : () => {}
    itWithoutPort('starts only when the first reader needs it, and is not announced', async () => {
      const file = join(started.app.config.dataDir, 'stream.sqlite')
      await visit(started, link)
      await started.clicksCounted()
      expect(existsSync(file)).toBe(false)
      await started.app.stream.daemons()
      expect(existsSync(file)).toBe(true)
      expect(await started.app.stream.lookup(topic)).toEqual([])
      expect(started.app.stream.place).toBeUndefined()
    })

    it('get the clicks of a topic while it is published, from that moment on', async () => {
      await visit(started, link)
      await started.clicksCounted()
      const seen: string[] = []
      await reading('first', (message) => {
        seen.push(JSON.parse(String(message.body)).r)
        message.finish()
      })
      await started.app.pipeline.refreshStream([topic])
      await visit(started, link, { referrer: 'https://one.example/' })
      await visit(started, link, { referrer: 'https://two.example/' })
      await eventually(async () => expect(seen).toHaveLength(2))
      expect(seen).toEqual(['https://one.example/', 'https://two.example/'])
      await started.app.pipeline.refreshStream([])
    })

    it('get a message again that they requeue, with its attempts, and keep their channel', async () => {
      await started.app.pipeline.refreshStream([topic])
      const attempts: number[] = []
      const reader = await reading('again', (message) => {
        attempts.push(message.attempts)
        if (message.attempts === 1) message.requeue(50)
        else message.finish()
      })
      await visit(started, link)
      await eventually(async () => expect(attempts).toEqual([1, 2]))
      await reader.close()
      await visit(started, link)
      await started.clicksCounted()
      await reading('again', (message) => {
        attempts.push(message.attempts)
        message.finish()
      })
      await eventually(async () => expect(attempts).toEqual([1, 2, 1]))
      await started.app.pipeline.refreshStream([])
    })

    it('a deleted channel is gone with its messages', async () => {
      const channels = async () => {
        const { daemons } = await started.app.stream.stats()
        return daemons.flatMap(({ topics }) => topics.flatMap((each) => each.channels.map((one) => one.channel_name)))
      }
      const reader = await reading('deleted', (message) => message.finish())
      expect(await channels()).toContain('deleted')
      await reader.close()
      await started.app.stream.deleteChannel(topic, 'deleted')
      await started.app.stream.deleteChannel(topic, 'never-there')
      expect(await channels()).not.toContain('deleted')
    })
  })
}
