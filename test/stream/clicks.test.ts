/** The stream through the whole service: who may read it, what is in it, and that it agrees with what is counted. */

import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { organize } from '../api/organize.js'
import { visit } from '../api/visits.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { different, type Reading, type ReadingInput, read } from './reading.js'

describe('the stream of clicks', () => {
  let started: StartedApp
  let organizationGuid: string
  /** The first that is started. */
  let streamThread: Worker | undefined
  const readings: Reading[] = []

  beforeAll(async () => {
    process.once('worker', (worker) => {
      streamThread = worker
    })
    started = await startApp({ nsqdPort: 0, trustProxy: 1 })
    const { body } = await started.request('GET', '/v4/organizations')
    organizationGuid = body.organizations[0].guid
    const allowed = await started.request('PUT', `/v4/organizations/${organizationGuid}/stream_access`)
    expect(allowed.status).toBe(200)
  })
  afterAll(async () => {
    for (const reading of readings) reading.close()
    await started.close()
  })

  function reading(input: Partial<ReadingInput> = {}): Reading {
    const made = read({
      topic: `clicks.${organizationGuid}`,
      token: started.token,
      dataDir: started.app.config.dataDir,
      place: {
        lookupdHTTPAddresses: [
          `http://localhost:${started.app.config.port}/v3/nsq/lookup?access_token=${started.token}`,
        ],
      },
      ...input,
    })
    readings.push(made)
    return made
  }

  async function shorten(longUrl: string): Promise<string> {
    const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: longUrl } })
    return body.id
  }

  it('brings every click to a reader that was found through the lookup, with the keys of public feeds', async () => {
    const before = Math.floor(Date.now() / 1000)
    const id = await shorten('https://example.com/streamed')
    const reader = reading({ channel: 'first' })
    await visit(started, id, { referrer: 'https://www.instagram.com/p/1' })
    await reader.until(({ clicks }) => clicks.length >= 1)
    const [click] = reader.clicks
    const [host, hash] = id.split('/')
    expect(click).toEqual({
      a: expect.stringContaining('Firefox/130.0'),
      c: 'GB',
      gr: expect.any(String),
      cy: expect.any(String),
      tz: '',
      g: hash,
      h: hash,
      l: 'admin',
      hh: host,
      r: 'https://www.instagram.com/p/1',
      u: 'https://example.com/streamed',
      t: expect.any(Number),
      hc: expect.any(Number),
      event_id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      kind: 'click',
      nature: 'human',
      link: id,
      group_guid: started.groupGuid,
      organization_guid: organizationGuid,
      device: 'Desktop',
      os: 'Linux',
      browser: 'Firefox',
      referrer_network: 'instagram',
    })
    expect(click?.t).toBeGreaterThanOrEqual(before)
    expect(click?.hc).toBeGreaterThanOrEqual(before)
    expect(JSON.stringify(click)).not.toContain('81.2.69.142')
  })

  it('brings each click once to every channel, and no less than is counted', async () => {
    const id = await shorten('https://example.com/agrees')
    const [one, other] = [reading({ channel: 'one' }), reading({ channel: 'other', topic: 'clicks' })]
    await Promise.all([one, other].map((each) => each.until(({ connections }) => connections === 1)))
    for (let index = 0; index < 40; index++) await visit(started, id, { agent: index % 4 === 0 ? 'robot' : 'desktop' })
    const own = (each: Reading) => each.clicks.filter(({ u }) => u === 'https://example.com/agrees')
    await Promise.all([one, other].map((each) => each.until((now) => own(now).length >= 40)))
    expect(different(own(one))).toBe(40)
    expect(different(own(other))).toBe(40)
    await started.clicksCounted()
    const { body } = await started.request('GET', `/v4/shortlinks/${id}/clicks/summary?unit=day&units=-1`)
    expect(body.total_clicks).toBe(own(one).filter(({ nature }) => nature === 'human').length)
    expect(own(one).filter(({ nature }) => nature === 'bot')).toHaveLength(10)
  })

  it('names the keyword that was clicked, and the link it stands for', async () => {
    const domain = await organize(started).domain('go.brand.example', organizationGuid, [started.groupGuid])
    const given = { long_url: 'https://example.com/keyword', domain }
    const { id } = (await started.request('POST', '/v4/shortlinks', { body: given })).body
    const keyword = `${domain}/spring-sale`
    const body = { custom_shortlink: keyword, shortlink_id: id }
    expect((await started.request('POST', '/v4/custom_shortlinks', { body })).status).toBe(200)
    const reader = reading({ channel: 'keywords' })
    await reader.until(({ connections }) => connections === 1)
    await visit(started, keyword, { scan: true })
    await reader.until(({ clicks }) => clicks.some(({ kw }) => kw !== undefined))
    const click = reader.clicks.find(({ kw }) => kw !== undefined)
    expect(click).toMatchObject({ kw: 'spring-sale', h: id.split('/')[1], link: id, kind: 'scan', r: 'direct' })
  })

  it('brings back what a reader requeues or lets time out', async () => {
    const id = await shorten('https://example.com/again')
    const attempts = new Map<string, number[]>()
    const reader = reading({
      channel: 'again',
      options: { messageTimeout: 1000 },
      answer(message) {
        const { event_id: key, u } = message.json() as { event_id: string; u: string }
        if (u !== 'https://example.com/again') return message.finish()
        const seen = attempts.get(key) ?? []
        attempts.set(key, [...seen, message.attempts])
        // The first is asked for again, the second is left lying, the third time both are done.
        if (seen.length === 0) message.requeue(0, false)
        else if (seen.length > 1) message.finish()
      },
    })
    await reader.until(({ connections }) => connections === 1)
    await visit(started, id)
    await reader.until(() => [...attempts.values()].some((each) => each.length >= 3))
    expect([...attempts.values()]).toEqual([[1, 2, 3]])
  })

  it('ends the connection of a token that was revoked, and lets it in no more', { timeout: 120_000 }, async () => {
    const { secret, guid } = (await operate(started.app, operator, 'createToken', {
      login: 'admin',
      label: 'test',
    })) as Record<string, string>
    const reader = reading({ channel: 'revoked', token: secret ?? '' })
    await reader.until(({ connections }) => connections === 1)
    await visit(started, await shorten('https://example.com/revoked'))
    await reader.until(({ clicks }) => clicks.length > 0)
    const onTokenRevoked = (revoked: string) => started.app.tokens.forget(revoked)
    await operate({ ...started.app, onTokenRevoked }, operator, 'revokeToken', { guid })
    await reader.until(({ closed }) => closed > 0)
    expect(reader.errors.join()).toContain('E_UNAUTHORIZED')
    reader.close()
  })

  it('publishes nothing that nobody may read', async () => {
    const elsewhere = await organize(started).organization('Elsewhere')
    const groupGuid = await organize(started).group('There', elsewhere)
    const body = { long_url: 'https://example.com/elsewhere', group_guid: groupGuid }
    const { id } = (await started.request('POST', '/v4/shorten', { body })).body
    await visit(started, id)
    const reader = reading({ topic: 'clicks', channel: 'all' })
    await reader.until(({ connections }) => connections === 1)
    await visit(started, id)
    await reader.until(({ clicks }) => clicks.some(({ u }) => u === 'https://example.com/elsewhere'))
    reader.close()
    const { daemons } = await started.app.stream.stats()
    const topics = daemons.flatMap((daemon) => daemon.topics.map((topic) => topic.topic_name))
    expect(topics).toContain('clicks')
    expect(topics).not.toContain(`clicks.${elsewhere}`)
  })

  it('shows in /metrics and /readyz how it does', async () => {
    const { text } = await started.request('GET', '/metrics', { token: null })
    expect(text).toContain('shortlink_stream_up 1')
    expect(text).toMatch(/^shortlink_stream_depth\{topic="clicks",channel="other"\} \d+$/m)
    expect(text).toMatch(/^shortlink_stream_requeues\{topic="clicks\.\w+",channel="again"\} 1$/m)
    expect(text).toMatch(/^shortlink_stream_timeouts\{topic="clicks\.\w+",channel="again"\} 1$/m)
    expect(text).toMatch(/^shortlink_stream_events_total\{event="published"\} [1-9]\d*$/m)
    const { body } = await started.request('GET', '/readyz', { token: null })
    expect(body).toMatchObject({ status: 'ready', troubles: [] })
    expect(body.pipeline.others.stream).toMatchObject({ row: expect.any(Number), lagMs: expect.any(Number) })
  })

  it('goes on counting while its thread is dead, and brings what was missed', { timeout: 120_000 }, async () => {
    const id = await shorten('https://example.com/dead')
    const reader = reading({ channel: 'dead' })
    const own = () => reader.clicks.filter(({ u }) => u === 'https://example.com/dead')
    await reader.until(({ connections }) => connections === 1)
    await visit(started, id)
    await reader.until(() => own().length === 1)
    await streamThread?.terminate()
    for (let index = 0; index < 20; index++) await visit(started, id)
    await started.clicksCounted()
    const { body } = await started.request('GET', `/v4/shortlinks/${id}/clicks/summary?unit=day&units=-1`)
    expect(body.total_clicks).toBe(21)
    await reader.until(() => different(own()) === 21)
    expect((await started.request('GET', '/metrics', { token: null })).text).toContain(
      'shortlink_stream_restarts_total 1',
    )
  })
})

