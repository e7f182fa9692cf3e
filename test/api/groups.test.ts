import { beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { removeGroup, restoreGroup } from '../../src/core/administration/groups.js'
import { removeMember } from '../../src/core/administration/members.js'
import { useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

const started = useApp()
let organizationGuid: string
let mine: string
beforeAll(async () => {
  mine = `/v4/groups/${started.groupGuid}`
  organizationGuid = await firstOrganization(started)
})

const get = (path: string, options: { token?: string } = {}) => started.request('GET', path, options)
const patch = (path: string, body: unknown, options: { token?: string } = {}) =>
  started.request('PATCH', path, { body, ...options })
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)

describe('GET /v4/groups', () => {
  it('answers 200 with all groups of the user, oldest first', async () => {
    const second = await organize(started).group('Second')
    const { status, body } = await get('/v4/groups')
    expect(status).toBe(200)
    expect(body.groups.map(({ guid }: { guid: string }) => guid)).toEqual([started.groupGuid, second])
    expect(body.groups[0]).toEqual({
      references: { organization: `http://${started.domain}/v4/organizations/${organizationGuid}` },
      name: 'My group',
      guid: started.groupGuid,
      created: moment,
      modified: moment,
      is_active: true,
      role: 'org-admin',
      organization_guid: organizationGuid,
      bsds: [],
    })
  })

  it('filters by organization', async () => {
    const elsewhere = await organize(started).organization()
    const group = await organize(started).group('Elsewhere', elsewhere)
    const { body } = await get(`/v4/groups?organization_guid=${elsewhere}`)
    expect(body.groups.map(({ guid }: { guid: string }) => guid)).toEqual([group])
  })

  it('returns the role of each caller', async () => {
    const roles = []
    for (const role of ['admin', 'member', 'reader']) {
      const { body } = await get('/v4/groups', { token: await aMember(started, started.groupGuid, role) })
      roles.push(body.groups.map((group: { role: string }) => group.role))
    }
    expect(roles).toEqual([['group-admin'], ['member'], ['reader']])
  })

  it('answers 400 for two organizations at once', async () => {
    const { status, body } = await get('/v4/groups?organization_guid=a&organization_guid=b')
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_ORGANIZATION_GUID', 'groups'])
    expect(body.errors).toEqual([{ field: 'organization_guid', error_code: 'invalid' }])
  })

  it('answers 403 for an organization that is not yours or does not exist', async () => {
    const { token } = await aStranger(started)
    const foreign = await get(`/v4/groups?organization_guid=${organizationGuid}`, { token })
    const unknown = await get('/v4/groups?organization_guid=Onosuch')
    expect([foreign.status, unknown.status]).toEqual([403, 403])
    expect([foreign.body.message, foreign.body.resource]).toEqual(['FORBIDDEN', 'organizations'])
  })
})

describe('GET /v4/groups/{group_guid}', () => {
  it('answers 200 with the group to every member, readers too', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { status, body } = await get(mine, { token })
    expect([status, body.guid, body.role]).toEqual([200, started.groupGuid, 'reader'])
  })

  it('answers 403 for a group that is not yours or does not exist', async () => {
    const { token } = await aStranger(started)
    const answers = [await get(mine, { token }), await get('/v4/groups/Bnosuch'), await get('/v4/groups/%00')]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(answers[0]?.body).toEqual({ message: 'FORBIDDEN', resource: 'groups', description: expect.any(String) })
  })
})

