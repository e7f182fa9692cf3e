import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

const started = useApp()

describe('X-Request-Id', () => {
  it('is on every answer, and another one each time', async () => {
    const paths = ['/v4/user', '/v4/nothing', '/v4/user', '/v3/user/info', '/openapi.json']
    const answers = await Promise.all(paths.map((path) => started.request('GET', path)))
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/)
    expect(new Set(ids).size).toBe(paths.length)
  })

  it('is in the body of an error', async () => {
    const { text, headers } = await started.request('GET', '/v4/groups/Bnothing')
    expect(JSON.parse(text).request_id).toBe(headers['x-request-id'])
  })

  it('is the one that the client or a proxy sent, if it is harmless', async () => {
    const id = 'proxy/4bf92f35-77b3:1'
    const sent = await started.request('GET', '/v4/user', { headers: { 'x-request-id': id } })
    expect(sent.headers['x-request-id']).toBe(id)
    for (const odd of ['a b', '"quoted"', 'x'.repeat(129), '<script>']) {
      const { headers } = await started.request('GET', '/v4/user', { headers: { 'x-request-id': odd } })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}-/)
    }
  })
})

describe('compression', () => {
  const long = '/v4/groups/GROUP/shortlinks?size=50'
  let path: string
  beforeAll(async () => {
    for (let index = 0; index < 10; index++) {
      await started.request('POST', '/v4/shorten', { body: { long_url: `https://example.com/compressed/${index}` } })
    }
    const { body } = await started.request('GET', '/v4/user')
    path = long.replace('GROUP', body.default_group_guid)
  })

  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip', 'br;q=0, gzip;q=0.5', gunzipSync],
    ['gzip', 'br;q=0.1, gzip', gunzipSync],
  ] as const)('is %s for %s', async (encoding, accepted, decompress) => {
    const plain = await started.request('GET', path)
    const { headers, bytes } = await started.request('GET', path, { headers: { 'accept-encoding': accepted } })
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: expect.stringContaining('accept-encoding') })
    expect(decompress(bytes).toString()).toBe(plain.text)
    expect(bytes.length).toBeLessThan(plain.bytes.length)
  })

  it('leaves short answers, and clients that did not ask for it, alone', async () => {
    const short = await started.request('GET', '/v4/nothing', { headers: { 'accept-encoding': 'br' } })
    expect(short.headers['content-encoding']).toBeUndefined()
    const plain = await started.request('GET', path)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers.vary).toContain('accept-encoding')
  })
})

it('a filter of thousands of letters outside ASCII is judged by its own rule', async () => {
  const { body: user } = await started.request('GET', '/v4/user')
  const ask = (filter: string) =>
    started.request('GET', `/v4/groups/${user.default_group_guid}/countries?country=${encodeURIComponent(filter)}`)
  const letters = '\u00fc'.repeat(3000)
  expect(await ask(`is:${letters}`)).toMatchObject({ status: 200 })
  const refused = { status: 400, body: { message: 'INVALID_ARG_COUNTRY' } }
  expect(await ask(letters)).toMatchObject(refused)
  expect(await ask(`is:${'\u00fc'.repeat(8190)}`)).toMatchObject(refused)
})
