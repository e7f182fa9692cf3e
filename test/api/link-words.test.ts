/** Other words for short links, for clients of services that call them otherwise. */
import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { registerApplication } from '../../src/core/accounts/applications.js'
import { tokenFrom } from '../../src/core/accounts/secrets.js'
import { createToken } from '../../src/core/accounts/tokens.js'
import { startService } from '../../src/runtime/service.js'
import { signedIn } from '../oauth/form-browser.js'
import { aPerson, password } from '../oauth/people.js'
import { freePort } from '../support/free-port.js'
import { writtenOut } from '../support/openapi.js'
import { type Answer, type RequestOptions, useApp } from '../support/start-app.js'
import { asking } from './v3/ask.js'

const started = useApp({ linkWord: ['bitlink', 'kurz'], corsOrigins: ['https://app.example.com'] })
let id: string
beforeAll(async () => {
  id = (await ask('POST', '/v4/shorten', { body: { long_url: 'https://example.com/words' } })).body.id
})

const ask = (method: string, path: string, options?: RequestOptions) => started.request(method, path, options)
const post = (path: string, body: object, options: RequestOptions = {}) => ask('POST', path, { body, ...options })

describe('the word of an answer', () => {
  it('is that of the path', async () => {
    const ours = await ask('GET', `/v4/shortlinks/${id}`)
    const theirs = await ask('GET', `/v4/bitlinks/${id}`)
    const other = await ask('GET', `/v4/kurzs/${id}`)
    const { custom_shortlinks, ...rest } = ours.body
    expect([ours.status, custom_shortlinks]).toEqual([200, []])
    expect([theirs.status, theirs.body]).toEqual([200, { ...rest, custom_bitlinks: [] }])
    expect(other.body).toEqual({ ...rest, custom_kurzs: [] })
    expect(Object.keys(theirs.body).indexOf('custom_bitlinks')).toBe(
      Object.keys(ours.body).indexOf('custom_shortlinks'),
    )
  })

  it.each([
    ['percent-encoded', () => encodeURIComponent(id)],
    ['with a scheme', () => `https://${id}`],
  ])('is that of the path with an id %s', async (_what, written) => {
    const { status, body } = await ask('GET', `/v4/bitlinks/${written()}`)
    expect([status, body.id, body.custom_bitlinks]).toEqual([200, id, []])
  })

  it('is that of a field of the body, if the path has none', async () => {
    expect((await post('/v4/expand', { bitlink_id: id })).body.long_url).toBe('https://example.com/words')
    for (const [field, code, resource] of [
      ['shortlink_id', 'INVALID_ARG_SHORTLINK_ID', 'shortlinks'],
      ['bitlink_id', 'INVALID_ARG_BITLINK_ID', 'bitlinks'],
      ['kurz_id', 'INVALID_ARG_KURZ_ID', 'kurzs'],
    ]) {
      const { status, body } = await post('/v4/expand', { [String(field)]: 'nothing' })
      expect([status, body.message, body.resource, body.errors]).toEqual([
        400,
        code,
        resource,
        [{ field, error_code: 'invalid' }],
      ])
    }
  })

  it('is that of the path where path and body differ; both are understood', async () => {
    const { body: added } = await post('/v4/shortlinks', { bitlink_id: id, keyword: 'both-words' })
    expect(added.custom_shortlinks).toEqual([`http://${started.domain}/both-words`])
    const { body: again } = await post('/v4/bitlinks', { shortlink_id: id, keyword: 'more-words' })
    expect(again.custom_bitlinks).toHaveLength(2)
  })

  it('is that of a name or a value in the query', async () => {
    const tags = `/v4/groups/${started.groupGuid}/tags`
    expect((await ask('GET', `${tags}?type=bitlink`)).status).toBe(200)
    expect((await ask('GET', `${tags}?type=nonsense`)).status).toBe(400)
    const links = `/v4/groups/${started.groupGuid}/bitlinks`
    expect((await ask('GET', `${links}?custom_bitlink=on`)).body.links).toHaveLength(1)
    expect((await ask('GET', `${links}?custom_bitlink=off`)).body.links).toHaveLength(0)
    await post('/v4/qr-codes', { group_guid: started.groupGuid, destination: { bitlink_id: id } })
    const codes = await ask('GET', `/v4/groups/${started.groupGuid}/qr-codes?qrc_type=bitlink`)
    expect(codes.body.qr_codes).toMatchObject([{ qr_code_type: 'bitlink', bitlink_id: id }])
    const both = await ask('GET', `/v4/groups/${started.groupGuid}/qr-codes?qrc_type=shortlink&qrc_type=long_url`)
    expect(both.body.qr_codes).toMatchObject([{ qr_code_type: 'shortlink', shortlink_id: id }])
  })

  it('is that chosen for the token, if the request has none', async () => {
    const { secret: token } = await createToken(started.app, operator, {
      login: 'admin',
      label: 'test',
      answersIn: 'bitlink',
    })
    const long_url = 'https://example.com/words'
    expect((await post('/v4/shorten', { long_url }, { token })).body).toHaveProperty('custom_bitlinks')
    expect((await post('/v4/shorten', { long_url })).body).toHaveProperty('custom_shortlinks')
    // What the request says comes first.
    expect((await ask('GET', `/v4/shortlinks/${id}`, { token })).body).toHaveProperty('custom_shortlinks')
    const { body } = await post('/v4/expand', { shortlink_id: 'nothing' }, { token })
    expect(body.message).toBe('INVALID_ARG_SHORTLINK_ID')
    expect((await post('/v4/expand', {}, { token })).body.message).toBe('INVALID_ARG_BITLINK_ID')
  })

  it('is that chosen for the application, unless its token has another', async () => {
    const { clientId } = await registerApplication(started.app, operator, {
      name: 'Reader',
      login: 'admin',
      answersIn: 'bitlink',
    })
    const [of, own] = ['b'.repeat(40), 'c'.repeat(40)]
    const given = { login: 'admin', clientId, label: '', at: 1 }
    await started.app.accounts.addToken({ ...given, ...tokenFrom(of) })
    await started.app.accounts.addToken({ ...given, ...tokenFrom(own), answersIn: 'shortlink' })
    const long_url = 'https://example.com/words'
    expect((await post('/v4/shorten', { long_url }, { token: of })).body).toHaveProperty('custom_bitlinks')
    expect((await post('/v4/shorten', { long_url }, { token: own })).body).toHaveProperty('custom_shortlinks')
  })

  it('is ours for a token whose word is not configured', async () => {
    const { secret: token } = await createToken(started.app, operator, {
      login: 'admin',
      label: 'test',
      answersIn: 'former',
    })
    expect((await post('/v4/expand', {}, { token })).body.message).toBe('INVALID_ARG_SHORTLINK_ID')
  })
})

