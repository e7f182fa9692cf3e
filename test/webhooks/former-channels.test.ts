/** Events that a former version left in the stream: they reach the queue, each once. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startNsqd } from '../../src/engines/nsqd/server.js'
import { undoUpgrade } from '../../src/storage/copies/before-upgrade.js'
import { TopicReader } from '../../src/storage/nsqd/topic-reader.js'
import { startRealNsqd } from '../stream/nsq-daemons.js'
import { eventually } from '../stream/nsqd/subject.js'
import { goNsq } from '../support/go-nsq.js'
import { startApp } from '../support/start-app.js'
import { accept, startReceiver } from './receiver.js'

const programs = goNsq()
const skip = 'skip' in programs ? programs.skip : undefined

/** A click as it was published. */
function message(n: number, nature = 'human'): Buffer {
  const at = new Date(Date.now() + 1_000).toISOString()
  const click = { event_id: `old-${n}`, at, kind: 'click', nature, hh: 's', h: 'a', u: 'https://a.example/' }
  return Buffer.from(JSON.stringify(click))
}

describe('a data directory of a former version', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-former-'))
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  it('has its undelivered events delivered after the first start, each once', { timeout: 60_000 }, async () => {
    const receiver = await startReceiver(accept)
    const config = { dataDir, databaseUrl: undefined, outgoingAllow: ['127.0.0.0/8'] }
    const first = await startApp(config)
    const { organizations } = (await first.request('GET', '/v4/organizations')).body
    const body = { organization_guid: organizations[0].guid, name: 'One', event: 'engagement', url: receiver.url }
    const { guid } = (await first.request('POST', '/v4/webhooks', { body })).body
    await first.app.close()

    // As the former version published and read them: one message is finished, one in flight, two were never delivered.
    const topic = `clicks.${organizations[0].guid}`
    const nsqd = await startNsqd({ file: join(dataDir, 'stream.sqlite'), host: '127.0.0.1', port: 0 })
    let seen = 0
    const daemons = async () => [{ host: '127.0.0.1', port: nsqd.port, secret: undefined }]
    const reader = new TopicReader(
      { topic, channel: `webhook.${guid}`, maxInFlight: 1 },
      { daemons, onMessage: (each) => (seen++ === 0 ? each.finish() : undefined), onFailure: () => {} },
    )
    await reader.start()
    nsqd.publishOnce('old-journal', 7, [[topic, [message(0), message(1), message(2, 'bot'), message(3)]]])
    await eventually(async () => expect(seen).toBe(2))
    await reader.close()
    await nsqd.close()

    for (const _ of [1, 2]) {
      const again = await startApp(config)
      await eventually(async () => expect(receiver.events.map(({ event_id }) => event_id)).toEqual(['old-1', 'old-3']))
      expect(await again.app.webhookStore.sourcePosition('old-journal')).toBe(7)
      await again.app.close()
    }

    expect(undoUpgrade(dataDir).files).toEqual(['stream.sqlite'])
    const undone = await startApp(config)
    const twice = ['old-1', 'old-3', 'old-1', 'old-3']
    await eventually(async () => expect(receiver.events.map(({ event_id }) => event_id)).toEqual(twice))
    await undone.app.close()
    await receiver.close()
  })

  it.skipIf(skip !== undefined)(
    `likewise with a real nsqd, whose channel is deleted then${skip === undefined ? '' : ` (skipped: ${skip})`}`,
    { timeout: 120_000 },
    async () => {
      const daemon = await startRealNsqd('skip' in programs ? '' : programs.nsqd)
      const post = (path: string, body = '') => fetch(daemon.http + path, { method: 'POST', body })
      const receiver = await startReceiver(accept)
      const outside = mkdtempSync(join(tmpdir(), 'shortlink-former-nsqd-'))
      const config = {
        dataDir: outside,
        databaseUrl: undefined,
        outgoingAllow: ['127.0.0.0/8'],
        nsqdHttpAddresses: [daemon.http],
      }
      const app = await startApp(config)
      const { organizations } = (await app.request('GET', '/v4/organizations')).body
      const body = { organization_guid: organizations[0].guid, name: 'One', event: 'engagement', url: receiver.url }
      const { guid } = (await app.request('POST', '/v4/webhooks', { body })).body
      await app.app.close()

      const topic = `clicks.${organizations[0].guid}`
      const channel = `topic=${topic}&channel=webhook.${guid}`
      await post(`/topic/create?topic=${topic}`)
      await post(`/channel/create?${channel}`)
      await post(`/mpub?topic=${topic}`, [0, 1, 2].map((n) => message(n)).join('\n'))
      const again = await startApp(config)
      await eventually(async () => {
        expect(receiver.events.map(({ event_id }) => event_id).sort()).toEqual(['old-0', 'old-1', 'old-2'])
        const stats = await (await fetch(`${daemon.http}/stats?format=json&topic=${topic}`)).text()
        expect(stats).not.toContain(`webhook.${guid}`)
      })
      await again.close()
      await receiver.close()
      await daemon.stop()
      rmSync(outside, { recursive: true, force: true })
    },
  )
})
