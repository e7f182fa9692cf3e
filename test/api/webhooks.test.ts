import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { plansFile } from '../support/plans-file.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { type Receiver, startReceiver, status, verify } from '../webhooks/receiver.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

let started: StartedApp
let organizationGuid: string
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
  started = await startApp({ outgoingAllow: ['127.0.0.0/8'] })
  organizationGuid = await firstOrganization(started)
})
afterAll(async () => {
  await started.close()
  await receiver.close()
})

const add = (body: object = {}, token?: string) =>
  started.request('POST', '/v4/webhooks', {
    body: { organization_guid: organizationGuid, name: 'One', event: 'engagement', url: receiver.url, ...body },
    ...(token && { token }),
  })
/** One that is deleted in the end, because an organization has at most 50. */
async function aWebhook(body: object = {}): Promise<{ guid: string; path: string; signing_secret: string }> {
  const { body: webhook } = await add(body)
  return { ...webhook, path: `/v4/webhooks/${webhook.guid}` }
}

describe('POST /v4/webhooks', () => {
  it('answers 201 with the webhook and its signing secret, which is shown only then', async () => {
    const { status, body } = await add({ name: 'Warehouse', event: 'decodes', events: ['link.created'] })
    expect(status).toBe(201)
    const { signing_secret, ...shown } = body
    expect(signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toEqual({
      references: { organization: `${started.app.config.baseUrl}/v4/organizations/${organizationGuid}` },
      guid: expect.stringMatching(/^W[0-9A-Za-z]{10}$/),
      created: expect.stringMatching(/\+0000$/),
      modified: expect.stringMatching(/\+0000$/),
      modified_by: 'admin',
      alerted: '',
      deactivated: '',
      is_active: true,
      is_alert: false,
      status: 'active',
      organization_guid: organizationGuid,
      group_guid: '',
      name: 'Warehouse',
      event: 'engagement',
      events: ['engagement', 'link.created'],
      url: receiver.url,
      oauth_url: '',
      client_id: '',
      client_secret: '',
      fetch_tags: false,
      batch: 1,
      link_word: '',
    })
    expect((await started.request('GET', `/v4/webhooks/${body.guid}`)).body).toEqual(shown)
    const list = await started.request('GET', `/v4/organizations/${organizationGuid}/webhooks`)
    expect(list.body.webhooks).toContainEqual(shown)
    expect((await started.request('DELETE', `/v4/webhooks/${body.guid}`)).status).toBe(204)
  })

  it.each([
    ['organization_guid', { organization_guid: '' }],
    ['name', { name: '' }],
    ['event', { event: 'clicked' }],
    ['event', { event: '' }],
    ['event', { event: '', events: ['link.created'] }],
    ['events', { events: ['link.created', 'nothing'] }],
    ['url', { url: 'ftp://example.com/' }],
    ['url', { url: 'https://' }],
    ['batch', { batch: 101 }],
    ['batch', { batch: 0 }],
    ['oauth_url', { client_id: 'a', client_secret: 'b' }],
    ['client_secret', { oauth_url: 'https://example.com/token', client_id: 'a' }],
    ['is_active', { is_active: 'perhaps' }],
  ])('answers 400 and names %s for %j', async (field, more) => {
    const { status, body } = await add(more)
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'webhooks'])
  })

  it.each(unreadableBodies)('answers like every operation to %s', async (_, body, expected) => {
    expect((await started.request('POST', '/v4/webhooks', { body })).status).toBe(expected)
  })

  it('answers 403 to members, strangers, and for a group of another organization', async () => {
    const [member, stranger] = [await aMember(started, started.groupGuid), (await aStranger(started)).token]
    for (const token of [member, stranger]) expect((await add({}, token)).status).toBe(403)
    const other = await organize(started).organization()
    const group = await organize(started).group('Elsewhere', other)
    expect((await add({ group_guid: group })).status).toBe(403)
    expect((await add({ group_guid: started.groupGuid })).body.group_guid).toBe(started.groupGuid)
  })

  it('creates one webhook for repeated requests with an Idempotency-Key, which works', async () => {
    const organization_guid = await organize(started).organization('Retries')
    const headers = { 'idempotency-key': 'webhook-1' }
    const body = { organization_guid, name: 'Once', event: 'engagement', url: receiver.url }
    const [first, again] = [
      await started.request('POST', '/v4/webhooks', { body, headers }),
      await started.request('POST', '/v4/webhooks', { body, headers }),
    ]
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true'])
    expect(again.body).toEqual(first.body)
    const list = await started.request('GET', `/v4/organizations/${organization_guid}/webhooks`)
    expect(list.body.webhooks).toHaveLength(1)
  })

  it('gives an organization at most 50', async () => {
    const organization_guid = await organize(started).organization('Many')
    for (let count = 0; count < 50; count++) {
      expect((await add({ organization_guid, is_active: false })).status).toBe(201)
    }
    expect((await add({ organization_guid, is_active: false })).status).toBe(400)
  })
})

