import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger, type Someone } from './alter-records.js'

let started: StartedApp
let dns: DnsServer
let organization: string
let stranger: Someone
let member: string
beforeAll(async () => {
  dns = await startDnsServer(new Map([['links.example.net', { A: ['203.0.113.7'] }]]))
  started = await startApp({ dnsTargets: ['links.example.net'], dnsServers: [dns.address] })
  organization = (await started.app.domainStore.organizationOf(started.groupGuid)) ?? ''
  stranger = await aStranger(started)
  member = await aMember(started, started.groupGuid)
})
afterAll(async () => {
  await started.close()
  await dns.close()
})

let count = 0
let name: string
beforeEach(() => {
  count += 1
  name = `go${count}.example.com`
  dns.zone.set(name, { CNAME: 'links.example.net' })
})

const collection = () => `/v4/organizations/${organization}/domains`
const at = (domain = name) => `${collection()}/${domain}`
const add = (body: object = {}, options: { token?: string } = {}) =>
  started.request('POST', collection(), { body: { domain: name, ...body }, ...options })
const inGroup = () => ({ group_guids: [started.groupGuid] })
const shorten = (body: object = {}, token = started.token) =>
  started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/', domain: name, ...body }, token })
const visit = (path: string, host = name, method = 'GET') =>
  started.request(method, path, { token: null, headers: { host } })

describe('a domain without proof of ownership', () => {
  let theirs: string
  let admin: string
  beforeAll(async () => {
    theirs = (await started.app.domainStore.organizationOf(stranger.groupGuid)) ?? ''
    await alterRecords(started, "update organization_members set role = 'admin' where organization_guid = ?", theirs)
    started.app.tokens.clear()
    admin = stranger.token
  })
  beforeEach(() => {
    dns.zone.delete(name)
  })
  const theirAdd = () =>
    started.request('POST', `/v4/organizations/${theirs}/domains`, {
      token: admin,
      body: { domain: name, group_guids: [stranger.groupGuid] },
    })
  const verify = (guid: string, token = started.token) =>
    started.request('POST', `/v4/organizations/${guid}/domains/${name}/verify`, { token })
  const proof = (guid: string) => dns.zone.set(`_shortlink.${name}`, { TXT: ['something else', guid] })

  it('does not affect others: they can shorten its URLs, and it serves no visitors', async () => {
    const { status, body } = await theirAdd()
    expect([status, body.verified]).toEqual([201, false])
    const others = await started.request('POST', '/v4/shorten', { body: { long_url: `https://${name}/page` } })
    expect(others.status).toBe(201)
    expect((await visit('/')).text).not.toContain(name)
    const ask = await started.request('GET', `/internal/tls/ask?domain=${name}`, { token: null })
    expect(ask.status).toBe(404)
    const own = await started.request('POST', '/v4/shorten', {
      token: admin,
      body: { long_url: 'https://example.com/', domain: name },
    })
    expect([own.body.message, own.headers['x-bsd-error']]).toEqual([
      'DNS_CONFIGURATION_ERROR',
      expect.stringContaining(`Set for ${name}: CNAME links.example.net.`),
    ])
  })

  it('can be added by two organizations, and belongs to the one that DNS names', async () => {
    expect((await theirAdd()).status).toBe(201)
    expect((await add(inGroup())).body.verified).toBe(false)
    // It points to this service, but for which organization?
    dns.zone.set(name, { CNAME: 'links.example.net' })
    const unclear = await verify(organization)
    expect([unclear.body.verified, unclear.body.dns.match]).toEqual([false, false])
    expect(unclear.body.dns.explanation).toContain('Another organization claims it too.')
    expect(unclear.body.dns.required_records).toContainEqual({
      host: `_shortlink.${name}`,
      type: 'TXT',
      name: `_shortlink.${name}`,
      value: organization,
    })
    proof(organization)
    expect((await verify(theirs, admin)).body.verified).toBe(false)
    expect((await verify(organization)).body).toMatchObject({ verified: true, dns: { match: true } })
    expect((await verify(theirs, admin)).status).toBe(404)
    expect((await theirAdd()).status).toBe(409)
    expect((await shorten()).status).toBe(201)
  })

  it('is proven by DNS that points to this service while no one else has added it, also at the first link', async () => {
    expect((await add(inGroup())).body.verified).toBe(false)
    expect((await shorten()).body.message).toBe('DNS_CONFIGURATION_ERROR')
    dns.zone.set(name, { CNAME: 'links.example.net' })
    await started.app.dns.verify(name)
    expect((await shorten()).status).toBe(201)
    expect((await started.request('GET', at())).body.verified).toBe(true)
  })

  it('can be changed and removed like any other', async () => {
    await add(inGroup())
    const changed = await started.request('PATCH', at(), { body: { root_url: 'https://example.com/' } })
    expect([changed.status, changed.body.verified, changed.body.root_url]).toEqual([200, false, 'https://example.com/'])
    const { domains } = (await started.request('GET', collection())).body
    expect(domains.map((each: { domain: string }) => each.domain)).toContain(name)
    expect((await started.request('DELETE', at())).status).toBe(204)
    expect((await started.request('GET', at())).status).toBe(404)
  })
})

