/** A published client of the v3 API; only the host is ours. */
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../../support/start-app.js'
import { visit } from '../visits.js'
import type { Envelope } from './ask.js'

type Reply = (error: Error | null, body: string) => void
type Call = (params: Readonly<Record<string, unknown>>, reply: Reply) => void

interface Client {
  request_config: { endpoint: string }
  setAccessToken(token: string): Client
  shortenLink(longUrl: string, reply: Reply): void
  readonly [operation: string]: unknown
}

const BitlyAPI = createRequire(import.meta.url)('node-bitlyapi') as new (config: object) => Client

describe('the client node-bitlyapi', () => {
  const started = useApp({ trustProxy: 1 })
  let client: Client
  beforeAll(async () => {
    client = new BitlyAPI({ client_id: 'none', client_secret: 'none' })
    client.request_config = { endpoint: started.url }
    client.setAccessToken(started.token)
  })

  const longUrl = 'https://example.com/client?a=1&b=ü#c'
  const kept = 'https://example.com/client?a=1&b=%C3%BC#c'

  function envelope(call: (reply: Reply) => void): Promise<Envelope> {
    return new Promise((resolve, reject) => {
      call((error, body) => (error ? reject(error) : resolve(JSON.parse(body) as Envelope)))
    })
  }

  async function data(operation: string, params: Readonly<Record<string, unknown>>) {
    const answer = await envelope((reply) => (client[operation] as Call).call(client, params, reply))
    expect(answer).toMatchObject({ status_code: 200, status_txt: 'OK' })
    return answer.data
  }

  it('shortens, expands, informs, looks up, saves, edits and counts', async () => {
    const shortened = await envelope((reply) => client.shortenLink(longUrl, reply))
    expect(shortened).toMatchObject({ status_code: 200, data: { new_hash: 1, long_url: kept } })
    const { url: link, hash, global_hash } = shortened.data

    const { expand } = await data('expand', { shortUrl: [link, link] })
    expect(expand).toHaveLength(2)
    expect(expand[1]).toMatchObject({ short_url: link, user_hash: hash, global_hash, long_url: kept })

    const { info } = await data('getLinkInfo', { hash, expand_user: true })
    expect(info[0]).toMatchObject({ hash, created_by: 'admin', user_info: { login: 'admin' } })

    const aggregate_link = `http://${started.domain}/${global_hash}`
    expect(await data('linkLookup', { url: longUrl })).toEqual({ link_lookup: [{ url: longUrl, aggregate_link }] })
    const own = { url: longUrl, link, aggregate_link }
    expect(await data('userLookupLink', { url: longUrl })).toEqual({ link_lookup: [own] })

    const save = (params: object) =>
      envelope((reply) => (client.userSaveLink as Call).call(client, { ...params }, reply))
    expect(await save({ longUrl })).toMatchObject({ status_code: 304, data: { link_save: { link, new_link: 0 } } })
    expect(await save({ longUrl: `${longUrl}2` })).toMatchObject({
      status_code: 200,
      data: { link_save: { new_link: 1 } },
    })

    expect(await data('userEditLink', { link, edit: 'title,note', title: 'Töp', note: 'n' })).toEqual({
      link_edit: { link },
    })
    expect((await data('getLinkInfo', { shortUrl: link })).info[0].title).toBe('Töp')

    await visit(started, link.slice('http://'.length), { referrer: 'https://t.co/abc' })
    await visit(started, link.slice('http://'.length), { from: 'mountainView' })
    await started.clicksCounted()
    expect(await data('getLinkClicks', { link, unit: 'day', units: -1, timezone: 'Europe/Berlin' })).toMatchObject({
      link_clicks: 2,
    })
    const { countries } = await data('getLinkCountries', { link })
    expect(countries).toContainEqual({ clicks: 1, country: 'GB' })
    const { referrers } = await data('getLinkReferrers', { link })
    expect(referrers).toContainEqual({ clicks: 1, referrer: 'https://t.co/abc' })
    expect((await data('getLinkReferrersByDomain', { link })).referrers['t.co']).toHaveLength(1)
    expect((await data('getLinkReferringDomains', { link })).referring_domains).toHaveLength(2)
    expect((await data('getLinkEncodersCount', { link })).count).toBe(1)
    expect((await data('getLinkEncoders', { link })).entries[0]).toMatchObject({ link, user: 'admin' })
    expect((await data('getUserClicks', { unit: 'day' })).user_clicks).toBe(2)
    expect((await data('getUserLinkHistory', {})).link_history).toHaveLength(2)
    expect((await data('getUserPopularLinks', {})).popular_links[0]).toEqual({ link, clicks: 2 })
    expect((await data('getUserInfo', {})).login).toBe('admin')
    expect((await data('getLinkFullInfo', { link })).original_url).toBe(kept)
  })

  it('reports on the account, and gets errors for what is not offered', async () => {
    const { link_history: history } = await data('getUserLinkHistory', { modified_after: 1, expand_client_id: true })
    expect(history[0]).toMatchObject({ client_id: null, client_info: null, modified_at: expect.any(Number) })
    const link = history.at(-1).link
    expect((await data('getUserCountries', {})).countries).toHaveLength(7)
    expect((await data('getUserReferrers', { unit: 'day' })).user_referrers).toHaveLength(2)
    expect((await data('getUserReferringDomains', { unit: 'day' })).referring_domains).toHaveLength(2)
    expect((await data('getUserShortenCounts', {})).user_shorten_counts).toBe(2)
    expect((await data('getUserShareCounts', {})).share_counts).toBe(0)
    expect((await data('getUserShareCountsByShareType', {})).share_counts_by_share_type).toEqual([])
    expect((await data('getLinkShares', { link })).total_shares).toBe(0)
    expect((await data('getLinkEncodersByCount', { link })).entries).toEqual([{ link, user: 'admin', clicks: 2 }])
    expect((await data('getUserNetworkHistory', {})).entries).toEqual([])
    expect((await data('getUserTrackingDomains', {})).tracking_domains).toEqual(['example.com'])
    expect((await data('getTrackingDomainClicks', { domain: 'example.com' })).tracking_domain_clicks).toBe(2)
    expect((await data('getTrackingDomainShortens', { domain: 'example.com' })).tracking_domain_shorten_counts).toBe(2)
    expect((await data('getBitlyProDomain', { domain: 'example.com' })).bitly_pro_domain).toBe(false)
    const keyword_link = `http://${started.domain}/client-keyword`
    expect((await data('userSaveCustomDomainKeyword', { keyword_link, target_link: link })).is_new).toBe(true)

    for (const operation of ['createBundle', 'getLinkCategory', 'getOrganizationLeaderboard']) {
      const answer = await envelope((reply) => (client[operation] as Call).call(client, {}, reply))
      expect(answer).toEqual({ data: null, status_code: 500, status_txt: 'DEPRECATED' })
    }
    const app = await envelope((reply) => (client.getAppInfo as Call).call(client, { client_id: 'none' }, reply))
    expect(app).toMatchObject({ status_code: 404, status_txt: 'NOT_FOUND' })
  })
})
