import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

describe('PATCH /v4/shortlinks/{domain}/{hash}', () => {
  const started = useApp()

  let made = 0
  const aUrl = () => `https://example.com/update/${made++}`
  const create = async (more: object = {}) =>
    (await started.request('POST', '/v4/shortlinks', { body: { long_url: aUrl(), ...more } })).body
  const aLink = async (more: object = {}): Promise<string> => (await create(more)).id
  const patch = (id: string, body: unknown, options: { token?: string } = {}) =>
    started.request('PATCH', `/v4/shortlinks/${id}`, { body, ...options })
  const read = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body
  const visit = async (id: string) => {
    const { status, headers } = await started.request('GET', `/${id.split('/')[1]}`, { token: null })
    return [status, headers.location]
  }

  it('answers 200 with the updated resource', async () => {
    const before = await create({ title: 'Old', tags: ['a'] })
    const changes = [
      [{ title: 'New' }, { title: 'New' }],
      [{ archived: true }, { archived: true }],
      [{ tags: ['b', 'c'] }, { tags: ['b', 'c'] }],
      [
        { dynamic_routing: [{ long_url: 'https://example.com/x' }] },
        { dynamic_routing: [{ long_url: 'https://example.com/x' }] },
      ],
      [{ tags: [] }, { tags: [] }],
      [{ archived: false }, { archived: false }],
    ]
    let expected = before
    for (const [change, difference] of changes) {
      const { status, body } = await patch(before.id, change)
      expected = { ...expected, ...difference }
      expect([status, body]).toEqual([200, expected])
      expect(await read(before.id)).toEqual(expected)
    }
    const { dynamic_routing, title, ...rest } = expected
    expect((await patch(before.id, { dynamic_routing: [], title: '' })).body).toEqual(rest)
  })

  it('changes nothing for an empty object, nulls, unknown and read-only fields', async () => {
    const before = await create({ title: 'Old', tags: ['a'], keyword: 'untouched' })
    const nulls = { title: null, tags: null, archived: null, long_url: null, expiration_at: null, deeplinks: null }
    const others = {
      id: 'x/y',
      link: 'z',
      created_at: 'never',
      created_by: 7,
      references: [],
      custom_shortlinks: [],
      x: 1,
    }
    for (const sent of [{}, nulls, others]) expect((await patch(before.id, sent)).body).toEqual(before)
  })

  it('ignores group_guid, which is not a field of a link', async () => {
    const before = await create()
    const { groupGuid: group_guid } = await aStranger(started)
    expect(await patch(before.id, { group_guid, title: 'T' })).toMatchObject({ status: 200, body: { title: 'T' } })
    expect((await read(before.id)).references).toEqual(before.references)
  })

  it('accepts its own response even if its values could no longer be set', async () => {
    const rule = { long_url: 'https://routed.example.net/x', country_match: ['DE', 'FR'], os_exclude: ['ios'] }
    const deeplinks = [{ app_guid: 'A1', os: 'android', app_uri_path: 'a/b' }]
    const { id } = await create({ dynamic_routing: [rule], deeplinks })
    await organize(started).domain('routed.example.net', await firstOrganization(started))
    const whole = await read(id)
    const { status, body } = await patch(id, { ...whole, title: 'T' })
    expect([status, body]).toEqual([200, { ...whole, title: 'T' }])
    const again = await patch(id, { dynamic_routing: [rule, rule] })
    expect([again.status, again.body.message]).toEqual([400, 'ALREADY_A_SHORTLINK'])
  })

  it('accepts its own response, also after the expiry, without marking it as edited', async () => {
    const deeplinks = [{ app_guid: 'A1', os: 'android' }]
    const { id } = await create({ title: 'T', tags: ['a'], deeplinks, dynamic_routing: [{ long_url: aUrl() }] })
    await alterRecords(started, 'update links set expires_at = 1500 where id = ?', id)
    const whole = await read(id)
    const { status, body } = await patch(id, { ...whole, title: 'T2' })
    expect([status, body]).toEqual([200, { ...whole, title: 'T2' }])
    expect((await started.request('DELETE', `/v4/shortlinks/${id}`)).status).toBe(200)
  })

  it('redirects with long_url: at once, normalised, at the hash and at every custom back-half', async () => {
    const before = await create({ keyword: 'moving' })
    expect(await visit(before.id)).toEqual([301, before.long_url])
    expect(await visit(`${started.domain}/moving`)).toEqual([301, before.long_url])
    const { status, body } = await patch(before.id, { long_url: 'HTTPS://Example.com:443/moved' })
    expect([status, body]).toEqual([200, { ...before, long_url: 'https://example.com/moved' }])
    expect(await visit(before.id)).toEqual([301, 'https://example.com/moved'])
    expect(await visit(`${started.domain}/moving`)).toEqual([301, 'https://example.com/moved'])
    const expanded = await started.request('POST', '/v4/expand', { body: { shortlink_id: before.id } })
    expect(expanded.body.long_url).toBe('https://example.com/moved')
  })

  it('does not reuse a redirected link, neither for the old URL nor for the new', async () => {
    const [from, to] = [aUrl(), aUrl()]
    const id = await aLink({ long_url: from })
    await patch(id, { long_url: to })
    for (const long_url of [from, to]) {
      const { status, body } = await started.request('POST', '/v4/shorten', { body: { long_url } })
      expect([status, body.id === id]).toEqual([201, false])
    }
  })

  it('accepts the custom back-half as the id', async () => {
    const id = await aLink({ keyword: 'by-word' })
    const { status, body } = await patch(`${started.domain}/by-word`, { title: 'T' })
    expect([status, body.id, body.title]).toEqual([200, id, 'T'])
  })

  it('replaces deep links, and keeps those that come with their guid', async () => {
    const { id, deeplinks } = await create({
      deeplinks: [
        { app_guid: 'A1', os: 'ios' },
        { app_guid: 'A2', os: 'android' },
      ],
    })
    const [ios, android] = deeplinks
    const { status, body } = await patch(id, {
      deeplinks: [
        { ...android, app_uri_path: 'new', install_type: 'auto_install', install_url: 'market://details?id=x' },
        { app_guid: 'A3', os: 'ios', brand_guid: 'B9' },
      ],
    })
    expect(status).toBe(200)
    expect(body.deeplinks).toMatchObject([
      { guid: android.guid, app_uri_path: 'new', install_type: 'auto_install', created: android.created },
      { app_guid: 'A3', os: 'ios', brand_guid: 'B9', shortlink: id },
    ])
    expect(body.deeplinks[1].guid).not.toBe(ios.guid)
    expect((await patch(id, { deeplinks: [] })).body.deeplinks).toEqual([])
  })

  it("answers 409 CONFLICT for another link's deep link, and changes nothing", async () => {
    const other = await create({ deeplinks: [{ app_guid: 'A1', os: 'ios' }] })
    const before = await create({ title: 'kept' })
    const { status, body } = await patch(before.id, { title: 'not written', deeplinks: other.deeplinks })
    expect([status, body.message, body.resource]).toEqual([409, 'CONFLICT', 'deeplinks'])
    expect(await read(before.id)).toEqual(before)
    expect(await read(other.id)).toEqual(other)
  })

  it.each([
    ['a title that is a number', { title: 5 }, 'INVALID_ARG_TITLE', 'title'],
    ['a title with control characters', { title: 'a\u0007' }, 'INVALID_ARG_TITLE', 'title'],
    ['archived as text', { archived: 'true' }, 'INVALID_ARG_ARCHIVED', 'archived'],
    ['a bad long_url', { long_url: 'javascript:alert(1)' }, 'INVALID_ARG_LONG_URL', 'long_url'],
    ['a bad tag', { tags: ['a b'] }, 'INVALID_TAG', 'tags'],
    ['tags that are no list', { tags: {} }, 'INVALID_ARG_TAGS', 'tags'],
    ['deep links of no shape', { deeplinks: ['x'] }, 'INVALID_ARG_DEEPLINKS', 'deeplinks'],
    ['a rule of no shape', { dynamic_routing: [7] }, 'INVALID_ARG_DYNAMIC_ROUTING', 'dynamic_routing'],
    ['a bad expiry', { expiration_at: 'tomorrow' }, 'INVALID_ARG_EXPIRATION_AT', 'expiration_at'],
  ])('answers 400 for %s, and changes nothing', async (_, wrong, message, field) => {
    const before = await create({ title: 'kept', tags: ['kept'] })
    const { status, body } = await patch(before.id, { archived: true, ...wrong })
    expect([status, body.message]).toEqual([400, message])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    expect(body.resource).toMatch(/^(shortlinks|deeplinks)$/)
    expect(await read(before.id)).toEqual(before)
  })

  it('answers 400 ALREADY_A_SHORTLINK for a destination of its own', async () => {
    const id = await aLink()
    const { status, body } = await patch(id, { long_url: `http://${id}` })
    expect([status, body.message]).toEqual([400, 'ALREADY_A_SHORTLINK'])
  })

  it("answers 403 for someone else's link and to readers, before it checks the fields", async () => {
    const before = await create()
    const stranger = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    for (const token of [stranger.token, reader]) {
      const { status, body } = await patch(before.id, { title: 5 }, { token })
      expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
    }
    expect(await read(before.id)).toEqual(before)
  })

  it('lets members of the group change links', async () => {
    const token = await aMember(started, started.groupGuid, 'member')
    expect((await patch(await aLink(), { title: 'theirs' }, { token })).status).toBe(200)
  })

  it('answers 404 NOT_FOUND for a link that does not exist', async () => {
    const { status, body } = await patch(`${started.domain}/none`, { title: 5 })
    expect([status, body.message]).toEqual([404, 'NOT_FOUND'])
  })

  it('answers 410 GONE for a deleted link', async () => {
    const id = await aLink()
    await started.request('DELETE', `/v4/shortlinks/${id}`)
    const { status, body } = await patch(id, { title: 'T' })
    expect([status, body.message]).toEqual([410, 'GONE'])
  })

  it('answers 406 for a body that is not sent as JSON', async () => {
    const headers = { 'content-type': 'text/plain' }
    const { status } = await started.request('PATCH', `/v4/shortlinks/${await aLink()}`, { body: '{}', headers })
    expect(status).toBe(406)
  })

  it.each(unreadableBodies)('answers UNPROCESSABLE_ENTITY when the body is %s', async (_, sent, status) => {
    const answer = await patch(await aLink(), sent)
    expect([answer.status, answer.body.message]).toEqual([status, 'UNPROCESSABLE_ENTITY'])
  })
})
