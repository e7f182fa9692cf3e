/** What clients of the public service really send, item by item, besides what the documentation asks of them. */
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../src/core/sign-in/api-keys.js'
import { writtenOut } from '../support/openapi.js'
import { useApp } from '../support/start-app.js'
import { firstOrganization, organize } from './organize.js'
import { asking } from './v3/ask.js'

const now = Date.parse('2026-03-18T12:00:00Z')
const started = useApp({}, { clock: { now: () => now } })
let link: { id: string; link: string }
beforeAll(async () => {
  link = (await post('/v4/shortlinks', { long_url: 'https://example.com/first' })).body
})

const post = (path: string, body: unknown, headers = {}) => started.request('POST', path, { body, headers })
const get = (path: string, headers = {}) => started.request('GET', path, { headers })

describe('v4 understands', () => {
  it('a token without the word Bearer', async () => {
    const { status } = await started.request('GET', '/v4/user', {
      token: null,
      headers: { authorization: started.token },
    })
    expect(status).toBe(200)
  })

  it('no token in the query: it would be written to the logs of every proxy', async () => {
    const { status } = await started.request('GET', `/v4/user?access_token=${started.token}`, { token: null })
    expect(status).toBe(403)
  })

  it('null and empty strings for what is absent', async () => {
    const long_url = 'https://example.com/absent'
    const absent = { long_url, group_guid: null, domain: '', title: null, tags: null, deeplinks: null, keyword: '' }
    for (const path of ['/v4/shortlinks', '/v4/shorten']) {
      const { status, body } = await post(path, absent)
      expect([path, status < 300, body.long_url]).toEqual([path, true, long_url])
    }
  })

  it('fields that it sent itself, and unknown ones', async () => {
    const { body } = await get(`/v4/shortlinks/${link.id}`)
    const changed = { ...body, title: 'Sent back', no_such_field: 1 }
    const answer = await started.request('PATCH', `/v4/shortlinks/${link.id}`, { body: changed })
    expect([answer.status, answer.body.title]).toEqual([200, 'Sent back'])
  })

  it('ids with a scheme, and percent-encoded', async () => {
    const { id } = link
    const written = [
      id,
      encodeURIComponent(id),
      `http://${id}`,
      encodeURIComponent(`https://${id}`),
      `https:%2F%2F${id}`,
    ]
    for (const each of written) {
      for (const path of [`/v4/shortlinks/${each}`, `/v4/shortlinks/${each}/clicks/summary?unit=day`]) {
        expect([path, (await get(path)).status]).toEqual([path, 200])
      }
    }
    for (const shortlink_id of [id, `http://${id}`, link.link]) {
      expect((await post('/v4/expand', { shortlink_id })).body.long_url).toBe('https://example.com/first')
    }
  })

  it('metrics without unit, and with an empty unit_reference', async () => {
    for (const name of [
      'clicks',
      'clicks/summary',
      'countries',
      'referrers',
      'referring_domains',
      'referrers_by_domains',
    ]) {
      for (const query of ['', '?units=5', '?unit_reference=', '?unit=&units=&size=']) {
        const path = `/v4/shortlinks/${link.id}/${name}${query}`
        const { status, body } = await get(path)
        expect([path, status, body.unit]).toEqual([path, 200, 'day'])
      }
    }
    const { status } = await get(`/v4/groups/${started.groupGuid}/countries`)
    expect(status).toBe(200)
  })

  it('every report without unit, units and unit_reference, and every link and custom link percent-encoded', async () => {
    const organization = await firstOrganization(started)
    const domain = await organize(started).domain('go.reports.example', organization, [started.groupGuid])
    const branded = (await post('/v4/shortlinks', { long_url: 'https://example.com/reports', domain })).body
    const custom_shortlink = `${domain}/reports`
    await post('/v4/custom_shortlinks', { custom_shortlink, shortlink_id: branded.id })
    const code = { group_guid: started.groupGuid, destination: { shortlink_id: branded.id } }
    const { qrcode_id } = (await post('/v4/qr-codes', code)).body
    const campaign = (await post('/v4/campaigns', { group_guid: started.groupGuid, name: 'Reports' })).body
    const channel = (await post('/v4/channels', { group_guid: started.groupGuid, name: 'Reports' })).body
    const site = (await post('/v4/sites', { group_guid: started.groupGuid, domain, keyword: 'reports' })).body
    const filled = (path: string) =>
      path
        .replace('{domain}/{hash}', encodeURIComponent(branded.id))
        .replace('{domain}/{keyword}', encodeURIComponent(custom_shortlink))
        .replace('{group_guid}', started.groupGuid)
        .replace('{organization_guid}', organization)
        .replace('{qrcode_id}', qrcode_id)
        .replace('{site_id}', site.site_guid)
        .replace('{sort}', 'clicks')
        .replace('{dimension}', 'countries')
        .replace('{campaign_guid}', campaign.guid)
        .replace('{channel_guid}', channel.guid)
        .replace(/(?<=\/campaigns\/metrics)$/, `?campaign_guid=${campaign.guid}`)
    const { paths } = writtenOut((await get('/openapi.json')).body)
    const described = paths as Record<string, { get?: { parameters?: Named[] } }>
    const reports = Object.entries(described).flatMap(([path, { get: operation }]) => {
      // Usage and the reports on several sites want to know the window.
      const isReport =
        operation?.parameters?.some(({ name, required }) => name === 'unit' && !required) &&
        !path.includes('historical_usage')
      return isReport ? [filled(path)] : []
    })
    expect(reports.length).toBeGreaterThan(30)
    for (const path of reports) expect([path, (await get(path)).status]).toEqual([path, 200])
  })

  it('no body without its content type, as the documentation says', async () => {
    for (const type of ['', 'text/plain', 'application/x-www-form-urlencoded']) {
      const { status, body } = await post('/v4/shorten', { long_url: 'https://example.com/' }, { 'content-type': type })
      expect([type, status, body.message]).toEqual([type, 406, 'INVALID_CONTENT_TYPE_HEADER'])
    }
  })

  it('bytes that follow a DELETE, announced or not', async () => {
    const create = async (n: number) =>
      (await post('/v4/shortlinks', { long_url: `https://example.com/gone/${n}` })).body.id
    for (const [n, body] of ['{}', 'null', 'not JSON', '{"a":'].entries()) {
      const { status } = await started.request('DELETE', `/v4/shortlinks/${await create(n)}`, { body })
      expect([body, status]).toEqual([body, 200])
    }
    const id = await create(9)
    const head = `DELETE /v4/shortlinks/${id} HTTP/1.1\r\nHost: ${started.domain}\r\nAuthorization: Bearer ${started.token}\r\n`
    expect(await overSocket(`${head}\r\n{"stray": true}`)).toMatch(/^HTTP\/1.1 200 [\s\S]*links_deleted/)
    expect((await get(`/v4/shortlinks/${id}`)).status).not.toBe(200)
  })
})

