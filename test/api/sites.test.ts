import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { svg } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-plans-'))
const plans = join(folder, 'plans.json')
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(plans, JSON.stringify({ bare: { features: [] } }))

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
  readonly headers?: Readonly<Record<string, string>>
}
let made = 0
const create = (fields: object = {}, options: Options = {}) =>
  started.request('POST', '/v4/sites', {
    body: { group_guid: started.groupGuid, domain: started.domain, keyword: `site-${made++}`, ...fields },
    ...options,
  })
async function aSite(fields: object = {}): Promise<{ site_guid: string; url: string }> {
  const { status, body } = await create(fields)
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}
const pathOf = (guid: string) => `/v4/sites/${guid}`
const read = (guid: string, options: Options = {}) => started.request('GET', pathOf(guid), options)
const patch = (guid: string, body: unknown, options: Options = {}) =>
  started.request('PATCH', pathOf(guid), { body, ...options })
const publish = (guid: string, options: Options = {}) => started.request('POST', `${pathOf(guid)}/publish`, options)
const remove = (guid: string, options: Options = {}) => started.request('DELETE', pathOf(guid), options)
const discard = (guid: string) => started.request('DELETE', `${pathOf(guid)}/draft`)
const dress = (guid: string, body: unknown, options: Options = {}) =>
  started.request('PUT', `${pathOf(guid)}/appearance`, { body, ...options })
const refused = (field: string, message: string) => ({
  status: 400,
  body: { message, errors: [{ field, error_code: 'invalid' }], resource: 'sites' },
})

describe('a new site', () => {
  it('is an empty page with the default appearance', async () => {
    const { status, body, headers } = await create({ keyword: 'anna' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      site_guid: expect.stringMatching(/^M[0-9A-Za-z]{10}$/),
      group_guid: started.groupGuid,
      status: 'active',
      is_edited: true,
      url: `http://${started.domain}/m/anna`,
      content: { display_name: '', description: '' },
      button_count: 0,
      redirects: [],
      created: '2026-03-01T12:00:00+0000',
    })
    expect(body.appearance).toMatchObject({ font: 'Inter', layout: 'default', theme_id: 1, hide_logo: false })
    expect(body.appearance.header_appearance).toMatchObject({ banner_type: 'none', profile_image_shape: 'round' })
    expect(body).not.toHaveProperty('last_published')
    expect(body).not.toHaveProperty('blocks')
    const found = await read(body.site_guid)
    expect(found.body).toEqual(body)
    expect(found.headers.etag).toBe(headers.etag)
    const whole = await started.request('GET', `${pathOf(body.site_guid)}?include_blocks=true`)
    expect(whole.body).toEqual({ ...body, blocks: [] })
  })

  it.each([
    ['the root of a branded domain', { keyword: '' }, ''],
    ['below /m of a branded domain', { keyword: 'ben' }, 'm/ben'],
    ['any path of a branded domain', { keyword: 'x', uri: 'go.example.com/team/ben' }, 'team/ben'],
  ])('may be at %s', async (_where, fields, path) => {
    const { url } = await aSite({ domain: branded, ...fields })
    expect(new URL(url).pathname).toBe(`/${path}`)
    expect(new URL(url).hostname).toBe('go.example.com')
  })

  it.each([
    ['keyword', { keyword: 'a b' }],
    ['keyword', { keyword: '' }],
    ['keyword', { keyword: 'x'.repeat(51) }],
    ['uri', { uri: 'other.example/m/x' }, 'INVALID_ARG_DOMAIN'],
    ['uri', { uri: 'go.example.com/our team' }],
    ['uri', { uri: 'localhost/x' }, 'INVALID_ARG_DOMAIN'],
    ['domain', { domain: 'other.example' }, 'INVALID_ARG_DOMAIN'],
  ])('is refused for its %s in %j', async (field, fields, code = `INVALID_ARG_${field.toUpperCase()}`) => {
    const { status, body } = await create(fields)
    expect([status, body.message]).toEqual([400, code])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
  })

  it('hears what is wrong with its address', async () => {
    const { body } = await create({ uri: 'go.example.com/our team' })
    expect(body.description).toMatch(/^"go\.example\.com\/our team" is not an address\./)
  })

  it('must not be at the path of a link or of another site', async () => {
    await aSite({ keyword: 'taken' })
    expect(await create({ keyword: 'taken' })).toMatchObject(refused('uri', 'INVALID_ARG_URI'))
    await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/', domain: branded, keyword: 'about' },
    })
    expect(await create({ domain: branded, keyword: '', uri: 'go.example.com/about' })).toMatchObject(
      refused('uri', 'INVALID_ARG_URI'),
    )
  })

  it('has one address when two claim it at once', async () => {
    const answers = await Promise.all([create({ keyword: 'race' }), create({ keyword: 'race' })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
  })

  it('is made once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'site-once' }
    const body = { group_guid: started.groupGuid, domain: started.domain, keyword: 'once' }
    const [one, other] = [
      await started.request('POST', '/v4/sites', { body, headers }),
      await started.request('POST', '/v4/sites', { body, headers }),
    ]
    expect([one.status, other.status]).toEqual([201, 201])
    expect(other.body).toEqual(one.body)
  })

  it.each(unreadableBodies)('is not made of %s', async (_what, body, code) => {
    const headers = { 'content-type': 'application/json' }
    expect((await started.request('POST', '/v4/sites', { body, headers })).status).toBe(code)
  })

  it('is refused by a plan without sites', async () => {
    const give = (plan: string) =>
      operate(started.app, operator, 'setPlan', { organizationGuid: organization, plan, force: true })
    await give('bare')
    const { status, body } = await create()
    await give('unlimited')
    expect([status, body.message]).toEqual([402, 'UPGRADE_REQUIRED'])
  })
})

