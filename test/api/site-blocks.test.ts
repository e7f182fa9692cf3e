import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import type { SiteDocument } from '../../src/core/sites/site.js'
import { svg } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { aStranger, type Someone } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-plans-'))
const plans = join(folder, 'plans.json')
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(plans, JSON.stringify({ plain: { features: ['sites'] } }))

const started = useApp({ plans }, { clock: { now: () => Date.parse('2026-03-01T12:00:00Z') } })
let stranger: Someone
let site: string
let image: string
beforeAll(async () => {
  stranger = await aStranger(started)
  site = await aSite()
  const uploaded = await started.request('POST', `/v4/images?group_guid=${started.groupGuid}`, {
    body: svg(),
    headers: { 'content-type': 'image/svg+xml' },
  })
  image = uploaded.body.guid
})

let made = 0
async function aSite(): Promise<string> {
  const body = { group_guid: started.groupGuid, domain: started.domain, keyword: `page-${made++}` }
  return (await started.request('POST', '/v4/sites', { body })).body.site_guid
}
const add = (type: string, content: object, more: object = {}, guid = site) =>
  started.request('POST', `/v4/sites/${guid}/blocks`, { body: { type, content, ...more } })
async function aBlock(type: string, content: object, more: object = {}, guid = site): Promise<string> {
  const { status, body } = await add(type, content, more, guid)
  expect([status, body]).toEqual([201, expect.anything()])
  return body.block_id
}
const aText = (text: string, more: object = {}, guid = site) => aBlock('text_block', { text }, more, guid)
const contain = (body: unknown, guid = site) => started.request('POST', `/v4/sites/${guid}/containers`, { body })
const aContainer = async (type: string, guid = site) => (await contain({ type, content: {} }, guid)).body.block_id
const patch = (id: string, body: unknown, guid = site) =>
  started.request('PATCH', `/v4/sites/${guid}/blocks/${id}`, { body })
const remove = (id: string, guid = site) => started.request('DELETE', `/v4/sites/${guid}/blocks/${id}`)
const sort = (order: readonly (readonly [string, number])[], guid = site) =>
  started.request('PUT', `/v4/sites/${guid}/blocks/order`, {
    body: { block_order: order.map(([block_id, sort_order]) => ({ block_id, sort_order })) },
  })
interface Block {
  readonly block_id: string
  readonly sort_order: number
  readonly container_id?: string
  readonly content: Readonly<Record<string, unknown>>
}
const blocksOf = async (guid = site): Promise<readonly Block[]> =>
  (await started.request('GET', `/v4/sites/${guid}?include_blocks=true`)).body.blocks
const textsOf = async (guid: string) => (await blocksOf(guid)).map(({ content }) => content.text)
async function aLink(fields: object = {}, token?: string): Promise<{ id: string; link: string; long_url: string }> {
  const body = { long_url: `https://example.com/blocks/${made++}`, ...fields }
  return (await started.request('POST', '/v4/shortlinks', { body, ...(token && { token }) })).body
}