interface Named {
  readonly name: string
  readonly required?: boolean
}

function overSocket(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(started.app.config.port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}

describe('DELETE of a group', () => {
  it('ends all access to it, but its links keep redirecting', async () => {
    const organization = await firstOrganization(started)
    const { guid } = (await post(`/v4/organizations/${organization}/groups`, { name: 'Short-lived' })).body
    const made = (await post('/v4/shortlinks', { long_url: 'https://example.com/kept', group_guid: guid })).body
    const removed = await started.request('DELETE', `/v4/groups/${guid}`)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await get(`/v4/groups/${guid}`)).status).toBe(403)
    expect((await get('/v4/groups')).body.groups.map((group: { guid: string }) => group.guid)).not.toContain(guid)
    expect((await get(`/v4/shortlinks/${made.id}`)).status).toBe(403)
    const visited = await get(made.link.slice(made.link.lastIndexOf('/')))
    expect([visited.status, visited.headers.location]).toEqual([301, 'https://example.com/kept'])
    expect((await started.request('DELETE', `/v4/groups/${guid}`)).status).toBe(403)
  })

  it('is refused for the only group of an organization', async () => {
    const { status, body } = await started.request('DELETE', `/v4/groups/${started.groupGuid}`)
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
    expect((await get(`/v4/groups/${started.groupGuid}`)).status).toBe(200)
  })
})

