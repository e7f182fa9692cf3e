import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'

describe('GET /v4/shortlinks/{domain}/{hash}', () => {
  let started: StartedApp
  let id: string
  beforeAll(async () => {
    started = await startApp()
    id = await aLink('https://example.com/read')
  })
  afterAll(() => started.close())

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
