/** Sites in the words of the public service, as its newest client sends them. */
import { expect, it } from 'vitest'
import { type RequestOptions, useApp } from '../support/start-app.js'

const started = useApp({ linkWord: ['bitlink:bitly'], linkWordDefault: 'on' })
const send = async (method: string, path: string, body?: object) => {
  const options: RequestOptions = body ? { body } : {}
  const answer = await started.request(method, path, options)
  return { status: answer.status, body: answer.body }
}

const facets = ['over_time', 'countries', 'cities', 'devices']
const aggregates = [
  'overview',
  ...[...facets, 'referrers'].map((facet) => `views/${facet}`),
  ...[...facets, 'top'].map((facet) => `clicks/${facet}`),
  'digital_business_card_downloads/over_time',
]

it('the requests of the public client make, fill and publish a site', async () => {
  const { groupGuid: group_guid, domain } = started
  const link = (await send('POST', '/v4/shorten', { long_url: 'https://example.com/words' })).body.id
  const made = await send('POST', '/v4/sites', { group_guid, domain, keyword: 'words', uri: `${domain}/m/words` })
  expect(made.status).toBe(201)
  const path = `/v4/sites/${made.body.site_guid}`

  const button = await send('POST', `${path}/blocks`, {
    type: 'bitlink',
    content: { bitlink_id: link, link_title: 'Shop', is_pinned: true },
    is_active: true,
  })
  expect(button).toMatchObject({
    status: 201,
    body: { type: 'bitlink', is_pinned: true, content: { bitlink_id: link, link_info: { is_deleted: false } } },
  })
  expect(button.body.content).not.toHaveProperty('shortlink_id')

  const card = await send('POST', `${path}/blocks`, {
    type: 'digital_business_card',
    content: {
      first_name: 'Anna',
      contacts: [{ contact_method: 'website', value: 'https://example.com/words', sort_order: 0, bitlink_id: link }],
    },
  })
  expect(card.body.content.contacts).toEqual([
    {
      contact_method: 'website',
      method_type: 'no_label',
      value: 'https://example.com/words',
      sort_order: 0,
      bitlink_id: link,
    },
  ])

  const changed = await send('PATCH', `${path}/blocks/${button.body.block_id}`, {
    content: { bitlink_id: link, link_title: 'New shop' },
    appearance: {},
    is_active: true,
    is_pinned: false,
  })
  expect([changed.status, changed.body.content.link_title]).toEqual([200, 'New shop'])

  const appearance = { ...made.body.appearance, hide_bitly_logo: true }
  expect(made.body.appearance).not.toHaveProperty('hide_logo')
  expect((await send('PUT', `${path}/appearance`, appearance)).status).toBe(204)
  const read = await send('GET', `${path}?include_blocks=true`)
  expect(read.body.appearance.hide_bitly_logo).toBe(true)
  expect(read.body.blocks.map(({ type }: { type: string }) => type)).toEqual(['bitlink', 'digital_business_card'])
  expect((await send('POST', `${path}/publish`)).status).toBe(201)
  expect((await send('GET', `/v4/bitlinks/${link}`)).body.launchpad_ids).toEqual([made.body.site_guid])

  const container = await send('POST', `${path}/containers`, { type: 'grid', content: { link_title: 'More' } })
  expect([container.status, container.body.type]).toEqual([201, 'grid'])
  const inside = { type: 'bitlink', content: { bitlink_id: link }, parent: container.body.block_id }
  expect((await send('POST', `${path}/blocks`, inside)).body.container_id).toBe(container.body.block_id)
  const video = await send('POST', `${path}/buttons/youtubeVideo/prevalidate`, { video_id: 'dQw4w9WgXcQ' })
  expect((await send('POST', `${path}/blocks`, { type: 'youtubeVideo', content: video.body })).status).toBe(201)
  expect((await send('POST', `${path}/template`, { template_guid: 'Tpaper' })).status).toBe(200)
  expect((await send('POST', `${path}/clone`, { uri: `${domain}/m/words-2` })).body.button_count).toBeGreaterThan(0)
  const moved = await send('PATCH', path, { uri: `${domain}/m/moved` })
  expect(moved.body.redirects).toMatchObject([{ uri: `${domain}/m/words`, keyword: 'm/words' }])
  expect((await send('DELETE', `${path}/redirects/${domain}/m%2Fwords`)).status).toBe(204)
  const window = 'unit=day&units=7'
  for (const report of ['views', 'views/summary', 'countries', 'cities', 'devices', 'referrers']) {
    expect((await send('GET', `${path}/${report}?${window}`)).status, report).toBe(200)
  }
  const { link_clicks } = (await send('GET', `${path}/link_performance?${window}`)).body
  expect(link_clicks).toMatchObject([{ type: 'bitlink', bitlink_id: link, clicks: 0 }])
  const several = `${window}&site=${made.body.site_guid}`
  for (const report of aggregates) {
    expect((await send('GET', `/v4/aggregate/sites/${report}?${several}`)).status, report).toBe(200)
  }

  const refused = await send('POST', `${path}/blocks`, { type: 'bitlink', content: { bitlink_id: 'nothing' } })
  expect(refused).toMatchObject({ status: 400, body: { resource: 'sites' } })
})
