import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

const start = Date.parse('2030-01-01T00:00:00Z')
let now = start
const clock = { now: () => now }

const started = useApp({}, { clock })
let stranger: Someone
beforeAll(async () => {
  stranger = await aStranger(started)
})

interface Options {
  readonly token?: string
}
const list = (group: string, query = '', options: Options = {}) =>
  started.request('GET', `/v4/groups/${group}/shortlinks${query}`, options)
const idsOf = (body: { links: { id: string }[] }) => body.links.map(({ id }) => id)

let made = 0
/** One second after the previous one. */
async function aLink(group_guid: string, fields: object = {}, options: Options = {}): Promise<string> {
  made += 1
  now += 1000
  const body = { long_url: `https://example.com/list/${made}`, group_guid, ...fields }
  const { status, body: link } = await started.request('POST', '/v4/shortlinks', { body, ...options })
  expect(status).toBe(201)
  return link.id
}

describe('GET /v4/groups/{group_guid}/shortlinks', () => {
  it('answers 200 with whole links, newest first, and pagination', async () => {
    const group = await organize(started).group()
    const [first, second] = [await aLink(group, { title: 'One', tags: ['a'] }), await aLink(group)]
    const { status, body } = await list(group)
    expect(status).toBe(200)
    expect(body.pagination).toEqual({ next: '', search_after: '', size: 50 })
    expect(idsOf(body)).toEqual([second, first])
    expect(body.links[1]).toEqual((await started.request('GET', `/v4/shortlinks/${first}`)).body)
  })

  it('answers 200 with no links for a group that has none', async () => {
    const { status, body } = await list(await organize(started).group())
    expect([status, body]).toEqual([200, { links: [], pagination: { next: '', search_after: '', size: 50 } }])
  })

  it('counts the links that match where total is asked for, once', async () => {
    const group = await organize(started).group()
    for (const tags of [['a'], ['a'], ['b']]) await aLink(group, { tags })
    const total = async (query: string) => (await list(group, query)).body.pagination
    expect(await total('?total=true')).toEqual({ next: '', search_after: '', size: 50, total: 3, total_is_exact: true })
    expect(await total('?total=true&tags=a&query=example')).toMatchObject({ total: 2, total_is_exact: true })
    expect(await total('?total=true&launchpad_ids=x')).toMatchObject({ total: 0, total_is_exact: true })
    const first = await total('?total=true&size=1&tags=a')
    expect(first).toMatchObject({ total: 2, size: 1 })
    expect(new URL(first.next).searchParams.has('total')).toBe(false)
    expect(await total('?total=false')).not.toHaveProperty('total')
    expect((await list(group, '?total=many')).status).toBe(400)
  })

  it('lists only links on one domain', async () => {
    const group = await organize(started).group()
    const domain = await organize(started).domain('list.brand.example', await firstOrganization(started), [group])
    const [built, branded] = [await aLink(group), await aLink(group, { domain })]
    expect(idsOf((await list(group, `?domain=${domain.toUpperCase()}`)).body)).toEqual([branded])
    expect(idsOf((await list(group, `?domain=${started.domain}`)).body)).toEqual([built])
    expect(idsOf((await list(group, '?domain=nowhere.example')).body)).toEqual([])
    expect(idsOf((await list(group, '?domain=')).body)).toEqual([branded, built])
  })

  it('lets readers of the group list', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    expect((await list(started.groupGuid, '', { token })).status).toBe(200)
  })

  it('answers 403 FORBIDDEN for a group that is not yours or does not exist', async () => {
    for (const group of [stranger.groupGuid, 'Bnosuchgrp1']) {
      const { status, body } = await list(group, '?size=nonsense')
      expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
    }
    expect((await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks`, { token: null })).status).toBe(
      403,
    )
  })

  describe('page by page', () => {
    let group: string
    let all: string[]
    beforeAll(async () => {
      group = await organize(started).group()
      all = []
      for (let index = 0; index < 7; index++) all.unshift(await aLink(group, { tags: ['paged', 'x y'.slice(0, 1)] }))
    })

    it('continues with search_after and with the URL in next', async () => {
      const first = await list(group, '?size=3&tags=paged&tags=x&archived=both&page=1&query=')
      expect(idsOf(first.body)).toEqual(all.slice(0, 3))
      const { next, search_after, size } = first.body.pagination
      expect(size).toBe(3)
      const url = new URL(next)
      expect(url.origin).toBe(`http://${started.domain}`)
      expect(url.pathname).toBe(`/v4/groups/${group}/shortlinks`)
      expect(url.searchParams.getAll('tags')).toEqual(['paged', 'x'])
      expect(Object.fromEntries(url.searchParams)).toEqual({
        size: '3',
        tags: 'x',
        archived: 'both',
        query: '',
        search_after,
      })

      const second = await started.request('GET', url.pathname + url.search)
      expect(idsOf(second.body)).toEqual(all.slice(3, 6))
      const third = await list(group, `?size=3&search_after=${second.body.pagination.search_after}`)
      expect(idsOf(third.body)).toEqual(all.slice(6))
      expect(third.body.pagination).toEqual({ next: '', search_after: '', size: 3 })
    })

    it('has no next page after the last link', async () => {
      expect((await list(group, '?size=7')).body.pagination.next).toBe('')
      expect((await list(group, '?size=6')).body.pagination.next).not.toBe('')
    })

    it('understands page, which older clients send', async () => {
      expect(idsOf((await list(group, '?page=2&size=2')).body)).toEqual(all.slice(2, 4))
    })

    it('shows every link once while links are created, archived and deleted', async () => {
      const crowd = await organize(started).group()
      const before: string[] = []
      for (let index = 0; index < 25; index++) before.unshift(await aLink(crowd))
      const seen: string[] = []
      let path: string | undefined = `/v4/groups/${crowd}/shortlinks?size=4`
      while (path !== undefined) {
        const { body } = await started.request('GET', path)
        seen.push(...idsOf(body))
        // The link that the next page starts after is deleted, and new ones are created.
        await started.request('DELETE', `/v4/shortlinks/${seen.at(-1)}`)
        await Promise.all([aLink(crowd), aLink(crowd)])
        const { next } = body.pagination
        path = next === '' ? undefined : new URL(next).pathname + new URL(next).search
      }
      expect(seen).toEqual(before)
    })

    it.each(['0', '-1', '101', '188888', '1.5', 'ten', '1e1', '%201'])(
      'answers 400 INVALID_ARG_SIZE for size=%s',
      async (size) => {
        const { status, body } = await list(group, `?size=${size}`)
        expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_SIZE', 'shortlinks'])
        expect(body.errors).toEqual([{ field: 'size', error_code: 'invalid' }])
      },
    )

    it.each(['1', '100'])('accepts size=%s', async (size) => {
      const { status, body } = await list(group, `?size=${size}`)
      expect([status, body.pagination.size]).toEqual([200, Number(size)])
    })

    it.each([
      ['made up', 'nonsense'],
      ['a number', '2'],
      ['cut off', undefined],
      ['without an id', Buffer.from('1893456000000').toString('base64url')],
      ['with a control character', Buffer.from('1893456000000 sho.rt/a\u0000').toString('base64url')],
      ['not of base64url', '!!!!'],
      ['padded', `${Buffer.from('1 a/bc').toString('base64url')}==`],
    ])('answers 400 INVALID_ARG_SEARCH_AFTER for a cursor that is %s', async (what, cursor) => {
      const { search_after } = (await list(group, '?size=1')).body.pagination
      const sent = what === 'cut off' ? search_after.slice(0, 12) : cursor
      const { status, body } = await list(group, `?search_after=${encodeURIComponent(sent ?? '')}`)
      expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_SEARCH_AFTER', 'shortlinks'])
      expect(body.errors).toEqual([{ field: 'search_after', error_code: 'invalid' }])
    })
  })

  describe('filters', () => {
    let group: string
    const links: Record<string, string> = {}
    let campaign_guid: string
    let channel_guid: string
    const namesFor = async (query: string, options: Options = {}) => {
      const { status, body } = await list(group, query, options)
      expect(status).toBe(200)
      return idsOf(body)
        .map((id) => Object.keys(links).find((name) => links[name] === id))
        .sort()
    }

    beforeAll(async () => {
      const world = organize(started)
      group = await world.group()
      const organization = await firstOrganization(started)
      await world.domain('go.example.net', organization, [group])
      const make = async (name: string, fields: object = {}, options: Options = {}) => {
        links[name] = await aLink(group, fields, options)
      }
      const deeplinks = [{ app_uri_path: '/a', install_url: '', install_type: 'no_install', os: 'ios', app_id: '' }]
      await make('plain')
      const titled = { title: 'Frühlings ANGEBOT 100%', note: 'Ask Grace' }
      await make('titled', { ...titled, long_url: 'https://www.Shop.test/Blog/Post?x=1' })
      await make('red', { tags: ['red', 'Sale'] })
      await make('redblue', { tags: ['red', 'blue'] })
      await make('custom', { keyword: 'Spring-Special' })
      await make('expiring', { expiration_at: new Date(now + 3600_000).toISOString().replace(/\.\d+Z/, '+0000') })
      await make('expired', { expiration_at: new Date(now + 400_000).toISOString().replace(/\.\d+Z/, '+0000') })
      await make('deep', { deeplinks })
      await make('branded', { deeplinks, domain: 'go.example.net' })
      await make('routed', { dynamic_routing: [{ long_url: 'https://example.com/de', country_match: ['DE'] }] })
      await make('colleague', {}, { token: await aMember(started, group) })
      await make('archived')
      await started.request('PATCH', `/v4/shortlinks/${links.archived}`, { body: { archived: true } })
      await make('deleted')
      await started.request('DELETE', `/v4/shortlinks/${links.deleted}`)
      now += 1_000_000

      const post = async (path: string, body: object) => (await started.request('POST', path, { body })).body.guid
      campaign_guid = await post('/v4/campaigns', { group_guid: group, name: 'Campaign' })
      const shortlinks = [links.plain, links.red, links.archived].map((shortlink_id) => ({
        campaign_guid,
        shortlink_id,
      }))
      channel_guid = await post('/v4/channels', { group_guid: group, name: 'Channel', shortlinks })
      await post('/v4/channels', { group_guid: group, name: 'Other', shortlinks: shortlinks.slice(0, 1) })
    })

    const everything = () => Object.keys(links).filter((name) => name !== 'deleted')
    const but = (...names: string[]) => everything().filter((name) => !names.includes(name))

    it('leave archived links out by default, and deleted ones always', async () => {
      expect(await namesFor('')).toEqual(but('archived').sort())
      expect(await namesFor('?archived=off')).toEqual(but('archived').sort())
      expect(await namesFor('?archived=on')).toEqual(['archived'])
      expect(await namesFor('?archived=both')).toEqual(everything().sort())
    })

    it.each([
      ['deeplinks', ['deep', 'branded']],
      ['domain_deeplinks', ['branded']],
      ['custom_shortlink', ['custom']],
      ['has_qr_codes', []],
      ['is_expired', ['expired']],
      ['has_expiration', ['expired', 'expiring']],
      ['has_dynamic_routing', ['routed']],
    ])('filter by %s', async (parameter, names) => {
      expect(await namesFor(`?archived=both&${parameter}=on`)).toEqual(names.sort())
      expect(await namesFor(`?archived=both&${parameter}=off`)).toEqual(but(...names).sort())
      expect(await namesFor(`?archived=both&${parameter}=both`)).toEqual(everything().sort())
    })

    it.each([
      ['the title', 'angebot', ['titled']],
      ['the title, beyond ASCII', encodeURIComponent('FRÜHLINGS'), ['titled']],
      ['the long URL', 'shop.TEST/blog', ['titled']],
      ['a custom back-half', 'spring-sp', ['custom']],
      ['a tag', 'sale', ['red']],
      ['the note', 'GRACE+blog', ['titled']],
      ['several words', 'blog+angebot', ['titled']],
      ['one word that is nowhere', 'blog+missing', []],
      ['a wildcard, as itself', '100%25', ['titled']],
      ['nothing but a wildcard', '%25', ['titled']],
      ['an underscore, as itself', 'bl_g', []],
    ])('find by query: %s', async (_, query, names) => {
      expect(await namesFor(`?query=${query}`)).toEqual(names)
    })

    it('find by query: the hash', async () => {
      expect(await namesFor(`?query=${links.plain?.split('/')[1]?.toLowerCase()}`)).toContain('plain')
    })

    it.each([
      ['shop.test', ['titled']],
      ['SHOP.test/blog', ['titled']],
      ['https://www.shop.test/blog/post?other=2%23x', ['titled']],
      ['/blog', ['titled']],
      ['op.test', []],
      ['shop.test/post', []],
      ['x=1', []],
    ])('find by hostname_path_query=%s', async (query, names) => {
      expect(await namesFor(`?hostname_path_query=${query}`)).toEqual(names)
    })

    it('filter by creation time: from created_after (inclusive) to created_before (exclusive)', async () => {
      const at = async (name: string) =>
        Date.parse((await started.request('GET', `/v4/shortlinks/${links[name]}`)).body.created_at) / 1000
      const [red, redblue] = [await at('red'), await at('redblue')]
      expect(await namesFor(`?created_after=${red}&created_before=${redblue}`)).toEqual(['red'])
      expect(await namesFor(`?created_before=${red}`)).toEqual(['plain', 'titled'])
      expect(await namesFor(`?created_after=${redblue}&tags=red`)).toEqual(['redblue'])
    })

    it('require all of several tags, case-sensitively', async () => {
      expect(await namesFor('?tags=red')).toEqual(['red', 'redblue'])
      expect(await namesFor('?tags=red&tags=blue')).toEqual(['redblue'])
      expect(await namesFor('?tags=RED')).toEqual([])
      expect(await namesFor('?tags=&tags=red')).toEqual(['red', 'redblue'])
    })

    it('find nothing with more tags than a link can have', async () => {
      const others = Array.from({ length: 1500 }, (_, index) => `&tags=${index.toString(36)}`)
      expect(await namesFor(`?tags=red${others.join('')}`)).toEqual([])
    })

    it('filter by creator', async () => {
      const { created_by } = (await started.request('GET', `/v4/shortlinks/${links.colleague}`)).body
      expect(await namesFor(`?encoding_login=${created_by}`)).toEqual(['colleague'])
      expect(await namesFor(`?encoding_login=${created_by}&encoding_login=admin`)).toEqual(but('archived').sort())
      expect(await namesFor('?encoding_login=nobody')).toEqual([])
    })

    it('find no link on a launchpad, since there are none', async () => {
      expect(await namesFor('?launchpad_ids=M1&launchpad_ids=M2')).toEqual([])
    })

    it('filter by campaign, together with other filters', async () => {
      expect(await namesFor(`?campaign_guid=${campaign_guid}`)).toEqual(['plain', 'red'])
      expect(await namesFor(`?campaign_guid=${campaign_guid}&archived=on`)).toEqual(['archived'])
      expect(await namesFor(`?campaign_guid=${campaign_guid}&tags=red`)).toEqual(['red'])
    })

    it('let a channel override all others', async () => {
      const names = ['archived', 'plain', 'red']
      expect(await namesFor(`?channel_guid=${channel_guid}`)).toEqual(names)
      const others = 'archived=off&tags=none&query=none&has_qr_codes=on&launchpad_ids=M1&campaign_guid=Cnone'
      expect(await namesFor(`?channel_guid=${channel_guid}&${others}`)).toEqual(names)
      expect((await list(group, `?channel_guid=${channel_guid}&size=2`)).body.links).toHaveLength(2)
    })

    it('find nothing in a campaign or channel of another of your groups', async () => {
      for (const filter of [`campaign_guid=${campaign_guid}`, `channel_guid=${channel_guid}`]) {
        expect(idsOf((await list(started.groupGuid, `?${filter}`)).body)).toEqual([])
      }
    })

    it.each(['campaign', 'channel'])('answer 404 NOT_FOUND for an unknown %s', async (what) => {
      for (const guid of ['Cunknown001', 'not-a-guid', '%27']) {
        const { status, body } = await list(group, `?${what}_guid=${guid}`)
        expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', `${what}s`])
      }
    })

    it.each(['campaign', 'channel'])('answer 403 FORBIDDEN for a %s that is not yours', async (what) => {
      const guid = what === 'campaign' ? campaign_guid : channel_guid
      const { status, body } = await list(stranger.groupGuid, `?${what}_guid=${guid}`, { token: stranger.token })
      expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    })

    it.each([
      ['archived', 'yes'],
      ['archived', 'ON'],
      ['deeplinks', 'true'],
      ['domain_deeplinks', '1'],
      ['custom_shortlink', 'none'],
      ['has_qr_codes', 'null'],
      ['is_expired', 'on,off'],
      ['has_expiration', '0'],
      ['has_dynamic_routing', 'x'],
      ['created_before', 'yesterday'],
      ['created_before', '-1'],
      ['created_after', '1893456000000'],
      ['created_after', '1.5'],
      ['query', '%00'],
      ['query', '1+2+3+4+5+6+7+8+9+10+11'],
      ['hostname_path_query', 'https://'],
      ['hostname_path_query', 'a%00'],
      ['tags', 'a%00'],
      ['encoding_login', '%0a'],
      ['campaign_guid', '%00'],
      ['size', '1&size=2'],
      ['query', 'a&query=b'],
    ])('answer 400 for %s=%s', async (parameter, value) => {
      const { status, body } = await list(group, `?${parameter}=${value}`)
      const message = `INVALID_ARG_${parameter.toUpperCase()}`
      expect([status, body.message, body.resource]).toEqual([400, message, 'shortlinks'])
      expect(body.errors).toEqual([{ field: parameter, error_code: 'invalid' }])
    })

    it('ignore parameters that are empty or unknown', async () => {
      const query = '?query=&size=&tags=&campaign_guid=&archived=&search_after=&group_guid=&unknown=1'
      expect(await namesFor(query)).toEqual(but('archived').sort())
    })
  })
})
