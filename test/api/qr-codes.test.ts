import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { plansFile } from '../support/plans-file.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

const plans = plansFile({
  two: { limits: { qr_codes: 2 } },
  one: { limits: { encodes: 1 } },
  bare: { features: [] },
})

const start = Date.parse('2026-03-01T12:00:00Z')
let now = start
const started = useApp({ plans }, { clock: { now: () => now } })
let stranger: Someone
let branded: string
let organization: string
beforeAll(async () => {
  stranger = await aStranger(started)
  organization = await firstOrganization(started)
  branded = await organize(started).domain('go.example.com', organization, [started.groupGuid])
})

interface Options {
  readonly token?: string
}
const post = (body: unknown, options: Options = {}) => started.request('POST', '/v4/qr-codes', { body, ...options })
const create = (fields: object = {}, options: Options = {}) =>
  post({ group_guid: started.groupGuid, destination: { long_url: aUrl() }, ...fields }, options)
const patch = (id: string, body: unknown, options: Options = {}) =>
  started.request('PATCH', `/v4/qr-codes/${id}`, { body, ...options })
const read = (id: string, options: Options = {}) => started.request('GET', `/v4/qr-codes/${id}`, options)
const redirect = (id: string, body: unknown, options: Options = {}) =>
  started.request('PATCH', `/v4/qr-codes/${id}/redirect`, { body, ...options })
