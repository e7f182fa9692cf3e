import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../../support/start-app.js'
import { aMember, aStranger, type Someone } from '../alter-records.js'
import { visit } from '../visits.js'
import { asking } from './ask.js'

describe('v3 user metrics', () => {
  const started = useApp({ trustProxy: 1 }, { clock: { now: () => now } })
  let v3: ReturnType<typeof asking>
  let stranger: Someone
  let now = Date.parse('2026-05-04T16:00:00Z')
  const links: string[] = []
  beforeAll(async () => {
    v3 = asking(started)
    stranger = await aStranger(started)
    const open = (url: string, input = {}) => visit(started, url.slice('http://'.length), input)
    for (const page of ['https://example.com/a', 'https://www.example.com/b', 'https://other.example/c']) {
      links.push((await v3.data('shorten', { longUrl: page })).url)
    }
    const [a = '', b = '', c = ''] = links
    const theirs = (await v3.data('shorten', { longUrl: 'https://example.com/theirs' }, stranger.token)).url
    await open(a, { referrer: 'https://t.co/1' })
    await open(b, { referrer: 'https://t.co/2', from: 'mountainView' })
    await open(theirs)
    await started.clicksCounted()
    now += 2 * 86_400_000
    links.push((await v3.data('shorten', { longUrl: 'https://example.com/later' })).url)
    await open(a)
    await open(a)
    await open(c, { from: 'nowhere' })
    await started.clicksCounted()
  })

  const day = { unit: 'day', units: -1, tz_offset: -4 }

  it('with a unit: one list over the window, by both names that clients read', async () => {
    const countries = [
      { clicks: 3, country: 'GB' },
      { clicks: 1, country: 'None' },
      { clicks: 1, country: 'US' },
    ]
    expect(await v3.data('user/countries', { unit: 'day' })).toEqual({ countries, user_countries: countries, ...day })
    const { referrers } = await v3.data('user/referrers', { unit: 'month', rollup: 'false' })
    expect(referrers[0]).toEqual({ clicks: 3, referrer: 'direct' })
    expect(referrers).toHaveLength(3)
    expect((await v3.data('user/referring_domains', { unit: 'day' })).user_referring_domains).toEqual([
      { clicks: 3, domain: 'direct' },
      { clicks: 2, domain: 't.co', url: 'https://t.co/' },
    ])
    const today = await v3.data('user/countries', { unit: 'day', units: 1, limit: 1 })
    expect(today.countries).toEqual([{ clicks: 2, country: 'GB' }])
  })

  it('without a unit: the older format, seven days, newest first', async () => {
    const countries = await v3.data('user/countries')
    expect(countries).toEqual({ countries: expect.any(Array), days: 7, tz_offset: -4 })
    expect(countries.countries).toEqual([
      [
        { clicks: 2, country: 'GB' },
        { clicks: 1, country: 'None' },
      ],
      [],
      [
        { clicks: 1, country: 'GB' },
        { clicks: 1, country: 'US' },
      ],
      ...[[], [], [], []],
    ])
    expect((await v3.data('user/referrers', { days: 1 })).referrers).toEqual([[{ clicks: 3, referrer: 'direct' }]])
    const { referring_domains: domains } = await v3.data('user/referring_domains', { units: 3, timezone: 0 })
    const midnight = Date.parse('2026-05-06T00:00:00Z') / 1000
    expect(domains).toEqual([
      { dt: midnight, values: [{ clicks: 3, domain: 'direct' }] },
      { dt: midnight - 86_400, values: [] },
      { dt: midnight - 2 * 86_400, values: [{ clicks: 2, domain: 't.co', url: 'https://t.co/' }] },
    ])
    const { text } = await v3.ask('user/countries', { days: 1, format: 'xml' })
    expect(text).toContain('<countries><entry><entry><clicks>2</clicks><country>GB</country></entry>')
  })

  it.each(['user/countries', 'user/referrers', 'user/referring_domains'])('what %s cannot answer', async (path) => {
    expect(await v3.refusal(path, { unit: 'year' })).toBe('200 500 INVALID_ARG_UNIT')
    expect(await v3.refusal(path, { days: 31 })).toBe('200 500 INVALID_ARG_DAYS')
    expect(await v3.refusal(path, { units: -1 })).toBe('200 500 INVALID_ARG_UNITS')
    expect(await v3.refusal(path, { limit: 1001 })).toBe('200 500 INVALID_ARG_LIMIT')
    expect(await v3.refusal(path, { timezone: 'Nowhere/City' })).toBe('200 500 INVALID_ARG_TIMEZONE')
  })

  it('GET /v3/user/shorten_counts counts the links that the account created', async () => {
    expect(await v3.data('user/shorten_counts')).toEqual({ user_shorten_counts: 4, shorten_counts: 4, ...day })
    expect((await v3.ask('user/shorten_counts', { format: 'txt' })).text).toBe('4')
    const series = await v3.data('user/shorten_counts', { rollup: 'false', units: 3, timezone: 0 })
    const midnight = Date.parse('2026-05-06T00:00:00Z') / 1000
    expect(series.user_shorten_counts).toEqual([
      { dt: midnight, shortens: 1 },
      { dt: midnight - 86_400, shortens: 0 },
      { dt: midnight - 2 * 86_400, shortens: 3 },
    ])
    expect((await v3.data('user/shorten_counts', {}, stranger.token)).user_shorten_counts).toBe(1)
    expect(await v3.refusal('user/shorten_counts', { unit: 'year' })).toBe('200 500 INVALID_ARG_UNIT')
    expect(await v3.refusal('user/shorten_counts', { rollup: 'perhaps' })).toBe('200 500 INVALID_ARG_ROLLUP')
  })

  it('nothing can be shared through the service: counts of shares are zero', async () => {
    const [link = ''] = links
    expect(await v3.data('user/share_counts')).toEqual({ share_counts: 0, ...day })
    expect((await v3.ask('user/share_counts', { format: 'txt' })).text).toBe('0')
    const series = await v3.data('user/share_counts', { rollup: 'false', units: 2 })
    expect(series.share_counts.map(({ shares }: { shares: number }) => shares)).toEqual([0, 0])
    expect(await v3.data('user/share_counts_by_share_type')).toEqual({ share_counts_by_share_type: [], ...day })
    expect(await v3.data('link/shares', { link })).toEqual({ shares: [], total_shares: 0, ...day })
    for (const path of ['user/share_counts', 'user/share_counts_by_share_type', 'link/shares']) {
      expect(await v3.refusal(path, { link, unit: 'year' })).toBe('200 500 INVALID_ARG_UNIT')
    }
    expect(await v3.refusal('link/shares')).toBe('200 500 MISSING_ARG_LINK')
    expect(await v3.refusal('link/shares', { link: `${started.domain}/nowhere` })).toBe('200 404 NOT_FOUND')
    expect(await v3.refusal('link/shares', { link }, stranger.token)).toBe('200 403 FORBIDDEN')
  })

  it("tracking domains are the domains of the account's long URLs", async () => {
    const domains = ['example.com', 'other.example', 'www.example.com']
    expect(await v3.data('user/tracking_domain_list')).toEqual({ tracking_domains: domains })
    expect((await v3.data('user/info')).tracking_domains).toEqual(domains)
    expect(await v3.data('user/tracking_domain_list', {}, stranger.token)).toEqual({
      tracking_domains: ['example.com'],
    })
    const empty = await aStranger(started)
    expect(await v3.data('user/tracking_domain_list', {}, empty.token)).toEqual({ tracking_domains: [] })

    const clicks = async (query: object, token?: string) =>
      (await v3.data('user/tracking_domain_clicks', { ...query }, token)).tracking_domain_clicks
    // With subdomains, and nobody else's.
    expect(await clicks({ domain: 'Example.COM' })).toBe(4)
    expect(await clicks({ domain: 'www.example.com' })).toBe(1)
    expect(await clicks({ domain: 'example.com' }, stranger.token)).toBe(1)
    const days = await clicks({ domain: 'example.com', units: 3, rollup: 'false', timezone: 0 })
    expect(days.map((day: { clicks: number }) => day.clicks)).toEqual([2, 0, 2])
    const text = await v3.ask('user/tracking_domain_clicks', { domain: 'other.example', format: 'txt' })
    expect(text.text).toBe('1')

    const shortens = async (query: object) =>
      (await v3.data('user/tracking_domain_shorten_counts', { domain: 'example.com', ...query }))
        .tracking_domain_shorten_counts
    expect(await shortens({})).toBe(3)
    expect(await shortens({ units: 1 })).toBe(1)
    const midnight = Date.parse('2026-05-06T00:00:00Z') / 1000
    const made = [1, 0, 2].map((count, days) => ({ dt: midnight - days * 86_400, shortens: count }))
    expect(await shortens({ rollup: 'false', timezone: 0 })).toEqual(made)
  })

  it.each(['user/tracking_domain_clicks', 'user/tracking_domain_shorten_counts'])('what %s refuses', async (path) => {
    expect(await v3.refusal(path)).toBe('200 500 MISSING_ARG_DOMAIN')
    expect(await v3.refusal(path, { domain: 'never.example' })).toBe('200 500 TRACKING_DOMAIN_NOT_REGISTERED')
    expect(await v3.refusal(path, { domain: 'other.example' }, stranger.token)).toBe(
      '200 500 TRACKING_DOMAIN_NOT_REGISTERED',
    )
    for (const domain of ['example.com/a', ' ']) {
      expect(await v3.refusal(path, { domain })).toBe('200 500 INVALID_ARG_DOMAIN')
    }
    expect(await v3.refusal(path, { domain: 'example.com', unit: 'year' })).toBe('200 500 INVALID_ARG_UNIT')
  })

  it('GET /v3/user/popular_owned_by_clicks ranks the links of the account, also those to some domains', async () => {
    const [a = '', b = '', c = ''] = links
    const ranked = async (query: object) =>
      (await v3.data('user/popular_owned_by_clicks', { ...query })).popular_owned_by_clicks
    const all = [{ link: a, clicks: 3 }, ...[b, c].sort().map((link) => ({ link, clicks: 1 }))]
    expect(await v3.data('user/popular_owned_by_clicks')).toEqual({ popular_owned_by_clicks: all, ...day, units: 7 })
    expect(await ranked({ limit: 1 })).toEqual(all.slice(0, 1))
    expect(await ranked({ domain: 'Example.com' })).toEqual([all[0], { link: b, clicks: 1 }])
    expect(await ranked({ domain: ['www.example.com', 'other.example'] })).toEqual(all.slice(1))
    expect(await ranked({ domain: 'example.com', unit: 'day', units: 1 })).toEqual([{ link: a, clicks: 2 }])
    const { text } = await v3.ask('user/popular_owned_by_clicks', { limit: 1, format: 'xml' })
    expect(text).toContain(`<popular_owned_by_clicks><entry><link>${a}</link><clicks>3</clicks></entry></popular_own`)
  })

  it('GET /v3/user/popular_owned_by_shortens ranks pages by the links to them that the window created', async () => {
    const one = await aStranger(started)
    const create = async (long_url: string) => {
      const body = { long_url, force_new_link: true }
      return (await started.request('POST', '/v4/shortlinks', { body, token: one.token })).body
    }
    const [once, often] = ['https://once.example/', 'https://often.example/a']
    await create(often)
    const first = await create(once)
    now += 60_000
    const newest = await create(often)
    const ranked = async (query: object) =>
      (await v3.data('user/popular_owned_by_shortens', { ...query }, one.token)).popular_owned_by_shortens
    const all = [
      { link: newest.link, shortens: 2 },
      { link: first.link, shortens: 1 },
    ]
    expect(await ranked({})).toEqual(all)
    expect(await ranked({ limit: 1 })).toEqual(all.slice(0, 1))
    expect(await ranked({ domain: 'once.example' })).toEqual(all.slice(1))
    expect(await ranked({ domain: ['once.example', 'often.example', ''] })).toEqual(all)
    for (const query of [{}, { domain: 'often.example' }]) {
      expect(await ranked({ ...query, unit: 'minute', units: 1 })).toEqual([{ link: newest.link, shortens: 1 }])
      expect((await ranked({ ...query, unit: 'hour', units: -1 }))[0]).toEqual(all[0])
    }
    // Nobody else's.
    const own = await v3.data('user/popular_owned_by_shortens', { units: -1 })
    expect(own).toMatchObject({ unit: 'day', units: -1 })
    expect(own.popular_owned_by_shortens).toHaveLength(links.length)
  })

  it.each(['user/popular_owned_by_clicks', 'user/popular_owned_by_shortens'])('what %s refuses', async (path) => {
    expect(await v3.refusal(path, { unit: 'year' })).toBe('200 500 INVALID_ARG_UNIT')
    expect(await v3.refusal(path, { limit: 1001 })).toBe('200 500 INVALID_ARG_LIMIT')
    const many = Array.from({ length: 16 }, (_, index) => `d${index}.example`)
    for (const domain of ['example.com/a', ' ', many]) {
      expect(await v3.refusal(path, { domain })).toBe('200 500 INVALID_ARG_DOMAIN')
    }
    const nowhere = '200 500 TRACKING_DOMAIN_NOT_REGISTERED'
    expect(await v3.refusal(path, { domain: 'never.example' })).toBe(nowhere)
    expect(await v3.refusal(path, { domain: 'other.example' }, stranger.token)).toBe(nowhere)
  })

  it('GET /v3/link/encoders_by_count ranks who shortened a page by the clicks on their links', async () => {
    const longUrl = 'https://example.com/encoders'
    const colleague = await aMember(started, started.groupGuid)
    const silent = await aMember(started, started.groupGuid)
    const save = async (token = started.token, body = {}) => {
      const made = await started.request('POST', '/v4/shortlinks', {
        body: { long_url: longUrl, group_guid: started.groupGuid, force_new_link: true, ...body },
        token,
      })
      expect(made.status).toBe(201)
      return made.body
    }
    const [mine, others] = [await save(), await save(colleague, { keyword: 'counted' })]
    await save(silent)
    const { url: theirs } = await v3.data('shorten', { longUrl }, stranger.token)
    const open = (address: string) => visit(started, address)
    await open(mine.id)
    await open(others.id)
    await open(`${started.domain}/counted`)
    await open(theirs.slice('http://'.length))
    await started.clicksCounted()

    const { entries, aggregate_link } = await v3.data('link/encoders_by_count', { link: mine.link })
    expect(aggregate_link).toBe((await v3.data('link/encoders', { link: mine.link })).aggregate_link)
    expect(entries).toEqual([
      { link: `http://${others.id}`, user: others.created_by, clicks: 2 },
      { link: `http://${mine.id}`, user: 'admin', clicks: 1 },
    ])
    const first = await v3.data('link/encoders_by_count', { link: aggregate_link, limit: 1, expand_user: 'true' })
    expect(first.entries).toEqual([{ ...entries[0], user_info: expect.objectContaining({ login: others.created_by }) }])
    // Clicks of another account's links are private.
    const seen = await v3.data('link/encoders_by_count', { link: mine.link }, stranger.token)
    expect(seen.entries.map((entry: { link: string }) => entry.link)).toEqual([theirs])
    await v3.data('user/link_edit', { link: mine.link, edit: 'private', private: 'true' })
    expect((await v3.data('link/encoders_by_count', { link: mine.link })).entries).toHaveLength(1)

    expect(await v3.refusal('link/encoders_by_count')).toBe('200 500 MISSING_ARG_LINK')
    expect(await v3.refusal('link/encoders_by_count', { link: 'a.example/b' })).toBe('200 404 NOT_FOUND')
    expect(await v3.refusal('link/encoders_by_count', { link: 'a/b', limit: 26 })).toBe('200 500 INVALID_ARG_LIMIT')
  })
})
