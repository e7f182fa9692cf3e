import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { alterRecords, aStranger } from './alter-records.js'
import { unreadableBodies } from './organize.js'

describe('POST /v4/expand', () => {
  const started = useApp()
  let id: string
  beforeAll(async () => {
    id = await aLink('https://example.com/expand')
  })

  async function aLink(long_url: string): Promise<string> {
    return (await started.request('POST', '/v4/shorten', { body: { long_url } })).body.id
  }
  const expand = (body: unknown, options: { token?: string } = {}) =>
    started.request('POST', '/v4/expand', { body, ...options })

  it('answers 200 with the destination', async () => {
    const { status, body } = await expand({ shortlink_id: id, domain: 'ignored', group_guid: 'Bignored000' })
    expect(status).toBe(200)
    expect(body).toEqual({
      link: `http://${id}`,
      id,
      long_url: 'https://example.com/expand',
      long_urls: ['https://example.com/expand'],
      created_at: expect.stringMatching(/\+0000$/),
    })
  })

  it('works for links of any organization', async () => {
    const { token } = await aStranger(started)
    expect((await expand({ shortlink_id: id }, { token })).body.long_url).toBe('https://example.com/expand')
  })

  it('works for keywords', async () => {
    const address = `${started.domain}/keyword`
    await alterRecords(
      started,
      'insert into addresses (address, kind, link_id, created_at) values (?, ?, ?, ?)',
      ...[address, 'keyword', id, 5],
    )
    expect((await expand({ shortlink_id: address })).body).toMatchObject({ id: address, link: `http://${address}` })
  })

  it('works for global hashes', async () => {
    await alterRecords(
      started,
      'insert into global_links (long_url_key, address, long_url, created_at) values (?, ?, ?, ?)',
      ...['key', `${started.domain}/global1`, 'https://example.com/global', 0],
    )
    await alterRecords(
      started,
      'insert into addresses (address, kind, long_url_key, created_at) values (?, ?, ?, ?)',
      ...[`${started.domain}/global1`, 'global', 'key', 0],
    )
    const { status, body } = await expand({ shortlink_id: `${started.domain}/global1` })
    expect(status).toBe(200)
    expect(body).toMatchObject({ long_url: 'https://example.com/global', created_at: '1970-01-01T00:00:00+0000' })
  })

  it.each(['http://', 'https://', 'HTTPS://'])('understands a pasted short URL beginning with %s', async (scheme) => {
    expect((await expand({ shortlink_id: scheme + id })).body.id).toBe(id)
  })

  it.each([
    [{}],
    [{ shortlink_id: null }],
    [{ shortlink_id: '' }],
    [{ shortlink_id: 5 }],
    [{ shortlink_id: ['a/b'] }],
    [{ shortlink_id: 'nothing' }],
    [{ shortlink_id: 'a/' }],
    [{ shortlink_id: '/a' }],
    [{ shortlink_id: 'a/b/c' }],
    [{ shortlink_id: 'a b/c' }],
    [{ shortlink_id: 'ftp://a/b' }],
  ])('answers 400 INVALID_ARG_SHORTLINK_ID for %j', async (sent) => {
    const { status, body } = await expand(sent)
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_SHORTLINK_ID'])
    expect(body.errors).toEqual([{ field: 'shortlink_id', error_code: 'invalid' }])
  })

  it.each(['localhost/unknown', 'elsewhere.example/abc', 'a\u0000/b', 'localhost/😀', `a/${'b'.repeat(100_000)}`])(
    'answers 404 NOT_FOUND for %j',
    async (shortlink_id) => {
      const { status, body } = await expand({ shortlink_id })
      expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
    },
  )

  it.each([
    ['deleted', 'update links set deleted_at = 1 where id = ?'],
    ['expired', 'update links set expires_at = 1 where id = ?'],
  ])('answers 410 GONE for a link that is %s', async (state, statement) => {
    const own = await aLink(`https://example.com/${state}`)
    await alterRecords(started, statement, own)
    const { status, body } = await expand({ shortlink_id: own })
    expect([status, body.message]).toEqual([410, 'GONE'])
    expect(body.description).toContain(state)
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, sent, expected) => {
    const { status, body } = await expand(sent)
    expect([status, body.message]).toEqual([expected, 'UNPROCESSABLE_ENTITY'])
  })
})