describe('GET, PATCH and DELETE /v4/webhooks/{webhook_guid}', () => {
  it('answer 404 to strangers as for a webhook that does not exist, and 403 to members', async () => {
    const { path, guid } = await aWebhook()
    const [member, stranger] = [await aMember(started, started.groupGuid), (await aStranger(started)).token]
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { guid, name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/verify', undefined],
      ['POST', '/rotate_secret', undefined],
      ['GET', '/deliveries', undefined],
      ['GET', '/deliveries/Dx', undefined],
      ['POST', '/deliveries/Dx/redeliver', undefined],
      ['GET', '/dead_letters', undefined],
      ['POST', '/redeliver', { since: '2026-01-01T00:00:00Z' }],
    ] as const) {
      const ask = (token: string | undefined, at = path) =>
        started.request(method, at + suffix, { ...(body && { body }), ...(token && { token }) })
      expect((await ask(member)).status).toBe(403)
      expect((await ask(stranger)).status).toBe(404)
      expect((await ask(undefined, '/v4/webhooks/Wnone')).body.message).toBe('NOT_FOUND')
    }
    expect(
      (await started.request('GET', `/v4/organizations/${organizationGuid}/webhooks`, { token: member })).status,
    ).toBe(403)
  })

  it('PATCH changes what is sent, also when a client sends the whole object back', async () => {
    const oauth = { oauth_url: 'https://auth.example/token', client_id: 'me', client_secret: 'hush' }
    const { path } = await aWebhook({ ...oauth, group_guid: started.groupGuid })
    const { body: before } = await started.request('GET', path)
    const changed = await started.request('PATCH', path, { body: { ...before, name: 'Renamed', batch: 100 } })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ name: 'Renamed', batch: 100, oauth_url: oauth.oauth_url, client_id: 'me' })
    const without = await started.request('PATCH', path, { body: { oauth_url: '', group_guid: '', is_active: false } })
    expect(without.body).toMatchObject({ oauth_url: '', client_id: '', group_guid: '', status: 'inactive' })
  })

  it('PATCH replaces the events, and answers 400 for none', async () => {
    const { path } = await aWebhook({ events: ['link.created'] })
    const patch = (body: object) => started.request('PATCH', path, { body })
    const { status, body } = await patch({ events: [] })
    expect([status, body.message, body.errors?.[0]?.field]).toEqual([400, 'INVALID_ARG_EVENTS', 'events'])
    expect((await patch({ name: 'Renamed' })).body.events).toEqual(['engagement', 'link.created'])
    expect((await patch({ events: ['link.expired'] })).body.events).toEqual(['link.expired'])
    expect((await patch({ event: 'link.created', events: [] })).body.events).toEqual(['link.created'])
  })

  it('PATCH answers 400 for a guid that is not that of the path', async () => {
    const { path } = await aWebhook()
    const { status, body } = await started.request('PATCH', path, { body: { guid: 'Wother', name: 'x' } })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GUID'])
    expect((await started.request('PATCH', path, { body: '{' })).status).toBe(422)
  })

  it('DELETE answers 204, then 404', async () => {
    const { path } = await aWebhook()
    expect((await started.request('DELETE', path)).status).toBe(204)
    expect((await started.request('DELETE', path)).status).toBe(404)
  })
})

