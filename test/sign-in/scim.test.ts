/** SCIM over HTTP, with the requests that Entra and Okta send, and what follows for the people who sign in. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startIdentityProvider, type TestProvider } from '../support/identity-provider.js'
import { type Answer, type StartedApp, startApp, useApp } from '../support/start-app.js'

const token = 'scim-token-of-the-provider'
const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** Sends what a provider sends. */
function scimOf(app: StartedApp, bearer = token) {
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const type = body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }
    const json = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
    return app
      .request(method, `/scim/v2${path}`, { token: bearer, headers: { ...type, ...headers }, body: json })
      .then((answer) => ({ ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) }))
  }
}

const patch = (...operations: readonly object[]) => ({ schemas: [patchUrn], Operations: operations })
const filtered = (path: string, filter: string) => `${path}?filter=${encodeURIComponent(filter)}`

function expectError(answer: Answer, status: number, scimType?: string): void {
  expect(answer.status, answer.text).toBe(status)
  expect(answer.headers['content-type']).toBe('application/scim+json; charset=utf-8')
  expect(answer.body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType && { scimType }),
    detail: expect.stringMatching(/\w+/),
  })
}

describe('SCIM', () => {
  const app = useApp({
    oidcIssuer: 'https://id.example',
    oidcClientId: 'shortlink',
    scimToken: token,
    baseUrl: 'https://links.example.com',
    oidcGroupRoles: ['marketing=member@Bnone0000001', 'it=org-admin@Onone0000001'],
  })
  const scim: ReturnType<typeof scimOf> = (...request) => scimOf(app)(...request)
  const aUser = (userName: string, more: object = {}) => ({ schemas: [userUrn], userName, active: true, ...more })

  it('takes the requests of Entra', async () => {
    const none = await scim('GET', filtered('/Users', 'userName eq "ada@example.com"'))
    expect(none.body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    })
    const created = await scim('POST', '/Users', {
      schemas: [userUrn, enterpriseUrn],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'ada@example.com',
      active: true,
      addresses: [],
      emails: [{ primary: true, type: 'work', value: 'ada@example.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
      roles: [],
      title: 'Countess',
      [enterpriseUrn]: { department: 'Engines' },
    })
    expect(created.status, created.text).toBe(201)
    expect(created.headers['content-type']).toBe('application/scim+json; charset=utf-8')
    const { id } = created.body
    const location = `https://links.example.com/scim/v2/Users/${id}`
    expect(created.headers.location).toBe(location)
    expect(created.body).toEqual({
      schemas: [userUrn],
      id,
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'ada@example.com',
      name: { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
      active: true,
      meta: {
        resourceType: 'User',
        created: expect.stringMatching(/^\d{4}-/),
        lastModified: created.body.meta.created,
        location,
        version: expect.stringMatching(/^W\/"\d+"$/),
      },
    })
    expect((await scim('GET', `/Users/${id}`)).body).toEqual(created.body)
    expect((await scim('GET', filtered('/Users', 'userName eq "ADA@example.com"'))).body.Resources).toEqual([
      created.body,
    ])
    const byExternalId = filtered('/Users', 'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"')
    expect((await scim('GET', byExternalId)).body.totalResults).toBe(1)
    expectError(await scim('POST', '/Users', aUser('Ada@Example.com')), 409, 'uniqueness')

    const changed = await scim(
      'PATCH',
      `/Users/${id}`,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'countess@example.com' },
        { op: 'Replace', path: `${userUrn}:name.familyName`, value: 'King' },
        { op: 'Add', path: `${enterpriseUrn}:department`, value: 'Poetry' },
        { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+1 555' },
        { op: 'Add', path: 'displayName', value: [{ $ref: null, value: 'Ada King' }] },
      ),
    )
    expect(changed.status, changed.text).toBe(200)
    expect(changed.body).toMatchObject({
      emails: [{ value: 'countess@example.com' }],
      name: { familyName: 'King', givenName: 'Ada' },
      displayName: 'Ada King',
    })
    expect(changed.body.meta.version).not.toBe(created.body.meta.version)
    expect(await app.app.accounts.user('ada@example.com')).toMatchObject({
      name: 'Ada King',
      email: 'countess@example.com',
      isEmailVerified: false,
    })

    const off = await scim('PATCH', `/Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))
    expect(off.body.active).toBe(false)
    expect((await app.app.accounts.user('ada@example.com'))?.isActive).toBe(false)
    // Without a path, and names with dots and conditions.
    const value = { active: 'True', 'name.givenName': 'Augusta', 'emails[type eq "work"].value': 'ada@example.com' }
    const on = await scim('PATCH', `/Users/${id}`, patch({ op: 'Add', value: { ...value, displayName: 'Augusta' } }))
    expect(on.body).toMatchObject({ active: true, name: { givenName: 'Augusta' }, displayName: 'Augusta' })
    expect(on.body.emails[0].value).toBe('ada@example.com')

    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expectError(await scim('GET', `/Users/${id}`), 404)
    expectError(await scim('DELETE', `/Users/${id}`), 404)
    expect(await app.app.accounts.user('ada@example.com')).toBeUndefined()
  })

  it('takes the groups of Entra', async () => {
    const user = (await scim('POST', '/Users', aUser('eve@example.com'))).body
    const other = (await scim('POST', '/Users', aUser('bob@example.com'))).body
    const created = await scim('POST', '/Groups', {
      schemas: [groupUrn, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'engineers',
      meta: { resourceType: 'Group' },
    })
    expect(created.status, created.text).toBe(201)
    const path = `/Groups/${created.body.id}`
    expect(created.body).toMatchObject({ displayName: 'engineers', members: [] })
    expectError(await scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'Engineers' }), 409, 'uniqueness')
    const query = `${filtered('/Groups', 'displayName eq "Engineers"')}&excludedAttributes=members`
    const [found] = (await scim('GET', query)).body.Resources
    expect([found.id, found.members]).toEqual([created.body.id, undefined])

    const members = async () => (await scim('GET', path)).body.members.map((each: { value: string }) => each.value)
    const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: user.id }, { value: other.id }] }
    const added = await scim('PATCH', path, patch(add))
    expect([added.status, added.text]).toEqual([204, ''])
    expect(await members()).toEqual([user.id, other.id].sort())
    expect((await scim('GET', path)).body.members).toContainEqual({
      value: user.id,
      $ref: `https://links.example.com/scim/v2/Users/${user.id}`,
      type: 'User',
    })
    const one = { op: 'Remove', path: 'members', value: [{ $ref: null, value: user.id }] }
    expect((await scim('PATCH', path, patch(one))).status).toBe(204)
    expect(await members()).toEqual([other.id])
    const byCondition = { op: 'Remove', path: `members[value eq "${other.id}"]` }
    expect((await scim('PATCH', path, patch(byCondition))).status).toBe(204)
    expect(await members()).toEqual([])
    await scim('PATCH', path, patch({ op: 'Replace', path: 'displayName', value: 'Builders' }))
    expect((await scim('GET', `${path}?attributes=displayName`)).body).toEqual({
      schemas: [groupUrn],
      id: created.body.id,
      displayName: 'Builders',
    })
    expect((await scim('DELETE', path)).status).toBe(204)
    expectError(await scim('GET', path), 404)
  })

  it('takes the requests of Okta', async () => {
    expect((await scim('GET', '/Users?startIndex=1&count=2')).body).toMatchObject({ startIndex: 1, itemsPerPage: 2 })
    const sent = {
      schemas: [userUrn],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [
        { primary: false, value: 'home@okta.local', type: 'home' },
        { primary: true, value: 'test.user@okta.local', type: 'work' },
      ],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    }
    const created = await scim('POST', '/Users', sent)
    expect(created.status, created.text).toBe(201)
    expect(created.body.emails).toEqual([{ value: 'test.user@okta.local', type: 'work', primary: true }])
    expect(created.text).not.toContain('1mz050nq')
    expectError(await scim('POST', '/Users', sent), 409, 'uniqueness')
    const path = `/Users/${created.body.id}`
    const replaced = await scim('PUT', path, { ...sent, id: created.body.id, name: { givenName: 'Another' } })
    expect(replaced.body).toMatchObject({ name: { givenName: 'Another' }, externalId: sent.externalId })
    expect(replaced.body.name.familyName).toBeUndefined()
    const off = await scim('PATCH', path, patch({ op: 'replace', value: { active: false } }))
    expect([off.status, off.body.active]).toEqual([200, false])
    expect((await app.app.accounts.user('test.user@okta.local'))?.isActive).toBe(false)
    const { active: _, ...without } = sent
    expect((await scim('PUT', path, without)).body.active).toBe(false)
    await scim('PUT', path, { ...sent, id: created.body.id, active: true })
    expect((await app.app.accounts.user('test.user@okta.local'))?.isActive).toBe(true)

    const group = await scim('POST', '/Groups', {
      schemas: [groupUrn],
      displayName: 'Okta staff',
      members: [{ value: created.body.id, display: 'test.user@okta.local' }],
    })
    expect(group.body.members).toHaveLength(1)
    const { id } = group.body
    const rename = patch({ op: 'replace', value: { id, displayName: 'Okta people' } })
    expect((await scim('PATCH', `/Groups/${id}`, rename)).status).toBe(204)
    const reset = patch(
      { op: 'remove', path: `members[value eq "${created.body.id}"]` },
      { op: 'add', path: 'members', value: [{ value: created.body.id, display: 'test.user@okta.local' }] },
    )
    expect((await scim('PATCH', `/Groups/${id}`, reset)).status).toBe(204)
    const none = await scim('PUT', `/Groups/${id}`, {
      schemas: [groupUrn],
      id,
      displayName: 'Okta people',
      members: [],
    })
    expect(none.body).toMatchObject({ displayName: 'Okta people', members: [] })
    expect((await scim('DELETE', `/Groups/${id}`)).status).toBe(204)
    expect((await scim('DELETE', path)).status).toBe(204)
  })

  it('says what it can do', async () => {
    const config = await scim('GET', '/ServiceProviderConfig')
    expect(config.body).toMatchObject({ patch: { supported: true }, bulk: { supported: false } })
    const types = (await scim('GET', '/ResourceTypes')).body
    expect(types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['/Users', '/Groups'])
    expect((await scim('GET', '/ResourceTypes/User')).body.schema).toBe(userUrn)
    const schemas = (await scim('GET', '/Schemas')).body
    expect(schemas.totalResults).toBe(2)
    expect(
      (await scim('GET', `/Schemas/${groupUrn}`)).body.attributes.map(({ name }: { name: string }) => name),
    ).toEqual(['displayName', 'externalId', 'members'])
  })

  it('pages through a list', async () => {
    for (const name of ['page1', 'page2', 'page3']) await scim('POST', '/Users', aUser(name))
    const all: string[] = []
    const { totalResults } = (await scim('GET', '/Users?count=0')).body
    for (let start = 1; start <= totalResults; start += 2) {
      const page = (await scim('GET', `/Users?startIndex=${start}&count=2`)).body
      expect(page.startIndex).toBe(start)
      all.push(...page.Resources.map(({ id }: { id: string }) => id))
    }
    expect([all.length, new Set(all).size]).toEqual([totalResults, totalResults])
    expect((await scim('GET', '/Users?startIndex=0&count=-1')).body).toMatchObject({ startIndex: 1, Resources: [] })
    const odd = filtered('/Users', 'userName eq "a\\u0000b\\ud800"')
    expect((await scim('GET', odd)).body.totalResults).toBe(0)
    expect((await scim('GET', '/Users?startIndex=999')).body).toMatchObject({ startIndex: 999, Resources: [] })
  })

  it('gives one of several racing requests the name', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => scim('POST', '/Users', aUser('race@example.com'))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })

  describe('refuses', () => {
    const unknown = '/Users/00000000-0000-4000-8000-000000000000'
    it.each([
      ['GET', filtered('/Users', 'userName'), undefined, 400, 'invalidFilter'],
      ['GET', filtered('/Users', 'userName eq ada'), undefined, 400, 'invalidFilter'],
      ['GET', filtered('/Users', 'userName co "a"'), undefined, 400, 'invalidFilter'],
      ['GET', filtered('/Users', 'userName eq "a" and active eq true'), undefined, 400, 'invalidFilter'],
      ['GET', filtered('/Users', 'displayName eq "a"'), undefined, 400, 'invalidFilter'],
      ['GET', filtered('/Users', '__proto__ eq "a"'), undefined, 400, 'invalidFilter'],
      ['GET', filtered('/Groups', 'userName eq "a"'), undefined, 400, 'invalidFilter'],
      ['GET', '/Users?startIndex=x', undefined, 400, 'invalidValue'],
      ['GET', '/Users?count=1.5', undefined, 400, 'invalidValue'],
      ['GET', unknown, undefined, 404, undefined],
      ['GET', '/Users/%00', undefined, 404, undefined],
      ['DELETE', '/Groups/%00', undefined, 404, undefined],
      ['GET', '/Nothing', undefined, 404, undefined],
      ['POST', '/Bulk', {}, 404, undefined],
      ['POST', '/Users', '{', 400, 'invalidSyntax'],
      ['POST', '/Users', '[]', 400, 'invalidSyntax'],
      ['POST', '/Users', undefined, 400, 'invalidSyntax'],
      ['POST', '/Users', { userName: 'x' }, 400, 'invalidSyntax'],
      ['POST', '/Users', { schemas: [{ toString: 1 }], userName: 'x' }, 400, 'invalidSyntax'],
      ['PATCH', unknown, patch({ op: { toString: 1 }, path: 'active' }), 400, 'invalidSyntax'],
      ['POST', '/Users', { schemas: [groupUrn], userName: 'x' }, 400, 'invalidSyntax'],
      ['POST', '/Users', { schemas: [userUrn] }, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: ' ' }, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: 7 }, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: 'a\u0000b' }, 400, 'invalidValue'],
      ['POST', '/Users', `{"schemas":["${userUrn}"],"userName":"\\ud800"}`, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: 'x'.repeat(256) }, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: 'x', active: 'perhaps' }, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: 'x', emails: [{ value: 'nowhere' }] }, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: 'x', name: 'Ada' }, 400, 'invalidValue'],
      ['POST', '/Users', { schemas: [userUrn], userName: 'x'.repeat(1_100_000) }, 413, undefined],
      ['POST', '/Groups', { schemas: [groupUrn] }, 400, 'invalidValue'],
      ['POST', '/Groups', { schemas: [groupUrn], displayName: 'x', members: [{ value: 'eve' }] }, 400, 'invalidValue'],
      [
        'POST',
        '/Groups',
        { schemas: [groupUrn], displayName: 'x', members: [{ value: unknown.slice(7) }] },
        400,
        'invalidValue',
      ],
      ['PATCH', unknown, patch({ op: 'replace', path: 'active', value: false }), 404, undefined],
      ['PUT', unknown, { schemas: [userUrn], userName: 'x' }, 404, undefined],
      ['PATCH', unknown, { Operations: [] }, 400, 'invalidSyntax'],
      ['PATCH', unknown, patch(), 400, 'invalidSyntax'],
      ['PATCH', unknown, patch({ op: 'move', path: 'active' }), 400, 'invalidSyntax'],
      ['PATCH', unknown, patch({ op: 'remove' }), 400, 'noTarget'],
      ['PATCH', unknown, patch({ op: 'add', path: 7 }), 400, 'invalidPath'],
      ['POST', '/Users', '<user/>', 415, undefined],
    ])('%s %s with %j by %i %s', async (method, path, body, status, scimType) => {
      const headers: Record<string, string> = status === 415 ? { 'content-type': 'text/xml' } : {}
      expectError(await scim(method, path, body, headers), status, scimType)
    })

    it('patches whose path or value it does not understand, and then changes nothing', async () => {
      const before = (await scim('POST', '/Users', aUser('patched@example.com', { displayName: 'Before' }))).body
      const path = `/Users/${before.id}`
      for (const [operation, scimType] of [
        [{ op: 'replace', path: 'nonsense', value: 'x' }, 'invalidPath'],
        [{ op: 'replace', path: 'emails[', value: 'x' }, 'invalidPath'],
        [{ op: 'replace', path: 'active', value: {} }, 'invalidValue'],
        [{ op: 'replace', value: 'x' }, 'invalidValue'],
        [{ op: 'remove', path: 'userName' }, 'mutability'],
        [{ op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
      ] as const) {
        const answer = await scim(
          'PATCH',
          path,
          patch({ op: 'replace', path: 'displayName', value: 'After' }, operation),
        )
        expectError(answer, 400, scimType)
      }
      expect((await scim('GET', path)).body).toEqual(before)
      const group = (await scim('POST', '/Groups', { schemas: [groupUrn], displayName: 'Patched' })).body
      const wrong = patch({ op: 'replace', path: 'members[value sw "a"]', value: [] })
      expectError(await scim('PATCH', `/Groups/${group.id}`, wrong), 400, 'invalidPath')
      await scim('DELETE', `/Groups/${group.id}`)
    })

    it('everything without its token, and slows down those who guess', async () => {
      for (const bearer of ['wrong', app.token, '']) {
        const answer = await scimOf(app, bearer)('GET', '/Users')
        expectError(answer, 401)
        expect(answer.headers['www-authenticate']).toBe('Bearer realm="scim"')
      }
      expectError(await scimOf(app, 'wrong')('GET', '/Nothing'), 401)
      // Neither is the token one of a user.
      expect((await app.request('GET', '/v4/user', { token })).status).toBe(403)
      const answers = await Promise.all(Array.from({ length: 110 }, () => scimOf(app, 'wrong')('GET', '/Users')))
      const throttled = answers.find(({ status }) => status === 429)
      expect(throttled?.headers['retry-after']).toMatch(/^\d+$/)
      expectError(throttled as Answer, 429)
      // The right one still gets in, and the wrong ones beyond the hundred are not noted.
      expect((await scim('GET', '/Users')).status).toBe(200)
      const noted = await app.app.audit.list({
        organizationGuid: undefined,
        login: undefined,
        after: undefined,
        size: 500,
      })
      expect(noted.filter(({ action }) => action === 'sign_in_failed')).toHaveLength(100)
    })
  })
})