describe('with --link-word-default', () => {
  const byDefault = useApp({ linkWord: ['bitlink', 'kurz'], linkWordDefault: 'on' })
  const expand = (body: object, options: RequestOptions) =>
    byDefault.request('POST', '/v4/expand', { body, ...options })

  it('a request without a word is answered in the first', async () => {
    expect((await expand({}, {})).body.message).toBe('INVALID_ARG_BITLINK_ID')
    expect((await expand({}, { token: null })).body.resource).toBe('bitlinks')
  })

  it('a request with a word, or with a token that has one, is answered in it', async () => {
    const { secret: token } = await createToken(byDefault.app, operator, {
      login: 'admin',
      label: 'test',
      answersIn: 'shortlink',
    })
    expect((await expand({}, { token })).body.message).toBe('INVALID_ARG_SHORTLINK_ID')
    expect((await expand({ kurz_id: 'x' }, {})).body.message).toBe('INVALID_ARG_KURZ_ID')
    expect((await byDefault.request('GET', '/v4/shortlinks/a/b')).body.resource).toBe('shortlinks')
  })

  it('the pages of the service are answered in our own', async () => {
    const browser = await signedIn(byDefault, await aPerson(byDefault), password)
    const { csrf } = (await browser.open('/account/session')).body
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-csrf-token': csrf }
    expect((await expand({}, { token: null, headers })).body.message).toBe('INVALID_ARG_SHORTLINK_ID')
  })
})

