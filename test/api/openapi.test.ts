import { readFileSync } from 'node:fs'
import { get, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { webhookEvents } from '../../src/core/webhooks/webhook.js'
import { writtenOut } from '../support/openapi.js'
import { useApp } from '../support/start-app.js'

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly object[]
  readonly responses: Readonly<Record<string, unknown>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** As it comes: `fetch` would unpack it. */
function received(url: string, encoding: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': encoding }, agent: false }, async (response) => {
      resolve({ headers: response.headers, body: Buffer.concat(await response.toArray()) })
    }).once('error', reject)
  })
}

describe('GET /openapi.json', () => {
  const started = useApp()

  it('equals docs/openapi/v4.json; run "npm run openapi" if this fails', async () => {
    const { status, body } = await started.request('GET', '/openapi.json', { token: null })
    expect(status).toBe(200)
    const committed: unknown = JSON.parse(readFileSync('docs/openapi/v4.json', 'utf8'))
    expect(body).toEqual(committed)
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is sent compressed by %s to those who read it', async (encoding, unpack) => {
    const plain = await fetch(`${started.url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } })
    expect(plain.headers.get('content-encoding')).toBeNull()
    const packed = await received(`${started.url}/openapi.json`, encoding)
    expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
    const text = await plain.text()
    expect(unpack(packed.body).toString()).toBe(text)
    expect(packed.body.length).toBeLessThan(text.length / 5)
  })

  it('describes the events of webhooks, with an example of every field', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    expect(Object.keys(body.webhooks).sort()).toEqual([...webhookEvents, 'ping'].sort())
    const { schema } = body.webhooks.engagement.post.requestBody.content['application/json']
    expect(schema.required).toEqual(expect.arrayContaining(['event_id', 'shortlink', 'country', 'references']))
    for (const { examples } of Object.values(schema.properties) as { examples: unknown[] }[]) {
      expect(examples).toHaveLength(1)
    }
  })

  it('describes every operation with a name, a summary, a tag and its refusals', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    expect(body.openapi).toBe('3.1.0')
    const operations = Object.values(body.paths as Paths).flatMap((path) => Object.values(path))
    const names = operations.map((operation) => operation.operationId)
    expect(new Set(names).size).toBe(operations.length)
    for (const operation of operations) {
      expect(operation.operationId).toBeTruthy()
      expect(operation.summary).toBeTruthy()
      expect(operation.tags).toHaveLength(1)
      const statuses = Object.keys(operation.responses)
      expect(statuses).toEqual(expect.arrayContaining(['500', '503']))
      // Operations without a token have no 403.
      expect(statuses.includes('403')).toBe(operation.security === undefined)
      expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
    }
  })

  it('says that images are sent as forms or as files', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    const { content } = body.paths['/v4/images'].post.requestBody
    const file = { type: 'string', format: 'binary' }
    expect(content['multipart/form-data'].schema).toMatchObject({ required: ['file'], properties: { file } })
    expect(content['image/png'].schema).toEqual(file)
    const { security, responses } = writtenOut(body).paths['/v4/images/{image_guid}/file'].get
    expect(security).toEqual([])
    expect(responses['200'].content['image/svg+xml'].schema).toEqual(file)
  })

  it('contains the bounds of arguments', async () => {
    const body = writtenOut((await started.request('GET', '/openapi.json', { token: null })).body)
    const bodyOf = (method: string, path: string) =>
      body.paths[path][method].requestBody.content['application/json'].schema.properties
    expect(bodyOf('post', '/v4/shorten').long_url).toMatchObject({ type: 'string', maxLength: 2048 })
    expect(bodyOf('post', '/v4/campaigns').name).toMatchObject({ type: 'string', minLength: 1, maxLength: 255 })
    expect(bodyOf('post', '/v4/shortlinks').tags).toMatchObject({
      maxItems: 100,
      items: { pattern: '^[^\\x00-,./:-@\\[-\\^`{-\\x9f]{1,49}$' },
    })
    expect(bodyOf('patch', '/v4/groups/{group_guid}/shortlinks').links).toMatchObject({ minItems: 1, maxItems: 100 })
    const { parameters } = body.paths['/v4/groups/{group_guid}/clicks'].get
    const units = parameters.find(({ name }: { name: string }) => name === 'units')
    expect(units.schema.anyOf).toEqual([{ enum: [-1] }, { minimum: 1, maximum: 50_000 }])
    const listing = body.paths['/v4/groups/{group_guid}/shortlinks'].get.parameters
    const most = (wanted: string) => listing.find(({ name }: { name: string }) => name === wanted).schema.maxLength
    expect([most('query'), most('hostname_path_query')]).toEqual([2000, 2048])
    const { filter } = bodyOf('post', '/v4/groups/{group_guid}/exports')
    expect(filter.properties.query.maxLength).toBe(2000)
    expect(JSON.stringify(body)).not.toMatch(/x-of-core|x-may-be-missing/)
  })

  it('says that null means absent only in optional body fields', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    const { properties } = body.paths['/v4/shortlinks'].post.requestBody.content['application/json'].schema
    const { schemas } = body.components
    expect(properties.title.type).toEqual(['string', 'null'])
    expect(properties.dynamic_routing.items.$ref).toBe('#/components/schemas/RoutingRuleInput')
    expect(schemas.RoutingRuleInput.properties.long_url.type).toBe('string')
    expect(schemas.RoutingRuleInput.properties.os_match.type).toContain('null')
    expect(schemas.ShortLink.properties.title.type).toBe('string')
  })

  it('says that an empty string means absent, also for other types', async () => {
    const body = writtenOut((await started.request('GET', '/openapi.json', { token: null })).body)
    const { properties } = body.paths['/v4/shortlinks'].post.requestBody.content['application/json'].schema
    for (const field of [properties.tags, properties.force_new_link]) {
      expect(field).toMatchObject({ type: expect.arrayContaining(['string']), maxLength: 0 })
    }
    expect(body.components.schemas.DeeplinkInput.properties.os.enum).toEqual(['ios', 'android', '', null])
    const { parameters } = body.paths['/v4/groups/{group_guid}/shortlinks'].get
    const inQuery = parameters.filter((parameter: { in: string }) => parameter.in === 'query')
    expect(inQuery.map(({ allowEmptyValue }: { allowEmptyValue: boolean }) => allowEmptyValue)).not.toContain(undefined)
  })

  it('has no alternatives in bodies, and a named schema for every success', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    const operations = Object.values(writtenOut(body).paths as Paths).flatMap((path) => Object.values(path))
    // A field may have alternatives: the content of a static QR code is a text or an object.
    const bodies = operations.map((operation) => Object(operation).requestBody?.content['application/json']?.schema)
    expect(bodies.filter((schema) => schema?.anyOf)).toEqual([])
    const unnamed = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const schema = Object(response).content?.['application/json']?.schema
        return schema && !schema.$ref ? [`${operationId} ${status}`] : []
      }),
    )
    expect(unnamed).toEqual([])
  })

  it('has only patterns that every regular expression engine supports', async () => {
    const { text } = await started.request('GET', '/openapi.json', { token: null })
    const patterns: string[] = []
    JSON.parse(text, (key, value) => {
      if (key === 'pattern' && typeof value === 'string') patterns.push(value)
      return value
    })
    expect(patterns.length).toBeGreaterThan(0)
    // Look-around, named groups, Unicode classes.
    expect(patterns.filter((pattern) => /\(\?|\\[pPu]/.test(pattern))).toEqual([])
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'u')).not.toThrow()
  })

  it('declares the responses to malformed requests for every operation', async () => {
    const { body } = await started.request('GET', '/openapi.json', { token: null })
    for (const path of Object.values(body.paths as Paths)) {
      for (const [method, { responses }] of Object.entries(path)) {
        const statuses = method === 'get' ? ['400'] : ['400', '413']
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses))
      }
    }
    const path = `/v4/shortlinks/${started.domain}/nothing`
    const large = { body: { padding: 'x'.repeat(1024 * 1024) } }
    expect((await started.request('DELETE', path, large)).status).toBe(413)
    expect((await started.request('GET', '/v4/groups/%zz')).status).toBe(400)
  })
})