const couple = (id: string, options: Options = {}) => started.request('PUT', `/v4/qr-codes/${id}/to-shortlink`, options)
const remove = (id: string, options: Options = {}) => started.request('DELETE', `/v4/qr-codes/${id}`, options)
const link = (id: string, options: Options = {}) => started.request('GET', `/v4/shortlinks/${id}`, options)
/** The list of short links, without its cursor. */
const links = async (query = '') =>
  (await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks${query}`)).body.links
const visit = (id: string) => started.request('GET', `/${id.split('/')[1]}?r=qr`, { token: null })
const used = async (name: string) =>
  (await started.request('GET', `/v4/groups/${started.groupGuid}/feature_usage?name=${name}`)).body.limit_usage[0].count
const give = (plan: string) =>
  operate(started.app, operator, 'setPlan', { organizationGuid: organization, plan, force: true })

let made = 0
const aUrl = () => `https://example.com/qr/${made++}`
async function aLink(fields: object = {}): Promise<{ id: string; long_url: string }> {
  return (await started.request('POST', '/v4/shortlinks', { body: { long_url: aUrl(), ...fields } })).body
}
async function aCode(fields: object = {}): Promise<{ qrcode_id: string; shortlink_id: string; long_urls: string[] }> {
  const { status, body } = await create(fields)
  expect(status).toBe(201)
  return body
}
const codeFor = (id: string, fields: object = {}) => aCode({ destination: { shortlink_id: id }, ...fields })
const refused = (field: string, message: string) => ({
  status: 400,
  body: { message, resource: 'qr_codes', errors: [{ field, error_code: 'invalid' }] },
})

const codes = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`)).body.qr_codes

const blackToYellow = [
  { color: '#000000', offset: 0 },
  { color: '#ffee00', offset: 100 },
]
/** Styles that scanners would not read, where the fault is and what to change. */
const unreadableStyles: readonly (readonly [string, object, string, RegExp])[] = [
  ['pale dots', { dot_pattern_color: '#ffcc00' }, 'dot_pattern_color', /Choose a darker colour/],
  ['dots that can be seen through', { dot_pattern_color: '#00000040' }, 'dot_pattern_color', /Choose a darker colour/],
  ['light dots on dark', { dot_pattern_color: '#fff', background_color: '#000' }, 'dot_pattern_color', /Swap/],
  ['a dark ground', { background_color: '#444444' }, 'background_color', /Choose a lighter ground/],
  [
    'a pale corner',
    { corners: { corner_2: { outer_color: '#ffd700' } } },
    'corners.corner_2.outer_color',
    /Choose a darker colour/,
  ],
  [
    'a gradient that ends too pale',
    { gradient: { style: 'linear', colors: blackToYellow } },
    'gradient.colors',
    /Choose a darker colour/,
  ],
]

describe('POST /v4/qr-codes', () => {
  it('answers 201 with a code for a short link', async () => {
    const { id, long_url } = await aLink()
    const { status, body } = await create({ destination: { shortlink_id: id }, title: 'Poster', tags: ['b', 'a'] })
    expect(status).toBe(201)
    expect(body).toEqual({
      qrcode_id: expect.stringMatching(/^Q[0-9A-Za-z]{10}$/),
      group_guid: started.groupGuid,
      title: 'Poster',
      serialized_content: `http://${id}?r=qr`,
      qr_code_type: 'shortlink',
      shortlink_id: id,
      image_url: expect.stringMatching(`^http://localhost:\\d+/assets/qr/P[0-9A-Za-z]{22}\\.svg$`),
      created_by: 'admin',
      created: '2026-03-01T12:00:00+0000',
      modified: '2026-03-01T12:00:00+0000',
      updated: '2026-03-01T12:00:00+0000',
      is_customized: false,
      is_gs1: false,
      archived: false,
      long_urls: [long_url],
      tags: ['b', 'a'],
    })
    expect((await link(id)).body.qr_code_ids).toEqual([body.qrcode_id])
  })

  it('answers 201 with a stand-alone code for a long URL, whose address leads there at once', async () => {
    const long_url = aUrl()
    const { status, body } = await create({ destination: { long_url } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      qr_code_type: 'long_url',
      shortlink_id: expect.stringMatching(`^${started.domain}/[0-9A-Za-z]{7}$`),
      serialized_content: `http://${body.shortlink_id}?r=qr`,
      long_urls: [long_url],
    })
    expect(await visit(body.shortlink_id)).toMatchObject({ status: 301, headers: { location: long_url } })
  })

  it('makes an address that is in no list of short links, no search, no export and no count', async () => {
    const counted = await used('encodes')
    const { shortlink_id: id, qrcode_id } = await aCode({ destination: { long_url: 'https://hidden.example/qr' } })
    expect((await links()).map((each: { id: string }) => each.id)).not.toContain(id)
    expect(await links('?query=hidden.example')).toEqual([])
    const listed = await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, {
      body: { export_type: 'links_list', filter: { query: 'hidden.example' } },
    })
    expect(listed.body.row_count).toBe(0)
    const batch = { export_type: 'link_engagements_batch', shortlinks: [id] }
    expect((await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, { body: batch })).status).toBe(400)
    const bulk = { action: 'archive', archive: true, links: [id] }
    expect((await started.request('PATCH', `/v4/groups/${started.groupGuid}/shortlinks`, { body: bulk })).status).toBe(
      404,
    )
    expect(await link(id)).toMatchObject({ status: 404, body: { description: expect.stringContaining(qrcode_id) } })
    expect(await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { title: 'x' } })).toMatchObject({
      status: 404,
    })
    expect(await started.request('DELETE', `/v4/shortlinks/${id}`)).toMatchObject({ status: 404 })
    expect(await started.request('GET', `/v4/shortlinks/${id}/clicks`)).toMatchObject({ status: 404 })
    const keyword = { shortlink_id: id, keyword: 'hidden' }
    expect(await started.request('POST', '/v4/shortlinks', { body: keyword })).toMatchObject({ status: 404 })
    expect(await used('encodes')).toBe(counted)
    const expanded = await started.request('POST', '/v4/expand', { body: { shortlink_id: id } })
    expect(expanded.body.long_url).toBe('https://hidden.example/qr')
  })

  it('shortening the same long URL makes another link', async () => {
    const { long_urls, shortlink_id } = await aCode()
    const { status, body } = await started.request('POST', '/v4/shorten', { body: { long_url: long_urls[0] } })
    expect([status, body.id === shortlink_id]).toEqual([201, false])
  })

  it('takes expiration_at and dynamic_routing for a long URL', async () => {
    const rule = { long_url: 'https://example.com/de', country_match: ['DE'] }
    const long_url = aUrl()
    const { status, body } = await create({
      destination: { long_url },
      expiration_at: '2026-03-01T13:00:00+0000',
      dynamic_routing: [rule],
    })
    expect([status, body.expiration_at, body.dynamic_routing, body.long_urls]).toEqual([
      201,
      '2026-03-01T13:00:00+0000',
      [rule],
      [long_url, rule.long_url],
    ])
    now = Date.parse('2026-03-01T13:00:01Z')
    expect((await visit(body.shortlink_id)).status).toBe(410)
    expect((await read(body.qrcode_id)).status).toBe(200)
    now = start
  })

  it('makes the address on a domain of the group', async () => {
    expect((await aCode({ domain: branded })).shortlink_id).toMatch(`${branded}/`)
    expect(await create({ domain: 'other.example' })).toMatchObject(refused('domain', 'INVALID_ARG_DOMAIN'))
  })

  it('makes a code for a custom back-half', async () => {
    const { id } = await aLink({ domain: branded, keyword: 'menu' })
    const code = await codeFor(`${branded}/menu`)
    const content = `http://${branded}:${new URL(started.url).port}/menu?r=qr`
    expect(code).toMatchObject({ shortlink_id: `${branded}/menu`, serialized_content: content })
    expect((await link(id)).body.qr_code_ids).toEqual([code.qrcode_id])
  })

  it('looks as asked, and says so', async () => {
    const render_customizations = { dot_pattern_color: '#123456', dot_pattern_type: 'circle' }
    const code = await aCode({ render_customizations })
    expect(code).toMatchObject({ is_customized: true })
    expect((await read(code.qrcode_id)).body.render_customizations).toMatchObject(render_customizations)
  })

  it.each([
    ['no destination', { destination: {} }, 'destination', 'INVALID_ARG_DESTINATION'],
    ['two destinations', { destination: { long_url: 'https://example.com/', shortlink_id: 'a/b' } }, 'destination'],
    ['a destination that is text', { destination: 'https://example.com/' }, 'destination'],
    ['a long URL that is none', { destination: { long_url: 'nonsense' } }, 'destination.long_url'],
    ['a long URL that is a number', { destination: { long_url: 7 } }, 'destination.long_url'],
    ['a short link that is none', { destination: { shortlink_id: 'nonsense' } }, 'destination.shortlink_id'],
    ['a launchpad', { destination: { site_id: 'M1234567890' } }, 'destination.site_id'],
    ['a title of many lines', { title: 'a\nb' }, 'title'],
    ['a title that is a number', { title: 7 }, 'title'],
    ['a tag with a space', { tags: ['a b'] }, 'tags', 'INVALID_TAG'],
    ['an expiry in the past', { expiration_at: '2020-01-01T00:00:00+0000' }, 'expiration_at'],
    ['a rule without a destination', { dynamic_routing: [{}] }, 'dynamic_routing'],
    [
      'an unknown corner',
      { render_customizations: { corners: { corner_1: { shape: 'odd' } } } },
      'render_customizations.corners.corner_1.shape',
    ],
    [
      'a corner that is a number',
      { render_customizations: { corners: { corner_1: { shape: 7 } } } },
      'render_customizations.corners.corner_1.shape',
    ],
    [
      'a colour that is none',
      { render_customizations: { background_color: 'red' } },
      'render_customizations.background_color',
    ],
    [
      'a logo that is not there',
      { render_customizations: { logo: { image_guid: 'I1234567890' } } },
      'render_customizations.logo.image_guid',
    ],
  ])('answers 400 for %s, and makes nothing', async (_, fields, field, message?) => {
    const before = await used('qr_codes')
    const code = message ?? `INVALID_ARG_${(field as string).split('.')[0]?.toUpperCase()}`
    expect(await create(fields as object)).toMatchObject(refused(field as string, code))
    expect(await used('qr_codes')).toBe(before)
  })

  it.each(unreadableStyles)(
    'answers 422 for %s, with its path and what to change, and makes nothing',
    async (_, style, field, advice) => {
      const before = [await used('qr_codes'), await codes()]
      const { status, body } = await create({ render_customizations: style })
      expect([status, body.message, body.resource]).toEqual([422, 'UNPROCESSABLE_ENTITY', 'qr_codes'])
      expect(body.errors).toEqual([{ field: `render_customizations.${field}`, error_code: 'invalid' }])
      expect(body.description).toMatch(advice)
      expect([await used('qr_codes'), await codes()]).toEqual(before)
    },
  )

  it('answers 400 for a long URL that is a short link', async () => {
    const destination = { long_url: `http://${(await aLink()).id}` }
    expect(await create({ destination })).toMatchObject(refused('destination.long_url', 'ALREADY_A_SHORTLINK'))
  })

  it.each([
    ['expiration_at', { expiration_at: '2026-03-02T12:00:00+0000' }],
    ['dynamic_routing', { dynamic_routing: [{ long_url: 'https://example.com/', country_match: ['DE'] }] }],
    ['domain', { domain: 'go.example.com' }],
  ])('answers 400 for %s beside a short link, which has its own', async (field, fields) => {
    const { id } = await aLink()
    const message = `INVALID_ARG_${field.toUpperCase()}`
    expect(await create({ destination: { shortlink_id: id }, ...fields })).toMatchObject(refused(field, message))
  })

  it('answers 400 for a missing group or destination', async () => {
    expect(await post({ destination: { long_url: aUrl() } })).toMatchObject(
      refused('group_guid', 'INVALID_ARG_GROUP_GUID'),
    )
    expect(await post({ group_guid: started.groupGuid })).toMatchObject(
      refused('destination', 'INVALID_ARG_DESTINATION'),
    )
  })

  it('answers 400 for a short link of another of the groups', async () => {
    const group = await organize(started).group()
    const destination = { shortlink_id: (await aLink()).id }
    expect(await create({ group_guid: group, destination })).toMatchObject(
      refused('group_guid', 'INVALID_ARG_GROUP_GUID'),
    )
  })

  it('answers 403 for the group or the link of somebody else, and for readers', async () => {
    expect((await create({ group_guid: stranger.groupGuid })).status).toBe(403)
    expect((await create({ group_guid: 'Bnone' })).status).toBe(403)
    const destination = { shortlink_id: (await aLink()).id }
    expect((await create({ group_guid: stranger.groupGuid, destination }, stranger)).status).toBe(403)
    const token = await aMember(started, started.groupGuid, 'reader')
    expect((await create({}, { token })).status).toBe(403)
  })

  it('answers 404 for a short link that is not there or is hidden, and 410 for a deleted one', async () => {
    const { id } = await aLink()
    await started.request('DELETE', `/v4/shortlinks/${id}`)
    expect((await create({ destination: { shortlink_id: id } })).status).toBe(410)
    const hidden = await aCode()
    for (const shortlink_id of [`${started.domain}/none`, hidden.shortlink_id]) {
      expect((await create({ destination: { shortlink_id } })).status).toBe(404)
    }
  })

  it.each(unreadableBodies)('answers %s as unreadable', async (_, body, status) => {
    expect((await post(body)).status).toBe(status)
  })

  it('counts codes for the feature usage and the plan: 429 beyond it, 402 without the feature', async () => {
    const before = await used('qr_codes')
    await aCode()
    expect(await used('qr_codes')).toBe(before + 1)
    await give('two')
    expect(await create()).toMatchObject({ status: 429, body: { message: 'MONTHLY_LIMIT_EXCEEDED' } })
    await give('bare')
    expect(await create()).toMatchObject({ status: 402, body: { message: 'UPGRADE_REQUIRED', resource: 'qr_codes' } })
    await give('unlimited')
  })
})

