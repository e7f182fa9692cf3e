/** Operations that `link/...` and `user/...` replaced in the old service, but old clients still call. */
import { beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../../src/core/sign-in/api-keys.js'
import { useApp } from '../../support/start-app.js'
import { aStranger, type Someone } from '../alter-records.js'
import { firstOrganization, organize } from '../organize.js'
import { visit } from '../visits.js'
import { asking } from './ask.js'

describe('the older operations of v3', () => {
  const started = useApp({ trustProxy: 1 })
  let v3: ReturnType<typeof asking>
  let stranger: Someone
  let mine: { url: string; hash: string; global_hash: string }
  let theirs: { url: string; hash: string }
  let apiKey: string
  const longUrl = 'https://example.com/older'
  beforeAll(async () => {
    v3 = asking(started)
    stranger = await aStranger(started)
    mine = await v3.data('shorten', { longUrl })
    theirs = await v3.data('shorten', { longUrl }, stranger.token)
    const open = (url: string, input = {}) => visit(started, url.slice('http://'.length), input)
    await open(mine.url)
    await open(mine.url, { from: 'mountainView', referrer: 'https://t.co/abc' })
    await open(mine.url, { from: 'nowhere', referrer: 'https://t.co/abc' })
    await open(mine.url, { agent: 'robot' })
    await open(theirs.url)
    await started.clicksCounted()
    const actor = await started.app.tokens.authenticate(started.token)
    apiKey = (await createApiKey(started.app, actor, { label: 'old client' })).apiKey
  })

  const hashes = () => ({ user_hash: mine.hash, global_hash: mine.global_hash })
  const aggregate = () => `http://${started.domain}/${mine.global_hash}`

  it('GET /v3/clicks counts a link, and all links to the same page', async () => {
    const { clicks } = await v3.data('clicks', { shortUrl: mine.url, hash: [mine.global_hash, 'nowhere'] })
    expect(clicks).toEqual([
      { short_url: mine.url, ...hashes(), user_clicks: 3, global_clicks: 4 },
      {
        hash: mine.global_hash,
        user_hash: mine.global_hash,
        global_hash: mine.global_hash,
        user_clicks: 4,
        global_clicks: 4,
      },
      { hash: 'nowhere', error: 'NOT_FOUND' },
    ])
  })

  it('GET /v3/clicks_by_day has a number for each day, newest first, seven by default', async () => {
    const { clicks_by_day: days } = await v3.data('clicks_by_day', { hash: mine.hash })
    expect(days).toEqual([{ hash: mine.hash, ...hashes(), clicks: expect.any(Array) }])
    const [{ clicks }] = days
    expect(clicks).toHaveLength(7)
    expect(clicks[0]).toEqual({ clicks: expect.any(Number), day_start: expect.any(Number) })
    expect(clicks[0].day_start - clicks[6].day_start).toBeGreaterThan(5 * 86_400)
    expect(clicks.reduce((sum: number, day: { clicks: number }) => sum + day.clicks, 0)).toBe(3)
    const month = await v3.data('clicks_by_day', { hash: mine.hash, days: 30 })
    expect(month.clicks_by_day[0].clicks).toHaveLength(30)
    for (const wrong of [0, 31, 'all']) {
      expect(await v3.refusal('clicks_by_day', { hash: mine.hash, days: wrong })).toBe('200 500 INVALID_ARG_DAYS')
    }
  })

  it('GET /v3/clicks_by_minute has the sixty minutes of the last hour, newest first', async () => {
    const { clicks_by_minute: found } = await v3.data('clicks_by_minute', { shortUrl: [mine.url, 'nonsense'] })
    expect(found[0]).toEqual({ short_url: mine.url, ...hashes(), clicks: expect.any(Array) })
    expect(found[0].clicks).toHaveLength(60)
    expect(found[0].clicks.reduce((sum: number, clicks: number) => sum + clicks, 0)).toBe(3)
    expect(found[1]).toEqual({ short_url: 'nonsense', error: 'NOT_FOUND' })
  })

  it.each(['clicks', 'clicks_by_day', 'clicks_by_minute'])(
    "FORBIDDEN: /v3/%s does not reveal clicks of others' links, per link",
    async (path) => {
      const data = await v3.data(path, { shortUrl: [mine.url, theirs.url, aggregate()] }, stranger.token)
      expect(data[path][0]).toEqual({ short_url: mine.url, error: 'FORBIDDEN' })
      expect(data[path][1]).toMatchObject({ user_hash: theirs.hash })
      expect(data[path][2]).toMatchObject({ user_hash: mine.global_hash })
    },
  )

  it('GET /v3/countries and /v3/referrers are about one link', async () => {
    const countries = await v3.data('countries', { shortUrl: mine.url })
    expect(countries).toMatchObject({ short_url: mine.url, ...hashes() })
    expect(countries.countries).toHaveLength(3)
    expect(countries.countries).toContainEqual({ clicks: 1, country: 'GB' })
    expect(countries.countries).toContainEqual({ clicks: 1, country: 'None' })
    expect(await v3.data('referrers', { hash: mine.hash })).toEqual({
      hash: mine.hash,
      ...hashes(),
      referrers: [
        { clicks: 2, referrer: 'https://t.co/abc' },
        { clicks: 1, referrer: 'direct' },
      ],
    })
  })

  it.each(['countries', 'referrers'])('what /v3/%s cannot answer', async (path) => {
    expect(await v3.refusal(path)).toBe('200 500 MISSING_ARG_SHORTURL_OR_HASH')
    expect(await v3.refusal(path, { hash: 'nowhere' })).toBe('200 404 NOT_FOUND')
    expect(await v3.refusal(path, { hash: [mine.hash, mine.hash] })).toBe('200 500 INVALID_ARG_SHORTURL_OR_HASH')
    expect(await v3.refusal(path, { shortUrl: mine.url }, stranger.token)).toBe('200 403 FORBIDDEN')
    const text = await v3.ask(path, { hash: mine.hash, format: 'txt' })
    expect([text.status, text.text]).toEqual([500, 'INVALID_ARG_FORMAT'])
  })

  it.each(['clicks', 'clicks_by_day', 'clicks_by_minute'])('what /v3/%s cannot answer', async (path) => {
    expect(await v3.refusal(path)).toBe('200 500 MISSING_ARG_SHORTURL_OR_HASH')
    const hash = Array.from({ length: 16 }, () => mine.hash)
    expect(await v3.refusal(path, { hash })).toBe('200 500 INVALID_ARG_SHORTURL_OR_HASH')
  })

  it('GET /v3/lookup finds long URLs that anybody shortened', async () => {
    const url = [longUrl, 'https://example.com/never', 'nonsense']
    expect(await v3.data('lookup', { url })).toEqual({
      lookup: [
        { url: longUrl, short_url: aggregate(), global_hash: mine.global_hash },
        { url: url[1], error: 'NOT_FOUND' },
        { url: url[2], error: 'INVALID_URI' },
      ],
    })
    expect(await v3.refusal('lookup')).toBe('200 500 MISSING_ARG_URL')
  })

  it('GET /v3/validate checks a login and its key', async () => {
    const valid = async (x_login: string, x_apiKey: string) => (await v3.data('validate', { x_login, x_apiKey })).valid
    expect(await valid('admin', apiKey)).toBe(1)
    expect(await valid('admin', `R_${'0'.repeat(32)}`)).toBe(0)
    expect(await valid('nobody', apiKey)).toBe(0)
    expect(await valid('no such login', apiKey)).toBe(0)
    expect((await v3.ask('validate', { x_login: 'admin', x_apiKey: apiKey, format: 'txt' })).text).toBe('1')
    expect(await v3.refusal('validate', { x_apiKey: apiKey })).toBe('200 500 MISSING_ARG_X_LOGIN')
    expect(await v3.refusal('validate', { x_login: 'admin' })).toBe('200 500 MISSING_ARG_X_APIKEY')
  })

  it.each(['shortlink_pro_domain', 'bitly_pro_domain'])('GET /v3/%s recognises branded domains', async (path) => {
    const name = `${path.replaceAll('_', '-')}.example`
    const isPro = async (domain: string) => (await v3.data(path, { domain }))[path]
    expect(await isPro(name)).toBe(false)
    await organize(started).domain(name, await firstOrganization(started), [started.groupGuid])
    expect(await v3.data(path, { domain: name.toUpperCase() })).toEqual({ domain: name.toUpperCase(), [path]: true })
    expect(await isPro(started.domain)).toBe(false)
    expect((await v3.ask(path, { domain: name, format: 'txt' })).text).toBe('true')
    expect(await v3.refusal(path)).toBe('200 500 MISSING_ARG_DOMAIN')
    expect(await v3.refusal(path, { domain: `http://${name}` })).toBe('200 500 INVALID_ARG_DOMAIN')
  })

  it('all of them accept a login and a key, as old clients send them', async () => {
    const query = {
      login: 'admin',
      apiKey,
      hash: mine.hash,
      url: longUrl,
      x_login: 'a',
      x_apiKey: 'b',
      domain: 'a.example',
    }
    const counting = ['clicks', 'clicks_by_day', 'clicks_by_minute', 'countries', 'referrers']
    for (const path of [...counting, 'lookup', 'validate', 'shortlink_pro_domain']) {
      expect(await v3.get(path, query, null)).toMatchObject({ status_code: 200, status_txt: 'OK' })
      expect(await v3.refusal(path, { ...query, apiKey: 'R_1' }, null)).toBe('200 500 INVALID_APIKEY')
    }
  })

  it('nested lists are nested entries in XML', async () => {
    const { text } = await v3.ask('clicks_by_day', { hash: mine.hash, days: 1, format: 'xml' })
    expect(text).toMatch(
      /<clicks_by_day><entry>.*<clicks><entry><clicks>\d<\/clicks><day_start>\d+<\/day_start><\/entry>/,
    )
    const script = await v3.ask('clicks', { hash: mine.hash, callback: 'cb' })
    expect(script.text).toMatch(/^cb\(\{"data":\{"clicks":\[/)
  })
})