describe('an alias of the default domain', () => {
  const aliased = useApp({ domainAliases: ['bit.ly'] })

  it('means the default domain in bodies, paths and v3, and is never shown', async () => {
    const body = { long_url: 'https://example.com/aliased', domain: 'bit.ly' }
    const made = await aliased.request('POST', '/v4/shorten', { body })
    const [domain, hash] = made.body.id.split('/')
    expect([made.status, domain]).toEqual([201, aliased.domain])
    for (const path of ['', '/clicks', '/clicks/summary', '/countries', '/referrers', '/qr']) {
      const { status } = await aliased.request('GET', `/v4/shortlinks/bit.ly/${hash}${path}`)
      expect([path, status]).toEqual([path, 200])
    }
    for (const shortlink_id of [`bit.ly/${hash}`, `https://BIT.ly/${hash}`]) {
      const expanded = await aliased.request('POST', '/v4/expand', { body: { shortlink_id } })
      expect(expanded.body).toMatchObject({ id: made.body.id, long_url: body.long_url })
      const read = await aliased.request('GET', `/v4/shortlinks/${encodeURIComponent(shortlink_id)}`)
      expect(read.body.id).toBe(made.body.id)
    }
    const { expand } = await asking(aliased).data('expand', { shortUrl: `http://bit.ly/${hash}` })
    expect(expand[0].long_url).toBe(body.long_url)
  })

  it('is not a short domain of the service: its URLs can be shortened, and it serves nothing', async () => {
    const body = { long_url: 'https://bit.ly/theirs' }
    expect((await aliased.request('POST', '/v4/shorten', { body })).body.long_url).toBe(body.long_url)
    expect((await get('/v4/shortlinks/bit.ly/theirs')).status).toBe(404)
  })
})

describe('GET /v4/groups/{group_guid}/overrides', () => {
  it("lists the group's custom back-halves with what they point to now", async () => {
    const organization = await firstOrganization(started)
    const group = await organize(started).group('With words')
    const brand = await organize(started).domain('go.words.example', organization, [group])
    const create = async (body: object) => (await post('/v4/shortlinks', { group_guid: group, ...body })).body
    const path = `/v4/groups/${group}/overrides`
    expect((await get(path)).body).toEqual({ overrides: [] })
    const first = await create({ long_url: 'https://example.com/1', keyword: 'overrides-1' })
    const second = await create({ long_url: 'https://example.com/2', domain: brand, keyword: 'two' })
    const third = await create({ long_url: 'https://example.com/3', domain: brand })
    await post('/v4/shortlinks', { shortlink_id: third.id, keyword: 'three' })
    await started.request('PATCH', `/v4/custom_shortlinks/${brand}/two`, { body: { shortlink_id: third.id } })

    const listed = (await get(path)).body.overrides
    const [, hash] = third.id.split('/')
    expect(listed).toHaveLength(3)
    const onThird = { bsd: brand, hash, long_url: 'https://example.com/3', is_active: true, deactivated: '' }
    for (const keyword of ['two', 'three']) {
      expect(listed).toContainEqual(expect.objectContaining({ ...onThird, keyword, group_guid: group, login: 'admin' }))
    }
    expect(listed).toContainEqual(expect.objectContaining({ keyword: 'overrides-1', bsd: started.domain }))
    expect(second.id).not.toBe(first.id)

    const words = async (query: string) =>
      (await get(`${path}?${query}`)).body.overrides.map(({ keyword }: { keyword: string }) => keyword)
    const all = listed.map(({ keyword }: { keyword: string }) => keyword)
    expect(await words(`bsd=${started.domain}`)).toEqual(['overrides-1'])
    expect(new Set(await words(`bsd=${brand},x.example`))).toEqual(new Set(['two', 'three']))
    expect([...(await words('limit=2')), ...(await words('limit=2&offset=2'))]).toEqual(all)
    expect(await words(`created_after=${now / 1000}`)).toEqual(all)
    expect(await words(`created_after=${now / 1000 + 1}`)).toEqual([])
  })

  it('refuses bad arguments, and strangers', async () => {
    const path = `/v4/groups/${started.groupGuid}/overrides`
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'offset=10001', 'created_after=x']) {
      expect([query, (await get(`${path}?${query}`)).status]).toEqual([query, 400])
    }
    expect((await started.request('GET', path, { token: 'b'.repeat(40) })).status).toBe(403)
    expect((await get('/v4/groups/Bnone123456/overrides')).status).toBe(403)
  })
})

