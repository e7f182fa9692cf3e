import { beforeAll, describe, expect, it } from 'vitest'
import { svg } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

const started = useApp({}, { clock: { now: () => Date.parse('2026-03-01T12:00:00Z') } })
let made = 0
async function aSite(): Promise<string> {
  const body = { group_guid: started.groupGuid, domain: started.domain, keyword: `page-${made++}` }
  return (await started.request('POST', '/v4/sites', { body })).body.site_guid
}
const read = async (guid: string) => (await started.request('GET', `/v4/sites/${guid}?include_blocks=true`)).body
const apply = (guid: string, template_guid: string) =>
  started.request('POST', `/v4/sites/${guid}/template`, { body: { template_guid } })
const clone = (guid: string, body: object = {}) => started.request('POST', `/v4/sites/${guid}/clone`, { body })
const attach = (guid: string, body: object) => started.request('POST', `/v4/sites/${guid}/images`, { body })
const addText = (guid: string, text: string) =>
  started.request('POST', `/v4/sites/${guid}/blocks`, { body: { type: 'text_block', content: { text } } })
const publish = (guid: string) => started.request('POST', `/v4/sites/${guid}/publish`)

let image: string
beforeAll(async () => {
  image = await upload()
})
async function upload(): Promise<string> {
  const uploaded = await started.request('POST', `/v4/images?group_guid=${started.groupGuid}`, {
    body: svg(),
    headers: { 'content-type': 'image/svg+xml' },
  })
  return uploaded.body.guid
}

describe('templates', () => {
  it('are at least ten, in six categories', async () => {
    const { status, body } = await started.request('GET', '/v4/site_templates')
    expect([status, Array.isArray(body)]).toEqual([200, true])
    expect(body.length).toBeGreaterThanOrEqual(10)
    const categories = new Set(body.flatMap(({ categories }: { categories: string[] }) => categories))
    expect(categories.size).toBe(6)
    const some = await started.request('GET', '/v4/site_templates?category=Image%20gallery')
    expect(some.body.length).toBeLessThan(body.length)
    expect((await started.request('GET', '/v4/site_templates?category=Nothing')).status).toBe(400)
    expect((await started.request('GET', '/v4/site_templates', { token: null })).status).toBe(403)
  })

  it('dress a site, with samples that stay until they are changed', async () => {
    const guid = await aSite()
    const { status, body } = await apply(guid, 'Tmidnight')
    expect([status, body.appearance.background_color]).toEqual([200, '#0b1020'])
    const samples = (await read(guid)).blocks
    expect(samples.length).toBeGreaterThan(0)
    expect(samples.every(({ is_sample }: { is_sample: boolean }) => is_sample)).toBe(true)
    const { block_id } = samples.find(({ type }: { type: string }) => type === 'shortlink')
    const changed = await started.request('PATCH', `/v4/sites/${guid}/blocks/${block_id}`, {
      body: { content: { link_title: 'Mine' } },
    })
    expect(changed.body.is_sample).toBe(false)
    await apply(guid, 'Tpaper')
    expect((await read(guid)).blocks).toMatchObject([{ block_id, content: { link_title: 'Mine' } }])
    expect((await apply(guid, 'Tnone')).status).toBe(404)
    expect(await started.request('POST', `/v4/sites/${guid}/template`)).toMatchObject({ status: 422 })
  })

  it('leave the shown part of the picture of the owner, and no other', async () => {
    const guid = await aSite()
    const banner = await upload()
    const crop = '{"Min":{"X":0,"Y":0},"Max":{"X":0.5,"Y":1}}'
    await attach(guid, { image_guid: image, image_use: 'profile', crop })
    await attach(guid, { image_guid: banner, image_use: 'banner', crop })
    const crops = async () => Object.keys((await started.app.sites.get(guid))?.draft.appearance.crops ?? {}).sort()
    expect(await crops()).toEqual([image, banner].sort())
    await apply(guid, 'Tmidnight')
    expect(await crops()).toEqual([image])
    expect((await started.request('PUT', `/v4/sites/${guid}/appearance`, { body: {} })).status).toBe(204)
    expect(await crops()).toEqual([])
  })

  it('are refused where a text with a color of its own could not be read', async () => {
    const guid = await aSite()
    const { body } = await started.request('POST', `/v4/sites/${guid}/blocks`, {
      body: { type: 'text_block', content: { text: 'dark' }, appearance: { text_color: '#111111' } },
    })
    expect(body.appearance.text_color).toBe('#111111')
    expect((await apply(guid, 'Tmidnight')).body.errors).toEqual([{ field: 'template_guid', error_code: 'invalid' }])
    expect((await apply(guid, 'Tpaper')).status).toBe(200)
    const theme = { body: { theme_id: 3 } }
    const themed = await started.request('PUT', `/v4/sites/${guid}/appearance`, theme)
    expect([themed.status, themed.body?.errors]).toEqual([400, [{ field: 'text_color', error_code: 'invalid' }]])
    const dark = {
      background_color: '#000000',
      text_color: '#ffffff',
      description_color: '#ffffff',
      default_social_icon_color: '#ffffff',
    }
    const refused = await started.request('PUT', `/v4/sites/${guid}/appearance`, { body: dark })
    expect([refused.status, refused.body.errors]).toEqual([400, [{ field: 'text_color', error_code: 'invalid' }]])
  })

  it('may be sent as an appearance', async () => {
    const guid = await aSite()
    const { body } = await started.request('GET', '/v4/site_templates')
    for (const { appearance } of body) {
      const { status } = await started.request('PUT', `/v4/sites/${guid}/appearance`, { body: appearance })
      expect(status).toBe(204)
    }
  })
})