describe('without a token', () => {
  const app = useApp({ oidcIssuer: 'https://id.example', oidcClientId: 'shortlink' })

  it('there is no SCIM', async () => {
    const { status, text } = await app.request('GET', '/scim/v2/Users', { token })
    expect([status, text]).toEqual([404, '404 page not found\n'])
  })
})

describe('people whom SCIM created', () => {
  let provider: TestProvider
  let app: StartedApp
  let now = Date.now()
  let cookies: Map<string, string>
  beforeAll(async () => {
    provider = await startIdentityProvider()
    const options = { oidcIssuer: `${provider.url}/`, oidcClientId: 'shortlink', oidcClientSecret: 'secret' }
    const more = {
      oidcCreateUsers: 'off',
      oidcEndTokens: 'on',
      scimToken: token,
      oidcAllowedGroups: ['staff'],
    } as const
    app = await startApp({ ...options, ...more }, { clock: { now: () => now } })
  })
  afterAll(async () => {
    await app.close()
    await provider.close()
  })

  const get = async (path: string): Promise<Answer> => {
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }
    const answer = await app.request('GET', path, { token: null, headers })
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const signIn = async (): Promise<Answer> => {
    cookies = new Map()
    const there = await get('/account/sign-in/with/oidc')
    const back = new URL(
      (await fetch(there.headers.location ?? '', { redirect: 'manual' })).headers.get('location') ?? '',
    )
    return get(back.pathname + back.search)
  }
  const session = async () => {
    const { status, text } = await get('/account/session')
    return status === 200 ? JSON.parse(text).login : undefined
  }

  it('sign in, lose everything with their group, and at once when they are deactivated', async () => {
    const scim = scimOf(app)
    provider.person = { sub: 's1', claims: { preferred_username: 'ada' } }
    expect((await signIn()).text).toContain('You have no access')
    const user = { schemas: [userUrn], userName: 'ada', externalId: 's1', emails: [{ value: 'ada@example.com' }] }
    const { id } = (await scim('POST', '/Users', user)).body
    const group = { schemas: [groupUrn], displayName: 'staff', members: [{ value: id }] }
    const staff = `/Groups/${(await scim('POST', '/Groups', group)).body.id}`
    expect((await signIn()).status).toBe(303)
    expect(await session()).toBe('ada')

    await scim('PATCH', staff, patch({ op: 'Remove', path: 'members', value: [{ value: id }] }))
    expect(await session()).toBeUndefined()
    expect((await signIn()).status).toBe(403)
    await scim('PATCH', staff, patch({ op: 'Add', path: 'members', value: [{ value: id }] }))
    await signIn()
    expect(await session()).toBe('ada')
    // The provider is asked again, and its claim has no groups.
    now += 16 * 60_000
    expect(await session()).toBe('ada')

    const made = { guid: 'T9', secretHash: 'h9', hint: 'h', login: 'ada', label: 'l', at: now }
    await app.app.accounts.addToken(made)
    await scim('PATCH', `/Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))
    expect(await session()).toBeUndefined()
    expect((await signIn()).text).toContain('deactivated')
    expect((await app.app.accounts.listTokens('ada'))[0]?.revokedAt).toBe(now)
    await scim('PATCH', `/Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'True' }))
    await signIn()
    expect(await session()).toBe('ada')
    const email = { op: 'Replace', path: 'emails[type eq "work"].value', value: 'countess@example.com' }
    await scim('PATCH', `/Users/${id}`, patch(email))
    expect((await app.app.accounts.user('ada'))?.email).toBe('countess@example.com')
    await scim('DELETE', `/Users/${id}`)
    expect(await session()).toBeUndefined()

    const { entries } = await auditOf('ada')
    expect(entries.map(({ action, account }) => [action, account])).toEqual(
      expect.arrayContaining([
        ['user_added', 'ada'],
        ['identity_linked', undefined],
        ['user_deactivated', 'ada'],
        ['user_activated', 'ada'],
        ['email_changed', 'ada'],
        ['user_removed', 'ada'],
      ]),
    )
    for (const made of ['user_deactivated', 'email_changed'])
      expect(entries.find(({ action }) => action === made)).toMatchObject({
        login: undefined,
        details: { through: 'oidc' },
      })
  })

  const auditOf = async (login: string) => ({
    entries: await app.app.audit.list({ organizationGuid: undefined, login, after: undefined, size: 100 }),
  })
})

