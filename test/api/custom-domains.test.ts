import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type DnsServer, startDnsServer } from '../support/dns-server.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

let started: StartedApp
let dns: DnsServer
let organization_guid: string
let member: string
let stranger: string
beforeAll(async () => {
  dns = await startDnsServer(new Map([['links.example.net', { A: ['203.0.113.7'] }]]))
  started = await startApp({ dnsTargets: ['links.example.net'], dnsServers: [dns.address] })
  organization_guid = await firstOrganization(started)
  member = await aMember(started, started.groupGuid)
  stranger = (await aStranger(started)).token
})
afterAll(async () => {
  await started.close()
  await dns.close()
})

let count = 0
let custom_domain: string
beforeEach(() => {
  count += 1
  custom_domain = `go${count}.example.co.uk`
  dns.zone.set(custom_domain, { CNAME: 'links.example.net' })
})

const add = (body: object = {}, token = started.token) =>
  started.request('POST', '/v4/custom_domains', { token, body: { organization_guid, custom_domain, ...body } })
const get = (token = started.token, name = custom_domain) =>
  started.request('GET', `/v4/custom_domains/${name}`, { token })
const patch = (body: object, token = started.token) =>
  started.request('PATCH', `/v4/custom_domains/${custom_domain}`, { token, body })
const list = async (token = started.token, query = '') =>
  (await started.request('GET', `/v4/custom_domains${query}`, { token })).body.custom_domains
const names = (domains: readonly { custom_domain: string }[]) => domains.map((domain) => domain.custom_domain)