describe('PATCH /v4/groups/{group_guid}', () => {
  it('answers 200 with the new name', async () => {
    const before = (await get(mine)).body
    const { status, body } = await patch(mine, { name: 'Renamed' })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: 'Renamed', modified: moment })
    expect((await get(mine)).body).toEqual(body)
  })

  it('sets the time zone of the group, for its administrators; an empty one removes it', async () => {
    const admin = await aMember(started, started.groupGuid, 'admin')
    const member = await aMember(started, started.groupGuid)
    const zone = async (time_zone: string, token?: string) => {
      const { status, body } = await patch(mine, { time_zone }, token === undefined ? {} : { token })
      return [status, body.time_zone]
    }
    expect((await get(mine)).body.time_zone).toBeUndefined()
    expect(await zone('Europe/Berlin', admin)).toEqual([200, 'Europe/Berlin'])
    expect((await get(mine)).body.time_zone).toBe('Europe/Berlin')
    expect(await zone('Asia/Tokyo', member)).toEqual([403, undefined])
    expect(await zone('america/NEW_york')).toEqual([200, 'America/New_York'])
    expect(await zone('Asia/Kolkata')).toEqual([200, 'Asia/Kolkata'])
    expect((await patch(mine, { name: 'Renamed' })).body.time_zone).toBe('Asia/Kolkata')
    expect(await zone('')).toEqual([200, undefined])
  })

  it('replaces the branded domains of the group', async () => {
    const own = organize(started)
    await own.domain('one.example', organizationGuid)
    await own.domain('two.example', organizationGuid)
    expect((await patch(mine, { bsds: ['two.example', 'ONE.example', 'two.example'] })).body.bsds).toEqual([
      'one.example',
      'two.example',
    ])
    expect((await patch(mine, { bsds: ['two.example'] })).body.bsds).toEqual(['two.example'])
    expect((await patch(mine, { name: 'Same domains' })).body.bsds).toEqual(['two.example'])
    expect((await patch(mine, { bsds: [] })).body.bsds).toEqual([])
  })

  it('lets the group create links on a newly assigned domain, and not after it was unassigned', async () => {
    await organize(started).domain('given.example', organizationGuid)
    const shorten = (path: string) =>
      started.request('POST', '/v4/shorten', {
        body: { long_url: `https://example.com/${path}`, domain: 'given.example' },
      })
    expect((await shorten('before')).body.message).toBe('INVALID_ARG_DOMAIN')
    await patch(mine, { bsds: ['given.example'] })
    expect((await shorten('while')).body.message).not.toBe('INVALID_ARG_DOMAIN')
    await patch(mine, { bsds: [] })
    expect((await shorten('after')).body.message).toBe('INVALID_ARG_DOMAIN')
  })

  it('moves the group into another organization of the same administrator, at once', async () => {
    const target = await organize(started).organization('Target')
    const group = await organize(started).group('Moving')
    const { status, body } = await patch(`/v4/groups/${group}`, { organization_guid: target })
    expect([status, body.organization_guid]).toEqual([200, target])
    const { body: there } = await get(`/v4/groups?organization_guid=${target}`)
    expect(there.groups.map(({ guid }: { guid: string }) => guid)).toEqual([group])
  })

  it('reads nulls as absent, ignores unknown and read-only fields, and accepts its own response', async () => {
    const before = (await get(mine)).body
    const sent = { ...before, name: null, role: 'reader', is_active: false, guid: 'B', created: 'x', more: 1 }
    const { status, body } = await patch(mine, sent)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, modified: moment })
  })

  it.each([
    ['name', '   '],
    ['name', 5],
    ['name', ['x']],
    ['name', 'a\u0000b'],
    ['name', '\ud800'],
    ['name', 'x'.repeat(256)],
    ['organization_guid', 7],
    ['bsds', 'one.example'],
    ['bsds', [1]],
    ['bsds', [null]],
    ['bsds', ['']],
    ['bsds', ['a\u0000.example']],
    ['bsds', ['unknown.example']],
    ['time_zone', 'Europe/Atlantis'],
    ['time_zone', '+02:00'],
    ['time_zone', 2],
    ['time_zone', 'x'.repeat(10_000)],
  ])('answers 400 when %s is %j, and changes nothing', async (field, value) => {
    const before = (await get(mine)).body
    const { status, body } = await patch(mine, { name: 'Never', [field]: value })
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'groups'])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    expect((await get(mine)).body).toEqual(before)
  })

  it('answers 400 INVALID_ARG_BSDS for a domain of another organization, and for a move that would keep one', async () => {
    const own = organize(started)
    const target = await own.organization('Elsewhere')
    await own.domain('elsewhere.example', target)
    await own.domain('kept.example', organizationGuid)
    const group = await own.group('Bound')
    const path = `/v4/groups/${group}`
    expect((await patch(path, { bsds: ['elsewhere.example'] })).body.message).toBe('INVALID_ARG_BSDS')
    await patch(path, { bsds: ['kept.example'] })
    const { status, body } = await patch(path, { organization_guid: target })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_BSDS'])
    expect((await get(path)).body.organization_guid).toBe(organizationGuid)
    expect((await patch(path, { organization_guid: target, bsds: ['elsewhere.example'] })).status).toBe(200)
  })

  it('lets administrators of the group rename it, but not move it or give it domains', async () => {
    await organize(started).domain('wanted.example', organizationGuid)
    const token = await aMember(started, started.groupGuid, 'admin')
    expect((await patch(mine, { name: 'By its administrator' }, { token })).status).toBe(200)
    const denied = [
      await patch(mine, { bsds: ['wanted.example'] }, { token }),
      await patch(mine, { organization_guid: await organize(started).organization() }, { token }),
    ]
    expect(denied.map(({ status, body }) => [status, body.resource])).toEqual([
      [403, 'organizations'],
      [403, 'organizations'],
    ])
    const { body } = await get(mine, { token })
    expect((await patch(mine, { ...body, name: 'Sent back whole' }, { token })).status).toBe(200)
  })

  it('answers 403 for an organization that is not yours', async () => {
    const { groupGuid } = await aStranger(started)
    const foreign = (await started.app.groups.groups([groupGuid]))[0]?.organizationGuid
    expect((await patch(mine, { organization_guid: foreign })).status).toBe(403)
    expect((await patch(mine, { organization_guid: 'Onosuch' })).status).toBe(403)
    expect((await patch(mine, { organization_guid: foreign, name: 5 })).status).toBe(403)
  })

  it.each(['member', 'reader'])('answers 403 to a %s, before it looks at the fields', async (role) => {
    const token = await aMember(started, started.groupGuid, role)
    const { status, body } = await patch(mine, { name: 5 }, { token })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
  })

  it('answers 403 to a stranger, before it looks at the fields', async () => {
    const { token } = await aStranger(started)
    expect((await patch(mine, { name: 5 }, { token })).status).toBe(403)
  })

  it.each(unreadableBodies)('answers 422 to a body that is %s', async (_, body, status) => {
    const answer = await patch(mine, body)
    expect([answer.status, answer.body.message, answer.body.resource]).toEqual([
      status,
      'UNPROCESSABLE_ENTITY',
      'groups',
    ])
  })

  it('answers 406 to another content type', async () => {
    const { status } = await started.request('PATCH', mine, {
      body: 'name=x',
      headers: { 'content-type': 'text/plain' },
    })
    expect(status).toBe(406)
  })
})