describe('TLS', () => {
  const plainly = async (started: StartedApp): Promise<Reading> => {
    await operate(started.app, operator, 'allowStream', { login: 'admin' })
    const [producer] = await started.app.stream.lookup('clicks')
    const place = { nsqdTCPAddresses: [`localhost:${producer?.tcp_port}`] }
    const { dataDir } = started.app.config
    return read({ topic: 'clicks', token: started.token, dataDir, place, options: { tls: false } })
  }

  it('is required, so that no token goes over the wire in clear', async () => {
    const started = await startApp({ nsqdPort: 0 })
    const reader = await plainly(started)
    await reader.until(({ errors }) => errors.length > 0)
    expect(reader.errors[0]).toContain('TLS required')
    reader.close()
    await started.close()
  })

  it('can be left out on this machine, by an option', async () => {
    const started = await startApp({ nsqdPort: 0, nsqdTls: 'optional' })
    const reader = await plainly(started)
    await reader.until(({ connections }) => connections === 1)
    const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/plain' } })
    await visit(started, body.id)
    await reader.until(({ clicks }) => clicks.length === 1)
    reader.close()
    await started.close()
  })

  it('cannot be left out where others can connect', async () => {
    await expect(startApp({ nsqdPort: 0, nsqdTls: 'optional', nsqdHost: '0.0.0.0' })).rejects.toThrow('--nsqd-tls')
  })
})