describe('POST /v4/custom_domains', () => {
  it('answers 201 with the domain and its parts, then 200, and keeps its groups', async () => {
    const group_guids = [started.groupGuid]
    const { status, body } = await add({ group_guids, custom_domain: custom_domain.toUpperCase() })
    const expected = {
      organization_guid,
      custom_domain,
      domain: 'example.co.uk',
      subdomain: `go${count}`,
      group_guids,
      prevalidate: false,
    }
    expect([status, body]).toEqual([201, expected])
    const again = await add()
    expect([again.status, again.body]).toEqual([200, expected])
    const own = await started.request('GET', `/v4/organizations/${organization_guid}/domains/${custom_domain}`)
    expect(own.body).toMatchObject({ domain: custom_domain, verified: true, group_guids })
  })

  it('checks the DNS of a domain that exists again', async () => {
    dns.zone.delete(custom_domain)
    expect((await add()).status).toBe(201)
    expect((await get()).body.is_active).toBe(false)
    dns.zone.set(custom_domain, { CNAME: 'links.example.net' })
    expect((await add()).status).toBe(200)
    expect(names((await list()).filter(({ is_active }: { is_active: boolean }) => is_active))).toContain(custom_domain)
  })

  it('answers 202 and adds nothing with prevalidate', async () => {
    const { status, body } = await add({ prevalidate: true })
    expect([status, body]).toEqual([
      202,
      expect.objectContaining({ custom_domain, group_guids: [], prevalidate: true }),
    ])
    expect((await get()).status).toBe(404)
  })

  it.each([false, true])('answers 409 for a domain of another organization (prevalidate: %s)', async (prevalidate) => {
    const theirs = await started.app.domainStore.organizationOf((await aStranger(started)).groupGuid)
    const draft = { rootUrl: undefined, notFoundUrl: undefined, createdBy: 'x', at: 1, groupGuids: [] }
    await started.app.domainStore.add({ ...draft, name: custom_domain, organizationGuid: theirs ?? '' })
    const { status, body } = await add({ prevalidate })
    expect([status, body.message, body.resource]).toEqual([409, 'CONFLICT', 'domains'])
    expect((await get()).status).toBe(404)
  })

  it.each([
    [{ custom_domain: 'localhost' }, 400, 'INVALID_ARG_CUSTOM_DOMAIN'],
    [{ custom_domain: 'localhost', prevalidate: true }, 400, 'INVALID_ARG_CUSTOM_DOMAIN'],
    [{ custom_domain: undefined }, 400, 'INVALID_ARG_CUSTOM_DOMAIN'],
    [{ organization_guid: undefined }, 400, 'INVALID_ARG_ORGANIZATION_GUID'],
    [{ organization_guid: 'Onowhere' }, 403, 'FORBIDDEN'],
    [{ group_guids: ['Bnowhere'] }, 403, 'FORBIDDEN'],
    [{ group_guids: ['Bnowhere'], prevalidate: true }, 403, 'FORBIDDEN'],
  ])('refuses %j', async (body, status, message) => {
    const answer = await add(body)
    expect([answer.status, answer.body.message]).toEqual([status, message])
    expect((await get()).status).toBe(404)
  })

  it('adds it once for two requests at once', async () => {
    const answers = await Promise.all([add(), add(), add()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    const { token } = started
    expect((await started.request('POST', '/v4/custom_domains', { token, body })).status).toBe(status)
  })

  it('is for administrators', async () => {
    expect((await add({}, member)).status).toBe(403)
    expect((await add({}, stranger)).status).toBe(403)
  })
})

describe('GET /v4/custom_domains', () => {
  it('lists the domains of organizations that the caller administers, one of them by guid', async () => {
    await add()
    const [domain] = (await list()).filter((each: { custom_domain: string }) => each.custom_domain === custom_domain)
    expect(domain).toMatchObject({ is_active: true, validation_status: 'ok', validation_error: '' })
    expect(names(await list(started.token, `?organization_guid=${organization_guid}`))).toContain(custom_domain)
    expect(await list(member)).toEqual([])
    expect(await list(stranger)).toEqual([])
    const other = await started.request('GET', `/v4/custom_domains?organization_guid=${organization_guid}`, {
      token: member,
    })
    expect(other.status).toBe(403)
    expect(await list(started.token, '?size=1')).toHaveLength(1)
  })

  it('shows what is missing while a domain waits, and each claim once when two of the organizations wait for one name', async () => {
    dns.zone.delete(custom_domain)
    const second = (await aStranger(started)).groupGuid
    const theirs = (await started.app.domainStore.organizationOf(second)) ?? ''
    await alterRecords(
      started,
      "insert into organization_members (organization_guid, login, role) values (?, 'admin', 'admin')",
      theirs,
    )
    started.app.tokens.clear()
    await add()
    await add({ organization_guid: theirs })
    await add({ custom_domain: `z${custom_domain}` })
    const waiting = (await list()).filter((each: { custom_domain: string }) => each.custom_domain === custom_domain)
    expect(waiting).toHaveLength(2)
    expect(waiting[0].validation_error).toContain('links.example.net')
    const walked: string[] = []
    let next = '/v4/custom_domains?size=1'
    while (next !== '' && walked.length < 100) {
      const { body } = await started.request('GET', next)
      walked.push(...names(body.custom_domains))
      next = body.pagination.next.replace(started.app.config.baseUrl, '')
    }
    expect(walked).toEqual(names(await list()))
  })
})

describe('GET /v4/custom_domains/{custom_domain}', () => {
  it('answers 200 with everything known about the domain', async () => {
    await add({ group_guids: [started.groupGuid] })
    const app = { name: 'Ours', os: 'ios', uri_scheme: 'ours', app_id: 'ABCDE12345.com.example.ours' }
    const apps = `/v4/organizations/${organization_guid}/mobile_apps`
    const { guid } = (await started.request('POST', apps, { body: app })).body
    const { status, body } = await get()
    expect([status, body]).toEqual([
      200,
      {
        custom_domain,
        is_active: true,
        group_guids: [started.groupGuid],
        root_redirect: '',
        wildcard_redirect: '',
        validation_status: 'ok',
        validation_error: '',
        configuration_last_check_ts: expect.stringMatching(/^\d{4}-/),
        https_enabled: false,
        https_shortlinks: false,
        hsts_enabled: false,
        upgrade_insecure_requests: false,
        ssl_configuration_error: '',
        ssl_autoconfigure_error: false,
        deeplink_apps: [{ guid, os: 'ios' }],
        created: expect.stringMatching(/^\d{4}-/),
      },
    ])
    const other = await organize(started).group('Other')
    const both = [started.groupGuid, other].sort()
    const own = `/v4/organizations/${organization_guid}/domains/${custom_domain}`
    await started.request('PATCH', own, { body: { group_guids: both } })
    expect((await get()).body.group_guids).toEqual(both)
    expect((await get(member)).body).toMatchObject({ custom_domain, group_guids: [started.groupGuid] })
    expect((await get(stranger)).status).toBe(404)
  })

  it.each([
    ['pending', 'without records', undefined],
    ['error', 'with records that point elsewhere', { A: ['198.51.100.1'] }],
  ])('says %s %s, to administrators alone', async (validation_status, _, records) => {
    if (records) dns.zone.set(custom_domain, records)
    else dns.zone.delete(custom_domain)
    await add({ group_guids: [started.groupGuid] })
    expect((await get()).body).toMatchObject({
      is_active: false,
      validation_status,
      validation_error: expect.stringContaining('links.example.net'),
    })
    expect((await get(member)).status).toBe(404)
  })

  it.each(['nowhere.example.com', 'not a name'])('answers 404 for %s', async (name) => {
    const { status, body } = await get(started.token, encodeURIComponent(name))
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'domains'])
  })
})