describe('GET and PATCH /v4/groups/{group_guid}/preferences', () => {
  const preferences = () => `${mine}/preferences`

  it('answer 200 with the built-in domain when nothing is preferred', async () => {
    const { status, body } = await get(preferences())
    expect(status).toBe(200)
    expect(body).toEqual({ group_guid: started.groupGuid, domain_preference: started.domain })
  })

  it('answer 200 with the preferred domain, which shortening then uses; an empty one resets', async () => {
    await organize(started).domain('preferred.example', organizationGuid, [started.groupGuid])
    const { status, body } = await patch(preferences(), { domain_preference: 'Preferred.example' })
    expect(status).toBe(200)
    expect(body).toEqual({ group_guid: started.groupGuid, domain_preference: 'preferred.example' })
    expect((await get(preferences())).body).toEqual(body)
    const reset = await patch(preferences(), { group_guid: started.groupGuid, domain_preference: '' })
    expect(reset.body.domain_preference).toBe(started.domain)
    const link = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/preferred' } })
    expect(link.body.id).toContain(started.domain)
  })

  it('accept their own response, and change nothing without fields', async () => {
    const { body } = await get(preferences())
    expect((await patch(preferences(), body)).body).toEqual(body)
    expect((await patch(preferences(), { domain_preference: null })).body).toEqual(body)
    expect((await patch(preferences(), {})).status).toBe(200)
  })

  it('forget a domain that is unassigned from the group', async () => {
    await organize(started).domain('lost.example', organizationGuid, [started.groupGuid])
    await patch(preferences(), { domain_preference: 'lost.example' })
    await patch(mine, { bsds: [] })
    expect((await get(preferences())).body.domain_preference).toBe(started.domain)
  })

  it.each(['unknown.example', 'a\u0000b', 'https://x', 'unassigned.example'])(
    'answer 400 INVALID_ARG_DOMAIN for %j',
    async (domain_preference) => {
      await organize(started).domain('unassigned.example', organizationGuid)
      const { status, body } = await patch(preferences(), { domain_preference })
      expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_DOMAIN', 'groups'])
      expect(body.errors).toEqual([{ field: 'domain_preference', error_code: 'invalid' }])
    },
  )

  it('answer 400 for a domain that is not text, and for another group in the body', async () => {
    const { status, body } = await patch(preferences(), { domain_preference: 5 })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_DOMAIN_PREFERENCE'])
    const other = await organize(started).group()
    const moved = await patch(preferences(), { group_guid: other, domain_preference: started.domain })
    expect([moved.status, moved.body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
  })

  it('answer 403 to strangers, and for a group that does not exist', async () => {
    const { token } = await aStranger(started)
    expect((await get(preferences(), { token })).status).toBe(403)
    expect((await patch(preferences(), { domain_preference: 5 }, { token })).status).toBe(403)
    expect((await get('/v4/groups/Bnosuch/preferences')).status).toBe(403)
    expect((await patch('/v4/groups/Bnosuch/preferences', {})).status).toBe(403)
  })

  it('let readers read, and only administrators of the group write', async () => {
    const statuses = []
    for (const role of ['admin', 'member', 'reader']) {
      const token = await aMember(started, started.groupGuid, role)
      const { body } = await get(preferences(), { token })
      statuses.push((await patch(preferences(), body, { token })).status)
    }
    expect(statuses).toEqual([200, 403, 403])
  })

  it.each(unreadableBodies)('answer 422 to a body that is %s', async (_, body, status) => {
    expect((await patch(preferences(), body)).status).toBe(status)
  })
})

describe('GET /v4/groups/{group_guid}/tags', () => {
  const tags = () => `${mine}/tags`

  it('answers 200 with the tags in alphabetical order, of links by default or of QR codes', async () => {
    const insert = (type: string, tag: string) =>
      alterRecords(
        started,
        'insert into group_tags (group_guid, type, tag, uses) values (?, ?, ?, 1)',
        ...[started.groupGuid, type, tag],
      )
    await insert('shortlink', 'winter')
    await insert('shortlink', 'Autumn')
    await insert('qr_code', 'poster')
    expect((await get(tags())).body).toEqual({ tags: ['Autumn', 'winter'] })
    expect((await get(`${tags()}?type=shortlink`)).body).toEqual({ tags: ['Autumn', 'winter'] })
    const { status, body } = await get(`${tags()}?type=qr_code`)
    expect([status, body]).toEqual([200, { tags: ['poster'] }])
  })

  it('answers an empty list, not null, when there are none', async () => {
    const { token, groupGuid } = await aStranger(started)
    expect((await get(`/v4/groups/${groupGuid}/tags`, { token })).body).toEqual({ tags: [] })
  })

  it.each(['launchpad', 'SHORTLINK', '0'])('answers 400 INVALID_ARG_TYPE for the type %s', async (type) => {
    const { status, body } = await get(`${tags()}?type=${type}`)
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_TYPE', 'groups'])
    expect(body.errors).toEqual([{ field: 'type', error_code: 'invalid' }])
  })

  it('answers 403 for a group that is not yours, before it looks at the type', async () => {
    const { token } = await aStranger(started)
    expect((await get(`${tags()}?type=nonsense`, { token })).status).toBe(403)
    expect((await get('/v4/groups/Bnosuch/tags')).status).toBe(403)
  })
})

describe('the default group of a user', () => {
  const shorten = (token: string) =>
    started.request('POST', '/v4/shorten', { token, body: { long_url: 'https://example.com/default' } })
  const deps = () => ({ ...started.app, onAccessChanged: () => started.app.tokens.clear() })

  it('is replaced after they were removed from an organization, or the error says what to do', async () => {
    const { role, group, organization } = organize(started)
    const token = await aMember(started, started.groupGuid)
    const { login } = (await get('/v4/user', { token })).body
    await removeMember(deps(), operator, { login, organizationGuid })
    const alone = await shorten(token)
    expect([alone.status, alone.body.message, alone.body.description]).toEqual([
      403,
      'FORBIDDEN',
      'You are not in any group. Ask an administrator of your organization to add you to one.',
    ])
    const other = await group('Next', await organization('Next'))
    await role(login, 'member', { groupGuid: other })
    const { status, body } = await shorten(token)
    expect([status, body.references.group]).toEqual([201, expect.stringContaining(other)])
    expect((await get('/v4/user', { token })).body.default_group_guid).toBe(other)
  })

  it('is replaced while it is removed, and its links still redirect', async () => {
    const group = await organize(started).group('Short-lived')
    const token = await aMember(started, group)
    const { login } = (await get('/v4/user', { token })).body
    const made = (await shorten(token)).body
    const visit = async () => (await started.request('GET', `/${made.id.split('/')[1]}`, { token: null })).status
    expect(await visit()).toBe(301)

    const { status, body } = await started.request('DELETE', `/v4/groups/${group}`)
    expect([status, body.message, body.description]).toEqual([
      400,
      'INVALID_ARG_LOGIN',
      `"${login}" would be in no group. Add them to another group first, or remove them from the organization.`,
    ])
    expect(await visit()).toBe(301)
    await organize(started).role(login, 'member', { groupGuid: started.groupGuid })
    await removeGroup(deps(), operator, { guid: group })
    expect((await get(`/v4/groups/${group}`)).status).toBe(403)
    expect((await patch(`/v4/shortlinks/${made.id}`, { title: 'x' })).status).toBe(403)
    expect(await visit()).toBe(301)
    expect((await get('/v4/user', { token })).body.default_group_guid).toBe(started.groupGuid)

    await restoreGroup(deps(), operator, { guid: group })
    expect((await get('/v4/user', { token })).body.default_group_guid).toBe(group)
    expect((await patch(`/v4/shortlinks/${made.id}`, { title: 'x' })).status).toBe(200)
  })
})