describe('the link of a site', () => {
  it('is in no list, and is nothing but the address of the site', async () => {
    await aSite({ keyword: 'hidden' })
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks?size=100`)
    expect(JSON.stringify(body)).not.toContain('m/hidden')
    const overrides = await started.request('GET', `/v4/groups/${started.groupGuid}/overrides`)
    expect(JSON.stringify(overrides.body)).not.toContain('m/hidden')
    const path = `/v4/custom_shortlinks/${branded}/ben`
    expect((await started.request('GET', path)).status).toBe(404)
  })

  it('gives its address to no link', async () => {
    const { body: link } = await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/thief', domain: branded },
    })
    await aSite({ domain: branded, keyword: 'x', uri: `${branded}/mine` })
    const answers = await Promise.all([
      started.request('PATCH', `/v4/custom_shortlinks/${branded}/mine`, { body: { shortlink_id: link.id } }),
      started.request('GET', `/v4/custom_shortlinks/${branded}/mine`),
      started.request('GET', `/v4/shortlinks/${branded}/mine`),
      started.request('PATCH', `/v4/shortlinks/${branded}/mine`, { body: { long_url: 'https://example.com/x' } }),
      started.request('DELETE', `/v4/shortlinks/${branded}/mine`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  })
})

describe('a site', () => {
  it('changes in its draft until it is published', async () => {
    const { site_guid } = await aSite()
    const published = await publish(site_guid)
    expect([published.status, published.body.is_edited]).toEqual([201, false])
    expect(published.body.last_published).toBe('2026-03-01T12:00:00+0000')
    const changed = await patch(site_guid, { display_name: ' Anna ', description: 'Pottery\nand more' })
    expect(changed.body).toMatchObject({
      is_edited: true,
      content: { display_name: 'Anna', description: 'Pottery\nand more' },
    })
    expect((await discard(site_guid)).status).toBe(204)
    expect((await read(site_guid)).body).toMatchObject({ is_edited: false, content: { display_name: '' } })
  })

  it('has no draft to discard before it is published', async () => {
    const { site_guid } = await aSite()
    expect((await discard(site_guid)).status).toBe(422)
  })

  it('leaves redirects where it was, which lead to where it is', async () => {
    const { site_guid } = await aSite({ keyword: 'first' })
    await publish(site_guid)
    const moved = await patch(site_guid, { uri: `${started.domain}/m/second`, display_name: 'Moved' })
    expect(moved.body).toMatchObject({ url: `http://${started.domain}/m/second`, is_edited: false })
    expect(moved.body.redirects).toEqual([
      {
        redirect_guid: expect.stringMatching(/^r/),
        microsite_guid: site_guid,
        uri: `${started.domain}/m/first`,
        domain: started.domain,
        keyword: 'm/first',
        redirect_uri: `${started.domain}/m/second`,
        redirect_domain: started.domain,
        redirect_keyword: 'm/second',
        status: 'active',
        created: '2026-03-01T12:00:00+0000',
        modified: '2026-03-01T12:00:00+0000',
      },
    ])
    expect(await create({ keyword: 'first' })).toMatchObject(refused('uri', 'INVALID_ARG_URI'))
    const back = await patch(site_guid, { uri: `${started.domain}/m/first` })
    expect(back.body.redirects.map(({ uri }: { uri: string }) => uri)).toEqual([`${started.domain}/m/second`])
  })

  it('is inactive once it was deleted, and active when it is published again', async () => {
    const { site_guid } = await aSite({ keyword: 'leaving' })
    const list = async () =>
      (
        await started.request(
          'GET',
          `/v4/groups/${started.groupGuid}/sites?sites_url_param=${started.domain}/m/leaving`,
        )
      ).body.sites.length
    expect(await list()).toBe(1)
    expect((await remove(site_guid)).status).toBe(204)
    expect((await remove(site_guid)).status).toBe(404)
    expect([(await read(site_guid)).body.status, await list()]).toEqual(['inactive', 0])
    expect((await publish(site_guid)).body.status).toBe('active')
    expect(await list()).toBe(1)
  })

  it('is not published again at a root that its group may use no more', async () => {
    const root = await organize(started).domain('left.example.com', organization, [started.groupGuid])
    const { site_guid } = await aSite({ domain: root, keyword: '' })
    await publish(site_guid)
    await remove(site_guid)
    const domain = `/v4/organizations/${organization}/domains/${root}`
    expect((await started.request('PATCH', domain, { body: { group_guids: [] } })).status).toBe(200)
    expect(await publish(site_guid)).toMatchObject(refused('uri', 'INVALID_ARG_DOMAIN'))
    const moved = await patch(site_guid, { uri: `${started.domain}/m/left` })
    expect(moved.body.redirects).toEqual([])
    expect((await publish(site_guid)).status).toBe(201)
  })

  it('is forgotten by its address, also at the root, and then not published again', async () => {
    const root = await organize(started).domain('root.example.com', organization, [started.groupGuid])
    const { site_guid } = await aSite({ domain: root, keyword: '' })
    await patch(site_guid, { display_name: 'Erika' })
    await publish(site_guid)
    const forget = (link: string) =>
      operate(started.app, operator, 'forgetLink', { link, dryRun: false }) as Promise<{ addresses: string[] }>
    await expect(forget('none.example.com/')).rejects.toThrow('There is no link')
    expect((await forget('root.example.com/')).addresses).toContain('root.example.com/')
    expect((await read(site_guid)).body).toMatchObject({ status: 'inactive', content: { display_name: '' } })
    expect((await publish(site_guid)).status).toBe(404)
  })

  it('loses the images of a block whose link is forgotten', async () => {
    const { site_guid } = await aSite()
    const uploaded = await started.request('POST', `/v4/images?group_guid=${started.groupGuid}`, {
      body: svg(),
      headers: { 'content-type': 'image/svg+xml' },
    })
    const image = `/v4/images/${uploaded.body.guid}`
    const link = await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/forgotten' },
    })
    const content = { shortlink_id: link.body.id, image_guid: uploaded.body.guid }
    await started.request('POST', `${pathOf(site_guid)}/blocks`, { body: { type: 'shortlink', content } })
    expect((await started.request('DELETE', image)).status).toBe(409)
    await operate(started.app, operator, 'forgetLink', { link: link.body.id, dryRun: false })
    expect((await started.request('DELETE', image)).status).toBeLessThan(300)
  })

  it('is listed with the others of its group, in pages', async () => {
    const group = await organize(started).group('Listed', organization)
    const guids: string[] = []
    for (const keyword of ['one', 'two', 'three']) {
      now += 1000
      guids.push((await aSite({ group_guid: group, keyword: `listed-${keyword}` })).site_guid)
    }
    const first = await started.request('GET', `/v4/groups/${group}/sites?size=2`)
    expect(first.body.group_guid).toBe(group)
    const next = new URL(first.body.pagination.next)
    const second = await started.request('GET', next.pathname + next.search)
    const listed = [...first.body.sites, ...second.body.sites].map(({ site_guid }) => site_guid)
    expect(listed).toEqual(guids.reverse())
    expect(second.body.pagination).toMatchObject({ next: '', search_after: '' })
  })

  it.each([
    ['display_name', { display_name: 'x'.repeat(256) }],
    ['display_name', { display_name: 'a\nb' }],
    ['description', { description: 'x'.repeat(2001) }],
    ['description', { description: 'a\u0000' }],
    ['qr_code_id', { qr_code_id: 'Qnone' }],
    ['uri', { uri: 'not a uri' }],
  ])('answers 400 and names %s for %j', async (field, body) => {
    const { site_guid } = await aSite()
    const answer = await patch(site_guid, body)
    expect([answer.status, answer.body.errors]).toEqual([400, [{ field, error_code: 'invalid' }]])
  })

  it('is not changed by those who have read another version', async () => {
    const { site_guid } = await aSite()
    const { headers } = await read(site_guid)
    const ifMatch = { headers: { 'if-match': String(headers.etag) } }
    expect((await patch(site_guid, { display_name: 'One' }, ifMatch)).status).toBe(200)
    expect((await patch(site_guid, { display_name: 'Two' }, ifMatch)).status).toBe(412)
    expect((await publish(site_guid, ifMatch)).status).toBe(412)
    expect((await dress(site_guid, {}, ifMatch)).status).toBe(412)
    expect((await read(site_guid)).body.content.display_name).toBe('One')
  })

  it.each(unreadableBodies)('is not changed by a body that is %s', async (_what, body, code) => {
    const { site_guid } = await aSite()
    expect((await patch(site_guid, body)).status).toBe(code)
  })

  it('answers 400 for a version that it cannot have, and its list for a cursor of another one', async () => {
    const { site_guid } = await aSite()
    const answers = [
      await started.request('GET', `${pathOf(site_guid)}?version=first`),
      await started.request('GET', `/v4/groups/${started.groupGuid}/sites?search_after=x`),
    ]
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [400, 'INVALID_ARG_VERSION'],
      [400, 'INVALID_ARG_SEARCH_AFTER'],
    ])
  })

  it('is not found where there is none', async () => {
    const none = 'M0000000000'
    const answers = [
      ...[await read(none), await patch(none, {}), await publish(none)],
      ...[await discard(none), await dress(none, {}), await remove(none)],
    ]
    for (const { status, body } of answers) expect([status, body.resource]).toEqual([404, 'sites'])
  })

  it('belongs to its group', async () => {
    const { site_guid } = await aSite()
    const reader = { token: await aMember(started, started.groupGuid, 'reader') }
    const as = async ({ token }: { readonly token: string }) =>
      Promise.all([
        read(site_guid, { token }),
        started.request('GET', `/v4/groups/${started.groupGuid}/sites`, { token }),
        create({}, { token }),
        patch(site_guid, {}, { token }),
        publish(site_guid, { token }),
        dress(site_guid, {}, { token }),
        remove(site_guid, { token }),
      ]).then((answers) => answers.map(({ status }) => status))
    expect(await as(stranger)).toEqual([403, 403, 403, 403, 403, 403, 403])
    expect(await as(reader)).toEqual([200, 200, 403, 403, 403, 403, 403])
  })
})