describe('PATCH /v4/custom_domains/{custom_domain}', () => {
  it('changes where visitors without a link go, and an empty text takes it back', async () => {
    await add({ group_guids: [started.groupGuid] })
    const redirects = { root_redirect: 'https://example.com/home', wildcard_redirect: 'https://example.com/lost' }
    const { status, body } = await patch({ ...redirects, https_enabled: false, hsts_enabled: false })
    expect([status, body]).toEqual([200, expect.objectContaining(redirects)])
    const visit = async (path: string) =>
      (await started.request('GET', path, { token: null, headers: { host: custom_domain } })).headers.location
    expect([await visit('/'), await visit('/nothing')]).toEqual(Object.values(redirects))
    expect((await patch({ root_redirect: '' })).body).toMatchObject({ ...redirects, root_redirect: '' })
  })

  it.each([
    [{ https_enabled: true }, 422, 'UNPROCESSABLE_ENTITY'],
    [{ hsts_enabled: true }, 422, 'UNPROCESSABLE_ENTITY'],
    [{ upgrade_insecure_requests: true }, 422, 'UNPROCESSABLE_ENTITY'],
    [{ root_redirect: 'ftp://example.com' }, 400, 'INVALID_ARG_ROOT_REDIRECT'],
    [{ wildcard_redirect: 'https://other.example/\n' }, 400, 'INVALID_ARG_WILDCARD_REDIRECT'],
  ])('refuses %j and changes nothing', async (body, status, message) => {
    await add()
    const before = (await get()).body
    const answer = await patch({ root_redirect: 'https://example.com/', ...body })
    expect([answer.status, answer.body.message]).toEqual([status, message])
    expect((await get()).body).toMatchObject({ ...before, configuration_last_check_ts: expect.any(String) })
  })

  it('answers 422 before the domain is verified, and 403 or 404 to others than administrators', async () => {
    dns.zone.delete(custom_domain)
    await add({ group_guids: [started.groupGuid] })
    expect((await patch({ root_redirect: '' })).status).toBe(422)
    expect((await patch({ root_redirect: '' }, stranger)).status).toBe(404)
    dns.zone.set(custom_domain, { CNAME: 'links.example.net' })
    const verify = `/v4/organizations/${organization_guid}/domains/${custom_domain}/verify`
    await started.request('POST', verify)
    expect((await patch({ root_redirect: '' })).status).toBe(200)
    expect((await patch({ root_redirect: '' }, member)).status).toBe(403)
  })
})

it.each(['GET /v4/domains?query=example', 'POST /v4/domains', 'GET /v4/domains/example.com/agreements'])(
  'answers 404 to %s: the service is no registrar',
  async (operation) => {
    const [method = '', path = ''] = operation.split(' ')
    expect((await started.request(method, path, method === 'POST' ? { body: {} } : {})).status).toBe(404)
  },
)