describe('GET /v4/qr-codes/{qrcode_id}', () => {
  it('answers the code with its whole design', async () => {
    const code = await aCode({ title: 'Poster', tags: ['a'] })
    const { status, body } = await read(code.qrcode_id)
    expect(status).toBe(200)
    const { created_by: _, is_customized: __, is_gs1: ___, ...shared } = code as unknown as Record<string, unknown>
    expect(body).toMatchObject(shared)
    expect(body.render_customizations).toMatchObject({
      background_color: '#ffffff',
      dot_pattern_color: '#000000',
      dot_pattern_type: 'standard',
      spec_settings: { error_correction: expect.any(Number) },
    })
  })

  it('answers 403 for strangers, 404 for what is no code and 410 for a deleted one', async () => {
    const { qrcode_id: id } = await aCode()
    expect((await read(id, stranger)).status).toBe(403)
    for (const odd of ['Qnone', 'a-b', 'I1234567890']) expect((await read(odd)).status).toBe(404)
    await remove(id)
    expect((await read(id)).status).toBe(410)
    expect((await read(id, stranger)).status).toBe(403)
  })
})

describe('PATCH /v4/qr-codes/{qrcode_id}', () => {
  it('changes what is sent and keeps the rest', async () => {
    const code = await aCode({ title: 'Old', tags: ['a'] })
    now = start + 60_000
    expect(await patch(code.qrcode_id, { title: 'New' })).toMatchObject({
      status: 200,
      body: { ...code, title: 'New', modified: '2026-03-01T12:01:00+0000', updated: '2026-03-01T12:01:00+0000' },
    })
    now = start
    const fields = { archived: true, tags: ['b'], render_customizations: { dot_pattern_color: '#123456' } }
    const { body } = await patch(code.qrcode_id, fields)
    expect(body).toMatchObject({ title: 'New', archived: true, tags: ['b'], is_customized: true })
    const plain = (await patch(code.qrcode_id, { title: '', render_customizations: {} })).body
    expect(plain).toMatchObject({ is_customized: false })
    expect(plain).not.toHaveProperty('title')
  })

  it.each(unreadableStyles)('answers 422 for %s, and changes nothing', async (_, style, field) => {
    const { qrcode_id: id } = await aCode({ title: 'Old', render_customizations: { dot_pattern_color: '#123456' } })
    const before = (await read(id)).body
    const { status, body } = await patch(id, { title: 'New', render_customizations: style })
    expect([status, body.errors]).toEqual([422, [{ field: `render_customizations.${field}`, error_code: 'invalid' }]])
    expect((await read(id)).body).toEqual(before)
  })

  it('changes and removes expiry and rules of a stand-alone code, which redirects follow', async () => {
    const { qrcode_id: id, shortlink_id } = await aCode()
    const rule = { long_url: 'https://example.com/phone', os_match: ['ios'] }
    const changed = await patch(id, { expiration_at: '2026-03-01T13:00:00+0000', dynamic_routing: [rule] })
    expect(changed.body).toMatchObject({ expiration_at: '2026-03-01T13:00:00+0000', dynamic_routing: [rule] })
    now = Date.parse('2026-03-01T13:00:01Z')
    expect((await visit(shortlink_id)).status).toBe(410)
    const { body } = await patch(id, { expiration_at: '', dynamic_routing: [] })
    expect(body).not.toHaveProperty('expiration_at')
    expect(body).not.toHaveProperty('dynamic_routing')
    expect((await visit(shortlink_id)).status).toBe(301)
    now = start
  })

  it('refuses expiry and rules of a coupled code, unless they are sent as they are', async () => {
    const { id } = await aLink({ expiration_at: '2026-03-02T12:00:00+0000' })
    const code = await codeFor(id)
    expect(code).toMatchObject({ expiration_at: '2026-03-02T12:00:00+0000' })
    expect((await patch(code.qrcode_id, code)).status).toBe(200)
    const expiry = { title: 'x', expiration_at: '2026-03-03T12:00:00+0000' }
    expect(await patch(code.qrcode_id, expiry)).toMatchObject(refused('expiration_at', 'INVALID_ARG_EXPIRATION_AT'))
    const rules = { dynamic_routing: [{ long_url: 'https://example.com/', country_match: ['DE'] }] }
    expect(await patch(code.qrcode_id, rules)).toMatchObject(refused('dynamic_routing', 'INVALID_ARG_DYNAMIC_ROUTING'))
    expect((await read(code.qrcode_id)).body).not.toHaveProperty('title')
  })

  it('takes the whole code back as it was read', async () => {
    const code = await aCode({ title: 'Same', expiration_at: '2026-03-02T12:00:00+0000' })
    const { body } = await read(code.qrcode_id)
    expect(await patch(code.qrcode_id, body)).toMatchObject({ status: 200, body: code })
  })

  it('answers 400, 403, 404, 406, 410 and 422', async () => {
    const { qrcode_id: id } = await aCode()
    expect(await patch(id, { tags: ['a b'] })).toMatchObject(refused('tags', 'INVALID_TAG'))
    expect((await patch(id, {}, stranger)).status).toBe(403)
    const token = await aMember(started, started.groupGuid, 'reader')
    expect((await patch(id, { title: 'x' }, { token })).status).toBe(403)
    expect((await patch('Qnone', {})).status).toBe(404)
    const headers = { 'content-type': 'text/plain' }
    expect((await started.request('PATCH', `/v4/qr-codes/${id}`, { body: '{}', headers })).status).toBe(406)
    expect((await patch(id, '{')).status).toBe(422)
    await remove(id)
    expect((await patch(id, { title: 'x' })).status).toBe(410)
  })
})