describe('a clone', () => {
  it('has the blocks and the look of the draft, and is changed alone', async () => {
    const guid = await aSite()
    await apply(guid, 'Tmeadow')
    await addText(guid, 'mine')
    const { status, body } = await clone(guid, { uri: `${started.domain}/m/copy` })
    expect([status, body.url, body.is_edited]).toEqual([201, `http://${started.domain}/m/copy`, true])
    const [original, copy] = [await read(guid), await read(body.site_guid)]
    expect(copy.appearance).toEqual(original.appearance)
    const contents = ({ blocks }: typeof copy) => blocks.map(({ content }: { content: object }) => content)
    expect(contents(copy)).toEqual(contents(original))
    expect(copy.blocks[0].block_id).not.toBe(original.blocks[0].block_id)
    await addText(body.site_guid, 'copy only')
    expect((await read(guid)).blocks).toHaveLength(original.blocks.length)
  })

  it('finds an address by itself, and takes none of another site', async () => {
    const guid = await aSite()
    const one = await clone(guid)
    expect([one.status, new URL(one.body.url).pathname]).toEqual([201, expect.stringMatching(/^\/m\/page-\d+-\w+$/)])
    const json = { 'content-type': 'application/json' }
    const withoutBody = (options: object) => started.request('POST', `/v4/sites/${guid}/clone`, options)
    expect((await withoutBody({})).status).toBe(201)
    expect((await withoutBody({ headers: json })).status).toBe(201)
    expect((await withoutBody({ body: 'uri=x', headers: { 'content-type': 'text/plain' } })).status).toBe(406)
    expect((await withoutBody({ body: '[]', headers: json })).status).toBe(422)
    expect((await clone(guid, { uri: new URL(one.body.url).host + new URL(one.body.url).pathname })).status).toBe(400)
  })
})

describe('images of a site', () => {
  it('are attached to the draft, and for a live use to what visitors see', async () => {
    const guid = await aSite()
    await publish(guid)
    const crop = '{"Min":{"X":0,"Y":0},"Max":{"X":0.5,"Y":1}}'
    const { status, body } = await attach(guid, { image_guid: image, image_use: 'profile', crop })
    expect([status, body]).toEqual([201, { image_guid: image, image_url: expect.stringContaining(image) }])
    expect(await read(guid)).toMatchObject({ is_edited: true, appearance: { avatar_image_guid: image } })
    await publish(guid)
    await attach(guid, { url: body.image_url, image_use: 'background_live' })
    expect(await read(guid)).toMatchObject({
      is_edited: false,
      appearance: { background_image_guid: image, background_preference: 'image' },
    })
    await attach(guid, { image_guid: image, image_use: 'banner' })
    expect((await read(guid)).appearance.header_appearance.banner_image_url).toBe(body.image_url)
    expect((await started.request('DELETE', `/v4/images/${image}`)).status).toBe(409)
  })

  it('are those of the organization', async () => {
    const guid = await aSite()
    const { token, groupGuid } = await aStranger(started)
    const foreign = await started.request('POST', `/v4/images?group_guid=${groupGuid}`, {
      body: svg(),
      headers: { 'content-type': 'image/svg+xml' },
      token,
    })
    expect((await attach(guid, { image_guid: foreign.body.guid, image_use: 'profile' })).status).toBe(400)
    expect((await attach(guid, { image_use: 'profile' })).status).toBe(400)
    // What for is the picture of the owner, unless the request says otherwise.
    expect((await attach(guid, { image_guid: image })).status).toBe(201)
    expect((await read(guid)).appearance.avatar_image_guid).toBe(image)
    expect((await attach(guid, { image_guid: image, image_use: 'frame' })).status).toBe(400)
  })
})

