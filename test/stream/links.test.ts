/** The topics of links: whoever may read learns of every link that is made, wherever it was made, also across crashes. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import type { WatchedTopic } from '../../src/core/stream/stream.js'
import { organize } from '../api/organize.js'
import { asking } from '../api/v3/ask.js'
import { freePort } from '../support/free-port.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { processToken, type ServiceProcess, shortenAt, startProcess } from '../support/start-process.js'
import { type Reading, read } from './reading.js'

describe('the stream of links', () => {
  let started: StartedApp
  let organizationGuid: string
  const readings: Reading[] = []
  beforeAll(async () => {
    started = await startApp({ nsqdPort: 0 })
    const { body } = await started.request('GET', '/v4/organizations')
    organizationGuid = body.organizations[0].guid
  })
  afterAll(async () => {
    for (const reading of readings) reading.close()
    await started.close()
  })

  function reading(topic: string, channel = 'test'): Reading {
    const { config } = started.app
    const lookup = `http://localhost:${config.port}/v3/nsq/lookup?access_token=${started.token}`
    const place = { lookupdHTTPAddresses: [lookup] }
    const made = read({ topic, channel, token: started.token, dataDir: config.dataDir, place })
    readings.push(made)
    return made
  }

  const allow = (guid: string) => started.request('PUT', `/v4/organizations/${guid}/stream_access`)
  const shorten = async (longUrl: string, more: object = {}): Promise<string> => {
    const { status, body } = await started.request('POST', '/v4/shorten', { body: { long_url: longUrl, ...more } })
    expect(status).toBe(201)
    return body.id
  }
  const linksOf = ({ clicks }: Reading) => clicks.map(({ link }) => String(link))

  it('brings a link to a reader that was found through the lookup, with the keys it shares with clicks', async () => {
    const unheard = await shorten('https://example.com/before')
    expect((await allow(organizationGuid)).status).toBe(200)
    const reader = reading(`links.${organizationGuid}`)
    const began = Math.floor(Date.now() / 1000)
    const id = await shorten('https://example.com/made?a=b')
    await reader.until((now) => linksOf(now).includes(id))
    const [host, hash] = id.split('/')
    expect(reader.clicks).toEqual([
      {
        g: hash,
        h: hash,
        l: 'admin',
        hh: host,
        u: 'https://example.com/made?a=b',
        t: expect.any(Number),
        hc: expect.any(Number),
        event_id: `link/${id}`,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        kind: 'link',
        link: id,
        group_guid: started.groupGuid,
        organization_guid: organizationGuid,
      },
    ])
    expect(Number(reader.clicks[0]?.t)).toBeGreaterThanOrEqual(began)
    expect(linksOf(reader)).not.toContain(unheard)
  })

  it('has every link once, by whichever operation it was made, and none for a URL that has one', async () => {
    const reader = reading(`links.${organizationGuid}`, 'operations')
    await reader.until(({ connections }) => connections === 1)
    const domain = await organize(started).domain('go.links.example', organizationGuid, [started.groupGuid])
    const v3 = asking(started)
    const known = await shorten('https://example.com/known')
    const again = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/known' } })
    expect([again.status, again.body.id]).toEqual([200, known])
    const full = await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/full', domain, keyword: 'full', title: 'Full', tags: ['a'] },
    })
    expect(full.status).toBe(201)
    const shortened = await v3.data('shorten', { longUrl: 'https://example.com/v3' })
    const saved = await v3.data('user/link_save', { longUrl: 'https://example.com/saved' })
    const made = [known, full.body.id, ...[shortened.url, saved.link_save.link].map((url) => new URL(url))]
    const ids = made.map((one) => (one instanceof URL ? `${one.host}${one.pathname}` : String(one)))
    await reader.until((now) => ids.every((id) => linksOf(now).includes(id)))
    const own = linksOf(reader).filter((id) => ids.includes(id))
    expect(own.toSorted()).toEqual(ids.toSorted())
    expect(reader.clicks.find(({ link }) => link === full.body.id)).toMatchObject({ kw: 'full', hh: domain })
    expect(reader.clicks.find(({ u }) => u === 'https://example.com/v3')?.g).toBe(shortened.global_hash)
  })

  it('has the links of all organizations in the topic of the service, and of each in its own alone', async () => {
    const elsewhere = await organize(started).organization('Elsewhere')
    const groupGuid = await organize(started).group('There', elsewhere)
    const [all, own] = [reading('links'), reading(`links.${organizationGuid}`, 'own')]
    await Promise.all([all, own].map((each) => each.until(({ connections }) => connections === 1)))
    const there = await shorten('https://example.com/there', { group_guid: groupGuid })
    const here = await shorten('https://example.com/here')
    await all.until((now) => [there, here].every((id) => linksOf(now).includes(id)))
    await own.until((now) => linksOf(now).includes(here))
    expect(linksOf(own)).not.toContain(there)
    expect(all.clicks.find(({ link }) => link === there)?.organization_guid).toBe(elsewhere)
    const { daemons } = await started.app.stream.stats()
    const topics = daemons.flatMap((daemon) => daemon.topics.map((topic) => topic.topic_name))
    expect(topics).not.toContain(`links.${elsewhere}`)
    await allow(elsewhere)
    const later = await shorten('https://example.com/later', { group_guid: groupGuid })
    await all.until((now) => linksOf(now).includes(later))
    const { daemons: now } = await started.app.stream.stats()
    const topic = now.flatMap((daemon) => daemon.topics).find(({ topic_name }) => topic_name === `links.${elsewhere}`)
    expect(topic?.message_count).toBe(1)
  })
})

describe('a service that dies', () => {
  it('has told of every link that it answered 201 for, when it was killed with SIGKILL and started again', {
    timeout: 120_000,
  }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-links-'))
    const [port, httpPort] = [await freePort(), await freePort()]
    const start = () => startProcess(dataDir, ['--nsqd-port', String(port)], '', httpPort)
    let service = await start()
    const allowed = await fetch(`${service.url}/v4/organizations/${await firstOrganization(service)}/stream_access`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${processToken}` },
    })
    expect(allowed.status).toBe(200)
    const answered: string[] = []
    for (let life = 0; life < 2; life++) {
      const before = answered.length
      const dying = service
      const makers = Array.from({ length: 8 }, async (_, maker) => {
        for (let index = 0; ; index++) {
          const made = await shortenAt(dying.url, `https://example.com/${life}/${maker}/${index}`).catch(
            () => undefined,
          )
          if (!made) return
          answered.push(made.id)
          if (answered.length === before + 200) dying.child.kill('SIGKILL')
        }
      })
      await Promise.all(makers)
      await dying.stop('SIGKILL')
      service = await start()
    }
    const place = { nsqdTCPAddresses: [`localhost:${port}`] }
    const reader = read({ topic: 'links', token: processToken, dataDir, place })
    const missing = () => {
      const seen = new Set(reader.clicks.map(({ link }) => link))
      return answered.filter((id) => !seen.has(id))
    }
    await reader.until(() => missing().length === 0)
    expect(answered.length).toBeGreaterThanOrEqual(400)
    reader.close()
    expect(await service.stop('SIGTERM')).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  })
})

describe('an operator', () => {
  it('watches links go by in a terminal, whom nobody has allowed', { timeout: 120_000 }, async () => {
    const started = await startApp({ nsqdPort: 0 })
    await shortenIn(started, 'https://example.com/unwatched')
    const watched = (await operate(started.app, operator, 'watchStream', { topic: 'links' })) as WatchedTopic
    const { dataDir } = started.app.config
    const [producer] = await started.app.stream.lookup('links')
    const place = { nsqdTCPAddresses: [`localhost:${producer?.tcp_port}`] }
    const reader = read({ topic: 'links', token: watched.daemon.secret ?? '', dataDir, place })
    await reader.until(({ connections }) => connections === 1)
    // The first look after somebody began to watch is where it begins.
    const makers = setInterval(() => void shortenIn(started, `https://example.com/${Math.random()}`), 100)
    await reader.until(({ clicks }) => clicks.length >= 3)
    clearInterval(makers)
    expect(reader.clicks.map(({ u }) => u)).not.toContain('https://example.com/unwatched')
    reader.close()
    await started.close()
  })
})

async function shortenIn(started: StartedApp, longUrl: string): Promise<void> {
  await started.request('POST', '/v4/shorten', { body: { long_url: longUrl } })
}

async function firstOrganization({ url }: ServiceProcess): Promise<string> {
  const answer = await fetch(`${url}/v4/organizations`, { headers: { authorization: `Bearer ${processToken}` } })
  const { organizations } = (await answer.json()) as { organizations: readonly { guid: string }[] }
  return organizations[0]?.guid ?? ''
}
