import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { alterRecords } from './alter-records.js'

const valid = { long_url: 'https://example.com/errors' }

describe('v4 requests are checked in order', () => {
  const started = useApp()

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND'])(
    'answers %s on an operation for POST with 405, without requiring a token',
    async (method) => {
      const { status, headers, body } = await started.request(method, '/v4/shorten', { token: null })
      expect(status).toBe(405)
      expect(headers.allow).toBe('POST')
      expect(headers['content-type']).toContain('application/json')
      const expected = { message: 'METHOD_NOT_ALLOWED', resource: 'shortlinks', description: expect.any(String) }
      if (method !== 'HEAD') expect(body).toEqual(expected)
    },
  )

  it('allows HEAD wherever GET is allowed', async () => {
    const { status, headers } = await started.request('POST', '/v4/shortlinks/a/b', { body: '{', token: null })
    expect(status).toBe(405)
    expect(headers.allow?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH'])
  })

  it.each(['/v4', '/v4/', '/v4/nothing', '/v4/shorten/', '/v4/SHORTEN', '/v4/shortlinks/only-domain', '/v4/a/b/c/d/e'])(
    'answers the unknown path %s with 404, without requiring a token or reading the body',
    async (path) => {
      const { status, headers, body } = await started.request('POST', path, { body: '{"broken', token: null })
      expect(status).toBe(404)
      expect(headers['content-type']).toContain('application/json')
      expect(body).toMatchObject({ message: 'NOT_FOUND', description: expect.stringContaining('/docs') })
    },
  )

  it.each([
    ['none', {}],
    ['an unknown token', { authorization: `Bearer ${'b'.repeat(40)}` }],
    ['an empty header', { authorization: '' }],
    ['no token after the word', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${'a'.repeat(40)}` }],
    ['two tokens', { authorization: `Bearer ${'a'.repeat(40)} ${'a'.repeat(40)}` }],
    ['a token in the wrong case', { authorization: `Bearer ${'A'.repeat(40)}` }],
    ['a huge token', { authorization: `Bearer ${'a'.repeat(10_000)}` }],
    ['bytes outside ASCII', { authorization: 'Bearer \u00e9\u00ff' }],
  ])('answers 403 FORBIDDEN, never 401, to %s before it reads the body', async (_, headers) => {
    const { status, body } = await started.request('POST', '/v4/shorten', {
      body: '{"broken',
      token: null,
      headers: { 'content-type': 'text/xml', ...headers },
    })
    expect(status).toBe(403)
    expect(body).toEqual({ message: 'FORBIDDEN', resource: 'shortlinks', description: expect.any(String) })
  })

  it.each(['Bearer ', 'bearer ', 'BEARER  ', ''])('accepts the token after %j', async (prefix) => {
    const { status } = await started.request('POST', '/v4/shorten', {
      body: { long_url: `https://example.com/prefix/${encodeURIComponent(prefix)}` },
      token: null,
      headers: { authorization: prefix + started.token },
    })
    expect(status).toBe(201)
  })

  it('does not accept the token in the query', async () => {
    const path = `/v4/shorten?access_token=${started.token}`
    expect((await started.request('POST', path, { body: valid, token: null })).status).toBe(403)
  })

  it('rejects a revoked token', async () => {
    const [token] = await started.app.accounts.listTokens('admin')
    if (!token) throw new Error('the first token is missing')
    await alterRecords(started, 'update tokens set revoked_at = 1 where guid = ?', token.guid)
    started.app.tokens.forget(token.guid)
    expect((await started.request('POST', '/v4/shorten', { body: valid })).status).toBe(403)
    await alterRecords(started, 'update tokens set revoked_at = null where guid = ?', token.guid)
    expect((await started.request('POST', '/v4/shorten', { body: valid })).status).toBeLessThan(300)
  })

  it.each(['text/xml', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ';', 'json', '*/*'])(
    'answers 406 to a body sent as %s before it parses it',
    async (type) => {
      const { status, body } = await started.request('POST', '/v4/shorten', {
        body: '{"broken',
        headers: { 'content-type': type },
      })
      expect(status).toBe(406)
      expect(body).toMatchObject({ message: 'INVALID_CONTENT_TYPE_HEADER', resource: 'shortlinks' })
    },
  )

  it('answers 406 to a POST without a body or content type', async () => {
    expect((await started.request('POST', '/v4/shorten')).status).toBe(406)
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])(
    'accepts the content type %s',
    async (type) => {
      const answer = await started.request('POST', '/v4/shorten', { body: valid, headers: { 'content-type': type } })
      expect(answer.status).toBeLessThan(300)
    },
  )

  it.each([
    ['nothing', ''],
    ['white space', '   '],
    ['broken JSON', '{"long_url":'],
    ['an array', '[]'],
    ['an array of objects', JSON.stringify([valid])],
    ['text', '"https://example.com/"'],
    ['a number', '5'],
    ['null', 'null'],
    ['true', 'true'],
    ['a form', 'long_url=https%3A%2F%2Fexample.com%2F'],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('{"long_url":"https://example.com/'), 0xff, 0x22, 0x7d])],
    ['UTF-16', Buffer.from('{"long_url":"https://example.com/"}', 'utf16le')],
    ['compressed bytes', Buffer.from('1f8b0800000000000003', 'hex')],
    ['two objects', '{}{}'],
    ['deeply nested arrays', '['.repeat(100_000)],
  ])('answers 422 UNPROCESSABLE_ENTITY to %s as body', async (_, body) => {
    const answer = await started.request('POST', '/v4/shorten', {
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ message: 'UNPROCESSABLE_ENTITY', resource: 'shortlinks' })
  })

  it('says that compressed bodies are not supported', async () => {
    const { status, body } = await started.request('POST', '/v4/shorten', {
      body: gzipSync(JSON.stringify(valid)),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })
    expect([status, body.message]).toEqual([422, 'UNPROCESSABLE_ENTITY'])
    expect(body.description).toContain('Compressed bodies are not supported.')
  })

  it('survives half a million levels of nesting with a null inside', async () => {
    const body = `{"long_url":"https://example.com/deep","x":${'['.repeat(500_000)}null${']'.repeat(500_000)}}`
    expect((await started.request('POST', '/v4/shorten', { body })).status).toBe(201)
  })

  it.each(['{"__proto__":{"long_url":"https://example.com/"}}', '{"constructor":{"prototype":{"long_url":"x"}}}'])(
    'does not let a body reach prototypes: %s',
    async (body) => {
      const answer = await started.request('POST', '/v4/shorten', { body })
      expect(answer.body.message).toBe('INVALID_ARG_LONG_URL')
    },
  )

  it('answers 413 to a body over 1 MiB, announced or not', async () => {
    const body = JSON.stringify({ long_url: 'x'.repeat(1024 * 1024) })
    const announced = await started.request('POST', '/v4/shorten', { body })
    expect([announced.status, announced.body.message]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const { port } = new URL(started.url)
    const chunked = await fetch(`http://127.0.0.1:${port}/v4/shorten`, {
      method: 'POST',
      headers: { authorization: started.token, 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(chunked.status).toBe(413)
    expect(await chunked.json()).toMatchObject({ message: 'PAYLOAD_TOO_LARGE', resource: 'shortlinks' })
  })

  it('forbids sniffing and storing its responses', async () => {
    const { headers } = await started.request('POST', '/v4/shorten', { body: valid })
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    const unknown = await started.request('GET', '/v4/nothing')
    expect(unknown.headers['x-content-type-options']).toBe('nosniff')
  })

  it('accepts an absolute URL in the request line, as proxies send it', async () => {
    const { id } = (await started.request('POST', '/v4/shorten', { body: valid })).body
    const at = `http://${started.domain}`
    const link = await started.request('GET', `${at}/v4/shortlinks/${id.replace('/', '%2F')}`)
    expect([link.status, link.body.id]).toEqual([200, id])
    await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/another' } })
    const listed = await started.request('GET', `${at}/v4/groups/${started.groupGuid}/shortlinks?size=1`)
    expect(listed.status).toBe(200)
    expect(listed.body.pagination.next).toMatch(`${at}/v4/groups/${started.groupGuid}/shortlinks?size=1&search_after=`)
    const refused = await started.request('GET', `${at}/v4/groups/Bnosuch/tags`)
    expect([refused.status, refused.body.resource]).toEqual([403, 'groups'])
    expect((await started.request('PUT', `${at}/v4/shorten`)).status).toBe(405)
  })

  it('answers an internal error with 500 and without internal details', async () => {
    await alterRecords(started, 'alter table links rename to links_elsewhere')
    try {
      for (const path of ['/v4/shortlinks/localhost/abc', '/v4/shortlinks/localhost/abc/clicks']) {
        const { status, body } = await started.request('GET', path)
        expect(status).toBe(500)
        expect(body).toEqual({
          message: 'INTERNAL_ERROR',
          resource: 'shortlinks',
          description: 'Something went wrong on our side. It was logged.',
        })
      }
    } finally {
      await alterRecords(started, 'alter table links_elsewhere rename to links')
    }
  })
})
