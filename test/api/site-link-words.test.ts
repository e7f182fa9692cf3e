/** Sites in the words of the public service, as its newest client sends them. */
import { expect, it } from 'vitest'
import { type RequestOptions, useApp } from '../support/start-app.js'

const started = useApp({ linkWord: ['bitlink:bitly'], linkWordDefault: 'on' })
const send = async (method: string, path: string, body?: object) => {
  const options: RequestOptions = body ? { body } : {}
  const answer = await started.request(method, path, options)
  return { status: answer.status, body: answer.body }
}

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

  const refused = await send('POST', `${path}/blocks`, { type: 'bitlink', content: { bitlink_id: 'nothing' } })
  expect(refused).toMatchObject({ status: 400, body: { resource: 'sites' } })
})