describe('a request in another word', () => {
  it('treats an empty string as absent, as in our own', async () => {
    const { status } = await post('/v4/shortlinks', { long_url: 'https://example.com/empty', bitlink_id: '' })
    expect(status).toBe(201)
  })

  it('of a field in two words, uses ours', async () => {
    const { status } = await post('/v4/expand', { bitlink_id: 'nothing', shortlink_id: id })
    expect(status).toBe(200)
  })

  it('names fields inside lists and objects', async () => {
    const channel = await post('/v4/channels', {
      group_guid: started.groupGuid,
      name: 'Words',
      bitlinks: [{ campaign_guid: 'Cnone', bitlink_id: id }],
    })
    expect(channel.body.errors?.[0]?.field ?? channel.body.message).toMatch(/campaign|CAMPAIGN|NOT_FOUND/)
    const wrong = await post('/v4/qr-codes', { group_guid: started.groupGuid, destination: { bitlink_id: 7 } })
    expect(wrong.body.errors).toEqual([{ field: 'destination.bitlink_id', error_code: 'invalid' }])
  })

  it('gets the same answer again for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'words-1' }
    const body = { long_url: 'https://example.com/once', title: 'Once' }
    const first = await post('/v4/bitlinks', body, { headers })
    const second = await post('/v4/bitlinks', body, { headers })
    expect(first.body).toHaveProperty('custom_bitlinks')
    expect([second.text, second.headers['idempotent-replayed']]).toEqual([first.text, 'true'])
  })

  it('pages in its word', async () => {
    const { body } = await ask('GET', `/v4/groups/${started.groupGuid}/bitlinks?size=1`)
    expect(body.pagination.next).toContain(`/v4/groups/${started.groupGuid}/bitlinks?size=1&search_after=`)
    const { pathname, search } = new URL(body.pagination.next)
    expect((await ask('GET', pathname + search)).body.links[0]).toHaveProperty('custom_bitlinks')
  })

  it('is refused where the word is not that of a path', async () => {
    for (const path of ['/v4/bitlink', '/v4/groups/bitlinks/x', '/v4/bitlinkss/a/b', '/v4/longlinks/a/b']) {
      expect([path, (await ask('GET', path)).status]).toEqual([path, 404])
    }
    expect((await ask('PUT', `/v4/bitlinks/${id}`)).status).toBe(405)
    const broken = await ask('GET', '/v4/bitlinks/%zz')
    expect([broken.status, broken.body.resource]).toEqual([400, 'bitlinks'])
  })

  it('counts for the same limits, and says so in its word', async () => {
    const limits = async (path: string) =>
      (await ask('GET', `/v4/user/platform_limits?path=${path}`)).body.platform_limits[0]
    const before = await limits('/v4/shortlinks/{shortlink}/clicks')
    const ours = await ask('GET', `/v4/shortlinks/${id}/clicks`)
    const theirs = await ask('GET', `/v4/bitlinks/${id}/clicks`)
    const names = (headers: object) => Object.keys(headers).sort()
    expect(names(theirs.headers)).toEqual(names(ours.headers))
    expect(Number(theirs.headers['x-ratelimit-remaining'])).toBe(Number(ours.headers['x-ratelimit-remaining']) - 1)
    const after = await limits('/v4/bitlinks/{bitlink}/clicks')
    expect(after.endpoint).toBe('/v4/bitlinks/{bitlink}/clicks')
    expect(after.methods[0].count).toBe(before.methods[0].count + 2)
  })

  it('counts for the same route in the metrics', async () => {
    await ask('GET', `/v4/bitlinks/${id}/countries`)
    const { text } = await ask('GET', '/metrics')
    expect(text).toContain('route="/v4/shortlinks/:domain/:hash/countries"')
    expect(text).not.toContain('bitlink')
  })

  it('is allowed to the same pages', async () => {
    const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' }
    const ours = await ask('OPTIONS', `/v4/shortlinks/${id}`, { token: null, headers })
    const theirs = await ask('OPTIONS', `/v4/bitlinks/${id}`, { token: null, headers })
    const { date: _, 'x-request-id': __, ...expected } = ours.headers
    expect([theirs.status, theirs.headers]).toMatchObject([204, expected])
  })

  it('exports with columns in its word', async () => {
    const { body } = await post(`/v4/groups/${started.groupGuid}/exports`, {
      export_type: 'link_engagements_batch',
      bitlinks: [id],
    })
    expect(body.row_count).toBe(1)
    const { secret: token } = await createToken(started.app, operator, {
      login: 'admin',
      label: 'test',
      answersIn: 'bitlink',
    })
    const list = await post(
      `/v4/groups/${started.groupGuid}/exports`,
      { export_type: 'qr_codes_list', filter: {} },
      { token },
    )
    const csv = Buffer.from(list.body.data_uri.split(',')[1], 'base64').toString()
    expect(csv.split(/\r?\n/)[0]).toBe(list.body.columns.join(','))
    expect(list.body.columns).toContain('bitlink_id')
    expect(csv).toContain(',bitlink,')
  })
})

