import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../../support/start-app.js'
import { asking } from './ask.js'

describe('the v3 envelope', () => {
  const started = useApp()
  let v3: ReturnType<typeof asking>
  let link: string
  beforeAll(async () => {
    v3 = asking(started)
    link = (await v3.data('shorten', { longUrl: 'https://example.com/envelope?a=1&b=<2>' })).url
  })

  it('contains data, status_code and status_txt, with 200 and OK for success', async () => {
    const answer = await v3.ask('expand', { shortUrl: link })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(Object.keys(answer.body)).toEqual(['data', 'status_code', 'status_txt'])
    expect(answer.body).toMatchObject({ status_code: 200, status_txt: 'OK' })
  })

  it('answers HTTP 200 for errors too, with null for data', async () => {
    const answer = await v3.ask('expand')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ data: null, status_code: 500, status_txt: 'MISSING_ARG_SHORTURL_OR_HASH' })
  })

  it('is XML with a root called response when format=xml', async () => {
    const answer = await v3.ask('expand', { shortUrl: [link, 'a&b\u0001'], format: 'xml' })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(answer.text).toMatch(/^<\?xml version="1.0" encoding="utf-8"\?>\n<response><data><expand><entry>/)
    expect(answer.text).toContain(`<short_url>${link}</short_url>`)
    expect(answer.text).toContain('<long_url>https://example.com/envelope?a=1&amp;b=&lt;2&gt;</long_url>')
    expect(answer.text).toContain('<entry><short_url>a&amp;b\ufffd</short_url><error>NOT_FOUND</error></entry>')
    expect(answer.text).toMatch(/<status_code>200<\/status_code><status_txt>OK<\/status_txt><\/response>\n$/)
  })

  it('is XML for errors too', async () => {
    const answer = await v3.ask('expand', { format: 'xml' })
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('<data></data><status_code>500</status_code>')
    expect(answer.text).toContain('<status_txt>MISSING_ARG_SHORTURL_OR_HASH</status_txt>')
  })

  it('names entries in XML for arbitrary keys', async () => {
    const { text } = await v3.ask('link/referrers_by_domain', { link, format: 'xml' })
    expect(text).toContain('<referrers></referrers>')
  })

  it('is text, and only the value, when format=txt; an error is its text with a real HTTP status', async () => {
    const longUrl = 'https://example.com/envelope?a=1&b=<2>'
    const fine = await v3.ask('shorten', { longUrl, format: 'txt' })
    expect(fine.status).toBe(200)
    expect(fine.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(fine.text).toBe(link)
    expect((await v3.ask('expand', { shortUrl: link, format: 'txt' })).text).toBe(longUrl)
    expect((await v3.ask('link/clicks', { link, format: 'txt' })).text).toBe('0')
    expect((await v3.ask('user/clicks', { format: 'txt' })).text).toBe('0')

    const refused = await v3.ask('shorten', { longUrl: 'nonsense', format: 'txt' })
    expect([refused.status, refused.text]).toEqual([500, 'INVALID_URI'])
    const unknown = await v3.ask('expand', { hash: 'nowhere', format: 'txt' })
    expect([unknown.status, unknown.text]).toEqual([404, 'NOT_FOUND'])
    const unasked = await v3.ask('user/clicks', { format: 'txt' }, 'nobody')
    expect([unasked.status, unasked.text]).toEqual([403, 'INVALID_ACCESS_TOKEN'])
  })

  it.each([
    ['info', { hash: 'abc' }],
    ['user/link_save', { longUrl: 'https://example.com/not-saved' }],
    ['campaigns', {}],
    ['link/clicks', { rollup: 'false' }],
  ])('INVALID_ARG_FORMAT: %s has no text form, and nothing is changed', async (path, query) => {
    const answer = await v3.ask(path, { link, ...query, format: 'txt' })
    expect([answer.status, answer.text]).toEqual([500, 'INVALID_ARG_FORMAT'])
    const saved = await v3.data('user/link_lookup', { url: 'https://example.com/not-saved' })
    expect(saved.link_lookup[0].error).toBe('NOT_FOUND')
  })

  it('INVALID_ARG_FORMAT: an unknown format', async () => {
    expect(await v3.refusal('expand', { shortUrl: link, format: 'yaml' })).toBe('200 500 INVALID_ARG_FORMAT')
  })

  it('is JSONP with a callback', async () => {
    const answer = await v3.ask('expand', { shortUrl: link, callback: 'jQuery.cb_17' })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/javascript; charset=utf-8')
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
    expect(answer.text).toMatch(/^jQuery\.cb_17\(\{"data":.*"status_txt":"OK"\}\)$/)
    const refused = await v3.ask('expand', { callback: 'cb' })
    expect(refused.text).toBe('cb({"data":null,"status_code":500,"status_txt":"MISSING_ARG_SHORTURL_OR_HASH"})')
    const lines = await v3.ask('expand', { hash: '\u2028\u2029', callback: 'cb' })
    expect(lines.text).toContain('"hash":"\\u2028\\u2029"')
  })

  it.each(['alert(1)', '<script>', 'a;b', 'a b', '1a', 'a.', '.a', 'a[0]', "a'", 'é', 'a'.repeat(129), '%zz'])(
    'INVALID_ARG_CALLBACK: %j is not a function name',
    async (callback) => {
      const raw = callback === '%zz' ? callback : encodeURIComponent(callback)
      const answer = await v3.ask('expand', `shortUrl=${link}&callback=${raw}`)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.body).toEqual({ data: null, status_code: 500, status_txt: 'INVALID_ARG_CALLBACK' })
    },
  )

  it('accepts only GET and HEAD', async () => {
    const path = `/v3/expand?access_token=${started.token}&shortUrl=${link}`
    const head = await started.request('HEAD', path, { token: null })
    expect([head.status, head.text]).toEqual([200, ''])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await started.request(method, path, { token: null })
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
    }
  })

  it.each(['nothing', 'user/nothing', 'shorten/more', '', 'nsq', '%20', 'bundle', 'searching'])(
    'NOT_FOUND: /v3/%s, in the requested format, with and without a token',
    async (path) => {
      for (const token of [undefined, null, 'nobody']) {
        expect(await v3.refusal(path, {}, token)).toBe('200 404 NOT_FOUND')
      }
      expect((await v3.ask(path, { format: 'xml' })).text).toBe(
        '<?xml version="1.0" encoding="utf-8"?>\n' +
          '<response><data></data><status_code>404</status_code><status_txt>NOT_FOUND</status_txt></response>\n',
      )
      const script = await v3.ask(path, { callback: 'cb' })
      expect(script.text).toBe('cb({"data":null,"status_code":404,"status_txt":"NOT_FOUND"})')
      const text = await v3.ask(path, { format: 'txt' })
      expect([text.status, text.text]).toEqual([404, 'NOT_FOUND'])
      expect(text.headers['cache-control']).toBe('no-store')
    },
  )

  it.each([
    ...['authenticate', 'highvalue', 'bundle/create', 'bundle/link_add', 'realtime/hot_phrases'],
    ...['organization/clicks', 'link/category', 'link/content', 'link/language', 'link/location', 'link/social'],
    ...['user/bundle_history', 'user/realtime_links', 'user/popular_earned_by_clicks'],
  ])('DEPRECATED: /v3/%s is no longer offered', async (path) => {
    for (const token of [undefined, null]) expect(await v3.refusal(path, {}, token)).toBe('200 500 DEPRECATED')
    const text = await v3.ask(path, { format: 'txt' })
    expect([text.status, text.text]).toEqual([500, 'DEPRECATED'])
    expect((await v3.ask(path, { format: 'xml' })).text).toContain('<status_txt>DEPRECATED</status_txt>')
  })

  it('unknown and deprecated paths are not endpoints of the platform limits', async () => {
    const { body } = await started.request('GET', '/v4/user/platform_limits')
    const paths = body.platform_limits.map(({ endpoint }: { endpoint: string }) => endpoint)
    expect(paths).toContain('/v3/expand')
    expect(paths.filter((path: string) => /\*|highvalue|bundle/.test(path))).toEqual([])
  })

  it('ignores unknown arguments, even malformed ones', async () => {
    expect(await v3.get('expand', `shortUrl=${link}&signature=%zz&t=1&&=&x`)).toMatchObject({ status_txt: 'OK' })
  })

  it.each([
    ['expand', 'hash=%zz', 'INVALID_ARG_HASH'],
    ['expand', 'shortUrl=%E9', 'INVALID_ARG_SHORTURL'],
    ['expand', 'hash=%00', 'INVALID_ARG_HASH'],
    ['shorten', 'longUrl=%E9', 'INVALID_URI'],
    ['shorten', 'uri=%zz', 'INVALID_URI'],
    ['shorten', 'longUrl=http%3A%2F%2Fexample.com%2F%C3%28', 'INVALID_URI'],
    ['link/clicks', 'link=%c0%af', 'INVALID_ARG_LINK'],
    ['link/lookup', 'url=%ff%fe', 'INVALID_ARG_URL'],
    ['user/link_save', 'longUrl=https%3A%2F%2Fexample.com%2F&title=%00', 'INVALID_ARG_TITLE'],
    ['campaigns/create', 'title=%zz', 'INVALID_ARG_TITLE'],
    ['user/link_history', 'query=%00', 'INVALID_ARG_QUERY'],
  ])('%s?%s: a malformed encoding is %s', async (path, query, word) => {
    expect(await v3.refusal(path, query)).toBe(`200 500 ${word}`)
  })

  it('uses UTF-8 throughout', async () => {
    const title = 'Ünïcödé 東京 𝄞'
    const longUrl = 'https://example.com/ünï?q=東京'
    const { link_save: saved } = await v3.data('user/link_save', { longUrl, title })
    expect(saved.long_url).toBe('https://example.com/%C3%BCn%C3%AF?q=%E6%9D%B1%E4%BA%AC')
    const { info } = await v3.data('info', { shortUrl: saved.link })
    expect(info[0].title).toBe(title)
    expect((await v3.ask('info', { shortUrl: saved.link, format: 'xml' })).text).toContain(`<title>${title}</title>`)
  })

  it('uses the first value of a repeated single-valued argument', async () => {
    const query = `unit=day&unit=nonsense&link=${link}`
    expect(await v3.data('link/clicks', query)).toMatchObject({ unit: 'day' })
  })
})