describe('POST /v4/organizations/{organization_guid}/domains', () => {
  it('answers 201 with the new domain', async () => {
    const { status, body } = await add({ ...inGroup(), root_url: 'https://Example.com', not_found_url: '' })
    expect(status).toBe(201)
    expect(body).toEqual({
      references: { organization: `http://${started.domain}/v4/organizations/${organization}` },
      domain: name,
      organization_guid: organization,
      verified: true,
      group_guids: [started.groupGuid],
      root_url: 'https://example.com/',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
      created_by: 'admin',
    })
  })

  it('keeps names in lower case and ASCII, and reads nulls as absent', async () => {
    const { status, body } = await add({ domain: 'Bücher.Example', root_url: null, group_guids: null })
    expect([status, body.domain]).toEqual([201, 'xn--bcher-kva.example'])
    expect(body.group_guids).toEqual([])
  })

  it.each([
    ['domain', { domain: undefined }],
    ['domain', { domain: '' }],
    ['domain', { domain: 7 }],
    ['domain', { domain: 'localhost' }],
    ['domain', { domain: 'https://go.example.com' }],
    ['domain', { domain: 'go.example.com:8080' }],
    ['domain', { domain: '10.0.0.1' }],
    ['domain', { domain: `${'a'.repeat(30)}.io` }],
    ['root_url', { root_url: 'example.com' }],
    ['root_url', { root_url: 'ftp://example.com/' }],
    ['root_url', { root_url: 'javascript:alert(1)' }],
    ['root_url', { root_url: 'https://user:secret@example.com/' }],
    ['root_url', { root_url: `https://example.com/${'x'.repeat(2048)}` }],
    ['not_found_url', { not_found_url: 'nowhere' }],
    ['not_found_url', { not_found_url: ['https://example.com/'] }],
    ['group_guids', { group_guids: 'B123' }],
  ])('answers 400 to a wrong %s: %j', async (field, wrong) => {
    const { status, body } = await add(wrong)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      message: `INVALID_ARG_${field.toUpperCase()}`,
      resource: 'domains',
      errors: [{ field, error_code: 'invalid' }],
    })
    expect(await started.app.domainStore.get(name)).toBeUndefined()
  })

  it.each([
    ['on another port', () => `https://${name.toUpperCase()}:8443/lost`],
    ['with a final dot', () => `https://${name}./lost`],
  ])('answers 400 to a URL on the domain itself, %s', async (_, not_found_url) => {
    const { status, body } = await add({ not_found_url: not_found_url() })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_NOT_FOUND_URL'])
  })

  it('answers 403 to members, readers and strangers, before it looks at the fields', async () => {
    const reader = await aMember(started, started.groupGuid, 'reader')
    for (const token of [member, reader, stranger.token]) {
      const { status, body } = await add({ domain: 7 }, { token })
      expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'organizations'])
    }
  })

  it('answers 403 to a group of another organization and writes nothing', async () => {
    const { status, body } = await add({ group_guids: [started.groupGuid, stranger.groupGuid] })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
    expect(await started.app.domainStore.get(name)).toBeUndefined()
  })

  it('answers 406 without a JSON content type', async () => {
    const { status, body } = await started.request('POST', collection(), {
      body: '{}',
      headers: { 'content-type': 'text/plain' },
    })
    expect([status, body.message]).toEqual([406, 'INVALID_CONTENT_TYPE_HEADER'])
  })

  it('answers 409 to a name that anybody has taken', async () => {
    await add()
    const { status, body } = await add({ domain: name.toUpperCase() })
    expect([status, body.message, body.resource]).toEqual([409, 'CONFLICT', 'domains'])
    expect(body.errors).toEqual([{ field: 'domain', error_code: 'invalid' }])
  })

  it.each(['[]', '7', '"x"', '', '{'])('answers 422 to the body %j', async (body) => {
    const answer = await started.request('POST', collection(), { body })
    expect([answer.status, answer.body.message, answer.body.resource]).toEqual([422, 'UNPROCESSABLE_ENTITY', 'domains'])
  })
})

