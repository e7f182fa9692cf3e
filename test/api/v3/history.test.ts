import { beforeAll, describe, expect, it } from 'vitest'
import { newTokenSecret, tokenFrom } from '../../../src/core/accounts/secrets.js'
import { useApp } from '../../support/start-app.js'
import { aMember, aStranger } from '../alter-records.js'
import { firstOrganization, organize } from '../organize.js'
import { asking } from './ask.js'

describe("the links of an account's history in v3", () => {
  const started = useApp()
  let v3: ReturnType<typeof asking>
  beforeAll(async () => {
    v3 = asking(started)
  })

  let pages = 0
  const aPage = () => `https://example.com/history/${pages++}`
  const entryOf = async (link: string) => (await v3.data('user/link_history', { link })).link_history[0]
  async function aLink(query: Record<string, string> = {}): Promise<string> {
    return (await v3.data('user/link_save', { longUrl: aPage(), ...query })).link_save.link
  }

  describe('GET /v3/user/link_save', () => {
    it('new_link is 1 if the user saves the link for the first time', async () => {
      const longUrl = aPage()
      const { data, status_code, status_txt } = await v3.get('user/link_save', { longUrl })
      expect([status_code, status_txt]).toEqual([200, 'OK'])
      expect(data.link_save).toEqual({
        link: expect.stringContaining(`http://${started.domain}/`),
        aggregate_link: expect.stringContaining(`http://${started.domain}/`),
        long_url: longUrl,
        new_link: 1,
      })
    })

    it('LINK_ALREADY_EXISTS: 0 if previously saved, with status_code 304 and the data', async () => {
      const longUrl = aPage()
      const first = await v3.data('user/link_save', { longUrl, title: 'First' })
      const again = await v3.ask('user/link_save', { longUrl, title: 'Second' })
      expect(again.status).toBe(200)
      expect(again.body).toEqual({
        data: { link_save: { ...first.link_save, new_link: 0 } },
        status_code: 304,
        status_txt: 'LINK_ALREADY_EXISTS',
      })
      expect(await entryOf(first.link_save.link)).toMatchObject({ title: 'First' })
    })

    it('keeps title, note, private and user_ts', async () => {
      const details = { title: 'Title', note: 'A note\nof two lines', private: 'true', user_ts: '1234567890' }
      const link = await aLink(details)
      expect(await entryOf(link)).toMatchObject({ ...details, private: true, user_ts: 1_234_567_890 })
    })

    it('links are public, without a note and with the current time by default', async () => {
      const entry = await entryOf(await aLink())
      expect(entry).toMatchObject({ private: false, note: '', title: null, user_ts: entry.created_at })
    })

    it.each([
      [{}, 'MISSING_ARG_URI'],
      [{ longUrl: '' }, 'MISSING_ARG_URI'],
      [{ longUrl: 'https://example.com/x', private: 'perhaps' }, 'INVALID_ARG_PRIVATE'],
      [{ longUrl: 'https://example.com/x', user_ts: 'now' }, 'INVALID_ARG_USER_TS'],
      [{ longUrl: 'https://example.com/x', user_ts: '-1' }, 'INVALID_ARG_USER_TS'],
      [{ longUrl: 'https://example.com/x', user_ts: '999999999999' }, 'INVALID_ARG_USER_TS'],
      [{ longUrl: 'https://example.com/x', title: 'x'.repeat(2049) }, 'INVALID_ARG_TITLE'],
      [{ longUrl: 'https://example.com/x', note: 'x'.repeat(2049) }, 'INVALID_ARG_NOTE'],
      [{ longUrl: 'https://example.com/x', note: '\u0007' }, 'INVALID_ARG_NOTE'],
    ])('%j: %s, and nothing is saved', async (query, word) => {
      expect(await v3.refusal('user/link_save', query)).toBe(`200 500 ${word}`)
      const { link_lookup: found } = await v3.data('user/link_lookup', { url: 'https://example.com/x' })
      expect(found).toEqual([{ url: 'https://example.com/x', error: 'NOT_FOUND' }])
    })

    it('ALREADY_A_SHORTLINK: a URL that is already short', async () => {
      expect(await v3.refusal('user/link_save', { longUrl: await aLink() })).toBe('200 500 ALREADY_A_SHORTLINK')
    })
  })

  describe('GET /v3/user/link_lookup', () => {
    it('finds own links by long URL, in order', async () => {
      const mine = aPage()
      const { link_save: saved } = await v3.data('user/link_save', { longUrl: mine })
      const stranger = await aStranger(started)
      const theirs = aPage()
      await v3.data('shorten', { longUrl: theirs }, stranger.token)
      const url = [theirs, mine, 'nonsense']
      expect(await v3.data('user/link_lookup', { url })).toEqual({
        link_lookup: [
          { url: theirs, error: 'NOT_FOUND' },
          { url: mine, link: saved.link, aggregate_link: saved.aggregate_link },
          { url: 'nonsense', error: 'INVALID_URI' },
        ],
      })
    })

    it('MISSING_ARG_URL: without any', async () => {
      expect(await v3.refusal('user/link_lookup')).toBe('200 500 MISSING_ARG_URL')
    })
  })

  describe('GET /v3/user/link_edit', () => {
    it('changes the fields that edit names, and echoes the link', async () => {
      const link = await aLink({ title: 'Before', note: 'before' })
      const changes = { title: 'After', note: 'after', private: 'true', user_ts: '86400', archived: 'true' }
      const edit = 'title,note,private,user_ts,archived'
      expect(await v3.data('user/link_edit', { link, ...changes, edit })).toEqual({ link_edit: { link } })
      const after = { title: 'After', note: 'after', private: true, user_ts: 86_400, archived: true }
      expect(await entryOf(link)).toMatchObject(after)
    })

    it('keeps fields that edit does not name', async () => {
      const link = await aLink({ title: 'Before', note: 'before' })
      await v3.data('user/link_edit', { link, title: 'After', note: 'after', archived: 'true', edit: ' note ' })
      expect(await entryOf(link)).toMatchObject({ title: 'Before', note: 'after', archived: false })
    })

    it('an empty title or note removes it', async () => {
      const link = await aLink({ title: 'Before', note: 'before' })
      await v3.data('user/link_edit', { link, title: '', note: '', edit: 'title,note' })
      expect(await entryOf(link)).toMatchObject({ title: null, note: '' })
    })

    it.each([
      [{ edit: 'title', title: 'x' }, 'MISSING_ARG_LINK'],
      [{ link: 'LINK' }, 'MISSING_ARG_EDIT'],
      [{ link: 'LINK', edit: '' }, 'MISSING_ARG_EDIT'],
      [{ link: 'LINK', edit: 'long_url', long_url: 'https://example.com/' }, 'INVALID_ARG_EDIT'],
      [{ link: 'LINK', edit: 'toString' }, 'INVALID_ARG_EDIT'],
      [{ link: 'LINK', edit: 'title,', title: 'x' }, 'INVALID_ARG_EDIT'],
      [{ link: 'LINK', edit: 'title' }, 'MISSING_ARG_TITLE'],
      [{ link: 'LINK', edit: 'note' }, 'MISSING_ARG_NOTE'],
      [{ link: 'LINK', edit: 'private' }, 'MISSING_ARG_PRIVATE'],
      [{ link: 'LINK', edit: 'user_ts' }, 'MISSING_ARG_USER_TS'],
      [{ link: 'LINK', edit: 'archived' }, 'MISSING_ARG_ARCHIVED'],
      [{ link: 'LINK', edit: 'private', private: '' }, 'INVALID_ARG_PRIVATE'],
      [{ link: 'LINK', edit: 'archived', archived: 'yes' }, 'INVALID_ARG_ARCHIVED'],
      [{ link: 'LINK', edit: 'title,user_ts', title: 'x', user_ts: '1.5' }, 'INVALID_ARG_USER_TS'],
      [{ link: 'LINK', edit: 'title', title: 'a\u0001b' }, 'INVALID_ARG_TITLE'],
    ])('%j: %s, and nothing changes', async (query, word) => {
      const link = await aLink({ title: 'Before' })
      const sent = 'link' in query ? { ...query, link } : query
      expect(await v3.refusal('user/link_edit', sent)).toBe(`200 500 ${word}`)
      expect(await entryOf(link)).toMatchObject({ title: 'Before', archived: false })
    })

    it.each(['nonsense', 'elsewhere.example/abc'])('NOT_FOUND: the link %s', async (link) => {
      expect(await v3.refusal('user/link_edit', { link, edit: 'title', title: 'x' })).toBe('200 404 NOT_FOUND')
    })

    it('NOT_FOUND: a global hash cannot be edited, nor can a deleted link', async () => {
      const { link_save: saved } = await v3.data('user/link_save', { longUrl: aPage() })
      const edit = { edit: 'title', title: 'x' }
      expect(await v3.refusal('user/link_edit', { link: saved.aggregate_link, ...edit })).toBe('200 404 NOT_FOUND')
      await started.request('DELETE', `/v4/shortlinks/${saved.link.slice('http://'.length)}`)
      expect(await v3.refusal('user/link_edit', { link: saved.link, ...edit })).toBe('200 404 NOT_FOUND')
    })
  })

  describe('GET /v3/user/link_history', () => {
    const other = useApp({}, { clock: { now: () => Date.now() + ahead } })
    let history: ReturnType<typeof asking>
    let ahead = 0
    beforeAll(async () => {
      history = asking(other)
      for (let number = 0; number < 120; number++) {
        const longUrl = `https://host${number % 2}.example/${number}`
        await history.data('user/link_save', { longUrl, title: `Number ${number}`, private: String(number === 7) })
      }
      const { link_history: newest } = await history.data('user/link_history', { limit: 1 })
      await history.data('user/link_edit', { link: newest[0].link, edit: 'archived', archived: 'true' })
    })

    const titles = async (query: Record<string, string | number>) => {
      const { link_history: entries } = await history.data('user/link_history', query)
      return entries.map((entry: { title: string }) => entry.title)
    }

    it('lists the newest first, a hundred by default, without archived ones', async () => {
      const { link_history: entries, result_count } = await history.data('user/link_history')
      expect(entries).toHaveLength(100)
      expect(result_count).toBe(101)
      expect(entries[0]).toEqual({
        link: expect.stringContaining('http://'),
        aggregate_link: expect.stringContaining('http://'),
        long_url: 'https://host0.example/118',
        title: 'Number 118',
        note: '',
        archived: false,
        private: false,
        created_at: expect.any(Number),
        user_ts: entries[0].created_at,
        modified_at: entries[0].created_at,
        client_id: null,
        tags: [],
        campaign_ids: [],
      })
    })

    it('is paged with limit and offset, to an exact end', async () => {
      const seen: string[] = []
      for (let offset = 0; ; offset += 50) {
        const { link_history: entries, result_count } = await history.data('user/link_history', { limit: 50, offset })
        seen.push(...entries.map((entry: { title: string }) => entry.title))
        if (result_count <= offset + 50) break
      }
      expect(seen).toHaveLength(119)
      expect(new Set(seen).size).toBe(119)
      expect((await history.data('user/link_history', { limit: 1000 })).result_count).toBe(119)
    })

    it('is filtered by archived, private, query, domain and time', async () => {
      expect(await titles({ archived: 'on' })).toEqual(['Number 119'])
      expect((await titles({ archived: 'both', limit: 2 }))[0]).toBe('Number 119')
      expect(await titles({ private: 'on' })).toEqual(['Number 7'])
      expect(await titles({ private: 'off', query: 'number 7', limit: 1000 })).not.toContain('Number 7')
      expect(await titles({ query: '/117' })).toEqual(['Number 117'])
      expect(await titles({ exact_domain: 'host1.example', limit: 1 })).toEqual(['Number 117'])
      expect(await titles({ root_domain: 'host1.example', limit: 1 })).toEqual(['Number 117'])
      expect(await history.refusal('user/link_history', { root_domain: '?' })).toBe('200 500 INVALID_ARG_ROOT_DOMAIN')
      expect(await titles({ created_before: 1 })).toEqual([])
      expect(await titles({ created_after: 4_000_000_000 })).toEqual([])
    })

    it('GET /v3/search finds words in the links of the account, newest first, without archived ones', async () => {
      const { results, result_count } = await history.data('search', { query: 'number' })
      expect([results.length, result_count]).toEqual([10, 11])
      const [entry] = (await history.data('user/link_history', { limit: 1 })).link_history
      expect(results[0]).toEqual({ ...entry, url: 'https://host0.example/118' })
      const found = async (query: Record<string, string | number>) => {
        const data = await history.data('search', { query: 'Number', ...query })
        return [data.result_count, ...data.results.map(({ title }: { title: string }) => title)]
      }
      expect(await found({ limit: 2, offset: 1 })).toEqual([4, 'Number 117', 'Number 116'])
      expect(await found({ limit: 1, domain: 'host1.example' })).toEqual([2, 'Number 117'])
      expect(await found({ query: '/117' })).toEqual([1, 'Number 117'])
      expect(await found({ query: '/119' })).toEqual([0])
      expect(await found({ query: 'number', offset: 119 })).toEqual([119])
      const stranger = await aStranger(other)
      expect(await history.data('search', { query: 'number' }, stranger.token)).toEqual({
        results: [],
        result_count: 0,
      })
    })

    it.each([
      [{}, 'MISSING_ARG_QUERY'],
      [{ query: 'a b c d e f g h i j k' }, 'INVALID_ARG_QUERY'],
      [{ query: 'a', limit: 1001 }, 'INVALID_ARG_LIMIT'],
      [{ query: 'a', offset: -1 }, 'INVALID_ARG_OFFSET'],
      [{ query: 'a', domain: ' ' }, 'INVALID_ARG_DOMAIN'],
    ])('GET /v3/search with %j: %s', async (query, word) => {
      expect(await history.refusal('search', query)).toBe(`200 500 ${word}`)
    })

    it('modified_after leaves out links that were not changed since', async () => {
      const { link_history: found } = await history.data('user/link_history', { query: '/113' })
      const [entry] = found
      const later = entry.modified_at + 100
      ahead = 200_000
      await history.data('user/link_edit', { link: entry.link, edit: 'note', note: 'changed' })
      expect(await titles({ modified_after: later })).toEqual([entry.title])
      const [changed] = (await history.data('user/link_history', { modified_after: later })).link_history
      expect(changed.modified_at).toBeGreaterThan(later)
      expect(changed.created_at).toBe(entry.created_at)
      expect(await titles({ modified_after: changed.modified_at })).toEqual([entry.title])
      expect(await titles({ modified_after: changed.modified_at + 1 })).toEqual([])
    })

    it('expand_client_id adds the application that created a link', async () => {
      const body = { name: 'Old client', description: 'Shortens', link: 'https://client.example/' }
      const application = (await other.request('POST', '/v4/user/applications', { body })).body
      const { client_id } = application
      const secret = newTokenSecret()
      const token = { ...tokenFrom(secret), login: 'admin', label: '', clientId: client_id, at: 1 }
      await other.app.accounts.addToken(token)
      const { url: link } = await history.data('shorten', { longUrl: 'https://example.com/by-client' }, secret)

      const entry = async (query: object) => (await history.data('user/link_history', { ...query })).link_history
      const app = { app_name: 'Old client', app_description: 'Shortens', app_link: 'https://client.example/' }
      const [expanded, plain] = await entry({ expand_client_id: 'true', limit: 2 })
      expect(expanded).toMatchObject({ link, client_id, client_info: { client_id, ...app } })
      expect(plain).toMatchObject({ client_id: null, client_info: null })
      for (const query of [{}, { expand_client_id: 'false' }]) {
        expect((await entry({ ...query, link }))[0]).not.toHaveProperty('client_info')
      }

      expect(await history.data('oauth/app', { client_id })).toEqual({ client_id, ...app })
      await other.request('DELETE', `/v4/user/applications/${client_id}`)
      expect((await entry({ expand_client_id: 'true', link }))[0]).toMatchObject({ client_id, client_info: null })
      expect(await history.refusal('oauth/app', { client_id })).toBe('200 404 NOT_FOUND')
      expect(await history.refusal('oauth/app', { client_id: 'nonsense' })).toBe('200 404 NOT_FOUND')
      expect(await history.refusal('oauth/app')).toBe('200 500 MISSING_ARG_CLIENT_ID')
    })

    it("NOT_FOUND: another user's history", async () => {
      expect((await history.data('user/link_history', { user: 'admin', limit: 1 })).link_history).toHaveLength(1)
      expect(await history.refusal('user/link_history', { user: 'eve' })).toBe('200 404 NOT_FOUND')
    })

    it.each([
      [{ limit: 0 }, 'INVALID_ARG_LIMIT'],
      [{ modified_after: 'soon' }, 'INVALID_ARG_MODIFIED_AFTER'],
      [{ expand_client_id: 'yes' }, 'INVALID_ARG_EXPAND_CLIENT_ID'],
      [{ limit: 1001 }, 'INVALID_ARG_LIMIT'],
      [{ offset: -1 }, 'INVALID_ARG_OFFSET'],
      [{ archived: 'true' }, 'INVALID_ARG_ARCHIVED'],
      [{ private: 'maybe' }, 'INVALID_ARG_PRIVATE'],
      [{ created_after: 'yesterday' }, 'INVALID_ARG_CREATED_AFTER'],
      [{ query: 'a b c d e f g h i j k' }, 'INVALID_ARG_QUERY'],
    ])('%j: %s', async (query, word) => {
      expect(await history.refusal('user/link_history', query)).toBe(`200 500 ${word}`)
    })

    it('NOT_FOUND: an unknown link or campaign', async () => {
      expect(await history.refusal('user/link_history', { link: 'a.example/b' })).toBe('200 404 NOT_FOUND')
      expect(await history.refusal('user/link_history', { campaign_id: 'Cnothing001' })).toBe('200 404 NOT_FOUND')
    })
  })

  describe('GET /v3/user/network_history', () => {
    it('shows the public links of others in the groups of the caller, grouped by page', async () => {
      const colleague = await aMember(started, started.groupGuid)
      const stranger = await aStranger(started)
      const [shared, secret] = [aPage(), aPage()]
      const saving = { longUrl: shared, title: 'Shared' }
      const { link_save: saved } = await v3.data('user/link_save', saving, colleague)
      await v3.data('user/link_save', { longUrl: secret, private: 'true', title: 'Hush' }, colleague)
      await v3.data('user/link_save', { longUrl: aPage(), title: 'Elsewhere' }, stranger.token)

      const data = await v3.data('user/network_history')
      expect(data).toMatchObject({ limit: 20, offset: 0, total: 1 })
      const save = {
        link: saved.link,
        aggregate_link: saved.aggregate_link,
        long_url: shared,
        title: 'Shared',
        archived: false,
        private: false,
        created_at: expect.any(Number),
        modified_at: expect.any(Number),
        user_ts: expect.any(Number),
        client_id: null,
      }
      const global_hash = saved.aggregate_link.split('/').at(-1)
      expect(data.entries).toEqual([{ global_hash, saves: [{ ...save, user: expect.stringContaining('user-') }] }])
      const [{ user: login }] = data.entries[0].saves
      const full = await v3.data('user/network_history', { expand_user: 'true', expand_client_id: 'true' })
      expect(full.entries[0].saves[0]).toMatchObject({ ...save, client_info: null, user: { login, full_name: login } })
      expect((await v3.data('user/network_history', { offset: 1 })).entries).toEqual([])
      expect((await v3.ask('user/network_history', {}, stranger.token)).body.data.entries).toEqual([])
      // The colleague sees the links of others, not their own.
      const theirs = await v3.data('user/network_history', { limit: 100 }, colleague)
      const pages = theirs.entries.map((entry: { saves: { long_url: string }[] }) => entry.saves[0]?.long_url)
      expect(pages.length).toBeGreaterThan(1)
      expect(pages).not.toContain(shared)
    })

    it.each([
      [{ limit: 0 }, 'INVALID_ARG_LIMIT'],
      [{ limit: 101 }, 'INVALID_ARG_LIMIT'],
      [{ offset: -1 }, 'INVALID_ARG_OFFSET'],
      [{ expand_user: 'x' }, 'INVALID_ARG_EXPAND_USER'],
      [{ expand_client_id: 'x' }, 'INVALID_ARG_EXPAND_CLIENT_ID'],
    ])('%j: %s', async (query, word) => {
      expect(await v3.refusal('user/network_history', query)).toBe(`200 500 ${word}`)
    })
  })

  describe('GET /v3/user/save_custom_domain_keyword', () => {
    const path = 'user/save_custom_domain_keyword'
    const domain = 'keywords.example'
    let one: string
    let two: string
    beforeAll(async () => {
      await organize(started).domain(domain, await firstOrganization(started), [started.groupGuid])
      const made = async () =>
        (await started.request('POST', '/v4/shorten', { body: { long_url: aPage(), domain } })).body.link
      one = await made()
      two = await made()
    })
    const leadsTo = async (link: string) => (await v3.data('expand', { shortUrl: link })).expand[0].long_url

    it('gives a link a keyword, and moves it when overwrite says so', async () => {
      const keyword_link = `http://${domain}:${new URL(started.url).port}/Sale`
      const saved = await v3.data(path, { keyword_link, target_link: one })
      const { aggregate_link } = await entryOf(one)
      expect(saved).toEqual({ keyword_link, target_link: one, aggregate_link, is_new: true })
      expect(await leadsTo(keyword_link)).toBe(await leadsTo(one))
      expect((await entryOf(one)).keyword_link).toBe(keyword_link)
      expect(await v3.data(path, { keyword_link, target_link: one })).toEqual({ ...saved, is_new: false })

      expect(await v3.refusal(path, { keyword_link, target_link: two })).toBe('200 500 KEYWORD_UNAVAILABLE')
      expect(await leadsTo(keyword_link)).toBe(await leadsTo(one))
      const moved = await v3.data(path, { keyword_link, target_link: two, overwrite: 'true' })
      expect(moved).toMatchObject({ keyword_link, target_link: two, is_new: false })
      expect(await leadsTo(keyword_link)).toBe(await leadsTo(two))
    })

    it('works on built-in domains too', async () => {
      const target_link = await aLink()
      const keyword_link = `http://${started.domain}/builtin-keyword`
      expect(await v3.data(path, { keyword_link, target_link })).toMatchObject({ is_new: true })
      expect(await leadsTo(keyword_link)).toBe(await leadsTo(target_link))
    })

    it('reports errors, and changes nothing', async () => {
      const keyword_link = `http://${domain}/refused`
      expect(await v3.refusal(path, { target_link: one })).toBe('200 500 MISSING_ARG_KEYWORD_LINK')
      expect(await v3.refusal(path, { keyword_link })).toBe('200 500 MISSING_ARG_TARGET_LINK')
      for (const wrong of ['nonsense', `${domain}/v4`, `${domain}/a.b`]) {
        const query = { keyword_link: wrong, target_link: one }
        expect(await v3.refusal(path, query)).toBe('200 500 INVALID_ARG_KEYWORD_LINK')
      }
      const refused = (query: object, token?: string) =>
        v3.refusal(path, { keyword_link, target_link: one, ...query }, token)
      expect(await refused({ overwrite: 'yes' })).toBe('200 500 INVALID_ARG_OVERWRITE')
      expect(await refused({ keyword_link: 'elsewhere.example/x' })).toBe('200 500 INVALID_ARG_DOMAIN')
      expect(await refused({ target_link: `${domain}/nowhere` })).toBe('200 404 NOT_FOUND')
      expect(await refused({ target_link: 'nonsense' })).toBe('200 404 NOT_FOUND')
      expect(await refused({ target_link: await aLink() })).toBe('200 500 UNPROCESSABLE_ENTITY')
      expect(await refused({}, (await aStranger(started)).token)).toBe('200 403 FORBIDDEN')
      expect(await refused({}, await aMember(started, started.groupGuid, 'reader'))).toBe('200 403 FORBIDDEN')
      expect((await v3.data('expand', { shortUrl: keyword_link })).expand[0].error).toBe('NOT_FOUND')
    })
  })

  describe('GET /v3/user/info', () => {
    it('describes the caller', async () => {
      const info = await v3.data('user/info')
      expect(info).toEqual({
        login: 'admin',
        full_name: 'admin',
        display_name: 'admin',
        profile_url: '',
        profile_image: '',
        member_since: expect.any(Number),
        share_accounts: [],
        // Only hashes of keys are stored, so they cannot be shown again.
        apiKey: null,
        is_enterprise: 0,
        custom_short_domain: null,
        tracking_domains: ['example.com'],
        default_link_privacy: 'public',
        domain_preference_options: [started.domain, 'keywords.example'],
      })
      expect(await v3.data('user/info', { login: 'admin' })).toEqual(info)
    })

    it('NOT_FOUND: another user', async () => {
      expect(await v3.refusal('user/info', { login: 'eve' })).toBe('200 404 NOT_FOUND')
    })
  })
})