describe('lists of names that are joined with commas', () => {
  it('select like repeated ones', async () => {
    const body = (await post('/v4/shortlinks', { long_url: 'https://example.com/joined', tags: ['one', 'two'] })).body
    const { login } = (await get('/v4/user')).body
    const list = `/v4/groups/${started.groupGuid}/shortlinks`
    for (const query of ['tags=one,two', 'tags=two%2Cone', 'tags=one&tags=two', `tags=one&encoding_login=${login},x`]) {
      const { links } = (await get(`${list}?${query}`)).body
      expect([query, links.map(({ id }: { id: string }) => id)]).toEqual([query, [body.id]])
    }
    expect((await get(`${list}?tags=one,three`)).body.links).toEqual([])
    const code = { group_guid: started.groupGuid, destination: { shortlink_id: body.id }, tags: ['one', 'two'] }
    const { qrcode_id } = (await post('/v4/qr-codes', code)).body
    const codes = (await get(`/v4/groups/${started.groupGuid}/qr-codes?tags=one,two&creating_login=${login},x`)).body
    expect(codes.qr_codes).toMatchObject([{ qrcode_id }])
  })
})

describe('page numbers of QR codes', () => {
  it('lead through the list like the cursor does, for the first 10,000', async () => {
    const list = `/v4/groups/${started.groupGuid}/qr-codes?tags=paged&size=2`
    for (let n = 0; n < 3; n += 1) {
      const destination = { long_url: `https://example.com/codes/${n}` }
      await post('/v4/qr-codes', { group_guid: started.groupGuid, destination, tags: ['paged'] })
    }
    const idsOf = (body: { qr_codes: { qrcode_id: string }[] }) => body.qr_codes.map(({ qrcode_id }) => qrcode_id)
    const first = (await get(`${list}&page=1`)).body
    const second = (await get(`${list}&page=2`)).body
    expect(first).toEqual((await get(list)).body)
    const next = new URL((await get(list)).body.pagination.next)
    expect(idsOf(second)).toEqual(idsOf((await get(next.pathname + next.search)).body))
    expect([idsOf(second).length, second.pagination.next]).toEqual([1, ''])
    expect(idsOf((await get(`${list}&page=3`)).body)).toEqual([])
    const { status, body } = await get(`${list}&page=5001`)
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_PAGE'])
  })
})