describe('what users wrote', () => {
  it('is never translated', async () => {
    const written = {
      long_url: 'https://example.com/shortlinks/bitlinks?shortlink_id=bitlink',
      title: 'My shortlink, your bitlink: SHORTLINK custom_shortlinks',
      tags: ['shortlink', 'bitlink', 'shortlinks'],
      keyword: 'shortlinks',
    }
    const ours = await post('/v4/shortlinks', written)
    const theirs = await ask('GET', `/v4/bitlinks/${ours.body.id}`)
    const { keyword, ...shown } = written
    expect(theirs.body).toMatchObject({ ...shown, tags: expect.arrayContaining(written.tags) })
    expect(theirs.body.custom_bitlinks).toEqual([`http://${started.domain}/${keyword}`])
    const changed = await ask('PATCH', `/v4/bitlinks/${started.domain}/${keyword}`, {
      body: { title: 'bitlink_id', tags: ['bitlinks'], shortlink: 'x', bitlink: 'y' },
    })
    expect([changed.status, changed.body.title, changed.body.tags]).toEqual([200, 'bitlink_id', ['bitlinks']])
    expect((await ask('GET', `/v4/groups/${started.groupGuid}/tags?type=bitlink`)).body.tags).toContain('bitlinks')
  })

  it('is never translated in paths', async () => {
    await post('/v4/shortlinks', { long_url: 'https://example.com/k', keyword: 'bitlinks' })
    const { body } = await ask('GET', `/v4/shortlinks/${started.domain}/bitlinks`)
    expect(body).toMatchObject({ custom_shortlinks: [`http://${started.domain}/bitlinks`] })
    expect((await ask('GET', `/v4/bitlinks/${started.domain}/bitlinks/clicks`)).status).toBe(200)
  })
})

describe('v3', () => {
  it('knows the word in its path and in its codes', async () => {
    const { get } = asking(started)
    expect((await get('bitlink_pro_domain', { domain: 'example.com' })).data).toEqual({
      domain: 'example.com',
      bitlink_pro_domain: false,
    })
    const { secret: token } = await createToken(started.app, operator, {
      login: 'admin',
      label: 'test',
      answersIn: 'bitlink',
    })
    const longUrl = `http://${id}`
    expect((await get('shorten', { longUrl })).status_txt).toBe('ALREADY_A_SHORTLINK')
    expect((await get('shorten', { longUrl }, token)).status_txt).toBe('ALREADY_A_BITLINK')
  })
})

