import { beforeAll, describe, expect, it } from 'vitest'
import type { CheckContext } from './checks.js'
import { RawClient } from './raw-client.js'
import { aTopic, channelOf, type Endpoint } from './subject.js'

const topicOfAlice = aTopic()
const secrets = {
  'alice-secret': { identity: 'alice', subscribe: [topicOfAlice], publish: [] },
  'writer-secret': { identity: 'writer', subscribe: [], publish: [topicOfAlice] },
  'unlucky-secret': 'failing',
} as const

export function tlsAndAuthChecks({ plain, endpoint }: CheckContext): void {
  describe('TLS and AUTH', () => {
    let secure: Endpoint
    let strict: Endpoint
    let guarded: Endpoint
    beforeAll(async () => {
      secure = await endpoint({ tls: true })
      strict = await endpoint({ tls: true, tlsRequired: true })
      guarded = await endpoint({ tls: true, secrets })
    })

    const authorized = async (secret: string): Promise<RawClient> => {
      const client = await RawClient.to(guarded.port)
      await client.negotiate()
      client.command('AUTH', secret)
      await client.response()
      return client
    }

    it('17. starts TLS on the same socket after the answer in clear, and says OK inside', async () => {
      const client = await RawClient.to(secure.port)
      expect(await client.negotiate({ tls_v1: true })).toMatchObject({ tls_v1: true })
      await client.upgradeToTls()
      expect(await client.response()).toBe('OK')
      const topic = aTopic()
      await client.subscribe(topic, 'ch', 1)
      await client.publish(topic, 'over TLS')
      expect((await client.message()).body.toString()).toBe('over TLS')
      expect((await channelOf(secure, topic, 'ch')).clients[0]).toMatchObject({ tls: true })
      client.close()
    })

    it('18. starts TLS and then deflate, with an OK inside each', async () => {
      const client = await RawClient.to(secure.port)
      expect(await client.negotiate({ tls_v1: true, deflate: true })).toMatchObject({ tls_v1: true, deflate: true })
      await client.upgradeToTls()
      expect(await client.response()).toBe('OK')
      client.upgradeToDeflate()
      expect(await client.response()).toBe('OK')
      const topic = aTopic()
      await client.subscribe(topic, 'ch', 1)
      await client.publish(topic, 'over both')
      expect((await client.message()).body.toString()).toBe('over both')
      client.close()
    })

    it.each(['TLSv1.2', 'TLSv1.3'] as const)('19. works with a client that knows %s only', async (version) => {
      const client = await RawClient.to(secure.port)
      await client.negotiate({ tls_v1: true })
      await client.upgradeToTls(version)
      expect(await client.response()).toBe('OK')
      expect(client.tls?.getProtocol()).toBe(version)
      client.close()
    })

    it('20. refuses commands before the upgrade when TLS is required', async () => {
      const client = await RawClient.to(strict.port)
      expect(await client.negotiate()).toMatchObject({ tls_v1: false })
      client.command(`SUB ${aTopic()} ch`)
      expect(await client.refusal()).toBe('E_INVALID cannot SUB in current state (TLS required)')
      await client.closed()
    })

    it('21. goes on in clear when it has no certificate', async () => {
      const client = await RawClient.to(plain().port)
      expect(await client.negotiate({ tls_v1: true })).toMatchObject({ tls_v1: false })
      await client.subscribe(aTopic(), 'ch')
      client.close()
    })

    it('22. answers AUTH with the identity, and SUB works', async () => {
      const client = await RawClient.to(guarded.port)
      expect(await client.negotiate()).toMatchObject({ auth_required: true })
      client.command('AUTH', 'alice-secret')
      expect(JSON.parse(await client.response())).toEqual({
        identity: 'alice',
        identity_url: 'https://example.com/alice',
        permission_count: 1,
      })
      await client.subscribe(topicOfAlice, 'check-22', 1)
      await guarded.publish(topicOfAlice, 'for alice')
      expect((await client.message()).body.toString()).toBe('for alice')
      client.close()
    })

    it('23. refuses a secret that nobody knows', async () => {
      const client = await RawClient.to(guarded.port)
      client.command('AUTH', 'stolen')
      expect(await client.refusal()).toBe('E_UNAUTHORIZED AUTH no authorizations found')
      await client.closed()
    })

    it('24. refuses SUB and PUB before AUTH', async () => {
      const client = await RawClient.to(guarded.port)
      client.command(`SUB ${topicOfAlice} ch`)
      expect(await client.refusal()).toBe('E_AUTH_FIRST AUTH required before SUB')
      await client.closed()
      const producer = await RawClient.to(guarded.port)
      producer.command(`PUB ${topicOfAlice}`, 'body')
      expect(await producer.refusal()).toBe('E_AUTH_FIRST AUTH required before PUB')
      await producer.closed()
    })

    it('25. refuses AUTH when it asks nobody', async () => {
      const client = await RawClient.to(plain().port)
      client.command('AUTH', 'alice-secret')
      expect(await client.refusal()).toMatch(/^E_AUTH_DISABLED/)
      await client.closed()
    })

    it('26. refuses a topic that was not granted, and publishing to who may only read', async () => {
      const reader = await authorized('alice-secret')
      reader.command('SUB elsewhere ch')
      expect(await reader.refusal()).toBe('E_UNAUTHORIZED AUTH failed for SUB on "elsewhere" "ch"')
      await reader.closed()
      const writing = await authorized('alice-secret')
      writing.command(`PUB ${topicOfAlice}`, 'body')
      expect(await writing.refusal()).toBe(`E_UNAUTHORIZED AUTH failed for PUB on "${topicOfAlice}" ""`)
      await writing.closed()
      const writer = await authorized('writer-secret')
      await writer.publish(topicOfAlice, 'allowed')
      writer.close()
    })

    it('26b. refuses MPUB without permission before its body comes', async () => {
      const reader = await authorized('alice-secret')
      reader.command(`MPUB ${topicOfAlice}`)
      expect(await reader.refusal()).toBe(`E_UNAUTHORIZED AUTH failed for MPUB on "${topicOfAlice}" ""`)
      await reader.closed()
      const stranger = await RawClient.to(guarded.port)
      stranger.command(`MPUB ${topicOfAlice}`)
      expect(await stranger.refusal()).toBe('E_AUTH_FIRST AUTH required before MPUB')
      await stranger.closed()
    })

    it('27. tells nothing about why nobody could say who it is', async () => {
      const client = await RawClient.to(guarded.port)
      client.command('AUTH', 'unlucky-secret')
      expect(await client.refusal()).toBe('E_AUTH_FAILED AUTH failed')
      await client.closed()
    })

    it('28. refuses AUTH after SUB, and without a secret', async () => {
      const client = await authorized('alice-secret')
      await client.subscribe(topicOfAlice, 'check-28')
      client.command('AUTH', 'alice-secret')
      expect(await client.refusal()).toBe('E_INVALID cannot AUTH in current state')
      await client.closed()
      const empty = await RawClient.to(guarded.port)
      empty.command('AUTH', '')
      expect(await empty.refusal()).toBe('E_BAD_BODY AUTH invalid body size 0')
      await empty.closed()
    })

    it('56. shows in its numbers who is connected and how', async ({ expect }) => {
      const client = await RawClient.to(guarded.port)
      await client.negotiate({ tls_v1: true, client_id: 'reader', hostname: 'reader.example', user_agent: 'raw/1' })
      await client.upgradeToTls()
      await client.response()
      client.command('AUTH', 'alice-secret')
      await client.response()
      await client.subscribe(topicOfAlice, 'check-56', 1000)
      client.command('NOP')
      await expect
        .poll(async () => (await channelOf(guarded, topicOfAlice, 'check-56')).clients[0]?.ready_count)
        .toBe(1000)
      const numbers = await channelOf(guarded, topicOfAlice, 'check-56')
      expect(numbers).toMatchObject({
        depth: expect.any(Number),
        backend_depth: expect.any(Number),
        in_flight_count: expect.any(Number),
        deferred_count: 0,
        timeout_count: 0,
        requeue_count: 0,
        message_count: expect.any(Number),
        client_count: 1,
        paused: false,
        e2e_processing_latency: { count: 0, percentiles: null },
      })
      expect(numbers.clients).toEqual([
        {
          client_id: 'reader',
          hostname: 'reader.example',
          user_agent: 'raw/1',
          version: 'V2',
          state: 3,
          remote_address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
          connect_ts: expect.any(Number),
          ready_count: 1000,
          in_flight_count: expect.any(Number),
          message_count: expect.any(Number),
          finish_count: 0,
          requeue_count: 0,
          sample_rate: 0,
          deflate: false,
          snappy: false,
          authed: true,
          auth_identity: 'alice',
          auth_identity_url: 'https://example.com/alice',
          tls: true,
          tls_cipher_suite: expect.any(String),
          tls_version: 'TLS1.3',
          tls_negotiated_protocol: '',
          tls_negotiated_protocol_is_mutual: expect.any(Boolean),
        },
      ])
      client.close()
    })
  })
}