describe('the appearance', () => {
  it('is replaced as a whole', async () => {
    const { site_guid } = await aSite()
    const header = { banner_type: 'hero', title_size: 'lg', header_background_color: '#FAFAFA' }
    expect((await dress(site_guid, { font: 'Serif', theme_id: 7, header_appearance: header })).status).toBe(204)
    const { appearance } = (await read(site_guid)).body
    expect(appearance).toMatchObject({ font: 'Serif', theme_id: 7, layout: 'default' })
    expect(appearance.header_appearance).toMatchObject({ ...header, header_background_color: '#fafafa' })
    await dress(site_guid, {})
    expect((await read(site_guid)).body.appearance).toMatchObject({ font: 'Inter', theme_id: 1 })
  })

  it('may be sent as it was answered', async () => {
    const { site_guid } = await aSite()
    const { appearance } = (await read(site_guid)).body
    expect((await dress(site_guid, appearance)).status).toBe(204)
    expect((await read(site_guid)).body.appearance).toEqual(appearance)
  })

  it.each([
    ['text_color', { text_color: '#999999' }, /nearest are #[0-9a-f]{6} on #ffffff/],
    ['description_color', { description_color: '#aaaaaa' }, /2\.32:1/],
    ['default_button_text_color', { default_button_text_color: '#222222' }, /default_button_background_color/],
    ['default_social_icon_color', { default_social_icon_color: '#cccccc' }, /3:1/],
    [
      'text_color',
      { background_preference: 'gradient', bottom_background_color: '#111111' },
      /on bottom_background_color/,
    ],
    [
      'text_color',
      { header_appearance: { banner_type: 'hero', header_background_color: '#222222' } },
      /on header_background_color/,
    ],
  ])('is refused when nobody can read %s, with colors that hold', async (field, appearance, message) => {
    const { site_guid } = await aSite()
    const { status, body } = await dress(site_guid, appearance)
    expect([status, body.errors]).toEqual([400, [{ field, error_code: 'invalid' }]])
    expect(body.description).toMatch(message)
  })

  it('accepts the nearest colors that a refusal names', async () => {
    const { site_guid } = await aSite()
    const colors = { text_color: '#0f766e', background_color: '#134e4a', description_color: '#ffffff' }
    const { body } = await dress(site_guid, { ...colors, default_social_icon_color: '#ffffff' })
    const [, nearest = ''] = /nearest are (#[0-9a-f]{6})/.exec(body.description) ?? []
    const better = { ...colors, text_color: nearest, default_social_icon_color: '#ffffff' }
    expect((await dress(site_guid, better)).status).toBe(204)
  })

  it.each([
    ['background_color', { background_color: 'red;} body{display:none' }],
    ['background_color', { background_color: '#fff' }],
    ['font', { font: 'Comic Sans' }],
    ['avatar_image_guid', { avatar_image_guid: 'Inone' }],
    ['avatar_image_guid', { avatar_image_url: 'https://example.com/me.png' }],
    ['header_appearance.banner_image_url', { header_appearance: { banner_image_url: 'https://example.com/x.png' } }],
    ['header_appearance.banner_type', { header_appearance: { banner_type: 'video' } }],
  ])('answers 400 and names %s for %j', async (field, appearance) => {
    const { site_guid } = await aSite()
    const { status, body } = await dress(site_guid, appearance)
    expect([status, body.errors?.[0]?.field]).toEqual([400, field])
  })
})
