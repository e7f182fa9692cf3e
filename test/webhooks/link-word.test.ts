/** In which word for short links events are sent (docs/api/webhooks.md#word-for-links). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { firstOrganization } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { eventually } from '../stream/nsqd/subject.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { type Receiver, startReceiver } from './receiver.js'

const words = { linkWord: ['bitlink:bitly', 'kurz'] }

describe.each([
  { config: {}, byDefault: 'shortlink' },
  { config: words, byDefault: 'shortlink' },
  { config: { ...words, linkWordDefault: 'on' as const }, byDefault: 'bitlink' },
])('the word of a webhook with $config', ({ config, byDefault }) => {
  let started: StartedApp
  const receivers: Receiver[] = []
  beforeAll(async () => {
    started = await startApp({ ...config, outgoingAllow: ['127.0.0.0/8'] })
  })
  afterAll(async () => {
    await started.close()
    for (const receiver of receivers) await receiver.close()
  })

  async function aWebhook(body: object) {
    const receiver = await startReceiver()
    receivers.push(receiver)
    const organization_guid = await firstOrganization(started)
    const sent = { organization_guid, name: 'One', event: 'link.created', url: receiver.url, ...body }
    return { receiver, webhook: (await started.request('POST', '/v4/webhooks', { body: sent })).body }
  }

  const namesOf = (event: object) => Object.keys(event).filter((name) => name.includes('link') || name.includes('kurz'))

  it(`is ${byDefault} by default, in every field, reference and URL`, async () => {
    const { receiver, webhook } = await aWebhook({ events: ['engagement', 'link.updated'] })
    expect(webhook.link_word).toBe('')
    const body = { long_url: 'https://example.com/shortlink', keyword: 'shortlink', title: 'shortlink' }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body })).body
    await visit(started, id)
    await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { tags: ['shortlink'] } })
    const of = (type: string) => receiver.events.find(({ event_type }) => event_type === type) ?? {}
    await eventually(async () => expect(receiver.events.length).toBeGreaterThanOrEqual(3))
    expect(namesOf(of('engagement'))).toEqual([byDefault])
    expect(namesOf(of('link.created'))).toEqual([byDefault, `custom_${byDefault}`])
    const { references, ...updated } = of('link.updated')
    expect(namesOf(updated)).toEqual(expect.arrayContaining([byDefault, `custom_${byDefault}s`]))
    expect(references[byDefault]).toBe(`${started.app.config.baseUrl}/v4/${byDefault}s/${id}`)
    // What users wrote stays.
    expect([updated[byDefault], updated.long_url, updated.title, updated.tags]).toEqual([
      id,
      'https://example.com/shortlink',
      'shortlink',
      ['shortlink'],
    ])
    expect((await started.request('GET', new URL(references[byDefault]).pathname)).status).toBe(200)
  })

  it('can be chosen for each webhook, among those of the service', async () => {
    const choices = config === words ? ['kurz', 'bitlink', 'shortlink'] : ['shortlink']
    for (const link_word of choices) {
      const { receiver, webhook } = await aWebhook({ link_word })
      expect(webhook.link_word).toBe(link_word)
      await started.request('POST', '/v4/shortlinks', { body: { long_url: `https://example.com/to-${link_word}` } })
      await eventually(async () => expect(receiver.events.map(namesOf)).toEqual([[link_word]]))
    }
    const { webhook: refused } = await aWebhook({ link_word: 'unknown' })
    expect([refused.message, refused.resource]).toEqual(['INVALID_ARG_LINK_WORD', 'webhooks'])
  })

  it('is not in what is sent about a published site', async () => {
    const { receiver } = await aWebhook({ events: ['site.published'] })
    const place = { group_guid: started.groupGuid, domain: started.domain, keyword: 'told' }
    const { site_guid } = (await started.request('POST', '/v4/sites', { body: place })).body
    await started.request('POST', `/v4/sites/${site_guid}/publish`)
    await eventually(async () => expect(receiver.events).toHaveLength(1))
    const [event = {}] = receiver.events
    expect([event.event_type, event.site_id, namesOf(event)]).toEqual(['site.published', site_guid, []])
    expect((await started.request('GET', new URL(event.references.site).pathname)).status).toBe(200)
  })

  it('can be changed, by the API and by the operator, and removed', async () => {
    const { webhook } = await aWebhook({})
    const change = async (body: object) =>
      (await started.request('PATCH', `/v4/webhooks/${webhook.guid}`, { body })).body.link_word
    expect(await change({ link_word: 'shortlink' })).toBe('shortlink')
    expect(await change({ name: 'Other' })).toBe('shortlink')
    expect(await change({ link_word: '' })).toBe('')
    const { guid } = webhook
    await operate(started.app, operator, 'setWebhookWord', { guid, word: 'shortlink' })
    expect(await operate(started.app, operator, 'listWebhooks', {})).toContainEqual(
      expect.objectContaining({ guid, linkWord: 'shortlink' }),
    )
    await expect(operate(started.app, operator, 'setWebhookWord', { guid, word: 'Not A Word' })).rejects.toThrow(
      'lower-case letters',
    )
    const { body: log } = await started.request('GET', `/v4/organizations/${webhook.organization_guid}/audit_log`)
    expect(log.audit_log[0]).toMatchObject({ action: 'webhook_changed', subject: guid })
  })

  it('that is configured no longer is that of the service, and may be sent back', async () => {
    if (config !== words) return
    const { receiver, webhook } = await aWebhook({ link_word: 'kurz' })
    const { guid } = webhook
    await started.app.webhookStore.update(guid, () => ({ linkWord: 'former' }), { login: 'admin', at: 1 })
    const { status, body } = await started.request('PATCH', `/v4/webhooks/${guid}`, { body: { link_word: 'former' } })
    expect([status, body.link_word]).toEqual([200, 'former'])
    await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/former' } })
    await eventually(async () => expect(receiver.events.map(namesOf)).toEqual([[byDefault]]))
  })
})
