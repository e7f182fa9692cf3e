import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../../../test/webhooks/receiver.js'
import { newSigningSecret } from '../../core/webhooks/sign.js'
import type { Webhook } from '../../core/webhooks/webhook.js'
import { GuardedClient } from '../outgoing/guarded-client.js'
import { Receivers } from './receivers.js'

let receiver: Receiver
let client: GuardedClient
beforeEach(async () => {
  receiver = await startReceiver()
  client = new GuardedClient({ allow: ['127.0.0.0/8'] })
})
afterEach(async () => {
  client.close()
  await receiver.close()
})

const event = { eventId: 'e-1', payload: '{"event_id":"e-1"}' }

function aWebhook(fields: Partial<Webhook> = {}): Webhook {
  return {
    guid: 'W1',
    organizationGuid: 'Omine',
    name: 'mine',
    events: ['engagement'],
    url: receiver.url,
    groupGuid: undefined,
    isActive: true,
    fetchTags: false,
    linkWord: undefined,
    batch: 1,
    oauth: undefined,
    secret: { current: newSigningSecret(), previous: undefined },
    createdAt: 0,
    modifiedAt: 0,
    modifiedBy: 'ada',
    alertedAt: undefined,
    alertDelivery: undefined,
    deactivatedAt: undefined,
    lost: [],
    ...fields,
  }
}

it('uses a token until shortly before it expires, then fetches another', async () => {
  let issued = 0
  receiver.answerWith((response, { path }) => {
    if (path !== '/token') return void response.end('ok')
    issued += 1
    response.end(JSON.stringify({ access_token: `token-${issued}`, expires_in: 60 }))
  })
  let now = 1_000_000
  const receivers = new Receivers({ client, now: () => now, timeout: 5_000 })
  const oauth = { url: receiver.url.replace('/hook', '/token'), clientId: 'me', clientSecret: 'hush' }
  for (const seconds of [0, 29, 31]) {
    now = 1_000_000 + seconds * 1000
    expect(await receivers.send(aWebhook({ oauth }), [event])).toMatchObject({ status: 200, failure: undefined })
  }
  const sent = receiver.requests.filter(({ path }) => path === '/hook').map(({ headers }) => headers.authorization)
  expect(sent).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2'])
})

it('keeps a kilobyte of the answer', async () => {
  receiver.answerWith((response) => void response.writeHead(500).end('x'.repeat(5_000)))
  const receivers = new Receivers({ client, now: Date.now, timeout: 5_000 })
  const { status, answer } = await receivers.send(aWebhook(), [event])
  expect([status, answer.length]).toEqual([500, 1024])
})