describe('PATCH /v4/qr-codes/{qrcode_id}/redirect', () => {
  it('leads a stand-alone code elsewhere at once, and counts as an encode', async () => {
    const { qrcode_id: id, shortlink_id } = await aCode()
    await visit(shortlink_id)
    const [encodes, redirects] = [await used('encodes'), await used('redirects')]
    const long_url = aUrl()
    expect(await redirect(id, { long_url })).toMatchObject({
      status: 200,
      body: { qrcode_id: id, long_urls: [long_url] },
    })
    expect((await visit(shortlink_id)).headers.location).toBe(long_url)
    expect([await used('encodes'), await used('redirects')]).toEqual([encodes + 1, redirects + 1])
  })

  it('answers 400 for a coupled code, and for a long URL that is none', async () => {
    const coupled = await codeFor((await aLink()).id)
    expect(await redirect(coupled.qrcode_id, { long_url: aUrl() })).toMatchObject({
      status: 400,
      body: { message: 'BAD_REQUEST', resource: 'qr_codes' },
    })
    const { qrcode_id: id } = await aCode()
    for (const body of [{}, { long_url: 'nonsense' }, { long_url: 7 }]) {
      expect(await redirect(id, body)).toMatchObject(refused('long_url', 'INVALID_ARG_LONG_URL'))
    }
  })

  it('answers 403, 404, 410, 422 and 429', async () => {
    const { qrcode_id: id } = await aCode()
    const body = { long_url: aUrl() }
    expect((await redirect(id, body, stranger)).status).toBe(403)
    expect((await redirect('Qnone', body)).status).toBe(404)
    expect((await redirect(id, '[]')).status).toBe(422)
    await give('one')
    expect((await redirect(id, body)).status).toBe(429)
    await give('unlimited')
    await remove(id)
    expect((await redirect(id, body)).status).toBe(410)
  })
})