describe('GET /v4/organizations/{organization_guid}/domains', () => {
  it('lists the domains of the organization by name', async () => {
    await add()
    const { status, body } = await started.request('GET', collection())
    expect(status).toBe(200)
    const names = body.domains.map(({ domain }: { domain: string }) => domain)
    expect(names).toContain(name)
    expect(names).toEqual([...names].sort())
  })

  it('answers 403 to members and strangers, and for organizations that do not exist', async () => {
    for (const token of [member, stranger.token]) {
      expect((await started.request('GET', collection(), { token })).status).toBe(403)
    }
    expect((await started.request('GET', '/v4/organizations/Onowhere/domains')).status).toBe(403)
  })
})

describe('GET /v4/organizations/{organization_guid}/domains/{domain}', () => {
  it('shows the required records, those found and whether they match', async () => {
    await add()
    const { status, body } = await started.request('GET', at())
    expect(status).toBe(200)
    expect(body).toMatchObject({
      domain: name,
      dns: {
        required_records: [{ type: 'CNAME', name, value: 'links.example.net' }],
        resolving_records: [
          { type: 'CNAME', name, value: 'links.example.net' },
          { type: 'A', name, value: '203.0.113.7' },
        ],
        match: true,
        checked: true,
        explanation: expect.stringContaining('points here'),
        checked_at: expect.stringMatching(/\+0000$/),
      },
    })
  })

  it('answers 404 to an unknown domain and 403 to members', async () => {
    const { status, body } = await started.request('GET', at('nowhere.example.com'))
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'domains'])
    await add()
    expect((await started.request('GET', at(), { token: member })).status).toBe(403)
  })
})

describe('POST /v4/organizations/{organization_guid}/domains/{domain}/verify', () => {
  it('checks DNS now', async () => {
    dns.zone.delete(name)
    await add()
    expect((await started.request('GET', at())).body.dns.match).toBe(false)
    dns.zone.set(name, { A: ['203.0.113.7'] })
    expect((await started.request('GET', at())).body.dns.match).toBe(false)
    const verified = await started.request('POST', `${at()}/verify`)
    expect([verified.status, verified.body.dns.match]).toEqual([200, true])
    expect((await started.request('GET', at())).body.dns.match).toBe(true)
  })

  it('needs no body, whatever the content type says', async () => {
    await add()
    const headers = { 'content-type': 'application/json' }
    expect((await started.request('POST', `${at()}/verify`, { headers })).status).toBe(200)
    expect((await started.request('POST', `${at()}/verify`, { body: {} })).status).toBe(200)
  })

  it('answers 404 to an unknown domain and 403 to members', async () => {
    expect((await started.request('POST', `${at('nowhere.example.com')}/verify`)).status).toBe(404)
    expect((await started.request('POST', `${at()}/verify`, { token: member })).status).toBe(403)
  })
})