describe('page numbers of lists', () => {
  const ids: string[] = []
  let list: string
  beforeAll(async () => {
    for (let n = 0; n < 7; n += 1) {
      ids.unshift(
        (await post('/v4/shortlinks', { long_url: `https://example.com/paged/${n}`, tags: ['paged'] })).body.id,
      )
    }
    list = `/v4/groups/${started.groupGuid}/shortlinks?tags=paged&size=3`
  })
  const idsOf = (body: { links: { id: string }[] }) => body.links.map(({ id }) => id)

  it('lead through the list like the cursor does', async () => {
    const seen: string[] = []
    const first = (await get(list)).body
    for (const page of [1, 2, 3]) {
      const { body } = await get(`${list}&page=${page}`)
      seen.push(...idsOf(body))
      expect([page, body.pagination.next === '']).toEqual([page, page === 3])
    }
    expect(new Set(seen)).toEqual(new Set(ids))
    expect(seen).toHaveLength(7)
    expect(seen.slice(0, 3)).toEqual(idsOf(first))
    const beyond = (await get(`${list}&page=4`)).body
    expect([idsOf(beyond), beyond.pagination.next]).toEqual([[], ''])
  })

  it('continue with the cursor of the page, which wins when both are sent', async () => {
    const second = (await get(`${list}&page=2`)).body
    const third = (await get(`${list}&page=3`)).body
    const next = new URL(second.pagination.next)
    expect(next.searchParams.has('page')).toBe(false)
    expect(idsOf((await get(next.pathname + next.search)).body)).toEqual(idsOf(third))
    const both = `${list}&page=1&search_after=${second.pagination.search_after}`
    expect(idsOf((await get(both)).body)).toEqual(idsOf(third))
  })

  it('end after 10,000 entries, where the cursor leads on', async () => {
    const at = `/v4/groups/${started.groupGuid}/shortlinks?size=100`
    expect((await get(`${at}&page=100`)).status).toBe(200)
    for (const page of ['101', '0', '-1', 'x', '99999999999']) {
      const { status, body } = await get(`${at}&page=${page}`)
      expect([page, status, body.message]).toEqual([page, 400, 'INVALID_ARG_PAGE'])
    }
    expect((await get(`${at}&page=101`)).body.description).toContain('search_after')
    expect((await get(`${at}&page=`)).status).toBe(200)
  })
})

describe('v3 understands', () => {
  const v3 = () => asking(started)

  it('uri for longUrl', async () => {
    expect((await v3().data('shorten', { uri: 'https://example.com/by-uri' })).long_url).toBe(
      'https://example.com/by-uri',
    )
  })

  it('tz_offset for timezone', async () => {
    const window = { link: link.link, unit: 'day', units: 2, rollup: false }
    for (const tz_offset of [-5, 0, 9]) {
      const data = await v3().data('link/clicks', { ...window, tz_offset })
      expect(data.tz_offset).toBe(tz_offset)
      expect((data.link_clicks[0].dt + tz_offset * 3600) % 86_400).toBe(0)
    }
    for (const tz_offset of [5.5, 15]) {
      expect(await v3().refusal('link/clicks', { ...window, tz_offset })).toMatch(/^200 500 INVALID/)
    }
  })

  it('milliseconds and the word now in unit_reference_ts', async () => {
    const window = { link: link.link, unit: 'day', units: 2, rollup: false }
    const seconds = now / 1000 - 86_400
    const wanted = await v3().data('link/clicks', { ...window, unit_reference_ts: seconds })
    expect(wanted.unit_reference_ts).toBe(seconds)
    expect(await v3().data('link/clicks', { ...window, unit_reference_ts: seconds * 1000 })).toEqual(wanted)
    expect((await v3().data('link/clicks', { ...window, unit_reference_ts: 'now' })).unit_reference_ts).toBeNull()
  })

  it('login and API key', async () => {
    const actor = await started.app.tokens.authenticate(started.token)
    const { apiKey } = await createApiKey(started.app, actor, { label: 'old client' })
    const query = { login: 'admin', apiKey, longUrl: 'https://example.com/by-key' }
    expect((await v3().get('shorten', query, null)).status_txt).toBe('OK')
    expect((await v3().get('shorten', { ...query, apiKey: 'R_wrong' }, null)).status_txt).toBe('INVALID_APIKEY')
  })
})