describe('/openapi.json?word=', () => {
  it('describes the API in the word', async () => {
    const body = writtenOut((await ask('GET', '/openapi.json?word=bitlink')).body)
    const ours = (await ask('GET', '/openapi.json')).body
    expect(Object.keys(body.paths)).toHaveLength(Object.keys(ours.paths).length)
    const operation = body.paths['/v4/bitlinks/{domain}/{hash}'].get
    expect(operation.operationId).toBe('getBitlink')
    expect(body.components.schemas.Bitlink.required).toContain('custom_bitlinks')
    const { schema } = body.paths['/v4/bitlinks'].post.requestBody.content['application/json']
    expect(schema.properties.bitlink_id.examples).toEqual(['go.example.com/3xYz12A'])
    const { parameters } = body.paths['/v4/groups/{group_guid}/bitlinks'].get
    expect(parameters.map((each: { name: string }) => each.name)).toContain('custom_bitlink')
    expect(body.info.title).toBe('shortlink API')
    expect(JSON.stringify(body)).not.toContain('x-link-word')
  })

  it.each(['/openapi.json', '/docs/v3.json'])('leaves no name of %s in our word', async (path) => {
    const { body } = await ask('GET', `${path}?word=bitlink`)
    const left = wordsIn(body).filter((text) => /short_?link/i.test(text))
    // The name of the product, and what users wrote.
    const texts = [
      ...['shortlink API', 'shortlink OAuth and API version 3', 'https://hooks.example.com/shortlink'],
      'otpauth://totp/shortlink:anna?secret=JBSWY3DPEHPK3PXP&issuer=shortlink',
      // What `link_words` of webhooks are.
      'shortlink',
    ]
    expect(left.filter((text) => !texts.includes(text))).toEqual([])
    expect(left.filter((text) => text === 'shortlink').length).toBeLessThanOrEqual(2)
  })

  it('knows our own word, and no other', async () => {
    expect((await ask('GET', '/openapi.json?word=shortlink')).body.paths).toHaveProperty(['/v4/shortlinks'])
    expect((await ask('GET', '/openapi.json?word=other')).status).toBe(404)
  })
})

/** All keys and texts. */
function wordsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(wordsIn)
  return Object.entries(value).flatMap(([key, each]) => [key, ...wordsIn(each)])
}

describe('--link-word', () => {
  it('may have the name of the service, for names that have that instead', async () => {
    const config = { ...started.app.config, linkWord: ['bitlink:bitly'], linkWordDefault: 'on' as const }
    const service = await startService({ ...started.app, config: { ...config, port: await freePort() } })
    const headers = { authorization: `Bearer ${started.token}`, 'content-type': 'application/json' }
    const ask = (path: string, body?: object) =>
      fetch(`http://127.0.0.1:${service.port}${path}`, {
        headers,
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }).then((answer) => answer.json() as Promise<Answer['body']>)
    try {
      expect(await ask('/v4/bitlinks', { long_url: `http://${id}` })).toMatchObject({
        message: 'ALREADY_A_BITLY_LINK',
        resource: 'bitlinks',
      })
      const made = await ask('/v4/qr-codes', {
        group_guid: started.groupGuid,
        destination: { bitlink_id: id },
        render_customizations: { branding: { bitly_brand: true } },
      })
      const { render_customizations, ...read } = await ask(`/v4/qr-codes/${made.qrcode_id}`)
      expect([read.bitlink_id, render_customizations.branding]).toEqual([id, { bitly_brand: true }])
    } finally {
      await service.close()
    }
  })

  it.each(['link', 'campaign'])('refuses %s, which is a name of the API', async (word) => {
    const config = { ...started.app.config, linkWord: [word] }
    const refused = `"${word}" cannot be another word for short links`
    await expect(startService({ ...started.app, config })).rejects.toThrow(refused)
  })
})