describe('PATCH /v4/organizations/{organization_guid}/domains/{domain}', () => {
  const change = (body: unknown, token = started.token) => started.request('PATCH', at(), { body, token })

  it('changes only the fields that were sent', async () => {
    await add({ ...inGroup(), root_url: 'https://example.com/a', not_found_url: 'https://example.com/b' })
    const first = await change({ root_url: '', created_by: 'somebody else' })
    expect(first.status).toBe(200)
    expect(first.body.root_url).toBeUndefined()
    expect(first.body).toMatchObject({
      ...inGroup(),
      not_found_url: 'https://example.com/b',
      created_by: 'admin',
    })
    const second = await change({ group_guids: [], not_found_url: 'https://example.com/c' })
    expect(second.body).toMatchObject({ group_guids: [], not_found_url: 'https://example.com/c' })
    expect((await change({})).body).toEqual(second.body)
  })

  it.each([
    ['root_url', { root_url: 'x' }],
    ['not_found_url', { not_found_url: 5 }],
    ['group_guids', { group_guids: [5] }],
  ])('answers 400 to a wrong %s and changes nothing', async (field, wrong) => {
    const { body: before } = await add(inGroup())
    const { status, body } = await change({ root_url: 'https://example.com/', group_guids: [], ...wrong })
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'domains'])
    expect((await started.request('GET', at())).body).toMatchObject(before)
  })

  it('answers 403 to members and to groups of another organization, 404 to an unknown domain', async () => {
    expect((await change({})).status).toBe(404)
    const { body: before } = await add()
    expect((await change({}, member)).status).toBe(403)
    expect((await change({ group_guids: [stranger.groupGuid], root_url: 'https://example.com/' })).status).toBe(403)
    expect((await started.request('GET', at())).body).toMatchObject(before)
  })

  it('answers 406 without a JSON content type and 422 to a body that is not an object', async () => {
    await add()
    const headers = { 'content-type': 'text/plain' }
    expect((await started.request('PATCH', at(), { body: '{}', headers })).status).toBe(406)
    expect((await change('[]')).status).toBe(422)
  })
})

describe('DELETE /v4/organizations/{organization_guid}/domains/{domain}', () => {
  const remove = (token = started.token) => started.request('DELETE', at(), { token })

  it('answers 204; its links stop redirecting, and work again when the domain is added again', async () => {
    await add(inGroup())
    const { body: link } = await shorten()
    const path = `/${link.id.split('/')[1]}`
    expect((await visit(path)).status).toBe(301)
    const removed = await remove()
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await visit(path)).status).toBe(404)
    expect((await started.request('GET', `/v4/shortlinks/${link.id}`)).status).toBe(200)
    expect((await shorten()).body.message).toBe('INVALID_ARG_DOMAIN')
    expect((await add()).status).toBe(201)
    expect((await visit(path)).headers.location).toBe('https://example.com/')
  })

  it('does not expand its links until it is added again', async () => {
    await add(inGroup())
    const { body: link } = await shorten()
    const expand = () => started.request('POST', '/v4/expand', { body: { shortlink_id: link.id } })
    const v3 = `/v3/expand?access_token=${started.token}&shortUrl=${encodeURIComponent(link.link)}`
    const expandV3 = async () => (await started.request('GET', v3, { token: null })).body.data.expand[0]
    expect([(await expand()).status, (await expandV3()).long_url]).toEqual([200, 'https://example.com/'])
    await remove()
    expect([(await expand()).body.message, (await expandV3()).error]).toEqual(['NOT_FOUND', 'NOT_FOUND'])
    await add()
    expect([(await expand()).status, (await expandV3()).long_url]).toEqual([200, 'https://example.com/'])
  })

  it('answers 404 the second time and 403 to members', async () => {
    await add()
    expect((await remove(member)).status).toBe(403)
    expect((await remove()).status).toBe(204)
    const { status, body } = await remove()
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'domains'])
  })
})

describe('GET /v4/bsds', () => {
  const bsds = (query = '', token = started.token) => started.request('GET', `/v4/bsds${query}`, { token })

  it("returns the branded domains of the caller's groups", async () => {
    await add(inGroup())
    const unassigned = `x${name}`
    await add({ domain: unassigned })
    for (const token of [started.token, member]) {
      const { status, body } = await bsds('', token)
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual(['bsds'])
      expect(body.bsds).toContain(name)
      expect(body.bsds).not.toContain(unassigned)
    }
    expect((await bsds('', stranger.token)).body).toEqual({ bsds: [] })
    expect((await bsds(`?group_guid=${started.groupGuid}`)).body.bsds).toContain(name)
  })

  it('answers 400 to more than one group', async () => {
    const { status, body } = await bsds(`?group_guid=${started.groupGuid}&group_guid=${started.groupGuid}`)
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_GROUP_GUID', 'bsds'])
  })

  it('answers 403 without a token and for a group that is not yours', async () => {
    expect((await started.request('GET', '/v4/bsds', { token: null })).status).toBe(403)
    expect((await bsds(`?group_guid=${stranger.groupGuid}`)).status).toBe(403)
  })
})

