/** Receivers that do what receivers do: the service neither loses events nor reaches what it must not reach. */
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstOrganization } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { startRealNsqd } from '../stream/nsq-daemons.js'
import { certificate } from '../stream/nsqd/certificate.js'
import { eventually } from '../stream/nsqd/subject.js'
import { goNsq } from '../support/go-nsq.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { accept, type Receiver, startReceiver, status } from './receiver.js'

/** Many short tries, so that chance gives up no event. */
const webhookTiming = { pauses: Array.from({ length: 20 }, () => 50), backoff: 10, maxBackoff: 50, timeout: 5_000 }
const programs = goNsq()
const skip = 'skip' in programs ? programs.skip : undefined

for (const isReal of [false, true]) {
  const name = isReal ? `real nsqd${skip === undefined ? '' : ` (skipped: ${skip})`}` : 'embedded'
  describe.skipIf(isReal && skip !== undefined)(`a bad receiver, ${name}`, () => {
    let started: StartedApp
    let organizationGuid: string
    let link: string
    const closing: (() => Promise<unknown> | unknown)[] = []
    beforeAll(async () => {
      const daemon = isReal && !('skip' in programs) ? await startRealNsqd(programs.nsqd) : undefined
      if (daemon) closing.push(() => daemon.stop())
      const stream = daemon ? { nsqdHttpAddresses: [daemon.http] } : {}
      started = await startApp({ outgoingAllow: ['127.0.0.0/8'], ...stream }, { webhookTiming })
      closing.unshift(() => started.close())
      organizationGuid = await firstOrganization(started)
      const body = { long_url: 'https://example.com/bad' }
      link = (await started.request('POST', '/v4/shorten', { body })).body.id
    })
    afterAll(async () => {
      for (const close of closing) await close()
    })

    async function aReceiver(...input: Parameters<typeof startReceiver>): Promise<Receiver> {
      const receiver = await startReceiver(...input)
      closing.push(() => receiver.close())
      return receiver
    }

    async function aWebhook(url: string): Promise<string> {
      const body = { organization_guid: organizationGuid, name: 'Bad', event: 'engagement', url }
      const { body: made } = await started.request('POST', '/v4/webhooks', { body })
      return `/v4/webhooks/${made.guid}`
    }
    const remove = (path: string) => started.request('DELETE', path)
    const failures = async (path: string): Promise<string[]> =>
      (await started.request('GET', `${path}/deliveries?failed=true`)).body.deliveries.map(
        ({ failure }: { failure: string }) => failure,
      )

    it('that is slow, resets connections or answers 500 in turn gets every event in the end', async () => {
      let turn = 0
      const receiver = await aReceiver((response) => {
        const answers = [
          () => setTimeout(() => response.end(), 200),
          () => response.socket?.resetAndDestroy(),
          () => response.writeHead(500).end(),
        ]
        answers[turn++ % answers.length]?.()
      })
      const path = await aWebhook(receiver.url)
      const expected = Array.from({ length: 6 }, (_, index) => `https://from.example/${index}`)
      for (const referrer of expected) await visit(started, link, { referrer })
      await eventually(async () =>
        expect(new Set(receiver.events.map(({ referrer }) => referrer))).toEqual(new Set(expected)),
      )
      await remove(path)
    })

    it('that hangs or answers 410 affects no other webhook', async () => {
      const [hanging, gone, healthy] = [
        await aReceiver(() => {}),
        await aReceiver(status(410)),
        await aReceiver(accept),
      ]
      const paths = [await aWebhook(hanging.url), await aWebhook(gone.url), await aWebhook(healthy.url)]
      const expected = Array.from({ length: 10 }, (_, index) => `https://fast.example/${index}`)
      for (const referrer of expected) await visit(started, link, { referrer })
      await eventually(async () => expect(healthy.events.map(({ referrer }) => referrer)).toEqual(expected))
      await eventually(async () =>
        expect((await started.request('GET', paths[1] ?? '')).body.status).toBe('deactivated'),
      )
      await eventually(async () => expect((await failures(paths[0] ?? ''))[0]).toContain('timeout'))
      for (const path of paths) await remove(path)
    })

    if (isReal) return

    it('that redirects to a private address is not followed', async () => {
      const receiver = await aReceiver((response) => response.writeHead(307, { location: 'http://10.0.0.1/' }).end())
      const path = await aWebhook(receiver.url)
      await visit(started, link)
      await eventually(async () => expect((await failures(path))[0]).toContain('forbidden_address'))
      await remove(path)
    })

    it('with a certificate of another name, or of an unknown authority, gets nothing', async () => {
      const seen: string[] = []
      const server = createTlsServer(certificate, (request, response) => {
        seen.push(request.url ?? '')
        response.end()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closing.push(() => new Promise((resolve) => server.close(resolve)))
      const path = await aWebhook(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      await visit(started, link)
      await eventually(async () => expect((await failures(path))[0]).toContain('tls'))
      expect(seen).toEqual([])
      await remove(path)
    })

    it('with a name that resolves to a private address is not connected to, whatever it resolved to before', async () => {
      const server = createServer((_, response) => response.end())
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closing.push(() => new Promise((resolve) => server.close(resolve)))
      const strict = await startApp({}, { webhookTiming })
      const organization_guid = await firstOrganization(strict)
      const url = `http://localhost:${(server.address() as AddressInfo).port}/`
      const body = { organization_guid, name: 'Local', event: 'engagement', url }
      const { body: made } = await strict.request('POST', '/v4/webhooks', { body })
      const verified = await strict.request('POST', `/v4/webhooks/${made.guid}/verify`)
      expect([verified.status, verified.body.description]).toEqual([400, expect.stringContaining('forbidden_address')])
      await strict.close()
    })
  })
}
