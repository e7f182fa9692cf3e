import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'

describe('GET /v4/shortlinks/{domain}/{hash}', () => {
  const started = useApp()
  let id: string
  beforeAll(async () => {
    id = await aLink('https://example.com/read')
  })

  async function aLink(long_url: string): Promise<string> {
    return (await started.request('POST', '/v4/shorten', { body: { long_url } })).body.id
  }
  const read = (path: string, options: { token?: string } = {}) =>
    started.request('GET', `/v4/shortlinks/${path}`, options)

  it('answers 200 with the whole resource', async () => {
    const { status, body } = await read(id)
    expect(status).toBe(200)
    expect(body).toEqual({
      references: { group: `http://${started.domain}/v4/groups/${started.groupGuid}` },
      link: `http://${id}`,
      id,
      long_url: 'https://example.com/read',
      archived: false,
      private: false,
      forward_query: false,
      created_at: expect.stringMatching(/\+0000$/),
      created_by: 'admin',
      custom_shortlinks: [],
      tags: [],
      launchpad_ids: [],
      qr_code_ids: [],
      deeplinks: [],
      campaign_ids: [],
      is_deleted: false,
    })
  })

  it.each([
    ['%2F', (path: string) => path.replace('/', '%2F')],
    ['%2f', (path: string) => path.replace('/', '%2f')],
    ['%3A and %2F', (path: string) => encodeURIComponent(path)],
    ['a query', (path: string) => `${path}?a=%2F`],
    ['the domain in capitals', (path: string) => path.replace('localhost', 'LOCALHOST')],
  ])('accepts the id with %s', async (_, spelled) => {
    const { status, body } = await read(spelled(id))
    expect([status, body.id]).toEqual([200, id])
  })

  it('answers HEAD like GET, without a body', async () => {
    const { status, text, headers } = await started.request('HEAD', `/v4/shortlinks/${id}`)
    expect([status, text]).toEqual([200, ''])
    expect(headers['content-type']).toContain('json')
  })

  it('finds a link by its keyword, and lists keywords as URLs', async () => {
    const address = `${started.domain}/spring-sale`
    await alterRecords(
      started,
      'insert into addresses (address, kind, link_id, created_at) values (?, ?, ?, ?)',
      ...[address, 'keyword', id, 5],
    )
    const { status, body } = await read(address)
    expect([status, body.id]).toEqual([200, id])
    expect(body.custom_shortlinks).toEqual([`http://${address}`])
  })

  it('shows title, application and expiry when there are any, also of an expired link', async () => {
    const own = await aLink('https://example.com/expired')
    await alterRecords(
      started,
      'update links set title = ?, client_id = ?, expires_at = ? where id = ?',
      'T',
      'A1',
      0,
      own,
    )
    const { status, body } = await read(own)
    expect(status).toBe(200)
    expect(body).toMatchObject({ title: 'T', client_id: 'A1', expiration_at: '1970-01-01T00:00:00+0000' })
  })

  it('lets readers of the group read', async () => {
    expect((await read(id, { token: await aMember(started, started.groupGuid, 'reader') })).status).toBe(200)
  })

  it("answers 403 for someone else's link, deleted or not", async () => {
    const { token } = await aStranger(started)
    const own = await aLink('https://example.com/private')
    const { status, body } = await read(own, { token })
    expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    await alterRecords(started, 'update links set deleted_at = 1 where id = ?', own)
    expect((await read(own, { token })).status).toBe(403)
  })

  it.each([
    ['an unknown hash', (path: string) => `${path}x`],
    ['another case', (path: string) => path.replace(/[^/]+$/, (hash) => swapCase(hash))],
    ['an unknown domain', () => 'elsewhere.example/abc'],
    ['a hash that is far too long', (path: string) => path + 'x'.repeat(8000)],
    ['NUL', () => 'a%00/b%00'],
    ['an emoji', () => 'localhost/%F0%9F%98%80'],
    ['SQL', () => "localhost/'%20or%201=1--"],
    ['dots', () => 'localhost/%2e%2e'],
  ])('answers 404 NOT_FOUND for %s', async (_, spelled) => {
    const { status, body } = await read(spelled(id))
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
    expect(body).not.toHaveProperty('errors')
  })

  it('answers 410 GONE for a deleted link', async () => {
    const own = await aLink('https://example.com/deleted')
    await alterRecords(started, 'update links set deleted_at = 1 where id = ?', own)
    const { status, body } = await read(own)
    expect([status, body.message]).toEqual([410, 'GONE'])
  })

  it.each(['%', '%zz/a', 'localhost/%e0%a4', 'localhost/%'])('answers 400 for the broken path %s', async (path) => {
    const { status, body } = await read(path)
    expect([status, body.message, body.resource]).toEqual([400, 'BAD_REQUEST', 'shortlinks'])
  })

  it.each([
    ['/v4/groups/%ff', 'groups'],
    ['/v4/campaigns/%ff', 'campaigns'],
    ['/v4/organizations/%ff/mobile_apps', 'mobile_apps'],
    ['/v4/custom_shortlinks/go.example/%ff', 'shortlinks'],
  ])('answers 400 for the broken path %s with its resource', async (path, resource) => {
    const { status, body } = await started.request('GET', path)
    expect([status, body.message, body.resource]).toEqual([400, 'BAD_REQUEST', resource])
  })
})

function swapCase(text: string): string {
  const swapped = [...text].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('')
  // A hash of digits only has no other case.
  return swapped === text ? `${text}x` : swapped
}