describe('PUT /v4/qr-codes/{qrcode_id}/to-shortlink', () => {
  it('answers the short link, which is one like others from then on, and costs one encode once', async () => {
    const code = await aCode({ title: 'Poster' })
    const encodes = await used('encodes')
    now = start + 60_000
    const { status, body } = await couple(code.qrcode_id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: code.shortlink_id,
      long_url: code.long_urls[0],
      title: 'Poster',
      created_at: '2026-03-01T12:01:00+0000',
      qr_code_ids: [code.qrcode_id],
    })
    expect(await couple(code.qrcode_id)).toMatchObject({ status: 200, body })
    now = start
    expect(await used('encodes')).toBe(encodes + 1)
    expect((await link(code.shortlink_id)).body).toEqual(body)
    expect((await links())[0]).toEqual(body)
    expect((await read(code.qrcode_id)).body.qr_code_type).toBe('shortlink')
    expect((await visit(code.shortlink_id)).status).toBe(301)
  })

  it('answers 403, 404 and 429', async () => {
    const { qrcode_id: id } = await aCode()
    expect((await couple(id, stranger)).status).toBe(403)
    expect((await couple('Qnone')).status).toBe(404)
    await give('one')
    expect((await couple(id)).status).toBe(429)
    await give('unlimited')
    await remove(id)
    expect((await couple(id)).status).toBe(404)
  })
})

