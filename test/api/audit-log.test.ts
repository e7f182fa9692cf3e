import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { removeMember } from '../../src/core/administration/members.js'
import { operate } from '../../src/core/administration/operations.js'
import { signIn } from '../../src/core/sign-in/sign-in.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

let started: StartedApp
let guid: string
let path: string
let now = Date.UTC(2026, 5, 1)
beforeAll(async () => {
  // The clock advances one second per read, so that entries have an order.
  started = await startApp({}, { clock: { now: () => (now += 1000) } })
  guid = await firstOrganization(started)
  path = `/v4/organizations/${guid}/audit_log`
})
afterAll(() => started.close())

interface Entry {
  readonly guid: string
  readonly action: string
  readonly login?: string
  readonly subject?: string
  readonly ip_address?: string
  readonly details: Readonly<Record<string, string>>
}
const read = async (query = '', token?: string) =>
  started.request('GET', `${path}${query}`, token === undefined ? {} : { token })
const newest = async (): Promise<Entry> => (await read('?size=1')).body.audit_log[0]

describe('GET /v4/organizations/{organization_guid}/audit_log', () => {
  it('answers 200 with sign-ins and failures and their IP, and never with the input', async () => {
    const attempt = { login: 'admin', code: undefined, address: '192.0.2.7', through: 'browser' as const }
    await signIn(started.app, { ...attempt, password: 'correct horse' })
    expect(await newest()).toEqual({
      guid: expect.stringMatching(/^l\w{10}$/),
      created: expect.stringMatching(/^2026-06-01T\d\d:\d\d:\d\d\+0000$/),
      action: 'signed_in',
      login: 'admin',
      ip_address: '192.0.2.7',
      details: { through: 'browser' },
    })
    await signIn(started.app, { ...attempt, password: 'a wrong guess' })
    expect(await newest()).toMatchObject({ action: 'sign_in_failed', login: 'admin', ip_address: '192.0.2.7' })
    await signIn(started.app, { ...attempt, login: 'typed-by-mistake', password: 'a wrong guess' })
    const { text } = await read()
    expect(text).not.toContain('a wrong guess')
    expect(text).not.toContain('typed-by-mistake')
  })

  it('lists what happened to views and annotations, by their names', async () => {
    const happened_at = '2026-06-01T09:00:00+0000'
    for (const [kind, one, add, change, name] of [
      ['views', 'view', { name: 'Autumn', page: 'links' }, { name: 'Winter' }, 'Winter'],
      ['annotations', 'annotation', { happened_at, text: 'Autumn' }, { text: 'Winter' }, 'Winter'],
    ] as const) {
      const all = `/v4/groups/${started.groupGuid}/${kind}`
      const { guid: subject } = (await started.request('POST', all, { body: add })).body
      await started.request('PATCH', `${all}/${subject}`, { body: change })
      await started.request('DELETE', `${all}/${subject}`)
      const entries = (await read(`?subject=${subject}`)).body.audit_log
      expect(entries.map(({ action, login, details }: Entry) => [action, login, details])).toEqual([
        [`${one}_removed`, 'admin', { name, group: started.groupGuid }],
        [`${one}_changed`, 'admin', { name, group: started.groupGuid }],
        [`${one}_added`, 'admin', { name: 'Autumn', group: started.groupGuid }],
      ])
    }
  })

  it('lists what happened to sites', async () => {
    const body = { group_guid: started.groupGuid, domain: started.domain, keyword: 'audited' }
    const { site_guid } = (await started.request('POST', '/v4/sites', { body })).body
    const site = `/v4/sites/${site_guid}`
    const entries: string[][] = [['site_created', `${started.domain}/m/audited`]]
    expect(await newest()).toMatchObject({ action: 'site_created', login: 'admin', subject: site_guid })
    const uri = `${started.domain}/m/moved`
    await started.request('PATCH', site, { body: { uri } })
    await started.request('POST', `${site}/publish`)
    await started.request('DELETE', site)
    for (const action of ['site_moved', 'site_published', 'site_deleted']) entries.unshift([action, uri])
    const { audit_log } = (await read('?size=4')).body
    expect(audit_log.map(({ action, details }: Entry) => [action, details.uri])).toEqual(entries)
    expect(audit_log.every(({ subject }: Entry) => subject === site_guid)).toBe(true)
  })

  it('lists changed links with the names of the fields, each of many, and a tag renamed everywhere once', async () => {
    const shorten = async (longUrl: string) => {
      const { body } = await started.request('POST', '/v4/shortlinks', { body: { long_url: longUrl, tags: ['old'] } })
      return String(body.id)
    }
    const ids = [await shorten('https://example.com/one'), await shorten('https://example.com/two')]
    const [id] = ids
    await started.request('PATCH', `/v4/shortlinks/${id}`, {
      body: { title: 'T', long_url: 'https://example.com/new' },
    })
    expect(await newest()).toMatchObject({
      ...{ guid: expect.stringMatching(/^m/), action: 'link_changed', login: 'admin', subject: id },
      details: { fields: 'title, long_url' },
    })
    const { body: user } = await started.request('GET', '/v4/user')
    const group = `/v4/groups/${user.default_group_guid}`
    await started.request('PATCH', `${group}/shortlinks`, { body: { action: 'archive', archive: true, links: ids } })
    const { body } = await read('?action=link_changed')
    expect(body.audit_log.map(({ subject }: Entry) => subject).sort()).toEqual([...ids, id].sort())
    await started.request('PATCH', `${group}/tags/old`, { body: { name: 'new' } })
    expect(await newest()).toMatchObject({ action: 'tag_renamed' })
    expect((await read('?action=link_changed')).body.audit_log).toHaveLength(3)
    expect((await read('?action=link_changed&size=2')).body.pagination.search_after).not.toBe('')
  })

  it('finds entries about a thing: a link with its changes, or an account', async () => {
    const { body } = await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/about' },
    })
    await started.request('PATCH', `/v4/shortlinks/${body.id}`, { body: { title: 'One' } })
    await started.request('PATCH', `/v4/shortlinks/${body.id}`, { body: { title: 'Two' } })
    await started.request('DELETE', `/v4/shortlinks/${body.id}`)
    const actions = async (query: string) => {
      const { audit_log } = (await read(`?${query}`)).body
      return audit_log.map(({ action }: Entry) => action)
    }
    expect(await actions(`subject=${body.id}`)).toEqual(['link_deleted', 'link_changed', 'link_changed'])
    expect(await actions(`subject=${body.id}&action=link_deleted&login=admin`)).toEqual(['link_deleted'])
    const custom = `${started.domain}/about-it`
    const { body: named } = await started.request('POST', '/v4/shortlinks', {
      body: { long_url: 'https://example.com/named', keyword: 'about-it' },
    })
    await started.request('PATCH', `/v4/shortlinks/${named.id}`, { body: { title: 'Named' } })
    expect(await actions(`subject=${custom}`)).toEqual(await actions(`subject=${named.id}`))
    expect(await actions(`subject=${custom}`)).toContain('link_changed')
    expect(await actions('subject=nothing')).toEqual([])
  })

  it('lists created and revoked tokens and keys, without their secrets', async () => {
    for (const [kind, made, revoked] of [
      ['tokens', 'token_made', 'token_revoked'],
      ['api_keys', 'api_key_made', 'api_key_revoked'],
    ] as const) {
      const { body } = await started.request('POST', `/v4/user/${kind}`, { body: { label: 'x' } })
      const named = { login: 'admin', subject: body.guid, details: { label: 'x' } }
      expect(await newest()).toMatchObject({ action: made, ...named })
      await started.request('DELETE', `/v4/user/${kind}/${body.guid}`)
      expect(await newest()).toMatchObject({ action: revoked, ...named })
      const about = (await read(`?subject=${body.guid}`)).body.audit_log
      expect(about.map(({ action }: Entry) => action)).toEqual([revoked, made])
      expect((await read()).text).not.toContain(body.access_token ?? body.api_key)
    }
  })

  it('lists roles that the operator granted and revoked', async () => {
    const token = await aMember(started, started.groupGuid)
    const { login } = (await started.request('GET', '/v4/user', { token })).body
    await organize(started).role(login, 'reader', { groupGuid: started.groupGuid })
    expect(await newest()).toMatchObject({
      action: 'role_given',
      login: 'operator',
      subject: login,
      details: { role: 'reader', in: started.groupGuid },
    })
    await removeMember(started.app, operator, { login, organizationGuid: guid })
    expect(await newest()).toMatchObject({ action: 'member_removed', subject: login, details: { in: guid } })
  })

  it('lists added, changed and removed domains', async () => {
    const domains = `/v4/organizations/${guid}/domains`
    await started.request('POST', domains, { body: { domain: 'go.example.com' } })
    expect(await newest()).toMatchObject({ action: 'domain_added', login: 'admin', subject: 'go.example.com' })
    await started.request('PATCH', `${domains}/go.example.com`, { body: { root_url: 'https://example.com/' } })
    expect(await newest()).toMatchObject({ action: 'domain_changed', subject: 'go.example.com' })
    await started.request('DELETE', `${domains}/go.example.com`)
    expect(await newest()).toMatchObject({ action: 'domain_removed', subject: 'go.example.com' })
  })

  it('lists deleted links, but not refused deletions', async () => {
    const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/gone' } })
    await started.request('DELETE', `/v4/shortlinks/${body.id}`)
    const entry = await newest()
    expect(entry).toMatchObject({ action: 'link_deleted', login: 'admin', subject: body.id })
    await started.request('DELETE', `/v4/shortlinks/${body.id}`)
    expect(await newest()).toEqual(entry)
  })

  it('lists changes of stream access, and only real changes', async () => {
    const access = `/v4/organizations/${guid}/stream_access`
    const concerned = async () => {
      const entries: Entry[] = (await read('?size=10')).body.audit_log
      return entries.filter(({ action }) => action.startsWith('stream_'))
    }
    await started.request('PUT', access)
    const given = { action: 'stream_allowed', login: 'admin', subject: guid, details: { kind: 'organization' } }
    expect(await newest()).toMatchObject(given)
    await started.request('PUT', access)
    expect(await concerned()).toHaveLength(1)
    await started.request('DELETE', access)
    expect(await newest()).toMatchObject({ ...given, action: 'stream_denied' })
    await started.request('DELETE', access)
    expect(await concerned()).toHaveLength(2)
    await operate(started.app, operator, 'allowStream', { login: 'admin' })
    const byName = { login: 'operator', subject: 'admin', details: { kind: 'login' } }
    expect(await newest()).toMatchObject({ ...byName, action: 'stream_allowed' })
    await operate(started.app, operator, 'denyStream', { login: 'admin' })
    expect(await newest()).toMatchObject({ ...byName, action: 'stream_denied' })
  })

  it('lists changes of applications, passwords and invitations', async () => {
    const { body } = await started.request('POST', '/v4/user/applications', { body: { name: 'Reader' } })
    expect(await newest()).toMatchObject({ action: 'application_registered', subject: body.client_id })
    await started.request('PATCH', '/v4/user/password', {
      body: { current_password: 'correct horse', new_password: 'correct horse 2' },
    })
    expect(await newest()).toMatchObject({ action: 'password_changed', login: 'admin' })
    await started.request('POST', `/v4/organizations/${guid}/invitations`, {
      body: { email: 'ada@example.com', group_guid: started.groupGuid },
    })
    expect(await newest()).toMatchObject({ action: 'invitation_made', details: { email: 'ada@example.com' } })
  })

  it('is paged, newest first, without gaps or duplicates', async () => {
    const whole: Entry[] = (await read('?size=100')).body.audit_log
    const pages: Entry[] = []
    let next = `${path}?size=4`
    while (next !== '') {
      const { body } = await started.request('GET', next)
      expect(body.pagination.size).toBe(4)
      pages.push(...body.audit_log)
      next = body.pagination.next && new URL(body.pagination.next).pathname + new URL(body.pagination.next).search
    }
    expect(pages).toEqual(whole)
    expect(whole.length).toBeGreaterThan(8)
  })

  it('filters by user', async () => {
    const { body } = await read('?login=operator')
    expect(new Set(body.audit_log.map((entry: Entry) => entry.login))).toEqual(new Set(['operator']))
    for (const login of ['nobody', '%00', 'A%20B']) {
      expect((await read(`?login=${login}`)).body.audit_log).toEqual([])
    }
  })

  it('filters by action and time', async () => {
    const actionsOf = async (query: string) =>
      (await read(`?size=100&${query}`)).body.audit_log.map(({ action }: Entry) => action)
    const some = await actionsOf('action=domain_added,link_deleted&action=token_made')
    expect(new Set(some)).toEqual(new Set(['domain_added', 'link_deleted', 'token_made']))
    expect(await actionsOf('action=nothing_known')).toEqual([])
    const [last] = (await read('?size=1')).body.audit_log
    const seconds = Date.parse(last.created.replace('+0000', 'Z')) / 1000
    expect(await actionsOf(`created_after=${seconds}`)).toEqual([last.action])
    const all = await actionsOf('')
    expect(await actionsOf(`created_before=${seconds}`)).toEqual(all.slice(1))
  })

  it('shows only entries of the organization', async () => {
    const stranger = await aStranger(started)
    const second = await organize(started).organization('Second')
    const { body } = await started.request('GET', `/v4/organizations/${second}/audit_log?size=100`)
    const actions = new Set(body.audit_log.map((entry: Entry) => entry.action))
    expect(actions.has('domain_added')).toBe(false)
    expect(actions.has('link_deleted')).toBe(false)
    expect((await read('', stranger.token)).status).toBe(403)
  })

  it.each(['size=0', 'size=101', 'size=x', 'search_after=x', 'search_after=MSBMMQ%3D%3D'])(
    'answers 400 for %s',
    async (query) => {
      const { status, body } = await read(`?${query}`)
      const [field = ''] = query.split('=')
      expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'audit_log'])
      expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    },
  )

  it('answers 403 without a token, and to everybody but administrators of the organization', async () => {
    for (const role of ['admin', 'member', 'reader']) {
      const { status, body } = await read('', await aMember(started, started.groupGuid, role))
      expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'organizations'])
    }
    expect((await started.request('GET', path, { token: null })).status).toBe(403)
    expect((await started.request('GET', '/v4/organizations/Onone/audit_log')).status).toBe(403)
  })
})
