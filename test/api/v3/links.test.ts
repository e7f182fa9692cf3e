import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../../support/start-app.js'
import { alterRecords, aMember, aStranger, type Someone } from '../alter-records.js'
import { firstOrganization, organize } from '../organize.js'
import { asking } from './ask.js'

const inSeconds = (at: number) => Math.floor(at / 1000)

describe('v3 links', () => {
  const started = useApp()
  let v3: ReturnType<typeof asking>
  let stranger: Someone
  beforeAll(async () => {
    v3 = asking(started)
    stranger = await aStranger(started)
  })

  let pages = 0
  const aPage = () => `https://example.com/page/${pages++}`
  async function aLink(longUrl = aPage(), token?: string) {
    return { longUrl, ...(await v3.data('shorten', { longUrl }, token)) }
  }

  describe('GET /v3/shorten', () => {
    it('returns new_hash, url, hash, global_hash and long_url', async () => {
      const longUrl = aPage()
      const data = await v3.data('shorten', { longUrl })
      expect(Object.keys(data)).toEqual(['new_hash', 'url', 'hash', 'global_hash', 'long_url'])
      expect(data).toEqual({
        new_hash: 1,
        url: `http://${started.domain}/${data.hash}`,
        hash: expect.stringMatching(/^[0-9A-Za-z]{7}$/),
        global_hash: expect.stringMatching(/^[0-9A-Za-z]{7}$/),
        long_url: longUrl,
      })
      expect(data.global_hash).not.toBe(data.hash)
    })

    it('new_hash is 1 the first time this long URL is shortened, otherwise 0', async () => {
      const first = await aLink()
      const again = await v3.data('shorten', { longUrl: first.longUrl })
      expect([first.new_hash, again.new_hash]).toEqual([1, 0])
      expect(again).toMatchObject({ url: first.url, hash: first.hash, global_hash: first.global_hash })
    })

    it('hash is unique to the account, global_hash identifies the long URL across all accounts', async () => {
      const mine = await aLink()
      const theirs = await aLink(mine.longUrl, stranger.token)
      expect(theirs.new_hash).toBe(1)
      expect(theirs.hash).not.toBe(mine.hash)
      expect(theirs.global_hash).toBe(mine.global_hash)
    })

    it('both hashes redirect', async () => {
      const { longUrl, hash, global_hash } = await aLink()
      for (const each of [hash, global_hash]) {
        const answer = await started.request('GET', `/${each}`, { token: null, headers: { host: started.domain } })
        expect([answer.status, answer.headers.location]).toEqual([301, longUrl])
      }
    })

    it('long_url may be normalized while remaining functionally identical', async () => {
      const data = await v3.data('shorten', { longUrl: 'HTTPS://Example.COM:443' })
      expect(data.long_url).toBe('https://example.com/')
    })

    it('also accepts the long URL as uri', async () => {
      const uri = aPage()
      expect(await v3.data('shorten', { uri })).toMatchObject({ long_url: uri })
      expect(await v3.data('shorten', { longUrl: '', uri })).toMatchObject({ long_url: uri })
    })

    it.each([{}, { longUrl: '' }, { uri: '' }])('MISSING_ARG_URI: shorten with %j', async (query) => {
      expect(await v3.refusal('shorten', query)).toBe('200 500 MISSING_ARG_URI')
    })

    it.each([
      'nonsense',
      'example.com/page',
      'ftp://example.com/',
      'http://',
      'http:/example.com/',
      'http://example.com?query=directly',
      'https://example.com/with space',
      'https://example.com/tab\tbed',
      'https://example.com/line\nbreak',
      'https://example.com/trailing ',
      ' https://example.com/leading',
      'https://user:secret@example.com/',
      `https://example.com/${'x'.repeat(2048)}`,
    ])('INVALID_URI: %j cannot be shortened, and nothing is created', async (longUrl) => {
      expect(await v3.refusal('shorten', { longUrl })).toBe('200 500 INVALID_URI')
      expect(await v3.refusal('user/link_save', { longUrl })).toBe('200 500 INVALID_URI')
    })

    it('spaces in a long URL are percent-encoded or plus-encoded', async () => {
      const longUrl = 'https://example.com/a%20b?c=d+e'
      expect(await v3.data('shorten', { longUrl })).toMatchObject({ long_url: longUrl })
      // With one encoding missing, the plus is a space.
      expect(await v3.refusal('shorten', `longUrl=${longUrl}`)).toBe('200 500 INVALID_URI')
    })

    it('ALREADY_A_SHORTLINK: a URL that is already short', async () => {
      const { url } = await aLink()
      expect(await v3.refusal('shorten', { longUrl: url })).toBe('200 500 ALREADY_A_SHORTLINK')
    })

    it('INVALID_ARG_DOMAIN: a domain that is not one of this service', async () => {
      const query = { longUrl: aPage(), domain: 'unknown.example' }
      expect(await v3.refusal('shorten', query)).toBe('200 500 INVALID_ARG_DOMAIN')
      const { link_lookup: found } = await v3.data('link/lookup', { url: query.longUrl })
      expect(found[0].error).toBe('NOT_FOUND')
    })
  })

  describe('GET /v3/expand', () => {
    it('echoes each short_url or hash in the order sent, with hashes and long_url', async () => {
      const [one, two] = [await aLink(), await aLink()]
      const query = `hash=${two.hash}&shortUrl=${one.url}&hash=${one.global_hash}&shortUrl=${started.domain}/${two.hash}`
      const ones = { global_hash: one.global_hash, long_url: one.longUrl }
      const twos = { user_hash: two.hash, global_hash: two.global_hash, long_url: two.longUrl }
      expect(await v3.data('expand', query)).toEqual({
        expand: [
          { hash: two.hash, ...twos },
          { short_url: one.url, user_hash: one.hash, ...ones },
          { hash: one.global_hash, user_hash: one.global_hash, ...ones },
          { short_url: `${started.domain}/${two.hash}`, ...twos },
        ],
      })
    })

    it("expands another account's links", async () => {
      const { url, longUrl } = await aLink()
      expect((await v3.data('expand', { shortUrl: url }, stranger.token)).expand[0].long_url).toBe(longUrl)
    })

    it('NOT_FOUND: a failed item has an error, and the others succeed', async () => {
      const { hash, longUrl } = await aLink()
      const shortUrl = ['http://elsewhere.example/abc', 'nonsense', `${started.domain}/nowhere`, '']
      const { data, status_code, status_txt } = await v3.get('expand', { shortUrl, hash: [hash, 'nowhere', '<>'] })
      expect([status_code, status_txt]).toEqual([200, 'OK'])
      expect(data.expand.slice(0, 4)).toEqual(shortUrl.map((short_url) => ({ short_url, error: 'NOT_FOUND' })))
      expect(data.expand[4]).toMatchObject({ hash, long_url: longUrl })
      expect(data.expand.slice(5)).toEqual(['nowhere', '<>'].map((each) => ({ hash: each, error: 'NOT_FOUND' })))
    })

    it('NOT_FOUND: links that were deleted or have expired', async () => {
      const [deleted, expired] = [await aLink(), await aLink()]
      await started.request('DELETE', `/v4/shortlinks/${started.domain}/${deleted.hash}`)
      await alterRecords(started, 'update links set expires_at = 1 where hash = ?', expired.hash)
      const { expand } = await v3.data('expand', { hash: [deleted.hash, expired.hash] })
      expect(expand.map((item: { error: string }) => item.error)).toEqual(['NOT_FOUND', 'NOT_FOUND'])
    })

    it('returns one line for each with format=txt', async () => {
      const [one, two] = [await aLink(), await aLink()]
      const answer = await v3.ask('expand', { hash: [one.hash, 'nowhere', two.hash], format: 'txt' })
      expect(answer.text).toBe(`${one.longUrl}\nNOT_FOUND\n${two.longUrl}`)
    })
  })

  describe.each(['expand', 'info'])('the items of GET /v3/%s', (path) => {
    it.each([{}, { shortUrl: '' }, { hash: ['', ''] }])('MISSING_ARG_SHORTURL_OR_HASH: %j', async (query) => {
      expect(await v3.refusal(path, query)).toBe('200 500 MISSING_ARG_SHORTURL_OR_HASH')
    })

    it('at most 15 values in total', async () => {
      const hash = Array.from({ length: 15 }, (_, index) => `nowhere${index}`)
      expect((await v3.data(path, { hash }))[path]).toHaveLength(15)
      const query = { hash, shortUrl: 'a/b' }
      expect(await v3.refusal(path, query)).toBe('200 500 INVALID_ARG_SHORTURL_OR_HASH')
    })
  })

  describe('GET /v3/info', () => {
    it('returns title, created_by and created_at', async () => {
      const longUrl = aPage()
      const before = inSeconds(Date.now())
      const { link_save: saved } = await v3.data('user/link_save', { longUrl, title: 'A page' })
      const { info } = await v3.data('info', { shortUrl: saved.link })
      expect(info).toEqual([
        {
          short_url: saved.link,
          user_hash: saved.link.split('/').at(-1),
          global_hash: saved.aggregate_link.split('/').at(-1),
          title: 'A page',
          created_by: 'admin',
          created_at: expect.any(Number),
        },
      ])
      expect(info[0].created_at).toBeGreaterThanOrEqual(before)
      expect(info[0].created_at).toBeLessThanOrEqual(inSeconds(Date.now()))
    })

    it('created_by is null when the link is private, and for a global hash', async () => {
      const { link_save: saved } = await v3.data('user/link_save', { longUrl: aPage(), private: 'true' })
      const { info } = await v3.data('info', { shortUrl: [saved.link, saved.aggregate_link] })
      expect(info.map((item: { created_by: unknown }) => item.created_by)).toEqual([null, null])
    })

    it.each(['true', 'false'])('strangers do not see the title: private=%s', async (isPrivate) => {
      const longUrl = aPage()
      const saving = { longUrl, title: 'Hush', note: 'Hush', user_ts: '1234567890', private: isPrivate }
      const { link_save: saved } = await v3.data('user/link_save', saving)
      const named = { shortlink_id: saved.link.slice('http://'.length), keyword: `hushed-${isPrivate}` }
      expect((await started.request('POST', '/v4/shortlinks', { body: named })).status).toBe(200)
      const links = [saved.link, `http://${started.domain}/hushed-${isPrivate}`, saved.aggregate_link]
      const shown = async (token?: string) => {
        const { info } = await v3.data('info', { shortUrl: links, expand_user: 'true' }, token)
        const pages = await Promise.all(links.map((link) => v3.data('link/info', { link }, token)))
        return [...info.map((item: { title: unknown }) => item.title), ...pages.map(({ html_title }) => html_title)]
      }
      expect(await shown()).toEqual(['Hush', 'Hush', null, 'Hush', 'Hush', null])
      expect(await shown(await aMember(started, started.groupGuid))).toEqual(await shown())
      expect(await shown(stranger.token)).toEqual(Array(6).fill(null))
      for (const path of ['info', 'expand', 'link/info', 'link/lookup', 'link/encoders', 'link/encoders_count']) {
        const query = { shortUrl: links, link: saved.link, url: longUrl, expand_user: 'true' }
        const { text } = await v3.ask(path, query, stranger.token)
        expect(text).not.toMatch(/Hush|admin|1234567890/)
      }
    })

    it('expand_user adds user info', async () => {
      const { hash } = await aLink()
      const { info } = await v3.data('info', { hash: [hash, 'nowhere'], expand_user: 'true' })
      expect(info[0].user_info).toEqual({ login: 'admin', full_name: 'admin', display_name: 'admin' })
      expect(info[1]).toEqual({ hash: 'nowhere', error: 'NOT_FOUND' })
      const plain = await v3.data('info', { hash, expand_user: 'false' })
      expect(plain.info[0]).not.toHaveProperty('user_info')
      expect(await v3.refusal('info', { hash, expand_user: 'maybe' })).toBe('200 500 INVALID_ARG_EXPAND_USER')
    })
  })

  describe('GET /v3/link/lookup', () => {
    it('finds the aggregate link of long URLs that anybody shortened, in order', async () => {
      const theirs = await aLink(aPage(), stranger.token)
      const url = ['https://example.com/never/shortened', theirs.longUrl, 'nonsense', 'https://EXAMPLE.com']
      await aLink('https://example.com/')
      expect(await v3.data('link/lookup', { url })).toEqual({
        link_lookup: [
          { url: url[0], error: 'NOT_FOUND' },
          { url: url[1], aggregate_link: `http://${started.domain}/${theirs.global_hash}` },
          { url: url[2], error: 'INVALID_URI' },
          { url: url[3], aggregate_link: expect.any(String) },
        ],
      })
    })

    it('MISSING_ARG_URL: without any', async () => {
      expect(await v3.refusal('link/lookup')).toBe('200 500 MISSING_ARG_URL')
    })
  })

  describe('GET /v3/link/info', () => {
    it('describes the page behind a link', async () => {
      const { url: link, longUrl, hash, global_hash } = await aLink()
      expect(await v3.data('link/info', { link })).toEqual({
        link,
        aggregate_link: `http://${started.domain}/${global_hash}`,
        user_hash: hash,
        global_hash,
        original_url: longUrl,
        canonical_url: longUrl,
        domain: 'example.com',
        html_title: null,
      })
    })

    it('MISSING_ARG_LINK and NOT_FOUND', async () => {
      expect(await v3.refusal('link/info')).toBe('200 500 MISSING_ARG_LINK')
      expect(await v3.refusal('link/info', { link: 'nonsense' })).toBe('200 404 NOT_FOUND')
      expect(await v3.refusal('link/info', { link: `${started.domain}/nowhere` })).toBe('200 404 NOT_FOUND')
    })
  })

  describe('GET /v3/link/encoders', () => {
    it('lists who shortened a link, newest first, and leaves out private ones and strangers', async () => {
      const mine = await aLink()
      const member = await aMember(started, started.groupGuid)
      const other = await aMember(started, await organize(started).group('Elsewhere'))
      const theirs = await aLink(mine.longUrl, other)
      await aLink(mine.longUrl, stranger.token)
      const aggregate_link = `http://${started.domain}/${mine.global_hash}`
      for (const link of [mine.url, aggregate_link]) {
        const { aggregate_link: answered, entries } = await v3.data('link/encoders', { link })
        expect(answered).toBe(aggregate_link)
        expect(entries).toHaveLength(2)
        expect(entries).toContainEqual({ link: mine.url, user: 'admin', ts: expect.any(Number) })
        expect(entries).toContainEqual({ link: theirs.url, user: expect.any(String), ts: expect.any(Number) })
        expect(await v3.data('link/encoders_count', { link })).toEqual({ aggregate_link, count: 3 })
      }
      const network = await v3.data(
        'link/encoders',
        { link: theirs.url, my_network: 'true', expand_user: 'true' },
        member,
      )
      expect(network.entries).toEqual([
        {
          link: mine.url,
          user: 'admin',
          user_info: { login: 'admin', full_name: 'admin', display_name: 'admin' },
          ts: expect.any(Number),
        },
      ])
      expect((await v3.data('link/encoders', { link: mine.url, limit: 1 })).entries).toHaveLength(1)

      await v3.data('user/link_edit', { link: mine.url, edit: 'private', private: 'true' })
      const { entries } = await v3.data('link/encoders', { link: mine.url })
      expect(entries.map((entry: { link: string }) => entry.link)).toEqual([theirs.url])
      expect((await v3.data('link/encoders_count', { link: mine.url })).count).toBe(3)
    })

    it.each([
      ['link/encoders', {}, 'MISSING_ARG_LINK', 500],
      ['link/encoders_count', {}, 'MISSING_ARG_LINK', 500],
      ['link/encoders', { link: 'sho.rt/nowhere' }, 'NOT_FOUND', 404],
      ['link/encoders_count', { link: 'sho.rt/nowhere' }, 'NOT_FOUND', 404],
      ['link/encoders', { link: 'a/b', limit: 0 }, 'INVALID_ARG_LIMIT', 500],
      ['link/encoders', { link: 'a/b', limit: 26 }, 'INVALID_ARG_LIMIT', 500],
      ['link/encoders', { link: 'a/b', my_network: 'yes' }, 'INVALID_ARG_MY_NETWORK', 500],
      ['link/encoders', { link: 'a/b', expand_user: '1' }, 'INVALID_ARG_EXPAND_USER', 500],
    ])('%s with %j: %s', async (path, query, word, code) => {
      expect(await v3.refusal(path, query)).toBe(`200 ${code} ${word}`)
    })
  })
})