describe('redirects of a site', () => {
  it('are removed for good', async () => {
    const guid = await aSite()
    const from = (await read(guid)).url.replace('http://', '')
    await started.request('PATCH', `/v4/sites/${guid}`, { body: { uri: `${started.domain}/m/moved` } })
    const path = `/v4/sites/${guid}/redirects/${started.domain}/${encodeURIComponent(from.split('/').slice(1).join('/'))}`
    expect((await started.request('DELETE', path)).status).toBe(204)
    expect((await read(guid)).redirects).toEqual([])
    expect((await started.request('DELETE', path)).status).toBe(404)
    const taken = { group_guid: started.groupGuid, domain: started.domain, keyword: from.split('/').at(-1) }
    expect((await started.request('POST', '/v4/sites', { body: taken })).status).toBe(400)
  })

  it('are removed from the root of a domain, which can lead elsewhere then', async () => {
    const domain = await organize(started).domain('root.example', await firstOrganization(started), [started.groupGuid])
    const place = { group_guid: started.groupGuid, domain, keyword: '', uri: `${domain}/` }
    const { body: site } = await started.request('POST', '/v4/sites', { body: place })
    await started.request('PATCH', `/v4/sites/${site.site_guid}`, { body: { uri: `${domain}/m/moved` } })
    expect((await read(site.site_guid)).redirects).toHaveLength(1)
    const path = `/v4/sites/${site.site_guid}/redirects/${domain}/`
    expect((await started.request('DELETE', path)).status).toBe(204)
    expect((await read(site.site_guid)).redirects).toEqual([])
  })
})

describe('a video', () => {
  it('is checked by its id, without asking anybody', async () => {
    const path = `/v4/sites/${await aSite()}/buttons/youtubeVideo/prevalidate`
    const { status, body } = await started.request('POST', path, { body: { video_id: 'dQw4w9WgXcQ' } })
    expect([status, body]).toEqual([
      200,
      {
        video_url: 'https://www.youtube.com/embed/dQw4w9WgXcQ',
        thumbnail_url: 'https://i.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg',
        link_title: '',
        domain: started.domain,
      },
    ])
    expect((await started.request('POST', path, { body: { video_id: '<script>' } })).status).toBe(400)
    expect((await started.request('POST', path, { body: '{"video_id":' })).status).toBe(422)
  })
})

describe('the QR code of a site', () => {
  it('leads to it wherever it is, and is its own', async () => {
    const guid = await aSite()
    const destination = { site_id: guid }
    const body = { group_guid: started.groupGuid, destination }
    const code = await started.request('POST', '/v4/qr-codes', { body })
    expect([code.status, code.body.qr_code_type, code.body.site_id]).toEqual([201, 'site', guid])
    expect((await read(guid)).qr_code_id).toBe(code.body.qrcode_id)
    const choose = (qr_code_id: string) => started.request('PATCH', `/v4/sites/${guid}`, { body: { qr_code_id } })
    const second = (await started.request('POST', '/v4/qr-codes', { body })).body.qrcode_id
    expect((await choose(second)).body.qr_code_id).toBe(second)
    // One that leads elsewhere could be deleted without the site noticing.
    const other = { ...body, destination: { long_url: 'https://example.com/other-code' } }
    const foreign = await started.request('POST', '/v4/qr-codes', { body: other })
    expect([foreign.status, (await choose(foreign.body.qrcode_id)).status]).toEqual([201, 400])
    expect((await choose(code.body.qrcode_id)).body.qr_code_id).toBe(code.body.qrcode_id)
    const one = `/v4/qr-codes/${code.body.qrcode_id}`
    expect((await started.request('PUT', `${one}/to-shortlink`)).status).toBe(400)
    const elsewhere = { body: { long_url: 'https://example.com/' } }
    expect((await started.request('PATCH', `${one}/redirect`, elsewhere)).status).toBe(400)
    expect((await started.request('GET', `/v4/shortlinks/${code.body.shortlink_id}`)).status).toBe(404)
    expect((await started.request('DELETE', one)).body).toEqual({
      qrcodes_deleted: [{ id: code.body.qrcode_id }],
      links_deleted: [],
    })
    expect(await read(guid)).not.toHaveProperty('qr_code_id')
    expect(
      (await started.request('POST', '/v4/qr-codes', { body: { ...body, destination: { site_id: 'Mx' } } })).status,
    ).toBe(400)
  })
})
