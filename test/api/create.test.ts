import { beforeAll, describe, expect, it } from 'vitest'
import { startDnsServer } from '../support/dns-server.js'
import { startApp, useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

const started = useApp()
let otherGroup: string
let branded: string
beforeAll(async () => {
  const at = organize(started)
  otherGroup = await at.group()
  branded = await at.domain('go.brand.example', await firstOrganization(started), [started.groupGuid, otherGroup])
})

const create = (body: unknown, options: { token?: string } = {}) =>
  started.request('POST', '/v4/shortlinks', { body, ...options })
const visit = async (address: string) => {
  const [host = '', path] = address.split('/')
  const { status, headers } = await started.request('GET', `/${path}`, { token: null, headers: { host } })
  return [status, headers.location]
}
let made = 0
const aUrl = () => `https://example.com/create/${made++}`

describe('POST /v4/shortlinks with a long URL', () => {
  it('answers 201 with the whole resource and everything that was sent', async () => {
    const expires = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}+0000`
    const { status, body } = await create({
      long_url: 'HTTPS://Example.com',
      domain: started.domain,
      group_guid: started.groupGuid,
      title: 'Spring ☀ sale',
      tags: ['spring', 'sale', 'spring'],
      keyword: 'Spring_Sale-1',
      expiration_at: expires,
      deeplinks: [{ app_guid: 'A1', os: 'ios', app_uri_path: 'a/b', install_type: 'promote_install' }],
      dynamic_routing: [
        { long_url: 'https://example.com/de', country_match: ['de', 'AT'], device_exclude: ['tablet'] },
      ],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      references: { group: `http://${started.domain}/v4/groups/${started.groupGuid}` },
      link: `http://${body.id}`,
      id: expect.stringMatching(new RegExp(`^${started.domain}/[0-9A-Za-z]{7}$`)),
      long_url: 'https://example.com/',
      title: 'Spring ☀ sale',
      archived: false,
      created_at: expect.stringMatching(/\+0000$/),
      created_by: 'admin',
      custom_shortlinks: [`http://${started.domain}/Spring_Sale-1`],
      tags: ['spring', 'sale'],
      launchpad_ids: [],
      qr_code_ids: [],
      deeplinks: [
        {
          guid: expect.stringMatching(/^R[0-9A-Za-z]{10}$/),
          shortlink: body.id,
          app_uri_path: 'a/b',
          install_url: '',
          app_guid: 'A1',
          os: 'ios',
          install_type: 'promote_install',
          created: body.created_at,
          modified: body.created_at,
          brand_guid: '',
        },
      ],
      campaign_ids: [],
      expiration_at: expires,
      is_deleted: false,
      private: false,
      dynamic_routing: [
        { long_url: 'https://example.com/de', country_match: ['DE', 'AT'], device_exclude: ['tablet'] },
      ],
    })
    expect((await started.request('GET', `/v4/shortlinks/${body.id}`)).body).toEqual(body)
    const expanded = await started.request('POST', '/v4/expand', { body: { shortlink_id: body.id } })
    expect(expanded.body.long_urls).toEqual(['https://example.com/', 'https://example.com/de'])
  })

  it('creates a new link with force_new_link, here and on /v4/shorten', async () => {
    const long_url = aUrl()
    const first = await create({ long_url })
    const forced = await create({ long_url, force_new_link: true })
    const shortened = await started.request('POST', '/v4/shorten', { body: { long_url, force_new_link: true } })
    const again = await create({ long_url, force_new_link: false })
    expect([forced.status, shortened.status, again.status]).toEqual([201, 201, 200])
    expect(new Set([first, forced, shortened].map(({ body }) => body.id)).size).toBe(3)
    expect(again.body.id).toBe(first.body.id)
  })

  it.each([
    ['expires', () => ({ expiration_at: new Date(Date.now() + 3_600_000).toISOString() })],
    ['opens an application', () => ({ deeplinks: [{ os: 'ios' }] })],
    ['leads some visitors elsewhere', () => ({ dynamic_routing: [{ long_url: aUrl(), country_match: ['DE'] }] })],
  ])('creates a new link for one that %s, and never reuses one for the other', async (_, input) => {
    const long_url = aUrl()
    const special = await create({ long_url, ...input() })
    const plain = await create({ long_url })
    const another = await create({ long_url, ...input() })
    expect([special.status, plain.status, another.status]).toEqual([201, 201, 201])
    expect(new Set([special, plain, another].map(({ body }) => body.id)).size).toBe(3)
    expect((await create({ long_url, title: 'T' })).body).toEqual({ ...plain.body, title: 'T' })
  })

  it('creates a new link with a keyword that redirects at once, even if it was cached as missing', async () => {
    const long_url = aUrl()
    expect(await visit(`${started.domain}/fresh`)).toEqual([404, undefined])
    const plain = await create({ long_url })
    const { status, body } = await create({ long_url, keyword: 'fresh' })
    expect([status, body.id === plain.body.id]).toEqual([201, false])
    expect(await visit(`${started.domain}/fresh`)).toEqual([301, long_url])
    expect(await visit(body.id)).toEqual([301, long_url])
  })

  it('distinguishes keywords by case', async () => {
    const [lower, upper] = [aUrl(), aUrl()]
    await create({ long_url: lower, keyword: 'case' })
    await create({ long_url: upper, keyword: 'CASE' })
    expect(await visit(`${started.domain}/case`)).toEqual([301, lower])
    expect(await visit(`${started.domain}/CASE`)).toEqual([301, upper])
  })

  it('creates links on a branded domain of the group', async () => {
    const long_url = aUrl()
    const { status, body } = await create({ long_url, domain: 'GO.brand.example', keyword: 'hello' })
    expect([status, body.id.split('/')[0]]).toEqual([201, branded])
  })

  it('lets one of several concurrent callers win a keyword', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => create({ long_url: aUrl(), keyword: 'race', tags: ['race'] })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(403)])
  })

  it('treats nulls as absent and empty strings as no value, and ignores unknown fields', async () => {
    const nothing = { title: null, tags: null, keyword: null, domain: null, deeplinks: null, shortlink_id: null }
    const { status, body } = await create({ long_url: aUrl(), ...nothing, expiration_at: '', id: 'x', created_at: 5 })
    expect([status, body.tags]).toEqual([201, []])
    expect(body).not.toHaveProperty('expiration_at')
    expect((await create({ long_url: aUrl(), title: '' })).body).not.toHaveProperty('title')
  })

  it('accepts deep links in both documented formats', async () => {
    const path = `/v4/organizations/${await firstOrganization(started)}/mobile_apps`
    const registered = { name: 'Shop', os: 'android', uri_scheme: 'shop', store_url: 'https://store.example/shop' }
    const app = (await started.request('POST', path, { body: registered })).body.guid
    const { status, body } = await create({ long_url: aUrl(), deeplinks: [{ app_id: app, app_uri_path: 'x' }] })
    expect(status).toBe(201)
    expect(body.deeplinks).toMatchObject([
      { app_guid: app, os: 'android', install_url: 'https://store.example/shop', install_type: 'no_install' },
    ])
    const wrong = await create({ long_url: aUrl(), deeplinks: [{ app_guid: app, os: 'ios' }] })
    expect([wrong.status, wrong.body.message]).toEqual([400, 'INVALID_ARG_DEEPLINKS'])
  })

  const rule = (conditions: object) => ({ dynamic_routing: [{ long_url: 'https://example.com/x', ...conditions }] })
  it.each([
    ['no long_url at all', { long_url: undefined }, 'INVALID_ARG_LONG_URL', 'long_url'],
    ['a bad long_url', { long_url: 'hello' }, 'INVALID_ARG_LONG_URL', 'long_url'],
    ['an unknown domain', { domain: 'elsewhere.example' }, 'INVALID_ARG_DOMAIN', 'domain'],
    ['a title that is not text', { title: 5 }, 'INVALID_ARG_TITLE', 'title'],
    ['a title with a line break', { title: 'a\nb' }, 'INVALID_ARG_TITLE', 'title'],
    ['a title of 2049 characters', { title: 'x'.repeat(2049) }, 'INVALID_ARG_TITLE', 'title'],
    ['half a character', { title: '\ud800' }, 'INVALID_ARG_TITLE', 'title'],
    ['a keyword with a space', { keyword: 'a b' }, 'INVALID_ARG_SHORTLINK', 'keyword'],
    ['a keyword with a slash', { keyword: 'a/b' }, 'INVALID_ARG_SHORTLINK', 'keyword'],
    ['a keyword of 51 characters', { keyword: 'k'.repeat(51) }, 'INVALID_ARG_SHORTLINK', 'keyword'],
    ['a reserved keyword', { keyword: 'v4' }, 'INVALID_ARG_SHORTLINK', 'keyword'],
    ['a reserved keyword in capitals', { keyword: 'Metrics' }, 'INVALID_ARG_SHORTLINK', 'keyword'],
    ['a keyword that is not text', { keyword: 7 }, 'INVALID_ARG_KEYWORD', 'keyword'],
    [
      'an expiry in the past',
      { expiration_at: '2020-01-01T00:00:00+0000' },
      'INVALID_ARG_EXPIRATION_AT',
      'expiration_at',
    ],
    ['tags that are no list', { tags: 'a' }, 'INVALID_ARG_TAGS', 'tags'],
    ['a tag that is not text', { tags: [1] }, 'INVALID_ARG_TAGS', 'tags'],
    ['a tag that is null', { tags: [null] }, 'INVALID_ARG_TAGS', 'tags'],
    ['force_new_link as text', { force_new_link: 'yes' }, 'INVALID_ARG_FORCE_NEW_LINK', 'force_new_link'],
    ['deep links that are no list', { deeplinks: {} }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    ['a deep link of no system', { deeplinks: [{ app_guid: 'A1' }] }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    ['a deep link of another system', { deeplinks: [{ os: 'dos' }] }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    ['an install type', { deeplinks: [{ os: 'ios', install_type: 'x' }] }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    [
      'a script to install',
      { deeplinks: [{ os: 'ios', install_url: 'javascript:x' }] },
      'INVALID_ARG_DEEPLINKS',
      'deeplinks',
    ],
    ['an app guid with a slash', { deeplinks: [{ os: 'ios', app_guid: 'a/b' }] }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    ['a path with NUL', { deeplinks: [{ os: 'ios', app_uri_path: '\0' }] }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    ['too many deep links', { deeplinks: Array(21).fill({ os: 'ios' }) }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    ['a rule without long_url', { dynamic_routing: [{}] }, 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
    ['a rule to nowhere', { dynamic_routing: [{ long_url: 'x' }] }, 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
    ['a rule for a country', rule({ country_match: ['Germany'] }), 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
    ['a rule for a region', rule({ region_exclude: ['CA'] }), 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
    ['a rule for a device', rule({ device_match: ['fridge'] }), 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
    ['a rule for a system', rule({ os_match: ['windows'] }), 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
    ['a rule that is no list', rule({ os_match: 'ios' }), 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
  ])('answers 400 for %s', async (_, wrong, message, field) => {
    const { status, body } = await create({ long_url: aUrl(), ...wrong })
    expect([status, body.message]).toEqual([400, message])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    expect(body.resource).toMatch(/^(shortlinks|deeplinks)$/)
    expect(body.description).not.toBe('')
  })

  it('answers 400 ALREADY_A_SHORTLINK for its own links, on branded domains and in rules too', async () => {
    for (const sent of [{ long_url: `https://${branded}/x` }, rule({ long_url: `http://${started.domain}/x` })]) {
      const { status, body } = await create({ long_url: aUrl(), ...sent })
      expect([status, body.message]).toEqual([400, 'ALREADY_A_SHORTLINK'])
    }
  })

  it('answers 403 FORBIDDEN for a keyword that is taken on the built-in domain, and writes nothing', async () => {
    const long_url = aUrl()
    await create({ long_url: aUrl(), keyword: 'taken' })
    const { status, body } = await create({ long_url, keyword: 'taken', tags: ['never-written'] })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'shortlinks'])
    const tags = await started.request('GET', `/v4/groups/${started.groupGuid}/tags`)
    expect(tags.body.tags).not.toContain('never-written')
    expect((await create({ long_url })).status).toBe(201)
  })

  it('answers 403 for a hash and a global hash that are taken', async () => {
    const { body } = await create({ long_url: aUrl() })
    expect((await create({ long_url: aUrl(), keyword: body.id.split('/')[1] })).status).toBe(403)
  })

  it('answers 409 KEYWORD_UNAVAILABLE for a keyword that the group itself has on a branded domain', async () => {
    await create({ long_url: aUrl(), domain: branded, keyword: 'mine' })
    const { status, body } = await create({ long_url: aUrl(), domain: branded, keyword: 'mine' })
    expect([status, body.message, body.resource]).toEqual([409, 'KEYWORD_UNAVAILABLE', 'shortlinks'])
  })

  it('answers 400 INVALID_ARG_GROUP_GUID for a keyword that another group has there', async () => {
    await create({ long_url: aUrl(), domain: branded, keyword: 'theirs', group_guid: otherGroup })
    const { status, body } = await create({ long_url: aUrl(), domain: branded, keyword: 'theirs' })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
  })

  it("answers 403 for someone else's group and to readers, before it looks at the fields", async () => {
    const stranger = await aStranger(started)
    expect((await create({ long_url: 5, group_guid: stranger.groupGuid })).status).toBe(403)
    const token = await aMember(started, started.groupGuid, 'reader')
    const { status, body } = await create({ long_url: 5 }, { token })
    expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
  })

  it('answers 417 DNS_CONFIGURATION_ERROR on a branded domain whose DNS points elsewhere, and writes nothing', async () => {
    const dns = await startDnsServer(new Map([['lost.example', { A: ['192.0.2.1'] }]]))
    const checking = await startApp({ dnsTargets: ['192.0.2.2'], dnsServers: [dns.address] })
    const organization = await firstOrganization(checking)
    await organize(checking).domain('lost.example', organization, [checking.groupGuid])
    const body = { long_url: aUrl(), domain: 'lost.example', keyword: 'word', tags: ['lost'] }
    const answer = await checking.request('POST', '/v4/shortlinks', { body })
    expect([answer.status, answer.body.message]).toEqual([417, 'DNS_CONFIGURATION_ERROR'])
    expect(answer.headers['x-bsd-error']).toContain('192.0.2.1')
    const tags = await checking.request('GET', `/v4/groups/${checking.groupGuid}/tags`)
    expect(tags.body.tags).toEqual([])
    await checking.close()
    await dns.close()
  })

  it.each(unreadableBodies)('answers UNPROCESSABLE_ENTITY when the body is %s', async (_, sent, status) => {
    const answer = await create(sent)
    expect([answer.status, answer.body.message, answer.body.resource]).toEqual([
      status,
      'UNPROCESSABLE_ENTITY',
      'shortlinks',
    ])
  })
})

describe('POST /v4/shortlinks with a short link and a keyword', () => {
  async function aLink(more: object = {}): Promise<string> {
    return (await create({ long_url: aUrl(), ...more })).body.id
  }

  it('answers 200 with the link and its custom back-halves, newest first', async () => {
    const id = await aLink()
    await create({ shortlink_id: id, keyword: 'first-word' })
    const { status, body } = await create({ shortlink_id: `https://${id}`, keyword: 'second-word' })
    expect([status, body.id]).toEqual([200, id])
    const urls = body.custom_shortlinks
    expect(urls.toSorted()).toEqual([`http://${started.domain}/first-word`, `http://${started.domain}/second-word`])
    expect((await visit(`${started.domain}/second-word`))[0]).toBe(301)
    expect((await visit(id))[0]).toBe(301)
  })

  it('works on a branded domain, and accepts one of its keywords as the id', async () => {
    const id = await aLink({ domain: branded, keyword: 'brand-one' })
    const { status, body } = await create({ shortlink_id: `${branded}/brand-one`, keyword: 'brand-two' })
    expect([status, body.id, body.custom_shortlinks.length]).toEqual([200, id, 2])
  })

  it('answers 400 for long_url and shortlink_id together', async () => {
    for (const shortlink_id of [await aLink(), `${started.domain}/none`, 'nonsense']) {
      const { status, body } = await create({ shortlink_id, long_url: aUrl(), keyword: 'both' })
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_SHORTLINK_ID'])
    }
  })

  it('answers 400 without a keyword, for an invalid keyword and for an invalid id', async () => {
    const id = await aLink()
    expect((await create({ shortlink_id: id })).body.message).toBe('INVALID_ARG_KEYWORD')
    expect((await create({ shortlink_id: id, keyword: 'a.b' })).body.message).toBe('INVALID_ARG_SHORTLINK')
    const { status, body } = await create({ shortlink_id: 'nonsense', keyword: 'word' })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_SHORTLINK_ID'])
  })

  it('answers 404 NOT_FOUND for a link that does not exist or was deleted', async () => {
    const deleted = await aLink()
    await started.request('DELETE', `/v4/shortlinks/${deleted}`)
    for (const shortlink_id of [`${started.domain}/none`, deleted]) {
      const { status, body } = await create({ shortlink_id, keyword: 5 })
      expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
    }
  })

  it("answers 403 for someone else's link and to readers, before it looks at the keyword", async () => {
    const id = await aLink()
    const stranger = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    for (const token of [stranger.token, reader]) {
      expect((await create({ shortlink_id: id, keyword: 5 }, { token })).status).toBe(403)
    }
  })

  it('answers 403 for a keyword that is taken on the built-in domain', async () => {
    await aLink({ keyword: 'occupied' })
    expect((await create({ shortlink_id: await aLink(), keyword: 'occupied' })).status).toBe(403)
  })

  it('answers 422 if the domain does not match the link', async () => {
    const { status, body } = await create({ shortlink_id: await aLink(), keyword: 'w', domain: branded })
    expect([status, body.message]).toEqual([422, 'UNPROCESSABLE_ENTITY'])
  })
})
