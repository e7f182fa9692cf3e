import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { type Scope, scopeNames } from '../../src/core/accounts/scopes.js'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { createToken, type TokenInput } from '../../src/core/accounts/tokens.js'
import { createGroup } from '../../src/core/administration/groups.js'
import { operate } from '../../src/core/administration/operations.js'
import { authorizeReader } from '../../src/core/stream/access.js'
import { anApplication } from '../oauth/people.js'
import { useApp } from '../support/start-app.js'
import { firstOrganization, organize } from './organize.js'
import { operationsIn } from './requests-by-schema.js'

const started = useApp()
const tokenWith = async (input: Partial<TokenInput>) =>
  (await createToken(started.app, operator, { login: 'admin', label: 'test', ...input })).secret

/** Operations that every token may use. A new operation without a scope must be added here on purpose. */
const open = [
  ...[
    'batchGet',
    'getApp',
    'getGroup',
    'getGroupPreferences',
    'getImageFile',
    'getOrganization',
    'getPlanLimits',
    'getPlatformLimits',
  ],
  ...['getService', 'getStreamAccess', 'getUser', 'listBsds', 'listGroups', 'listOrganizations'],
]
const openInV3 = ['v3OauthApp', 'v3ShortlinkProDomain', 'v3BitlyProDomain', 'v3UserInfo', 'v3Validate', 'v3NsqLookup']

/** What a token with this scope alone has. */
const included = (scope: Scope): readonly string[] => {
  if (scope === 'all') return scopeNames
  return scope === 'links:write' ? ['links:write', 'links:read', 'links:create'] : [scope]
}

/** In a type that the operation takes; JSON where it can. */
function bodyFor(operation: ReturnType<typeof operationsIn>[number]['operation'], json: object) {
  const types = Object.keys(operation.requestBody?.content ?? {})
  const [type = 'application/json'] = types.includes('application/json') ? [] : types
  const isForm = type === 'multipart/form-data'
  const form = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n'
  const headers = { 'content-type': isForm ? `${type}; boundary=x` : type }
  return { body: isForm ? form : JSON.stringify(json), headers }
}

describe.each([
  ['/openapi.json', '/v4/', open],
  ['/docs/v3.json', '/v3/', openInV3],
])('every operation of %s', (document, prefix, withoutScope) => {
  let operations: ReturnType<typeof operationsIn>
  const scopesOf = (operation: object): readonly string[] | undefined => Reflect.get(operation, 'x-scopes')

  beforeAll(async () => {
    const { body } = await started.request('GET', document)
    operations = operationsIn(body).filter(({ path }) => path.startsWith(prefix))
  })

  it('names its scopes, or is open to every token', () => {
    const without = operations.filter(({ operation }) => scopesOf(operation) === undefined)
    expect(without.map(({ operation }) => operation.operationId).sort()).toEqual([...withoutScope].sort())
    const named = new Set(operations.flatMap(({ operation }) => scopesOf(operation) ?? []))
    expect([...named].filter((name) => !(scopeNames as readonly string[]).includes(name))).toEqual([])
  })

  it.each(scopeNames)('is allowed or refused with the scope %s alone, as it says', async (scope) => {
    const token = await tokenWith({ scopes: [scope] })
    const surprises: string[] = []
    for (const { method, path, operation } of operations) {
      const { status, text } = await started.request(
        // An event stream would stay open.
        path.endsWith('/events') ? 'HEAD' : method,
        path.replace(/\{\w+\}/g, 'none') + (prefix === '/v3/' ? `?access_token=${token}` : ''),
        {
          token: prefix === '/v3/' ? null : token,
          isShown: false,
          ...(method !== 'GET' && bodyFor(operation, {})),
        },
      )
      const needed = scopesOf(operation)
      const isAllowed = needed === undefined || needed.some((each) => included(scope).includes(each))
      const isRefused = path.endsWith('/events') ? status === 403 && !isAllowed : text.includes('INSUFFICIENT_SCOPE')
      if (isRefused === isAllowed) surprises.push(`${operation.operationId}: ${status} ${text.slice(0, 200)}`)
    }
    expect(surprises).toEqual([])
  })
})

