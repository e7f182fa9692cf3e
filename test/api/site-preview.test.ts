import { beforeAll, describe, expect, it } from 'vitest'
import { svg } from '../support/pictures.js'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'

const started = useApp()
const text = { type: 'text_block', content: { text: 'Open on Saturdays' } }
let site: string
let path: string
beforeAll(async () => {
  const body = { group_guid: started.groupGuid, domain: started.domain, keyword: 'anna' }
  site = (await started.request('POST', '/v4/sites', { body })).body.site_guid
  path = `/v4/sites/${site}`
  await started.request('PATCH', path, { body: { display_name: 'Anna' } })
})

const links = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks`)).body.links.length
const upload = async (group: string, token?: string) => {
  const headers = { 'content-type': 'image/svg+xml' }
  const uploaded = await started.request('POST', `/v4/images?group_guid=${group}`, {
    body: svg(),
    headers,
    ...(token !== undefined && { token }),
  })
  return uploaded.body as { readonly guid: string }
}
const draw = (body: object) => started.request('POST', `${path}/preview`, { body })

describe('POST /v4/sites/{site_id}/preview', () => {
  it('draws the draft with what is not saved, and stores nothing', async () => {
    const before = (await started.request('GET', `${path}?include_blocks=true`)).body
    const { status, body } = await draw({ description: 'Cups & <b>bowls</b>', block: text })
    expect(status).toBe(200)
    expect(body.html).toContain('<h1')
    expect(body.html).toContain('Anna')
    expect(body.html).toContain('Cups &#38; &#60;b&#62;bowls')
    expect(body.html).toContain('Open on Saturdays')
    expect((await started.request('GET', `${path}?include_blocks=true`)).body).toEqual(before)
  })

  it('shows a button for a URL without making a short link', async () => {
    const before = await links()
    const content = { url: 'https://example.com/shop', link_title: 'Shop' }
    const { html } = (await draw({ block: { type: 'shortlink', content } })).body
    expect(html).toMatch(/<a [^>]*href="https:\/\/example\.com\/shop" data-url="example\.com\/shop">.*Shop/)
    expect(await links()).toBe(before)
  })

  it('changes a block that is there', async () => {
    const { block_id } = (await started.request('POST', `${path}/blocks`, { body: text })).body
    const { html } = (await draw({ block: { block_id, content: { text: 'Closed' } } })).body
    expect(html).toContain('Closed')
    expect(html).not.toContain('Saturdays')
    expect((await draw({ block: { block_id, is_active: false } })).body.html).not.toContain('Saturdays')
  })

  it('shows colours that cannot be read, and refuses what is none', async () => {
    const appearance = { style_preference: 'custom', background_color: '#eeeeee', text_color: '#ffffff' }
    expect((await draw({ appearance })).body.html).toContain('#eeeeee')
    expect((await draw({ appearance: { text_color: 'red' } })).status).toBe(400)
    expect((await draw({ block: { content: { text: 'of no block' } } })).status).toBe(400)
    expect((await draw({ block: { block_id: 'missing' } })).status).toBe(404)
  })

  it('shows images of the organization, and those of no other', async () => {
    const { guid } = await upload(started.groupGuid)
    const stranger = await aStranger(started)
    const { guid: theirs } = await upload(stranger.groupGuid, stranger.token)
    const fields = {
      'appearance.avatar_image_guid': (avatar_image_guid: string) => ({ appearance: { avatar_image_guid } }),
      'appearance.background_image_guid': (guid: string) => ({
        appearance: { background_image_url: `${started.url}/v4/images/${guid}/file`, background_preference: 'image' },
      }),
      'appearance.header_appearance.banner_image_url': (banner_image_url: string) => ({
        appearance: { header_appearance: { banner_image_url, banner_type: 'hero' } },
      }),
    }
    for (const [field, body] of Object.entries(fields)) {
      expect((await draw(body(guid))).body.html).toContain(`/v4/images/${guid}/file`)
      const refused = await draw(body(theirs))
      expect([refused.status, refused.body.errors]).toEqual([400, [{ field, error_code: 'invalid' }]])
    }
  })

  it('draws for readers what is saved', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const asReader = (body: object) => started.request('POST', `${path}/preview`, { token, body })
    expect((await asReader({})).status).toBe(200)
    expect((await asReader({ block: text })).status).toBe(403)
  })
})

describe('GET /v4/sites/{site_id}?version=live', () => {
  it('is what visitors see', async () => {
    const live = () => started.request('GET', `${path}?version=live&include_blocks=true`)
    expect((await live()).status).toBe(404)
    await started.request('POST', `${path}/publish`)
    const published = (await live()).body
    await started.request('PATCH', path, { body: { display_name: 'Another' } })
    expect((await live()).body).toMatchObject({ content: published.content, blocks: published.blocks, is_edited: true })
    expect((await started.request('GET', path)).body.content.display_name).toBe('Another')
  })
})