describe('two providers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-scim-'))
  const file = join(folder, 'providers.json')
  const [one, two] = ['token-of-provider-one', 'token-of-provider-two']
  writeFileSync(join(folder, 'two'), `${two}\n`)
  const provider = (id: string, more: object) => ({ id, issuer: `https://${id}.example`, clientId: 'c', ...more })
  writeFileSync(
    file,
    JSON.stringify([
      provider('one', { scimToken: one }),
      provider('two', { scimTokenFile: 'two', loginClaim: 'email' }),
    ]),
  )
  const app = useApp({ oidcProviders: file })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('see only what is theirs', async () => {
    const [first, second] = [scimOf(app, one), scimOf(app, two)]
    const user = { schemas: [userUrn], userName: 'ada', externalId: 'x1' }
    const mine = (await first('POST', '/Users', user)).body
    const theirs = (await second('POST', '/Users', user)).body
    expect([mine.id === theirs.id, await loginsOf()]).toEqual([false, ['ada', 'ada-2', 'admin']])
    expect((await second('GET', '/Users')).body.Resources).toEqual([theirs])
    const off = patch({ op: 'Replace', path: 'active', value: false })
    expectError(await second('GET', `/Users/${mine.id}`), 404)
    expectError(await second('PATCH', `/Users/${mine.id}`, off), 404)
    expectError(await second('PUT', `/Users/${mine.id}`, user), 404)
    expectError(await second('DELETE', `/Users/${mine.id}`), 404)
    const group = { schemas: [groupUrn], displayName: 'staff', externalId: 'g1', members: [{ value: mine.id }] }
    expectError(await second('POST', '/Groups', group), 400, 'invalidValue')
    const staff = (await first('POST', '/Groups', group)).body
    expect((await second('GET', '/Groups')).body.totalResults).toBe(0)
    expectError(await second('DELETE', `/Groups/${staff.id}`), 404)
    const add = patch({ op: 'add', path: 'members', value: [{ value: theirs.id }] })
    expectError(await second('PATCH', `/Groups/${staff.id}`, add), 404)
    expectError(await first('PATCH', `/Groups/${staff.id}`, add), 400, 'invalidValue')
    expect((await first('GET', `/Groups/${staff.id}`)).body).toEqual(staff)
    const { members: _, ...named } = group
    expect((await second('POST', '/Groups', named)).body.externalId).toBe('g1')
  })

  it('keep external ids, and each once', async () => {
    const scim = scimOf(app, one)
    const found = async (path: string, id: string) => {
      const { body } = await scim('GET', filtered(path, `externalId eq "${id}"`))
      return body.Resources.map((each: { id: string }) => each.id)
    }
    for (const [path, make, schema] of [
      ['/Users', (name: string) => ({ userName: name }), userUrn],
      ['/Groups', (name: string) => ({ displayName: name }), groupUrn],
    ] as const) {
      const post = (name: string, externalId: string) =>
        scim('POST', path, { schemas: [schema], ...make(name), externalId })
      const { body: kept } = await post('kept', 'Id-1')
      expect(kept.externalId).toBe('Id-1')
      expect([await found(path, 'Id-1'), await found(path, 'id-1')]).toEqual([[kept.id], []])
      expectError(await post('another', 'Id-1'), 409, 'uniqueness')
      const { body: other } = await post('another', 'id-1')
      const of = (id: string) => `${path}/${id}`
      const replace = (value: string) => patch({ op: 'replace', path: 'externalId', value })
      expectError(await scim('PATCH', of(other.id), replace('Id-1')), 409, 'uniqueness')
      await scim('PATCH', of(other.id), replace('Id-2'))
      expect([await found(path, 'id-1'), await found(path, 'Id-2')]).toEqual([[], [other.id]])
      const put = await scim('PUT', of(other.id), { schemas: [schema], ...make('another'), externalId: 'Id-3' })
      expect(put.body.externalId).toBe('Id-3')
      expectError(
        await scim('PUT', of(other.id), { schemas: [schema], ...make('another'), externalId: 'Id-1' }),
        409,
        'uniqueness',
      )
      await scim('PATCH', of(other.id), patch({ op: 'remove', path: 'externalId' }))
      expect((await scim('GET', of(other.id))).body.externalId).toBeUndefined()
      expect((await scim('GET', of(kept.id))).body.externalId).toBe('Id-1')
    }
  })

  it('are named at the members that they keep', async () => {
    const user = { schemas: [userUrn], userName: 'marked', externalId: 'm1' }
    expect((await scimOf(app, one)('POST', '/Users', user)).status).toBe(201)
    const { body: group } = await app.request('GET', `/v4/groups/${app.groupGuid}`)
    const { body } = await app.request('GET', `/v4/organizations/${group.organization_guid}/members`)
    const providers = body.members.map((each: { login: string; identity_providers: string[] }) => [
      each.login,
      ...each.identity_providers,
    ])
    expect(providers).toContainEqual(['marked', 'one.example'])
    expect(providers).toContainEqual(['admin'])
  })

  const loginsOf = async () => (await app.app.accounts.users()).map(({ login }) => login)
})