describe('a token with scopes', () => {
  it('is told which scope it lacks', async () => {
    const token = await tokenWith({ scopes: ['links:create'] })
    const body = { long_url: 'https://example.com/made' }
    const made = await started.request('POST', '/v4/shorten', { token, body })
    expect(made.status).toBe(201)
    const read = await started.request('GET', `/v4/shortlinks/${made.body.id}`, { token })
    expect([read.status, read.body.message, read.body.description]).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
      'This token needs the scope links:read.',
    ])
    const listed = await started.request('GET', `/v4/groups/${started.groupGuid}/qr-codes`, { token })
    expect(listed.body.description).toBe('This token needs the scope links:read or qr.')
  })

  it('creates links without changing those that exist, or reading them by their id', async () => {
    const url = { long_url: 'https://example.com/exists' }
    const { body: link } = await started.request('POST', '/v4/shortlinks', { body: { ...url, title: 'Before' } })
    const token = await tokenWith({ scopes: ['links:create'] })
    const post = (body: object) => started.request('POST', '/v4/shortlinks', { token, body })
    const named = await post({ shortlink_id: link.id, keyword: 'another-name' })
    expect([named.status, named.body.description]).toEqual([403, 'This token needs the scope links:write.'])
    const again = await post({ ...url, title: 'After', private: true, tags: ['new'] })
    expect([again.status, again.body.id]).toEqual([200, link.id])
    const { body: since } = await started.request('GET', `/v4/shortlinks/${link.id}`)
    expect([since.title, since.private, since.tags]).toEqual(['Before', link.private, []])
  })

  it('leaves an archived link archived without links:write, and restores it with it', async () => {
    const url = { long_url: 'https://example.com/archived' }
    const { body: link } = await started.request('POST', '/v4/shorten', { body: url })
    await started.request('PATCH', `/v4/shortlinks/${link.id}`, { body: { archived: true } })
    const isArchived = async () => (await started.request('GET', `/v4/shortlinks/${link.id}`)).body.archived
    const creating = await tokenWith({ scopes: ['links:create'] })
    const ask = (token: string, path: string, body: object) => started.request('POST', path, { token, body })
    expect((await ask(creating, '/v4/shorten', url)).body.id).toBe(link.id)
    expect((await ask(creating, '/v4/shortlinks', { ...url, title: 'x' })).body).toMatchObject({
      id: link.id,
      archived: true,
    })
    expect((await ask(creating, '/v4/bulk/shorten', { links: [url] })).body.results[0].link.id).toBe(link.id)
    const v3 = `/v3/user/link_save?longUrl=${url.long_url}&access_token=${creating}`
    expect((await started.request('GET', v3, { token: null })).status).toBe(200)
    expect(await isArchived()).toBe(true)
    const writing = await tokenWith({ scopes: ['links:write'] })
    // In one turn: who may restore it does.
    await Promise.all([ask(creating, '/v4/shorten', url), ask(writing, '/v4/shorten', url)])
    expect(await isArchived()).toBe(false)
  })

  it('makes and deletes no short links with the scope of QR codes alone', async () => {
    const qr = await tokenWith({ scopes: ['qr'] })
    const { body: link } = await started.request('POST', '/v4/shorten', {
      body: { long_url: 'https://example.com/of-a-code' },
    })
    const aCode = async (destination: object) => {
      const body = { group_guid: started.groupGuid, destination }
      return (await started.request('POST', '/v4/qr-codes', { token: qr, body })).body.qrcode_id as string
    }
    const ask = async (method: string, path: string, token: string) => {
      const { status, body } = await started.request(method, path, { token })
      return status < 300 ? status : `${status} ${body.description}`
    }
    const [coupled, alone] = [
      await aCode({ shortlink_id: link.id }),
      await aCode({ long_url: 'https://example.com/alone' }),
    ]
    const lacks = (scope: string) => `403 This token needs the scope ${scope}.`
    expect(await ask('DELETE', `/v4/qr-codes/${coupled}`, qr)).toBe(lacks('links:write'))
    expect((await started.request('GET', `/v4/shortlinks/${link.id}`)).body.qr_code_ids).toEqual([coupled])
    expect(await ask('PUT', `/v4/qr-codes/${alone}/to-shortlink`, qr)).toBe(lacks('links:create'))
    expect((await started.request('GET', `/v4/qr-codes/${alone}`)).body.qr_code_type).toBe('long_url')
    const creating = await tokenWith({ scopes: ['qr', 'links:create'] })
    expect(await ask('PUT', `/v4/qr-codes/${alone}/to-shortlink`, creating)).toBe(200)
    expect(await ask('PUT', `/v4/qr-codes/${alone}/to-shortlink`, creating)).toBe(lacks('links:read'))
    const writing = await tokenWith({ scopes: ['qr', 'links:write'] })
    expect(await ask('DELETE', `/v4/qr-codes/${coupled}`, writing)).toBe(200)
    // The link of a stand-alone code is the code's own.
    const another = await aCode({ long_url: 'https://example.com/alone' })
    expect(await ask('DELETE', `/v4/qr-codes/${another}`, qr)).toBe(200)
  })

  it('makes no short links with the scope of sites alone', async () => {
    const sites = await tokenWith({ scopes: ['sites'] })
    const both = await tokenWith({ scopes: ['sites', 'links:create'] })
    const { groupGuid: group_guid, domain } = started
    const site = (
      await started.request('POST', '/v4/sites', { token: sites, body: { group_guid, domain, keyword: 'page' } })
    ).body.site_guid
    const add = (token: string, content: object, type = 'shortlink') =>
      started.request('POST', `/v4/sites/${site}/blocks`, { token, body: { type, content } })
    const url = { url: 'https://example.com/of-a-site', link_title: 'Shop' }
    const video = { video_url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' }
    for (const refused of [await add(sites, url), await add(sites, video, 'youtubeVideo')]) {
      expect([refused.status, refused.body.description]).toEqual([403, 'This token needs the scope links:create.'])
    }
    const links = await started.request('GET', `/v4/groups/${group_guid}/shortlinks?query=of-a-site`)
    expect(links.body.links).toEqual([])
    const made = await add(both, url)
    expect(made.status, made.text).toBe(201)
    const { shortlink_id } = made.body.content
    expect((await add(sites, { shortlink_id, link_title: 'Again' })).status).toBe(201)
  })

  it('has a webhook tell only what the token may read', async () => {
    const organization_guid = await firstOrganization(started)
    const hook = { organization_guid, name: 'Hook', url: 'https://hook.example/', is_active: false }
    const ask = async (token: string, method: string, path: string, body?: object) => {
      const answer = await started.request(method, path, { token, ...(body && { body }) })
      return answer.status < 300 ? answer.body : answer.body.description
    }
    const post = (token: string, event: string) => ask(token, 'POST', '/v4/webhooks', { ...hook, event })
    const alone = await tokenWith({ scopes: ['webhooks'] })
    const clicks = await tokenWith({ scopes: ['webhooks', 'analytics:read'] })
    const lacks = (scope: string) => `This token needs the scope ${scope}.`
    expect(await post(alone, 'engagement')).toBe(lacks('analytics:read'))
    expect(await post(clicks, 'link.created')).toBe(lacks('links:read'))
    expect(await post(clicks, 'qr_code.created')).toBe(lacks('links:read or qr'))
    const { guid } = await post(clicks, 'engagement')
    expect(await post(alone, 'limit.reached')).toMatchObject({ event: 'limit.reached' })
    // Not even to another event: the log has those that were sent.
    const path = `/v4/webhooks/${guid}`
    expect(await ask(alone, 'PATCH', path, { event: 'limit.reached' })).toBe(lacks('analytics:read'))
    expect(await ask(clicks, 'PATCH', path, { event: 'link.created' })).toBe(lacks('links:read'))
    expect(await ask(clicks, 'PATCH', path, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' })
    const since = { since: '2026-11-02T09:30:00+0000' }
    expect(await ask(alone, 'GET', `${path}/dead_letters`)).toBe(lacks('analytics:read'))
    expect(await ask(alone, 'GET', `${path}/deliveries/none`)).toBe(lacks('analytics:read'))
    expect(await ask(alone, 'POST', `${path}/redeliver`, since)).toBe(lacks('analytics:read'))
    expect(await ask(clicks, 'GET', `${path}/dead_letters`)).toMatchObject({ dead_letters: [] })
    expect(await ask(alone, 'GET', `${path}/deliveries`)).toMatchObject({ deliveries: [] })
    // What is in the log from before it got other events.
    const payload = '{"event_id":"e1","event_type":"link.created"}'
    const events = [{ eventId: 'e1', tries: 5, nextTryAt: undefined, payload }]
    const sent = { id: 'D1', webhookGuid: guid, at: Date.now(), durationMs: 1, events, isGone: false }
    const limits = { entries: 9, deadLetters: 9, alertAfter: 9, deactivateBefore: 0 }
    await started.app.webhookStore.record([{ ...sent, status: 500, failure: 'status 500', answer: '' }], limits)
    await started.request('PATCH', path, { body: { is_active: true } })
    expect(await ask(clicks, 'GET', `${path}/dead_letters`)).toBe(lacks('links:read'))
    expect(await ask(clicks, 'GET', `${path}/deliveries/D1`)).toBe(lacks('links:read'))
    expect(await ask(clicks, 'POST', `${path}/deliveries/D1/redeliver`)).toBe(lacks('links:read'))
    expect(await ask(clicks, 'POST', `${path}/redeliver`, since)).toBe(lacks('links:read'))
    const links = await tokenWith({ scopes: ['webhooks', 'analytics:read', 'links:read'] })
    expect(await ask(links, 'GET', `${path}/dead_letters`)).toMatchObject({ dead_letters: [{ event_id: 'e1' }] })
  })

  it('registers no mobile apps by deep links without the scope domains, nor when it is limited', async () => {
    const apps = `/v4/organizations/${await firstOrganization(started)}/mobile_apps`
    const names = async () => {
      const { body } = await started.request('GET', apps)
      return body.mobile_apps.map(({ name }: { name: string }) => name)
    }
    const before = await names()
    const body = { long_url: 'https://example.com/app', deeplinks: [{ app_id: 'com.example.unknown', os: 'android' }] }
    const { body: link } = await started.request('POST', '/v4/shorten', { body: { long_url: body.long_url } })
    const writing = await tokenWith({ scopes: ['links:write'] })
    const limited = await tokenWith({ groupGuids: [started.groupGuid] })
    const onDomain = await tokenWith({ domains: [started.domain] })
    for (const token of [writing, limited, onDomain]) {
      const made = await started.request('POST', '/v4/shortlinks', { token, body: { ...body, domain: started.domain } })
      const { deeplinks } = body
      const changed = await started.request('PATCH', `/v4/shortlinks/${link.id}`, { token, body: { deeplinks } })
      const message = token === writing ? 'INSUFFICIENT_SCOPE' : 'FORBIDDEN'
      expect([made.status, made.body.message, changed.status]).toEqual([403, message, 403])
    }
    expect(await names()).toEqual(before)
    const both = await tokenWith({ scopes: ['links:create', 'domains'] })
    const { status, text } = await started.request('POST', '/v4/shortlinks', { token: both, body })
    expect(status, text).toBe(201)
    expect(await names()).toHaveLength(before.length + 1)
    // One that is registered needs no more.
    for (const token of [writing, limited]) {
      expect((await started.request('POST', '/v4/shortlinks', { token, body })).status).toBe(201)
    }
  })

  it('is checked for each read of a batch', async () => {
    const token = await tokenWith({ scopes: ['links:read'] })
    const group = `/v4/groups/${started.groupGuid}`
    const paths = [`${group}/shortlinks`, `${group}/clicks`, '/v4/user/tokens']
    const { body } = await started.request('POST', '/v4/batch', { token, body: { paths } })
    expect(body.answers.map(({ status }: { status: number }) => status)).toEqual([200, 403, 403])
    expect(body.answers[1].body.message).toBe('INSUFFICIENT_SCOPE')
  })

  it('reads the topics of the stream that its scopes cover, and none when it is limited to groups', async () => {
    const organization = await firstOrganization(started)
    await operate(started.app, operator, 'allowStream', { organizationGuid: organization })
    const topics = async (input: Partial<TokenInput>) =>
      (await authorizeReader(started.app, await tokenWith(input)))?.topics
    expect(await topics({ scopes: ['analytics:read'] })).toEqual(['clicks', `clicks.${organization}`])
    expect(await topics({ scopes: ['links:read'] })).toEqual(['links', `links.${organization}`])
    expect(await topics({ scopes: ['qr'] })).toBeUndefined()
    expect(await topics({ groupGuids: [started.groupGuid] })).toBeUndefined()
    expect(await topics({})).toHaveLength(4)
  })

  it('makes no other tokens and keys without the scope all', async () => {
    const token = await tokenWith({ scopes: scopeNames.filter((name) => name !== 'all') })
    for (const path of ['/v4/user/tokens', '/v4/user/api_keys', '/v4/user/applications']) {
      const { status, body } = await started.request('POST', path, { token, body: { label: 'more', name: 'more' } })
      expect([status, body.message]).toEqual([403, 'INSUFFICIENT_SCOPE'])
    }
  })

  it('is not made with unknown scopes, without scopes, or without a name', async () => {
    const post = (body: object) => started.request('POST', '/v4/user/tokens', { body })
    for (const scopes of [['links'], [], ['links:read', 'All']]) {
      expect((await post({ label: 'x', scopes })).body.message).toBe('INVALID_ARG_SCOPES')
    }
    for (const label of ['', ' ', undefined]) expect((await post({ label })).body.message).toBe('INVALID_ARG_LABEL')
    const { status, body } = await post({ label: 'x', scopes: ['qr', 'links:read', 'qr'] })
    expect([status, body.scopes]).toEqual([201, ['links:read', 'qr']])
  })
})

describe('a token limited to groups', () => {
  let other: string
  let token: string
  beforeAll(async () => {
    const organizationGuid = await firstOrganization(started)
    other = (await createGroup(started.app, operator, { organizationGuid, name: 'Other' })).guid
    token = await tokenWith({ groupGuids: [other] })
  })

  it('reaches these groups, and nothing of the organization or the account', async () => {
    const { body } = await started.request('GET', '/v4/groups', { token })
    expect(body.groups.map(({ guid }: { guid: string }) => guid)).toEqual([other])
    expect((await started.request('GET', '/v4/user', { token })).body.default_group_guid).toBe(other)
    expect((await started.request('GET', '/v4/organizations', { token })).body.organizations).toEqual([])
    expect((await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks`, { token })).status).toBe(403)
    expect((await started.request('GET', `/v4/groups/${other}/shortlinks`, { token })).status).toBe(200)
    const refused = await started.request('POST', '/v4/user/tokens', { token, body: { label: 'more' } })
    expect(refused.body.description).toBe(
      'This token needs the scope all, and must not be limited to groups or domains.',
    )
  })

  it('does not read or change a link of another group', async () => {
    const body = { long_url: 'https://example.com/of-the-first-group' }
    const { id } = (await started.request('POST', '/v4/shorten', { body })).body
    for (const [method, sent] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const) {
      const { status } = await started.request(method, `/v4/shortlinks/${id}`, { token, ...(sent && { body: sent }) })
      expect(status).toBe(403)
    }
    const elsewhere = await started.request('POST', '/v4/shorten', {
      token,
      body: { ...body, group_guid: started.groupGuid },
    })
    expect(elsewhere.status).toBe(403)
    const { body: made } = await started.request('POST', '/v4/shortlinks', { token, body })
    expect(made.references.group).toContain(other)
  })

  it('starts no job for rows of other groups', async () => {
    const headers = { 'content-type': 'text/csv' }
    const body = `long_url,group_guid\nhttps://example.com/row,${started.groupGuid}\nhttps://example.com/own,\n`
    const job = await started.request('POST', `/v4/bulk/jobs?group_guid=${other}`, { token, headers, body })
    expect([job.status, job.text]).toEqual([202, expect.any(String)])
    const read = () => started.request('GET', `/v4/bulk/jobs/${job.body.guid}`, { token })
    await expect.poll(async () => (await read()).body.state, { timeout: 60_000 }).toBe('done')
    expect((await read()).body.counts).toMatchObject({ created: 1, refused: 1 })
  })

  it('is made for groups of its user alone', async () => {
    const { status, body } = await started.request('POST', '/v4/user/tokens', {
      body: { label: 'x', group_guids: ['Bnone'] },
    })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUIDS'])
  })
})

describe('a token limited to domains', () => {
  const sentence = /^This token is limited to links on localhost:\d+\. It creates links there/
  let organization: string
  let token: string
  let own: string
  let foreign: string
  beforeAll(async () => {
    organization = await firstOrganization(started)
    await organize(started).domain('brand.example', organization, [started.groupGuid])
    const make = async (body: object) => (await started.request('POST', '/v4/shortlinks', { body })).body.id
    const long_url = 'https://example.com/on-domains'
    own = await make({ long_url, keyword: 'own-word' })
    foreign = await make({ long_url, domain: 'brand.example', keyword: 'foreign-word' })
    token = await tokenWith({ domains: [started.domain] })
  })

  /** The operations that the token may use, when they are all about a link on this domain. */
  async function allowed(document: string, link: string, keyword: string): Promise<readonly string[]> {
    const { body } = await started.request('GET', document)
    const [domain = '', hash = ''] = link.split('/')
    const known: Readonly<Record<string, string>> = {
      domain,
      hash,
      keyword,
      group_guid: started.groupGuid,
      organization_guid: organization,
    }
    const named = {
      domain,
      shortlink_id: link,
      custom_shortlink: `${domain}/${keyword}`,
      group_guid: started.groupGuid,
    }
    const found: string[] = []
    for (const { method, path, operation } of operationsIn(body)) {
      if (!/^\/v[34]\//.test(path)) continue
      const isV3 = path.startsWith('/v3/')
      // An event stream would stay open; a deletion would be the end of the test.
      const asked = path.endsWith('/events') ? 'HEAD' : method
      if (method === 'DELETE' && link === own) continue
      const { status, body: answer } = await started.request(
        asked,
        path.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? 'none') +
          (isV3
            ? `?access_token=${token}&domain=${domain}&link=http://${link}&shortUrl=http://${link}`
            : `?domain=${domain}`),
        {
          token: isV3 ? null : token,
          isShown: false,
          ...(asked !== 'GET' && asked !== 'HEAD' && bodyFor(operation, named)),
        },
      )
      const refused = isV3 ? answer?.status_code === 403 : sentence.test(answer?.description ?? '')
      const isHead = asked === 'HEAD' && status === 403
      const lacksAll = answer?.message === 'INSUFFICIENT_SCOPE'
      if (!refused && !isHead && !lacksAll) found.push(operation.operationId)
    }
    return found
  }

  it('may use nothing that is about a link on another domain, nor lists', async () => {
    expect((await allowed('/openapi.json', foreign, 'foreign-word')).toSorted()).toEqual(open.toSorted())
    expect((await allowed('/docs/v3.json', foreign, 'foreign-word')).toSorted()).toEqual(openInV3.toSorted())
    const unchanged = await started.request('GET', `/v4/shortlinks/${foreign}`)
    expect(unchanged.body).toMatchObject({
      archived: false,
      custom_shortlinks: [expect.stringContaining('foreign-word')],
    })
  })

  it('may use everything that is about one link on its domain, and what every token may', async () => {
    const { body } = await started.request('GET', '/openapi.json')
    const ofOne = operationsIn(body)
      .filter(({ path }) =>
        /^\/v4\/(shortlinks\/\{domain\}\/\{hash\}|custom_shortlinks\/\{domain\}\/\{keyword\})/.test(path),
      )
      .filter(({ method }) => method !== 'DELETE')
      .map(({ operation }) => operation.operationId)
    expect(ofOne.length).toBeGreaterThan(20)
    const making = ['shorten', 'createShortlink', 'createCustomShortlink']
    expect((await allowed('/openapi.json', own, 'own-word')).toSorted()).toEqual(
      [...open, ...making, ...ofOne].toSorted(),
    )
  })

  it('removes no redirect of a site, whose path names its domain too', async () => {
    const { groupGuid: group_guid, domain } = started
    const { body } = await started.request('POST', '/v4/sites', { body: { group_guid, domain, keyword: 'former' } })
    const site = `/v4/sites/${body.site_guid}`
    await started.request('PATCH', site, { body: { uri: `${domain}/m/present` } })
    const redirect = `${site}/redirects/${domain}/m%2Fformer`
    const answer = await started.request('DELETE', redirect, { token })
    expect([answer.status, answer.body.description]).toEqual([403, expect.stringMatching(sentence)])
    expect((await started.request('DELETE', redirect)).status).toBe(204)
  })

  it('creates, reads and changes links there alone, and has to name the domain', async () => {
    const post = (path: string, body: object) => started.request('POST', path, { token, body })
    const long_url = 'https://example.com/made-there'
    for (const domain of [undefined, 'brand.example', 'BRAND.example:443', 'nowhere.example', '']) {
      for (const path of ['/v4/shorten', '/v4/shortlinks']) {
        const { status, body } = await post(path, { long_url, domain })
        expect([status, body.description]).toEqual([403, expect.stringMatching(sentence)])
      }
    }
    const made = await post('/v4/shorten', { long_url, domain: started.domain.toUpperCase() })
    expect(made.status, made.text).toBe(201)
    expect((await started.request('GET', `/v4/shortlinks/${made.body.id}/clicks`, { token })).status).toBe(200)
    const changed = { token, body: { title: 'Changed' } }
    expect((await started.request('PATCH', `/v4/shortlinks/${made.body.id}`, changed)).body.title).toBe('Changed')
    // What the operation does not read must not speak for it.
    const unread = { shortlink_id: made.body.id, custom_shortlink: made.body.id }
    for (const domain of [undefined, 'brand.example']) {
      expect((await post('/v4/shorten', { long_url, domain, ...unread })).status).toBe(403)
      const { custom_shortlink } = unread
      expect((await post('/v4/shortlinks', { long_url, domain, custom_shortlink })).status).toBe(403)
    }
    const named = { shortlink_id: made.body.id, keyword: 'word-there' }
    expect((await post('/v4/shortlinks', named)).status).toBe(200)
    expect((await post('/v4/shortlinks', { ...named, shortlink_id: foreign })).status).toBe(403)
    // Its back-half would be on another domain than the link.
    expect((await post('/v4/shortlinks', { ...named, keyword: 'crossing', domain: 'brand.example' })).status).toBe(403)
    const crossing = { shortlink_id: made.body.id, custom_shortlink: 'brand.example/crossing' }
    expect((await post('/v4/custom_shortlinks', crossing)).status).toBe(403)
    expect((await started.request('GET', '/v4/custom_shortlinks/brand.example/crossing')).status).toBe(404)
    const paths = [`/v4/shortlinks/${foreign}`, `/v4/shortlinks/${made.body.id}`]
    const { body } = await post('/v4/batch', { paths })
    expect(body.answers.map(({ status }: { status: number }) => status)).toEqual([403, 200])
    const there = { long_url, domain: started.domain, shortlink_id: made.body.id }
    const bulk = '/v4/bulk/shorten'
    for (const [path, sent] of [
      ['/v4/shorten', [there]],
      [bulk, [there]],
      [bulk, { ...there, links: [there] }],
    ] as const) {
      expect([400, 403, 422]).toContain((await post(path, sent)).status)
    }
  })

  it('reads no stream, makes no other token, and keeps its domains when it is rotated', async () => {
    await operate(started.app, operator, 'allowStream', { organizationGuid: organization })
    expect((await authorizeReader(started.app, token))?.topics).toBeUndefined()
    const more = await started.request('POST', '/v4/user/tokens', { token, body: { label: 'more' } })
    expect(more.body.description).toBe('This token needs the scope all, and must not be limited to groups or domains.')
    const post = (path: string, body: object) => started.request('POST', path, { body })
    const { body: made } = await post('/v4/user/tokens', { label: 'x', domains: ['BRAND.example', 'brand.example'] })
    expect(made.domains).toEqual(['brand.example'])
    const { body: rotated } = await post(`/v4/user/tokens/${made.guid}/rotate`, {})
    expect(rotated.domains).toEqual(['brand.example'])
    const read = (id: string) => started.request('GET', `/v4/shortlinks/${id}`, { token: rotated.access_token })
    expect([(await read(foreign)).status, (await read(own)).status]).toEqual([200, 403])
  })

  it('is made for short domains that its user may use alone', async () => {
    for (const domains of [[], ['nowhere.example'], ['brand.example', 'other.example']]) {
      const { status, body } = await started.request('POST', '/v4/user/tokens', { body: { label: 'x', domains } })
      expect([status, body.message]).toEqual([400, 'INVALID_ARG_DOMAINS'])
    }
  })
})

describe('the token of an application', () => {
  it('has the scopes that both it and the application have', async () => {
    const { clientId } = await anApplication(started, { scopes: ['links:read', 'qr'] })
    const secret = newTokenSecret()
    const token = { ...tokenFrom(secret), login: 'admin', label: '', clientId, scopes: ['links:read', 'sites'], at: 1 }
    await started.app.accounts.addToken(token as Parameters<typeof started.app.accounts.addToken>[0])
    const ask = async (path: string) => (await started.request('GET', path, { token: secret })).body.message
    const group = `/v4/groups/${started.groupGuid}`
    expect(await ask(`${group}/shortlinks`)).toBeUndefined()
    expect(await ask(`${group}/clicks`)).toBe('INSUFFICIENT_SCOPE')
    // No scope would help.
    expect(await ask('/v4/user/tokens')).toBe('FORBIDDEN')
  })
})