describe('a block', () => {
  it('leads through a short link of the group', async () => {
    const link = await aLink()
    const { status, body } = await add('shortlink', { shortlink_id: link.id, link_title: 'Shop', description: 'Open' })
    expect(status).toBe(201)
    expect(body).toEqual({
      site_id: site,
      block_id: expect.stringMatching(/^L[0-9A-Za-z]{10}$/),
      sort_order: expect.any(Number),
      is_active: true,
      is_pinned: false,
      is_sample: false,
      type: 'shortlink',
      content: {
        link_title: 'Shop',
        description: 'Open',
        shortlink_id: link.id,
        domain: started.domain,
        link_info: {
          link: link.link,
          long_url: link.long_url,
          has_override: false,
          is_override: false,
          is_deleted: false,
        },
      },
    })
  })

  it('gets a short link for a URL, and the same one for the same URL', async () => {
    const content = { url: 'https://example.com/blocks/url', domain: started.domain }
    const [one, other] = [await add('shortlink', content), await add('shortlink', content)]
    expect(one.body.content.link_info.long_url).toBe(content.url)
    expect(other.body.content.shortlink_id).toBe(one.body.content.shortlink_id)
    const found = await started.request('GET', `/v4/shortlinks/${one.body.content.shortlink_id}`)
    expect(found.body.launchpad_ids).toEqual([site])
  })

  it('is answered with its new short link and the present ETag, also with If-Match', async () => {
    const guid = await aSite()
    const path = `/v4/sites/${guid}`
    const etag = async () => String((await started.request('GET', path)).headers.etag)
    const write = async (method: string, url: string, body: object) => {
      const headers = { 'if-match': await etag() }
      const answer = await started.request(method, `${path}/blocks${url}`, { body, headers })
      expect(answer.headers.etag).toBe(await etag())
      return answer.body
    }
    const content = { url: 'https://example.com/blocks/first' }
    const added = await write('POST', '', { type: 'shortlink', content })
    expect(added.content.link_info).toMatchObject({ long_url: content.url, is_deleted: false })
    const other = { url: 'https://example.com/blocks/second' }
    const changed = await write('PATCH', `/${added.block_id}`, { content: other })
    expect(changed.content.link_info).toMatchObject({ long_url: other.url, is_deleted: false })
  })

  it('takes a URL without a scheme as https, as people write it', async () => {
    const social = await add('social', { channel: 'facebook', url: 'facebook.com/profile' })
    expect(social.body).toMatchObject({ scheme: 'https', content: { channel_url: 'https://facebook.com/profile' } })
    const link = await add('shortlink', { url: 'Example.com:8443/blocks?bare#x' })
    expect(link.body.content.link_info.long_url).toBe('https://example.com:8443/blocks?bare#x')
    const contacts = [{ contact_method: 'website', value: 'www.example.com', sort_order: 0 }]
    const card = await add('digital_business_card', { first_name: 'A', contacts })
    expect(card.body.content.contacts[0].value).toBe('https://www.example.com/')
    for (const url of ['nothing', '//example.com/', 'anna@example.com', 'javascript:alert(1).x/', '.', 'a b.c/']) {
      expect((await add('social', { channel: 'facebook', url })).status, url).toBe(400)
    }
  })

  it('may write or call instead', async () => {
    const { body } = await add('shortlink', { url: 'tel:+15550100', link_title: 'Call' })
    expect(body).toMatchObject({ scheme: 'tel', content: { url: 'tel:+15550100', link_title: 'Call' } })
    expect(body.content).not.toHaveProperty('shortlink_id')
  })

  it('marks a deleted link', async () => {
    const link = await aLink()
    const id = await aBlock('shortlink', { shortlink_id: link.id })
    expect((await started.request('DELETE', `/v4/shortlinks/${link.id}`)).status).toBe(200)
    const block = (await blocksOf()).find(({ block_id }) => block_id === id)
    expect(block?.content.link_info).toEqual({ link: link.link, is_deleted: true })
    expect((await patch(id, { is_pinned: true })).status).toBe(200)
    // Clients send all of the content.
    const whole = { shortlink_id: link.id, link_title: 'Closed' }
    expect((await patch(id, { content: whole })).body).toMatchObject({ content: { ...whole, link_info: {} } })
    const other = await aLink()
    expect((await started.request('DELETE', `/v4/shortlinks/${other.id}`)).status).toBe(200)
    expect((await patch(id, { content: { shortlink_id: other.id } })).status).toBe(404)
  })

  it.each([
    ['social', { channel: 'Facebook', url: 'https://facebook.com/me' }, { channel: 'facebook' }],
    ['text_block', { text: '<b>only text</b>\nmore' }, { text: '<b>only text</b>\nmore' }],
    [
      'youtubeVideo',
      { video_url: 'https://youtu.be/dQw4w9WgXcQ', link_title: 'Song' },
      { video_url: 'https://www.youtube.com/embed/dQw4w9WgXcQ', link_title: 'Song' },
    ],
    [
      'digital_business_card',
      {
        first_name: 'Anna',
        contacts: [
          { contact_method: 'phone', method_type: 'work', value: '+1 555 0100', sort_order: 2 },
          { contact_method: 'email', value: 'anna@example.com', sort_order: 1 },
        ],
      },
      {
        first_name: 'Anna',
        layout: 'card',
        download_enabled: true,
        contacts: [
          { contact_method: 'email', method_type: 'no_label', value: 'anna@example.com', sort_order: 0 },
          { contact_method: 'phone', method_type: 'work', value: '+1 555 0100', sort_order: 1 },
        ],
      },
    ],
  ])('may be of the type %s', async (type, content, answered) => {
    const { status, body } = await add(type, content)
    expect([status, body.type]).toEqual([201, type])
    expect(body.content).toMatchObject(answered)
  })

  it('shows an uploaded image, which then cannot be deleted', async () => {
    const crop = '{"Min":{"X":0.1,"Y":0},"Max":{"X":0.9,"Y":1}}'
    const { body } = await add('image', { image_guid: image, aspect_ratio: '1:1', crop })
    expect(body.content).toMatchObject({ image_guid: image, aspect_ratio: '1:1', crop })
    expect((await started.request('DELETE', `/v4/images/${image}`)).status).toBe(409)
    const again = await add('image', { image_url: body.content.image_url })
    expect(again.body.content.image_guid).toBe(image)
  })

  it('keeps what is not sent, and loses what is sent empty', async () => {
    const link = await aLink()
    const id = await aBlock('shortlink', { shortlink_id: link.id, link_title: 'Old', description: 'Kept' })
    const schedule = { schedule_start: '2026-04-01T00:00:00+0000', schedule_end: '2026-05-01T00:00:00+0000' }
    await patch(id, { ...schedule, is_active: false, content: { link_title: 'New' } })
    const { body } = await patch(id, { schedule_start: '', is_pinned: true })
    expect(body).toMatchObject({ schedule_end: schedule.schedule_end, is_active: false, is_pinned: true })
    expect(body).not.toHaveProperty('schedule_start')
    expect(body.content).toMatchObject({ link_title: 'New', description: 'Kept', shortlink_id: link.id })
    expect((await patch(id, { content: { description: '' } })).body.content).not.toHaveProperty('description')
  })

  it.each([
    ['content.url', 'shortlink', { url: 'javascript:alert(1)' }],
    ['content.url', 'shortlink', { url: 'data:text/html,x' }],
    ['content.url', 'social', { channel: 'x', url: 'vbscript:x' }],
    ['content.url', 'social', { channel: 'x', url: 'https://user:password@example.com/' }],
    ['content.shortlink_id', 'shortlink', {}],
    ['content.channel', 'social', { channel: '<script>', url: 'https://example.com/' }],
    ['content.video_url', 'youtubeVideo', { video_url: 'https://example.com/watch?v=dQw4w9WgXcQ' }],
    ['content.video_url', 'youtubeVideo', { video_url: 'https://youtu.be/"onload=x' }],
    ['content.image_guid', 'image', { image_guid: 'Inone' }],
    ['content.image_guid', 'image', { image_url: 'https://example.com/x.png' }],
    ['content.crop', 'shortlink', { url: 'tel:1234', crop: '{"Min":{"X":0,"Y":0},"Max":{"X":1e-300,"Y":1}}' }],
    ['content.crop', 'shortlink', { url: 'tel:1234', crop: '{"Min":{"X":0,"Y":0.99},"Max":{"X":1,"Y":0.999}}' }],
    ['content.url', 'shortlink', { url: 'mailto:' }],
    ['content.url', 'shortlink', { url: 'tel:' }],
    ['content.url', 'shortlink', { url: 'sms:?' }],
    ['content.url', 'social', { channel: 'email', url: 'mailto:' }],
    ['content.crop', 'shortlink', { url: 'tel:1234', crop: '{"Min":{"X":2,"Y":0},"Max":{"X":1,"Y":1}}' }],
    ['content.link_title', 'shortlink', { url: 'tel:1234', link_title: 'x'.repeat(256) }],
    ['content.text', 'text_block', { text: 'x'.repeat(5001) }],
    ['content.text', 'text_block', { text: 'a\u0000' }],
    ['content.text', 'text_block', {}],
    [
      'content.contacts',
      'digital_business_card',
      { first_name: 'A', contacts: [{ contact_method: 'email', value: 'nobody', sort_order: 0 }] },
    ],
    [
      'content.contacts',
      'digital_business_card',
      { first_name: 'A', contacts: [{ contact_method: 'website', value: 'javascript:x', sort_order: 0 }] },
    ],
    ['content.file', 'digital_business_card', { first_name: 'A', file: { file_name: 'x', data: 'PGh0bWw+' } }],
    ['type', 'grid', {}],
  ])('is refused for its %s as %s of %j', async (field, type, content) => {
    const { status, body } = await add(type, content)
    expect([status, body.errors]).toEqual([400, [{ field, error_code: 'invalid' }]])
  })

  it.each([
    ['without an image', 'image', {}, {}],
    ['in no container', 'shortlink', {}, { parent: 'Lnone' }],
    [
      'that ends before it starts',
      'shortlink',
      {},
      { schedule_start: '2026-04-02T00:00:00+0000', schedule_end: '2026-04-01T00:00:00+0000' },
    ],
    [
      'with a wrong contact',
      'digital_business_card',
      {
        first_name: 'A',
        contacts: [
          { contact_method: 'website', value: 'https://example.com/refused/contact', sort_order: 0 },
          { contact_method: 'email', value: 'nobody', sort_order: 1 },
        ],
      },
      {},
    ],
  ])('makes no link for a block %s', async (what, type, content, more) => {
    const url = `https://example.com/refused/${encodeURIComponent(what)}`
    expect((await add(type, { ...content, ...(type !== 'digital_business_card' && { url }) }, more)).status).toBe(400)
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks?size=100`)
    expect(body.links.filter(({ long_url }: { long_url: string }) => long_url.includes('/refused/'))).toEqual([])
  })

  it('is hidden even if its colors cannot be read any more', async () => {
    const guid = await aSite()
    const id = await aText('faint', {}, guid)
    const faint = { textColor: '#eeeeee', backgroundColor: '#ffffff' }
    const withFaint = (draft: SiteDocument) => ({
      ...draft,
      blocks: draft.blocks.map((block) => ({ ...block, appearance: faint })),
    })
    await started.app.sites.change(guid, withFaint, Date.now())
    expect((await patch(id, { is_active: false }, guid)).status).toBe(200)
    expect((await patch(id, { appearance: { font_size: 'large' } }, guid)).status).toBe(400)
  })

  it('leads to no link of another group', async () => {
    const foreign = await aLink({ group_guid: stranger.groupGuid }, stranger.token)
    expect((await add('shortlink', { shortlink_id: foreign.id })).status).toBe(403)
    const group = await organize(started).group('Other', await firstOrganization(started))
    const other = await aLink({ group_guid: group })
    expect((await add('shortlink', { shortlink_id: other.id })).status).toBe(400)
  })

  it('must end after it starts, and be readable', async () => {
    const id = await aText('times')
    const wrong = { schedule_start: '2026-04-01T00:00:00+0000', schedule_end: '2026-04-01T00:00:00+0000' }
    expect((await patch(id, wrong)).body.errors).toEqual([{ field: 'schedule_end', error_code: 'invalid' }])
    const faint = { appearance: { text_color: '#cccccc', background_color: '#ffffff' } }
    expect((await patch(id, faint)).body.errors).toEqual([{ field: 'appearance.text_color', error_code: 'invalid' }])
    const style = { text_color: '#000000', font_size: 'large', text_block_style: { bold: true } }
    const styled = await patch(id, { appearance: style })
    expect(styled.body.appearance).toMatchObject({
      ...style,
      text_block_style: { bold: true, italic: false, underline: false },
    })
    const plain = await patch(id, { appearance: { text_color: '' } })
    expect(plain.body.appearance).not.toHaveProperty('text_color')
  })

  it('is not found on another site', async () => {
    const other = await aSite()
    const id = await aText('here')
    expect((await patch(id, {}, other)).status).toBe(404)
    expect((await remove(id, other)).status).toBe(404)
    expect((await sort([[id, 0]], other)).status).toBe(404)
  })

  it('is added to no site that does not exist', async () => {
    const none = 'M0000000000'
    const answers = [await add('text_block', { text: 'x' }, {}, none), await contain({ type: 'grid' }, none)]
    for (const { status, body } of answers) expect([status, body.resource]).toEqual([404, 'sites'])
  })

  it.each(unreadableBodies)('is not changed by %s, and no container is made of it', async (_, body, code) => {
    expect((await patch(await aText('unread'), body)).status).toBe(code)
    expect((await contain(body)).status).toBe(code)
  })
})

describe('the blocks of a site', () => {
  it('have at most 512 kB', async () => {
    const guid = await aSite()
    const texts = Array.from({ length: 199 }, () => ({ text: 'ä'.repeat(1250) }))
    const blocks = texts.map((content, number) => ({
      ...{ id: `L${number}`, type: 'text_block' as const, content },
      ...{ isActive: true, isPinned: false, isSample: false },
    }))
    const filled = await started.app.sites.change(guid, (draft) => ({ ...draft, blocks }), Date.now())
    expect(filled.outcome).toBe('done')
    const { status, body } = await add('text_block', { text: 'ä'.repeat(5000) }, {}, guid)
    const { errors, description } = body
    expect([status, errors, description]).toEqual([
      400,
      [{ field: 'content', error_code: 'invalid' }],
      'A site has at most 512 kB of texts and other contents, and 300 short links. Delete some first.',
    ])
  })

  it('are ordered, and in containers among themselves', async () => {
    const guid = await aSite()
    const [one, two] = [await aText('one', {}, guid), await aText('two', {}, guid)]
    const grid = await aContainer('grid', guid)
    const inside = async (title: string) =>
      aBlock('shortlink', { url: 'tel:1234', link_title: title }, { parent: grid }, guid)
    const [first, second] = [await inside('first'), await inside('second')]
    const { status, body } = await sort(
      [
        [grid, 0],
        [two, 1],
        [one, 2],
        [second, 0],
        [first, 1],
      ],
      guid,
    )
    expect(status).toBe(200)
    const places = body.blocks.map((block: Block) => [block.block_id, block.sort_order, block.container_id])
    expect(places).toEqual([
      [grid, 0, undefined],
      [two, 1, undefined],
      [one, 2, undefined],
      [second, 0, grid],
      [first, 1, grid],
    ])
    expect((await remove(grid, guid)).status).toBe(204)
    expect(await textsOf(guid)).toEqual(['two', 'one'])
  })

  it('are only in grids and carousels, and only some of them', async () => {
    const { status, body } = await contain({ type: 'text_block' })
    expect([status, body.errors]).toEqual([400, [{ field: 'type', error_code: 'invalid' }]])
    const grid = await aContainer('carousel')
    const wrong = { status: 400, body: { errors: [{ field: 'parent', error_code: 'invalid' }] } }
    expect(await add('text_block', { text: 'x' }, { parent: grid })).toMatchObject(wrong)
    const plain = await aText('no container')
    const content = { url: 'tel:1234' }
    expect(await add('shortlink', content, { parent: plain })).toMatchObject(wrong)
    const id = await aBlock('shortlink', content, { parent: grid })
    expect((await patch(id, { parent: '' })).body).not.toHaveProperty('container_id')
  })

  it('are at most 200', async () => {
    const guid = await aSite()
    for (let count = 0; count < 200; count += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => aText(String(count + at), {}, guid)))
    }
    const { status, body } = await add('text_block', { text: 'one more' }, {}, guid)
    expect([status, body.description]).toEqual([400, 'A site has at most 200 blocks. Delete one first.'])
  })

  it('are all there when editors add them at once', async () => {
    const guid = await aSite()
    const wanted = Array.from({ length: 8 }, (_, at) => `text ${at}`)
    await Promise.all(wanted.map((text) => aText(text, {}, guid)))
    expect([...(await textsOf(guid))].sort()).toEqual(wanted)
  })

  it('make a draft, which differs from what is published', async () => {
    const guid = await aSite()
    await started.request('POST', `/v4/sites/${guid}/publish`)
    const id = await aText('draft', {}, guid)
    const isEdited = async () => (await started.request('GET', `/v4/sites/${guid}`)).body.is_edited
    expect(await isEdited()).toBe(true)
    await remove(id, guid)
    expect(await isEdited()).toBe(false)
  })

  it('are changed only by those who have read the last version', async () => {
    const guid = await aSite()
    const { headers } = await started.request('GET', `/v4/sites/${guid}`)
    const send = (ifMatch: unknown) =>
      started.request('POST', `/v4/sites/${guid}/blocks`, {
        body: { type: 'text_block', content: { text: 'x' } },
        headers: { 'if-match': String(ifMatch) },
      })
    const one = await send(headers.etag)
    expect([one.status, (await send(headers.etag)).status, (await send(one.headers.etag)).status]).toEqual([
      201, 412, 201,
    ])
  })

  it('have grids only in plans with them', async () => {
    const organizationGuid = await firstOrganization(started)
    const give = (plan: string) => operate(started.app, operator, 'setPlan', { organizationGuid, plan, force: true })
    const [withGrid, without] = [await aSite(), await aSite()]
    const grid = (guid: string) => contain({ type: 'grid', content: {} }, guid)
    const clone = (guid: string) => started.request('POST', `/v4/sites/${guid}/clone`)
    await grid(withGrid)
    await give('plain')
    const answers = [
      await grid(without),
      await add('text_block', { text: 'x' }),
      await clone(withGrid),
      await clone(without),
    ]
    // Elsewhere, the samples of this template are in a grid.
    const body = { template_guid: 'Tgallery' }
    const dressed = await aSite()
    await started.request('POST', `/v4/sites/${dressed}/template`, { body })
    await give('unlimited')
    const other = await aSite()
    await started.request('POST', `/v4/sites/${other}/template`, { body })
    expect(answers.map(({ status }) => status)).toEqual([402, 201, 402, 201])
    const [plain, full] = [await blocksOf(dressed), await blocksOf(other)]
    expect(plain.filter(({ container_id }) => container_id)).toEqual([])
    expect(full.filter(({ container_id }) => container_id)).toHaveLength(4)
    expect(plain).toHaveLength(full.length - 1)
  })

  it('filter the links of the group', async () => {
    const guid = await aSite()
    const link = await aLink()
    await aLink()
    const id = await aBlock('shortlink', { shortlink_id: link.id }, {}, guid)
    const ids = async () => {
      const path = `/v4/groups/${started.groupGuid}/shortlinks?launchpad_ids=${guid}`
      return (await started.request('GET', path)).body.links.map((each: { id: string }) => each.id)
    }
    expect(await ids()).toEqual([link.id])
    await remove(id, guid)
    expect(await ids()).toEqual([])
  })
})