describe('the domains of v3 links', () => {
  const started = useApp({ domains: ['a.example', 'b.example', 'c.example'], anyHost: false })
  let v3: ReturnType<typeof asking>
  beforeAll(async () => {
    v3 = asking(started)
  })

  it('domain is a preferred domain, one of three service-provided short domains', async () => {
    const longUrl = 'https://example.com/'
    for (const domain of ['a.example', 'B.example', 'c.example']) {
      const { url, hash, new_hash } = await v3.data('shorten', { longUrl, domain })
      expect([url, new_hash]).toEqual([`http://${domain.toLowerCase()}/${hash}`, 1])
      const { expand } = await v3.data('expand', { hash })
      expect(expand[0]).toMatchObject({ hash, user_hash: hash, long_url: longUrl })
    }
    expect((await v3.data('shorten', { longUrl })).url).toMatch('http://a.example/')
  })

  it("it overrides the user's account-level default", async () => {
    const path = `/v4/groups/${started.groupGuid}/preferences`
    await started.request('PATCH', path, { body: { domain_preference: 'b.example' } })
    const longUrl = 'https://example.com/preferred'
    expect((await v3.data('shorten', { longUrl })).url).toMatch('http://b.example/')
    expect((await v3.data('shorten', { longUrl, domain: 'c.example' })).url).toMatch('http://c.example/')
    const { link_lookup: found } = await v3.data('user/link_lookup', { url: longUrl })
    expect(found[0].link).toMatch('http://b.example/')
  })

  it('users with a custom short domain always receive links on it according to their account preference', async () => {
    const organization = await firstOrganization(started)
    await organize(started).domain('links.brand.example', organization, [started.groupGuid])
    const longUrl = 'https://example.com/branded'
    // Assigned, but not yet preferred.
    expect((await v3.data('shorten', { longUrl, domain: 'c.example' })).url).toMatch('http://c.example/')
    const path = `/v4/groups/${started.groupGuid}/preferences`
    await started.request('PATCH', path, { body: { domain_preference: 'links.brand.example' } })
    const { url, hash } = await v3.data('shorten', { longUrl, domain: 'c.example' })
    expect(url).toBe(`http://links.brand.example:${new URL(started.url).port}/${hash}`)
    expect((await v3.data('expand', { hash })).expand[0].long_url).toBe(longUrl)
    expect((await v3.data('user/info')).custom_short_domain).toBe('links.brand.example')
  })
})