describe('GET /v4/custom_domains/{custom_domain}/dns', () => {
  const report = (domain: string, query = `?organization_guid=${organization}`, token = started.token) =>
    started.request('GET', `/v4/custom_domains/${domain}/dns${query}`, { token })

  it('answers 200 with the records of a domain, also for one that is not added yet', async () => {
    const { status, body } = await report(name)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      required_records: [{ type: 'CNAME', name, value: 'links.example.net' }],
      resolving_records: expect.arrayContaining([{ type: 'A', name, host: name, value: '203.0.113.7' }]),
      match: true,
    })
  })

  it('requires A records of a root domain', async () => {
    const { body } = await report('example.org')
    expect(body).toMatchObject({
      required_records: [{ type: 'A', name: 'example.org', value: '203.0.113.7' }],
      resolving_records: [],
      match: false,
    })
  })

  it('answers 400 without an organization and to an invalid domain', async () => {
    expect((await report(name, '')).body.message).toBe('INVALID_ARG_ORGANIZATION_GUID')
    const { status, body } = await report('localhost')
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_CUSTOM_DOMAIN', 'domains'])
  })

  it("answers 403 to members and for another organization's domain", async () => {
    expect((await report(name, undefined, member)).status).toBe(403)
    expect((await report(name, '?organization_guid=Onowhere')).status).toBe(403)
    const theirs = (await started.app.domainStore.organizationOf(stranger.groupGuid)) ?? ''
    const draft = { rootUrl: undefined, notFoundUrl: undefined, createdBy: 'x', at: 1 }
    await started.app.domainStore.add({ ...draft, name, organizationGuid: theirs, groupGuids: [] })
    expect((await report(name)).status).toBe(403)
  })
})

describe('shortening on a branded domain', () => {
  it('answers 201 for a group that may use it', async () => {
    await add(inGroup())
    const { status, body } = await shorten({ domain: name.toUpperCase() }, member)
    expect([status, body.id.split('/')[0]]).toEqual([201, name])
    // Visitors reach it where they reach the service.
    const link = `http://${name}:${new URL(started.url).port}/${body.id.split('/')[1]}`
    expect(body.link).toBe(link)
    const expanded = await started.request('POST', '/v4/expand', { body: { shortlink_id: link } })
    expect([expanded.status, expanded.body.id]).toEqual([200, body.id])
  })

  it('answers 400 INVALID_ARG_DOMAIN when it is not assigned to the group, or unknown', async () => {
    await add()
    for (const domain of [name, 'unknown.example.com', `${name}:8080`]) {
      const { status, body } = await shorten({ domain })
      expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_DOMAIN', 'shortlinks'])
      expect(body.errors).toEqual([{ field: 'domain', error_code: 'invalid' }])
    }
  })

  it('answers 417 DNS_CONFIGURATION_ERROR with an explaining header while the DNS is wrong', async () => {
    dns.zone.set(name, { A: ['192.0.2.1'] })
    await add(inGroup())
    const { status, headers, body } = await shorten()
    expect(status).toBe(417)
    const explanation = `${name} points elsewhere: A 192.0.2.1. Set for ${name}: CNAME links.example.net.`
    expect(headers['x-bsd-error']).toBe(explanation)
    expect(body).toEqual({
      message: 'DNS_CONFIGURATION_ERROR',
      code: 'DNS_CONFIGURATION_ERROR',
      resource: 'shortlinks',
      description: `The DNS of ${name} is not set up for this service. ${explanation}`,
    })
    dns.zone.set(name, { CNAME: 'links.example.net' })
    await started.request('POST', `${at()}/verify`)
    // A new link: nothing was written by the refused request.
    expect((await shorten()).status).toBe(201)
  })

  it.each(['/v4/shorten', '/v4/shortlinks'])(
    'answers 200 and 201 with X-Bsd-Error from %s once the DNS is wrong',
    async (path) => {
      await add(inGroup())
      const send = (long_url: string) => started.request('POST', path, { body: { long_url, domain: name } })
      const good = await send('https://example.com/before')
      expect([good.status, good.headers['x-bsd-error']]).toEqual([201, undefined])
      dns.zone.set(name, { A: ['192.0.2.1'] })
      await started.request('POST', `${at()}/verify`)
      const known = await send('https://example.com/before')
      const made = await send('https://example.com/after')
      expect([known.status, made.status]).toEqual([200, 201])
      const explanation = `${name} points elsewhere: A 192.0.2.1. Set for ${name}: CNAME links.example.net.`
      for (const { headers } of [known, made]) expect(headers['x-bsd-error']).toBe(explanation)
    },
  )

  it('answers 417 when the DNS cannot be checked', async () => {
    dns.zone.set(name, 'servfail')
    await add(inGroup())
    const { status, headers } = await shorten()
    expect([status, headers['x-bsd-error']]).toEqual([417, expect.stringContaining('could not be checked')])
  })

  it('checks fields before DNS', async () => {
    dns.zone.delete(name)
    await add(inGroup())
    expect((await shorten({ long_url: 'nonsense' })).status).toBe(400)
  })

  it('uses the preferred domain of the group by default, while the group may use it', async () => {
    await add(inGroup())
    await alterRecords(started, 'update groups set domain_preference = ? where guid = ?', name, started.groupGuid)
    await started.app.domains.refresh()
    const url = 'https://example.com/preferred'
    expect((await shorten({ domain: undefined, long_url: url })).body.id).toMatch(new RegExp(`^${name}/`))
    await started.request('PATCH', at(), { body: { group_guids: [] } })
    expect((await shorten({ domain: undefined, long_url: url })).body.id).toMatch(new RegExp(`^${started.domain}/`))
    await alterRecords(started, 'update groups set domain_preference = null')
    await started.app.domains.refresh()
  })

  it('answers 400 ALREADY_A_SHORTLINK to a long URL on any short domain', async () => {
    await add()
    for (const host of [name, name.toUpperCase(), `${name}:8080`, `${name}.`, started.domain]) {
      const { status, body } = await shorten({ domain: undefined, long_url: `https://${host}/abc` })
      expect([host, status, body.message]).toEqual([host, 400, 'ALREADY_A_SHORTLINK'])
    }
  })
})