describe('POST /v4/webhooks/{webhook_guid}/verify', () => {
  it('sends the ping in a list with batch, and names the group of the webhook', async () => {
    const { path, guid } = await aWebhook({ batch: 2, group_guid: started.groupGuid })
    expect((await started.request('POST', `${path}/verify`)).status).toBe(200)
    expect(receiver.requests.at(-1)?.body).toEqual({
      event_type: 'batch',
      webhook_guid: guid,
      events: [expect.objectContaining({ event_type: 'ping', group_guid: started.groupGuid })],
    })
  })

  it('sends a signed ping, and answers with the webhook', async () => {
    const { path, guid, signing_secret } = await aWebhook()
    expect((await started.request('POST', `${path}/verify`)).body).toMatchObject({ guid, status: 'active' })
    const ping = receiver.requests.at(-1)
    expect(ping?.body).toEqual({
      event_id: expect.stringMatching(/^ping\/D/),
      event_type: 'ping',
      timestamp: expect.stringMatching(/\+0000$/),
      account_guid: organizationGuid,
      group_guid: '',
      webhook_guid: guid,
      references: { webhook: `${started.app.config.baseUrl}${path}` },
    })
    expect(ping && verify(signing_secret, ping)).toEqual(ping?.body)
    const { body } = await started.request('GET', `${path}/deliveries`)
    expect(body.deliveries).toEqual([
      {
        id: expect.stringMatching(/^D/),
        created: expect.stringMatching(/\+0000$/),
        status: 200,
        failure: '',
        answer: 'ok',
        duration_ms: expect.any(Number),
        event_ids: [],
        event_types: [],
        tries: 0,
        next_try: '',
      },
    ])
  })

  it('answers 400 with the reason when the receiver does not accept it, and for an address that is not permitted', async () => {
    const failing = await startReceiver(status(503, 'not now'))
    const { path } = await aWebhook({ url: failing.url })
    const { status: answered, body } = await started.request('POST', `${path}/verify`)
    expect([answered, body.message]).toEqual([400, 'BAD_REQUEST'])
    expect(body.description).toContain('status 503')
    await started.request('PATCH', path, { body: { url: 'http://10.0.0.1/' } })
    expect((await started.request('POST', `${path}/verify`)).body.description).toContain('forbidden_address')
    await failing.close()
  })

  it('signs with both secrets after a rotation', async () => {
    const { path, signing_secret: former } = await aWebhook()
    const { body } = await started.request('POST', `${path}/rotate_secret`)
    expect(body.signing_secret).not.toBe(former)
    await started.request('POST', `${path}/verify`)
    const ping = receiver.requests.at(-1)
    for (const secret of [former, body.signing_secret]) expect(ping && verify(secret, ping)).toEqual(ping?.body)
  })
})

describe('a plan without webhooks', () => {
  it('answers 402 to every operation', async () => {
    const plans = plansFile({ small: { features: [] } }, onTestFinished)
    const limited = await startApp({ plans, defaultPlan: 'small' })
    const organization = await firstOrganization(limited)
    const body = { organization_guid: organization, name: 'One', event: 'engagement', url: receiver.url }
    const { status, body: answer } = await limited.request('POST', '/v4/webhooks', { body })
    expect([status, answer.message, answer.resource]).toEqual([402, 'UPGRADE_REQUIRED', 'webhooks'])
    expect((await limited.request('GET', `/v4/organizations/${organization}/webhooks`)).status).toBe(402)
    // Made while the plan allowed it.
    const fields = { groupGuid: undefined, isActive: false, fetchTags: false, batch: 1, linkWord: undefined }
    const { guid } = { guid: 'Wkept' }
    await limited.app.webhookStore.add({
      ...fields,
      oauth: undefined,
      guid,
      organizationGuid: organization,
      name: 'Kept',
      events: ['engagement'],
      url: receiver.url,
      secret: 'x',
      by: 'admin',
      at: 1,
      limit: 50,
    })
    for (const [method, suffix, sent] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['POST', '/verify', undefined],
      ['POST', '/rotate_secret', undefined],
      ['GET', '/deliveries', undefined],
      ['GET', '/deliveries/Dx', undefined],
      ['POST', '/deliveries/Dx/redeliver', undefined],
      ['GET', '/dead_letters', undefined],
      ['POST', '/redeliver', { since: '2026-01-01T00:00:00Z' }],
      ['DELETE', '', undefined],
    ] as const) {
      const got = await limited.request(method, `/v4/webhooks/${guid}${suffix}`, sent ? { body: sent } : {})
      expect([method + suffix, got.status]).toEqual([method + suffix, 402])
    }
    await limited.close()
  })
})