/** docs/api/links.md#passing-on-the-query */
describe('note', () => {
  const started = useApp()
  it('is shown, changed, removed and exported', async () => {
    const note = 'For the poster,\nask Anna'
    const body = { long_url: 'https://example.com/noted', note }
    const { body: made } = await started.request('POST', '/v4/shortlinks', { body })
    expect(made.note).toBe(note)
    const path = `/v4/shortlinks/${made.id}`
    const again = await started.request('POST', '/v4/shortlinks', { body: { ...body, note: 'Another' } })
    expect([again.body.id, again.body.note]).toEqual([made.id, 'Another'])
    expect((await started.request('PATCH', path, { body: { note } })).body.note).toBe(note)
    const exported = await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, {
      body: { export_type: 'links_list', filter: { query: 'noted' } },
    })
    expect(exported.body.columns).toContain('note')
    expect(Buffer.from(exported.body.data_uri.split(',')[1], 'base64').toString()).toContain(note)
    const { history } = (await started.request('GET', `${path}/history`)).body
    await started.request('PATCH', path, { body: { note: '' } })
    expect((await started.request('GET', path)).body).not.toHaveProperty('note')
    const restored = await started.request('POST', `${path}/restore`, { body: { guid: history[0].guid } })
    expect(restored.body.note).toBe('Another')
    const long = await started.request('PATCH', path, { body: { note: 'n'.repeat(2049) } })
    expect([long.status, long.body.message]).toEqual([400, 'INVALID_ARG_NOTE'])
  })
})

describe('forward_query', () => {
  const started = useApp()

  async function aLink(longUrl: string, fields: object = { forward_query: true }) {
    const { status, body } = await started.request('POST', '/v4/shortlinks', { body: { long_url: longUrl, ...fields } })
    return { status, id: body.id as string, path: new URL(body.link).pathname, shown: body.forward_query }
  }

  async function visit(path: string, agent = 'Mozilla/5.0 Firefox/140.0'): Promise<string> {
    const headers = { host: started.domain, 'user-agent': agent }
    const answer = await started.request('GET', path, { token: null, headers })
    return answer.headers.location ?? ''
  }

  it.each([
    ['https://example.com/', '?a=1', 'https://example.com/?a=1'],
    [
      'https://example.com/shop?lang=de#top',
      '?utm_source=mail',
      'https://example.com/shop?lang=de&utm_source=mail#top',
    ],
    ['https://example.com/page#part', '?a=1&b=%20x', 'https://example.com/page?a=1&b=%20x#part'],
    ['https://example.com/scan', '?r=qr', 'https://example.com/scan'],
    ['https://example.com/scans', '?r=qr&a=1&&', 'https://example.com/scans?a=1'],
    ['https://example.com/none', '?', 'https://example.com/none'],
    ['https://example.com/button', '?r=M3xYz12AbCd&b=2', 'https://example.com/button?b=2'],
    ['https://example.com/other', '?r=M3xYz12AbCde&ar=qr', 'https://example.com/other?r=M3xYz12AbCde&ar=qr'],
    ['https://example.com/wide', '?q=%C3%BC&r=qrs', 'https://example.com/wide?q=%C3%BC&r=qrs'],
  ])('%s with %s leads to %s', async (longUrl, query, expected) => {
    const { path } = await aLink(longUrl)
    expect(await visit(`${path}${query}`)).toBe(expected)
    expect(await visit(path)).toBe(longUrl)
  })

  it('is off by default, can be switched, and takes effect at once', async () => {
    const link = await aLink('https://example.com/later', {})
    expect(link.shown).toBe(false)
    expect(await visit(`${link.path}?a=1`)).toBe('https://example.com/later')
    for (const [forward_query, expected] of [
      [true, 'https://example.com/later?a=1'],
      [false, 'https://example.com/later'],
    ] as const) {
      const { body } = await started.request('PATCH', `/v4/shortlinks/${link.id}`, { body: { forward_query } })
      expect(body.forward_query).toBe(forward_query)
      expect(await visit(`${link.path}?a=1`)).toBe(expected)
    }
  })

  it('makes a new link, which is not reused', async () => {
    const plain = await aLink('https://example.com/same', {})
    const passing = await aLink('https://example.com/same')
    expect([passing.status, passing.shown, passing.id === plain.id]).toEqual([201, true, false])
    expect((await aLink('https://example.com/same', {})).id).toBe(plain.id)
  })

  it('goes along with the destination that a rule chose', async () => {
    const dynamic_routing = [{ long_url: 'https://example.com/phone?v=1', device_match: ['mobile'] }]
    const { path } = await aLink('https://example.com/desk', { forward_query: true, dynamic_routing })
    const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1'
    expect(await visit(`${path}?a=1`, phone)).toBe('https://example.com/phone?v=1&a=1')
    expect(await visit(`${path}?a=1`)).toBe('https://example.com/desk?a=1')
  })

  it('is a column of files with new links, and of exports', async () => {
    const csv = 'long_url,forward_query\nhttps://example.com/row,true\n'
    const headers = { 'content-type': 'text/csv' }
    const { body } = await started.request('POST', '/v4/bulk/shorten', { body: csv, headers })
    const [{ link }] = body.results
    const { body: shown } = await started.request('GET', `/v4/shortlinks/${link.id}`)
    expect(shown.forward_query).toBe(true)
    const exported = await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, {
      body: { export_type: 'links_list', filter: { query: 'row' } },
    })
    expect(exported.body.columns.at(-1)).toBe('forward_query')
    expect(Buffer.from(exported.body.data_uri.split(',')[1], 'base64').toString()).toMatch(/,true\n?$/)
  })
})