describe('visiting a branded domain', () => {
  it('follows only its own links, on any port and in any case', async () => {
    await add(inGroup())
    const { body } = await shorten()
    const path = `/${body.id.split('/')[1]}`
    for (const host of [name, name.toUpperCase(), `${name}:8443`]) {
      expect((await visit(path, host)).headers.location).toBe('https://example.com/')
    }
    expect((await visit(path, started.domain)).status).toBe(404)
    const { body: other } = await shorten({ domain: started.domain })
    expect((await visit(`/${other.id.split('/')[1]}`)).status).toBe(404)
  })

  it('returns the welcome page and the 404 page by default', async () => {
    await add()
    expect([(await visit('/')).status, (await visit('/nowhere')).status]).toEqual([200, 404])
  })

  it('redirects the root and unknown links as configured, also after a change', async () => {
    await add({ root_url: 'https://example.com/home', not_found_url: 'https://example.com/lost' })
    for (const method of ['GET', 'HEAD']) {
      const root = await visit('/?a=1', name, method)
      expect([root.status, root.headers.location]).toEqual([302, 'https://example.com/home'])
      for (const path of ['/nowhere', '/a/b/c', '/healthz']) {
        const lost = await visit(path, name, method)
        expect([path, lost.status, lost.headers.location]).toEqual([path, 302, 'https://example.com/lost'])
      }
    }
    await started.request('PATCH', at(), { body: { root_url: 'https://example.com/new', not_found_url: '' } })
    expect((await visit('/')).headers.location).toBe('https://example.com/new')
    expect((await visit('/nowhere')).status).toBe(404)
  })

  it('never serves the API or the operations', async () => {
    await add()
    for (const path of ['/v4/bsds', '/openapi.json', '/healthz', '/metrics', '/internal/tls/ask?domain=x']) {
      const answer = await started.request('GET', path, { headers: { host: name } })
      expect([path, answer.status, answer.text.includes('does not exist')]).toEqual([path, 404, true])
    }
    const posted = await started.request('POST', '/v4/shorten', { body: {}, headers: { host: name } })
    expect(posted.status).toBe(405)
  })
})

