/** Deliveries of webhooks through the whole service in this process: what receivers get, and what happens to failures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { alterRecords, aMember } from '../api/alter-records.js'
import { firstOrganization, organize } from '../api/organize.js'
import { asking } from '../api/v3/ask.js'
import { visit } from '../api/visits.js'
import { eventually } from '../stream/nsqd/subject.js'
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { accept, type Receiver, startReceiver, status, verify } from './receiver.js'

/** Short pauses: five tries within a second. Time to answer: on a busy machine a receiver here is slow, and a second try is a second event. */
const webhookTiming = { pauses: [100, 100, 200, 200], backoff: 20, maxBackoff: 100, timeout: 5_000 }

describe('deliveries of webhooks', () => {
  let started: StartedApp
  let smtp: SmtpServer
  let organizationGuid: string
  let link: string
  const receivers: Receiver[] = []
  const guids: string[] = []
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-webhook-plans-'))
  beforeAll(async () => {
    const plans = join(folder, 'plans.json')
    writeFileSync(plans, JSON.stringify({ small: { limits: { encodes: 5, api_requests: 10 } } }))
    smtp = await startSmtpServer()
    const config = { outgoingAllow: ['127.0.0.0/8'], trustProxy: 1, smtpUrl: smtp.url, plans }
    started = await startApp(config, { webhookTiming })
    await operate(started.app, operator, 'setEmail', { login: 'admin', email: 'ada@example.com' })
    organizationGuid = await firstOrganization(started)
    link = (await shorten({ long_url: 'https://example.com/hooked', tags: ['autumn', 'sale'] })).id
  })
  afterEach(async () => {
    for (const guid of guids.splice(0)) await started.request('DELETE', `/v4/webhooks/${guid}`)
    for (const receiver of receivers.splice(0)) await receiver.close()
  })
  afterAll(async () => {
    await started.close()
    await smtp.close()
    rmSync(folder, { recursive: true })
  })

  async function shorten(body: object): Promise<{ id: string; link: string }> {
    return (await started.request('POST', '/v4/shortlinks', { body })).body
  }

  async function aReceiver(...input: Parameters<typeof startReceiver>): Promise<Receiver> {
    const receiver = await startReceiver(...input)
    receivers.push(receiver)
    return receiver
  }

  async function aWebhook(receiver: Receiver, body: object = {}) {
    const about = { organization_guid: organizationGuid, name: 'One', event: 'engagement', url: receiver.url }
    const made = await started.request('POST', '/v4/webhooks', { body: { ...about, ...body } })
    guids.push(made.body.guid)
    return { ...made.body, path: `/v4/webhooks/${made.body.guid}` }
  }

  const read = async (path: string) => (await started.request('GET', path)).body
  const referrers = ({ events }: Receiver) => events.map(({ referrer }) => referrer)
  const visits = async (from: number, to: number) => {
    const urls = Array.from({ length: to - from }, (_, index) => `https://from.example/${from + index}`)
    for (const referrer of urls) await visit(started, link, { referrer })
    return urls
  }

  it('bring every engagement from the creation on, once, in order, signed', async () => {
    await visits(0, 2)
    const receiver = await aReceiver()
    const { guid, signing_secret } = await aWebhook(receiver, { fetch_tags: true })
    const expected = await visits(2, 22)
    await eventually(async () => expect(referrers(receiver)).toEqual(expected))
    const [request] = receiver.requests
    expect(request && verify(signing_secret, request)).toEqual({
      event_id: expect.any(String),
      event_type: 'engagement',
      engagement_type: 'click',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
      timezone: 'UTC',
      long_url: 'https://example.com/hooked',
      shortlink: link,
      country: 'GB',
      referrer: 'https://from.example/2',
      device_type: 'Desktop',
      account_guid: organizationGuid,
      group_guid: started.groupGuid,
      webhook_guid: guid,
      tags: ['autumn', 'sale'],
      references: {
        organization: `${started.app.config.baseUrl}/v4/organizations/${organizationGuid}`,
        group: `${started.app.config.baseUrl}/v4/groups/${started.groupGuid}`,
        shortlink: `${started.app.config.baseUrl}/v4/shortlinks/${link}`,
      },
    })
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(20)
  })

  it('bring neither robots, nor clicks of other organizations, nor of other groups if one is named', async () => {
    const [all, one] = [await aReceiver(), await aReceiver()]
    const other = await organize(started).group('Another')
    await aWebhook(all)
    await aWebhook(one, { group_guid: other })
    const elsewhere = await organize(started).organization('Elsewhere')
    const theirs = await organize(started).group('Theirs', elsewhere)
    const foreign = await shorten({ long_url: 'https://example.com/foreign', group_guid: theirs })
    const inGroup = await shorten({ long_url: 'https://example.com/in-group', group_guid: other })
    await visit(started, foreign.id)
    await visit(started, link, { agent: 'robot' })
    await visit(started, inGroup.id, { referrer: 'https://last.example/' })
    await eventually(async () => expect(all.events).toHaveLength(1))
    expect(referrers(all)).toEqual(['https://last.example/'])
    await eventually(async () => expect(referrers(one)).toEqual(['https://last.example/']))
  })

  it('bring new links, and up to a hundred events in one request with batch', async () => {
    const receiver = await aReceiver((response) => void setTimeout(() => response.end(), 50))
    const { guid } = await aWebhook(receiver, { event: 'link.created', batch: 100 })
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, index) => shorten({ long_url: `https://example.com/batch/${index}` })),
    )
    await eventually(async () => expect(receiver.events).toHaveLength(30))
    expect(new Set(receiver.events.map(({ shortlink }) => shortlink))).toEqual(new Set(made.map(({ id }) => id)))
    expect(receiver.requests.length).toBeLessThan(30)
    expect(receiver.requests[0]?.body).toMatchObject({ event_type: 'batch', webhook_guid: guid })
    expect(receiver.events[0]).toMatchObject({ event_type: 'link.created', created_by: 'admin', webhook_guid: guid })
  })

  it('try a failed event again, while the others arrive, and the log shows it', async () => {
    const receiver = await aReceiver((response, { body }) =>
      body.referrer.endsWith('/1') && receiver.requests.length < 8
        ? response.writeHead(500).end('cannot store it')
        : response.end('stored'),
    )
    const { path } = await aWebhook(receiver)
    const expected = await visits(0, 4)
    await eventually(async () => expect(new Set(referrers(receiver))).toEqual(new Set(expected)))
    await eventually(async () => expect((await read(path)).status).toBe('active'))
    await eventually(async () => {
      const { deliveries } = await read(`${path}/deliveries?failed=true`)
      expect(deliveries.length).toBeGreaterThanOrEqual(1)
      expect(deliveries.at(-1)).toMatchObject({
        status: 500,
        failure: 'status 500',
        answer: 'cannot store it',
        tries: 1,
      })
      expect(deliveries.at(-1).next_try).not.toBe('')
    })
    expect((await read(`${path}/dead_letters`)).dead_letters).toEqual([])
  })

  it('give up after five tries: alert, dead letters, and redelivery when the receiver is back', async () => {
    const receiver = await aReceiver(status(502, 'broken'))
    const { path, guid } = await aWebhook(receiver)
    const expected = await visits(0, 3)
    const dead = async () => (await read(`${path}/dead_letters`)).dead_letters
    await eventually(async () => expect(await dead()).toHaveLength(3))
    expect((await dead())[0]).toMatchObject({ tries: 5, status: 502, event: { event_type: 'engagement' } })
    const told = { alert_delivery: 'sent' }
    expect(await read(path)).toMatchObject({ status: 'alert', is_alert: true, is_active: true, ...told })
    const mails = smtp.mails.filter(({ text }) => text.includes(guid))
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [['ada@example.com'], expect.stringContaining('fails')],
    ])
    receiver.answerWith(accept)
    const again = await started.request('POST', `${path}/redeliver`, { body: { since: '2026-01-01T00:00:00Z' } })
    expect([again.status, again.body]).toEqual([202, { redeliveries: 3 }])
    await eventually(async () => expect(new Set(referrers(receiver))).toEqual(new Set(expected)))
    await eventually(async () => expect(await dead()).toEqual([]))
    await eventually(async () => expect(await read(path)).toMatchObject({ status: 'active', alerted: '' }))
  })

  it('are repeated on request, and not with an unknown id or for an inactive webhook', async () => {
    const receiver = await aReceiver()
    const { path, guid } = await aWebhook(receiver)
    await visits(0, 1)
    await eventually(async () => expect((await read(`${path}/deliveries`)).deliveries).toHaveLength(1))
    const [{ id, event_ids }] = (await read(`${path}/deliveries`)).deliveries
    const detail = await read(`${path}/deliveries/${id}`)
    expect(detail).toMatchObject({ id, event_ids, event_types: ['engagement'], status: 200, failure: '', answer: 'ok' })
    expect(detail.events).toEqual(receiver.events)
    expect((await started.request('GET', `${path}/deliveries/Dnone`)).status).toBe(404)
    const redeliver = (which: string) => started.request('POST', `${path}/deliveries/${which}/redeliver`)
    expect((await redeliver(id)).body).toEqual({ redeliveries: 1 })
    await eventually(async () => expect(receiver.events).toHaveLength(2))
    expect(receiver.events.map(({ event_id }) => event_id)).toEqual([...event_ids, ...event_ids])
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(ids[0]).toBe(ids[1])
    expect((await redeliver('Dnone')).status).toBe(404)
    expect((await started.request('POST', `${path}/redeliver`, { body: { since: 'yesterday' } })).status).toBe(400)
    expect((await started.request('POST', `${path}/redeliver`, { body: '{' })).status).toBe(422)
    expect((await started.request('GET', `${path}/deliveries?search_after=x`)).status).toBe(400)
    expect((await started.request('GET', `${path}/dead_letters?size=0`)).status).toBe(400)
    const asOperator = (name: string, input: object) => operate(started.app, operator, name, input)
    expect(await asOperator('redeliverWebhook', { guid, delivery: id })).toEqual({ count: 1, isRunning: true })
    await eventually(async () => expect(receiver.events).toHaveLength(3))
    await eventually(async () => expect(await asOperator('webhookLog', { guid })).toHaveLength(3))
    const listed = { guid, host: new URL(receiver.url).host, isActive: true, events: ['engagement'] }
    expect(await asOperator('listWebhooks', {})).toContainEqual(expect.objectContaining(listed))
    await expect(asOperator('redeliverWebhook', { guid })).rejects.toThrow('--since')
    await expect(asOperator('webhookLog', { guid: 'Wnone' })).rejects.toThrow('There is no webhook')
    await started.request('PATCH', path, { body: { is_active: false } })
    expect((await redeliver(id)).status).toBe(400)
  })

  it('stop at once when the receiver is gone (410), and begin again when the webhook is activated', async () => {
    const receiver = await aReceiver(status(410))
    const { path, guid } = await aWebhook(receiver)
    await visits(0, 1)
    await eventually(async () => expect(await read(path)).toMatchObject({ is_active: false, status: 'deactivated' }))
    await eventually(async () => expect(smtp.mails.filter(({ text }) => text.includes(guid))).toHaveLength(1))
    expect(smtp.mails.at(-1)?.subject).toMatch(/turned.off/)
    receiver.answerWith(accept)
    await visits(1, 2)
    await started.clicksCounted()
    await started.request('PATCH', path, { body: { is_active: true } })
    const expected = await visits(2, 3)
    await eventually(async () => expect(referrers(receiver)).toEqual(expected))
  })

  it('to a receiver that hangs delay no other', async () => {
    const [hanging, healthy] = [await aReceiver(() => {}), await aReceiver()]
    const { path } = await aWebhook(hanging)
    await aWebhook(healthy)
    const expected = await visits(0, 10)
    await eventually(async () => expect(referrers(healthy)).toEqual(expected))
    expect(hanging.events).toEqual([])
    await eventually(async () =>
      expect((await read(`${path}/deliveries`)).deliveries.at(-1)?.failure).toContain('timeout'),
    )
  })

  it('bring every new link of a bulk request and of a job, and no row that was refused or existed', async () => {
    const receiver = await aReceiver()
    await aWebhook(receiver, { event: 'link.created', batch: 100 })
    const urls = Array.from({ length: 150 }, (_, at) => `https://example.com/bulk/${at}`)
    const rows = [...urls.slice(0, 120), 'not a URL', urls[0]].map((long_url) => ({ long_url }))
    const made = await started.request('POST', '/v4/bulk/shorten', { body: { links: rows } })
    expect(made.body).toMatchObject({ created: 120, existing: 1, refused: 1 })
    const job = await started.request('POST', '/v4/bulk/jobs', {
      body: ['long_url', ...urls.slice(100)].join('\n'),
      headers: { 'content-type': 'text/csv' },
    })
    expect(job.status).toBe(202)
    await eventually(async () => expect(receiver.events.length).toBeGreaterThanOrEqual(150))
    const created = receiver.events.map(({ event_type, long_url }) => `${event_type} ${long_url}`)
    expect(created.toSorted()).toEqual(urls.map((url) => `link.created ${url}`).toSorted())
  })

  it('bring changed and expired links, QR codes, domains and limits, to those who want them', async () => {
    const [all, clicks] = [await aReceiver(), await aReceiver()]
    const others = ['link.expired', 'qr_code.created', 'domain.status_changed', 'limit.reached']
    await aWebhook(all, { event: 'link.updated', events: others })
    await aWebhook(clicks)
    const { id } = await shorten({ long_url: 'https://example.com/changed' })
    await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { title: 'New title', tags: ['one'] } })
    const bulk = { links: [id], action: 'archive', archive: true }
    expect((await started.request('PATCH', `/v4/groups/${started.groupGuid}/shortlinks`, { body: bulk })).status).toBe(
      200,
    )
    const expiring = await shorten({ long_url: 'https://example.com/expiring' })
    // The API accepts only later times.
    await alterRecords(started, 'update links set expires_at = ? where id = ?', Date.now() + 1000, expiring.id)
    const code = { group_guid: started.groupGuid, title: 'Poster', destination: { shortlink_id: id } }
    const { body: made } = await started.request('POST', '/v4/qr-codes', { body: code })
    const alone = { ...code, title: 'Alone', destination: { long_url: 'https://example.com/alone' } }
    const { body: standAlone } = await started.request('POST', '/v4/qr-codes', { body: alone })
    await started.app.domainStore.add({
      name: 'hooks.example.com',
      organizationGuid,
      groupGuids: [],
      isProven: false,
      rootUrl: undefined,
      notFoundUrl: undefined,
      createdBy: 'admin',
      at: Date.now(),
    })
    await started.app.domainStore.prove(organizationGuid, 'hooks.example.com', true)
    await started.app.domainStore.remove(organizationGuid, 'hooks.example.com', Date.now())
    const found = () =>
      all.events.map(({ event_type, shortlink, title, archived, qr_code_id, domain, status }) =>
        JSON.parse(JSON.stringify({ event_type, shortlink, title, archived, qr_code_id, domain, status })),
      )
    await eventually(async () => expect(found()).toHaveLength(8))
    expect(found()).toEqual(
      expect.arrayContaining([
        { event_type: 'link.updated', shortlink: id, title: 'New title', archived: false },
        { event_type: 'link.updated', shortlink: id, title: 'New title', archived: true },
        { event_type: 'link.expired', shortlink: expiring.id },
        { event_type: 'qr_code.created', shortlink: id, title: 'Poster', qr_code_id: made.qrcode_id },
        ...['pending', 'active', 'removed'].map((status) => ({
          event_type: 'domain.status_changed',
          domain: 'hooks.example.com',
          status,
        })),
      ]),
    )
    const updated = all.events.find(({ event_type }) => event_type === 'link.updated')
    expect(updated).toMatchObject({ group_guid: started.groupGuid, account_guid: organizationGuid, tags: ['one'] })
    expect(updated.references.shortlink).toContain(id)
    const codes = all.events.filter(({ event_type }) => event_type === 'qr_code.created')
    expect(codes.map(({ qr_code_id }) => qr_code_id)).toEqual([made.qrcode_id, standAlone.qrcode_id])
    for (const { qr_code_id, references } of codes) {
      expect(Object.keys(references)).toEqual(['organization', 'group', 'qr_code'])
      const { pathname } = new URL(references.qr_code)
      expect((await started.request('GET', pathname)).body.qrcode_id).toBe(qr_code_id)
    }
    expect(clicks.requests).toEqual([])
  })

  it('bring both links that a custom back-half changes, whichever operation moved it', async () => {
    const domain = await organize(started).domain('hooked.example', organizationGuid, [started.groupGuid])
    const receiver = await aReceiver()
    await aWebhook(receiver, { event: 'link.updated' })
    const [one, two] = [
      (await shorten({ long_url: 'https://example.com/one', domain })).id,
      (await shorten({ long_url: 'https://example.com/two', domain })).id,
    ]
    const told = async (...expected: readonly [shortlink: string, customShortlinks: readonly string[]][]) => {
      await eventually(async () => expect(receiver.events.length).toBeGreaterThanOrEqual(expected.length))
      const events = receiver.events.map(({ shortlink, custom_shortlinks }) => [shortlink, custom_shortlinks])
      expect(events).toEqual(expected)
    }
    const [autumn, winter] = [`${domain}/autumn`, `${domain}/winter`]
    const urls = (...ids: string[]) => ids.map((id) => `http://${id.replace('/', `:${new URL(started.url).port}/`)}`)
    const added = await started.request('POST', '/v4/custom_shortlinks', {
      body: { custom_shortlink: autumn, shortlink_id: one },
    })
    expect(added.status).toBe(200)
    const first: [string, string[]] = [one, urls(autumn)]
    await told(first)
    expect(receiver.events[0]).toMatchObject({
      event_type: 'link.updated',
      long_url: 'https://example.com/one',
      group_guid: started.groupGuid,
    })
    await asking(started).data('user/save_custom_domain_keyword', {
      keyword_link: `http://${winter}`,
      target_link: `http://${one}`,
    })
    const second: [string, string[]] = [one, urls(winter, autumn)]
    await told(first, second)
    await started.request('PATCH', `/v4/custom_shortlinks/${autumn}`, { body: { shortlink_id: two } })
    await eventually(async () => expect(receiver.events).toHaveLength(4))
    const moved = receiver.events.slice(2).map(({ shortlink, custom_shortlinks }) => [shortlink, custom_shortlinks])
    expect(moved).toEqual(
      expect.arrayContaining([
        [one, urls(winter)],
        [two, urls(autumn)],
      ]),
    )
  })

  it('say once that 80 % and 100 % of a limit are used, with the documented fields', async () => {
    const receiver = await aReceiver()
    const organization_guid = await organize(started).organization('Small')
    const group_guid = await organize(started).group('Small', organization_guid)
    const plan = await started.request('PATCH', `/v4/organizations/${organization_guid}/plan`, {
      body: { plan: 'small' },
    })
    expect(plan.status).toBe(200)
    const { guid } = await aWebhook(receiver, { event: 'limit.reached', organization_guid })
    const token = await aMember(started, group_guid)
    const statuses: number[] = []
    for (const page of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) {
      const body = { long_url: `https://example.com/limited/${page}`, group_guid }
      statuses.push((await started.request('POST', '/v4/shorten', { body, token })).status)
    }
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429, 429, 429, 429, 429])
    const event = (limit: string, percent: number, maximum: number, used: number) => ({
      event_id: expect.stringMatching(/./),
      event_type: 'limit.reached',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
      limit,
      percent,
      maximum,
      used,
      account_guid: organization_guid,
      group_guid: '',
      webhook_guid: guid,
      references: { organization: `${started.app.config.baseUrl}/v4/organizations/${organization_guid}` },
    })
    // Both may be reached at once; then they have no order.
    const ofLimit = (name: string) =>
      receiver.events.filter(({ limit }) => limit === name).sort((a, b) => a.percent - b.percent)
    await eventually(async () => expect(ofLimit('encodes')).toHaveLength(2))
    expect(ofLimit('encodes')).toEqual([event('encodes', 80, 5, 4), event('encodes', 100, 5, 5)])
    // Requests are counted in the background, so several may be counted together.
    await eventually(async () => expect(ofLimit('api_requests')).toHaveLength(2))
    expect(ofLimit('api_requests')).toEqual([
      event('api_requests', 80, 10, expect.any(Number)),
      event('api_requests', 100, 10, 10),
    ])
    const began = Date.parse(receiver.events[0].timestamp.replace('+0000', 'Z'))
    for (const { timestamp } of receiver.events) {
      expect(Math.abs(Date.parse(timestamp.replace('+0000', 'Z')) - began)).toBeLessThan(3_600_000)
    }
    expect(receiver.events).toHaveLength(4)
  })

  it('send credentials of the URL, and a token of the OAuth server, which is fetched again after 401', async () => {
    let issued = 0
    const receiver = await aReceiver((response, { path, headers }) => {
      if (path === '/token') {
        const isClient = headers.authorization === `Basic ${Buffer.from('me:hush').toString('base64')}`
        const token = { access_token: `token-${++issued}`, expires_in: 3600 }
        return void response.writeHead(isClient ? 200 : 400).end(JSON.stringify(token))
      }
      // The first token is revoked soon.
      const isValid = headers.authorization === `Bearer token-${receiver.events.length === 0 ? 1 : 2}`
      return void response.writeHead(isValid ? 200 : 401).end()
    })
    const oauth = { oauth_url: receiver.url.replace('/hook', '/token'), client_id: 'me', client_secret: 'hush' }
    const { path } = await aWebhook(receiver, oauth)
    const expected = await visits(0, 3)
    await eventually(async () => expect(referrers(receiver)).toEqual(expected))
    expect(issued).toBe(2)
    const basic = receiver.url.replace('http://', 'http://user:p%40ss@')
    await started.request('PATCH', path, { body: { oauth_url: '', url: basic } })
    receiver.answerWith(accept)
    await started.request('POST', `${path}/verify`)
    expect(receiver.requests.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`)
  })

  it('end after 24 hours of failures, not before, with a mail, until the webhook is activated', async () => {
    const receiver = await aReceiver(status(500))
    const mailsOf = (guid: string) => smtp.mails.filter(({ text }) => text.includes(guid)).map(({ subject }) => subject)
    /** A webhook that has failed for so long. */
    const failing = async (hours: number) => {
      const made = await aWebhook(receiver)
      const at = Date.now() - hours * 60 * 60 * 1000
      const attempt = { webhookGuid: made.guid, at, durationMs: 1, status: 500, failure: 'status 500', answer: '' }
      const attempts = ['one', 'two'].map((id) => ({ ...attempt, id: made.guid + id, events: [], isGone: false }))
      const limits = { entries: 10, deadLetters: 10, alertAfter: 2, deactivateBefore: 0 }
      await started.app.webhookStore.record(attempts, limits)
      return made
    }
    const early = await failing(23)
    await visits(0, 1)
    await eventually(async () => expect((await read(`${early.path}/dead_letters`)).dead_letters).toHaveLength(1))
    expect(await read(early.path)).toMatchObject({ status: 'alert', is_active: true, deactivated: '' })
    await started.request('DELETE', early.path)

    const { path, guid } = await failing(24)
    await visits(1, 2)
    await eventually(async () => expect(await read(path)).toMatchObject({ status: 'deactivated', is_active: false }))
    expect((await read(path)).deactivated).not.toBe('')
    await eventually(async () => expect(mailsOf(guid)).toEqual([expect.stringMatching(/turned.off/)]))
    receiver.answerWith(accept)
    await visits(2, 3)
    await started.clicksCounted()
    const activated = await started.request('PATCH', path, { body: { is_active: true } })
    expect(activated.body).toMatchObject({ status: 'active', alerted: '', deactivated: '' })
    const expected = await visits(3, 4)
    await eventually(async () => expect(referrers(receiver)).toEqual(expected))
  })
})