describe('DELETE /v4/qr-codes/{qrcode_id}', () => {
  it('deletes the code and its link, which answers 410 from then on', async () => {
    const code = await aCode({ tags: ['only-here'] })
    await visit(code.shortlink_id)
    expect(await remove(code.qrcode_id)).toMatchObject({
      status: 200,
      body: { qrcodes_deleted: [{ id: code.qrcode_id }], links_deleted: [{ id: code.shortlink_id }] },
    })
    expect((await visit(code.shortlink_id)).status).toBe(410)
    expect((await remove(code.qrcode_id)).status).toBe(410)
    const tags = await started.request('GET', `/v4/groups/${started.groupGuid}/tags?type=qr_code`)
    expect(tags.body.tags).not.toContain('only-here')
  })

  it('keeps a link that other codes lead through', async () => {
    const { id } = await aLink()
    const [one, other] = [await codeFor(id), await codeFor(id)]
    expect((await remove(one.qrcode_id)).body).toEqual({ qrcodes_deleted: [{ id: one.qrcode_id }], links_deleted: [] })
    expect((await link(id)).body.qr_code_ids).toEqual([other.qrcode_id])
    expect((await remove(other.qrcode_id)).body.links_deleted).toEqual([{ id }])
    expect((await link(id)).status).toBe(410)
  })

  it('goes with its short link when that is deleted', async () => {
    const { id } = await aLink()
    const { qrcode_id } = await codeFor(id)
    await started.request('DELETE', `/v4/shortlinks/${id}`)
    expect((await read(qrcode_id)).status).toBe(410)
  })

  it('answers 400 for what was redirected or has a custom back-half', async () => {
    const redirected = await aCode()
    await redirect(redirected.qrcode_id, { long_url: aUrl() })
    await aLink({ domain: branded, keyword: 'kept' })
    for (const { qrcode_id: id } of [redirected, await codeFor(`${branded}/kept`)]) {
      expect(await remove(id)).toMatchObject({ status: 400, body: { message: 'BAD_REQUEST', resource: 'qr_codes' } })
      expect((await read(id)).status).toBe(200)
    }
  })

  it('answers 403 and 404, and is in the audit log', async () => {
    const { qrcode_id: id } = await aCode()
    expect((await remove(id, stranger)).status).toBe(403)
    expect((await remove('Qnone')).status).toBe(404)
    await remove(id)
    const log = await started.request('GET', `/v4/organizations/${organization}/audit_log?action=qr_code_deleted`)
    expect(log.body.audit_log.map((entry: { subject: string }) => entry.subject)).toContain(id)
  })
})