describe('GET /internal/tls/ask', () => {
  const ask = (query: string) => started.request('GET', `/internal/tls/ask${query}`, { token: null })

  it('answers 200 for short domains, built-in ones without their port', async () => {
    await add()
    for (const domain of [name, name.toUpperCase(), 'localhost']) {
      expect([domain, (await ask(`?domain=${domain}`)).status]).toEqual([domain, 200])
    }
  })

  it('answers 404 in plain text for everything else', async () => {
    for (const query of ['', '?domain=', '?domain=other.example.com', `?domain=sub.${name}`, '?domain=a&domain=b']) {
      const { status, headers } = await ask(query)
      expect([query, status, headers['content-type']]).toEqual([query, 404, 'text/plain; charset=utf-8'])
    }
  })
})

describe('with built-in domains of its own', () => {
  let other: StartedApp
  afterEach(() => other.close())

  it('does not let an organization add one of them, nor the host of the API', async () => {
    const domains = ['s.example.org', 't.example.org:8080', 'u.example.org'] as const
    other = await startApp({ domains, anyHost: false, baseUrl: 'https://api.example.org', dnsServers: [dns.address] })
    const guid = await other.app.domainStore.organizationOf(other.groupGuid)
    for (const domain of ['s.example.org', 'T.example.org', 'u.example.org', 'api.example.org']) {
      const { status, body } = await other.request('POST', `/v4/organizations/${guid}/domains`, { body: { domain } })
      expect([domain, status, body.message]).toEqual([domain, 400, 'INVALID_ARG_DOMAIN'])
    }
    const made = await other.request('POST', `/v4/organizations/${guid}/domains`, {
      body: { domain: 'go.example.com' },
    })
    expect(made.status).toBe(201)
    const { body } = await other.request('GET', `/v4/organizations/${guid}/domains/go.example.com`)
    expect(body.dns).toMatchObject({ match: false, checked: false })
    const required = { type: 'CNAME', name: 'go.example.com', host: 'go.example.com', value: 'api.example.org' }
    expect(body.dns.required_records).toEqual([required])
    const report = await other.request('GET', `/v4/custom_domains/go.example.com/dns?organization_guid=${guid}`)
    expect(report.body).toMatchObject({ domain: 'go.example.com', type: 'CNAME', records: [], records_valid: false })
    for (const domain of domains) {
      const input = { long_url: 'https://example.com/', domain, group_guid: other.groupGuid }
      const { body: link } = await other.request('POST', '/v4/shorten', { body: input })
      const headers = { host: domain }
      const answer = await other.request('GET', `/${link.id.split('/')[1]}`, { token: null, headers })
      expect([domain, answer.status]).toEqual([domain, 301])
    }
  })
})

it("trusts only the operator's organization if DNS is not checked", async () => {
  const names = await startDnsServer()
  const plain = await startApp({ dnsServers: [names.address] })
  try {
    const someone = await aStranger(plain)
    const theirs = (await plain.app.domainStore.organizationOf(someone.groupGuid)) ?? ''
    const mine = (await plain.app.domainStore.organizationOf(plain.groupGuid)) ?? ''
    await alterRecords(plain, "update organization_members set role = 'admin' where organization_guid = ?", theirs)
    const bring = (guid: string, domain: string, token: string) =>
      plain.request('POST', `/v4/organizations/${guid}/domains`, { token, body: { domain } })
    expect((await bring(mine, 'go.example.com', plain.token)).body.verified).toBe(true)
    const { body: added } = await plain.request('GET', `/v4/organizations/${mine}/domains/go.example.com`)
    expect(added.dns).toMatchObject({ match: false, checked: false, required_records: [] })
    expect(added.dns.explanation).toContain('--base-url')
    expect((await bring(theirs, 'go.example.net', someone.token)).body.verified).toBe(false)
    names.zone.set('_shortlink.go.example.net', { TXT: [theirs] })
    const path = `/v4/organizations/${theirs}/domains/go.example.net/verify`
    expect((await plain.request('POST', path, { token: someone.token })).body.verified).toBe(true)
  } finally {
    await plain.close()
    await names.close()
  }
})
