import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { organize } from './organize.js'
import { asking } from './v3/ask.js'

/** docs/api/v3.md#who-sees-what and docs/api/links.md#private-links. */
describe('who sees title and creator of a link', () => {
  const started = useApp()
  let v3: ReturnType<typeof asking>
  let stranger: Someone
  let member: string
  let colleague: string
  beforeAll(async () => {
    v3 = asking(started)
    stranger = await aStranger(started)
    member = await aMember(started, started.groupGuid)
    colleague = await aMember(started, await organize(started).group('Another group'))
  })

  let pages = 0
  async function aLink(fields: object = {}, token?: string) {
    const body = { long_url: `https://example.com/whose/${pages++}`, title: 'Launch plan', ...fields }
    return (await started.request('POST', '/v4/shortlinks', { body, ...(token && { token }) })).body
  }

  async function seen(shortUrl: string, token?: string) {
    const { info } = await v3.data('info', { shortUrl, expand_user: 'true' }, token)
    const page = await v3.data('link/info', { link: shortUrl }, token)
    const { entries } = await v3.data('link/encoders', { link: shortUrl, expand_user: 'true' }, token)
    expect(page.html_title).toBe(info[0].title)
    expect(info[0].user_info?.login ?? null).toBe(info[0].created_by)
    return [info[0].title, info[0].created_by, entries.map((entry: { user: string }) => entry.user)]
  }

  it('everybody of its organization sees those of a public link, and nobody else does', async () => {
    const { link } = await aLink()
    for (const token of [undefined, member, colleague]) {
      expect(await seen(link, token)).toEqual(['Launch plan', 'admin', ['admin']])
    }
    expect(await seen(link, stranger.token)).toEqual([null, null, []])
  })

  it('its group alone sees the title of a private link, and nobody its creator', async () => {
    const { link } = await aLink({ private: true })
    for (const token of [undefined, member]) expect(await seen(link, token)).toEqual(['Launch plan', null, []])
    for (const token of [colleague, stranger.token]) expect(await seen(link, token)).toEqual([null, null, []])
  })

  it.each([false, true])('a stranger learns what the information page shows: private %s', async (isPrivate) => {
    const { link, long_url, created_at } = await aLink({ private: isPrivate, keyword: `page-${isPrivate}` })
    const { text } = await started.request('GET', `${new URL(link).pathname}+`, {
      token: null,
      headers: { host: started.domain },
    })
    expect(text).toContain(long_url)
    expect(text).toContain(created_at.slice(0, 10))
    const { info } = await v3.data('info', { shortUrl: link }, stranger.token)
    expect(info).toEqual([
      {
        short_url: link,
        user_hash: expect.any(String),
        global_hash: expect.any(String),
        title: null,
        created_by: null,
        created_at: Date.parse(created_at) / 1000,
      },
    ])
    const paths = ['info', 'expand', 'link/info', 'link/lookup', 'lookup', 'link/encoders', 'link/encoders_by_count']
    for (const path of [...paths, 'link/encoders_count', 'clicks', 'link/clicks', 'user/network_history']) {
      const asked = { shortUrl: link, link, url: long_url, expand_user: 'true' }
      expect((await v3.ask(path, asked, stranger.token)).text).not.toMatch(/Launch plan|admin/)
    }
  })

  it('global figures count private links, and name nobody', async () => {
    const { link, long_url } = await aLink({ private: true })
    expect((await v3.data('link/encoders_count', { link }, stranger.token)).count).toBe(1)
    await v3.data('shorten', { longUrl: long_url }, stranger.token)
    expect((await v3.data('link/encoders_count', { link }, stranger.token)).count).toBe(2)
  })

  describe('private in v4', () => {
    const patch = (id: string, body: object) => started.request('PATCH', `/v4/shortlinks/${id}`, { body })

    it('is false by default, and part of the link', async () => {
      const { id, private: isPrivate } = await aLink()
      expect(isPrivate).toBe(false)
      expect((await patch(id, { private: true })).body.private).toBe(true)
      expect((await patch(id, { title: 'Other' })).body.private).toBe(true)
      expect((await started.request('GET', `/v4/shortlinks/${id}`)).body.private).toBe(true)
      expect((await patch(id, { private: false })).body.private).toBe(false)
    })

    it.each(['yes', 1, {}, []])('answers 400 to %j', async (wrong) => {
      const { id } = await aLink()
      const { status, body } = await patch(id, { private: wrong })
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_PRIVATE'])
    })

    it('changes the existing link only if it was sent', async () => {
      const { id, long_url } = await aLink({ private: true })
      expect(await aLink({ long_url })).toMatchObject({ id, private: true })
      expect(await aLink({ long_url, private: false })).toMatchObject({ id, private: false, title: 'Launch plan' })
      await started.request('POST', '/v4/shorten', { body: { long_url, private: true } })
      expect((await started.request('GET', `/v4/shortlinks/${id}`)).body.private).toBe(true)
    })

    it('is a field and a column of many links', async () => {
      const read = async ({ body }: { body: { results: { link: { id: string } }[] } }) =>
        Promise.all(
          body.results.map(
            async ({ link }) => (await started.request('GET', `/v4/shortlinks/${link.id}`)).body.private,
          ),
        )
      const links = [true, false, undefined].map((each) => ({
        long_url: `https://example.com/bulk/${each}`,
        ...(each !== undefined && { private: each }),
      }))
      expect(await read(await started.request('POST', '/v4/bulk/shorten', { body: { links } }))).toEqual([
        true,
        false,
        false,
      ])
      const csv = 'long_url,private\nhttps://example.com/csv/1,true\nhttps://example.com/csv/2,\n'
      const headers = { 'content-type': 'text/csv' }
      expect(await read(await started.request('POST', '/v4/bulk/shorten', { body: csv, headers }))).toEqual([
        true,
        false,
      ])
    })
  })

  describe('default_link_privacy', () => {
    const choose = (default_link_privacy: unknown) =>
      started.request('PATCH', '/v4/user', { body: { default_link_privacy }, token: member })

    it('decides about new links that say nothing, however they are made', async () => {
      const { status, body } = await choose('private')
      expect([status, body.default_link_privacy]).toEqual([200, 'private'])
      expect((await v3.data('user/info', {}, member)).default_link_privacy).toBe('private')
      const made = await aLink({}, member)
      expect(made.private).toBe(true)
      const longUrl = (name: string) => `https://example.com/by-default/${name}`
      await started.request('POST', '/v4/shorten', { body: { long_url: longUrl('shorten') }, token: member })
      await started.request('POST', '/v4/bulk/shorten', {
        body: { links: [{ long_url: longUrl('bulk') }, { long_url: longUrl('titled'), title: 'T' }] },
        token: member,
      })
      await v3.data('shorten', { longUrl: longUrl('v3') }, member)
      await v3.data('user/link_save', { longUrl: longUrl('save') }, member)
      await v3.data('user/link_save', { longUrl: longUrl('public'), private: 'false' }, member)
      const { link_history: entries } = await v3.data('user/link_history', { query: 'by-default' }, member)
      const privacy = Object.fromEntries(
        entries.map((entry: { long_url: string; private: boolean }) => [
          entry.long_url.split('/').at(-1),
          entry.private,
        ]),
      )
      expect(privacy).toEqual({ shorten: true, bulk: true, titled: true, v3: true, save: true, public: false })

      expect((await aLink({ private: false }, member)).private).toBe(false)
      const others = await aLink()
      expect(await aLink({ long_url: others.long_url }, member)).toMatchObject({ id: others.id, private: false })
      expect((await choose('public')).body.default_link_privacy).toBe('public')
      expect((await aLink({}, member)).private).toBe(false)
    })

    it.each(['secret', true, 5])('answers 400 to %j', async (wrong) => {
      const { status, body } = await choose(wrong)
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_DEFAULT_LINK_PRIVACY'])
    })
  })
})
