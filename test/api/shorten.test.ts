import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'

describe('POST /v4/shorten', () => {
  const started = useApp()

  const shorten = (body: unknown, options: { token?: string } = {}) =>
    started.request('POST', '/v4/shorten', { body, ...options })

  it('answers 201 with exactly the documented subset of the resource', async () => {
    const { status, headers, body } = await shorten({ long_url: 'https://example.com/new' })
    expect(status).toBe(201)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(body).toEqual({
      references: { group: `http://${started.domain}/v4/groups/${started.groupGuid}` },
      link: `http://${body.id}`,
      id: expect.stringMatching(new RegExp(`^${started.domain}/[0-9A-Za-z]{7}$`)),
      long_url: 'https://example.com/new',
      archived: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
      custom_shortlinks: [],
      tags: [],
      deeplinks: [],
    })
  })

  it('answers 200 with the same link when the group has one for the long URL', async () => {
    const first = await shorten({ long_url: 'https://example.com/twice' })
    const second = await shorten({ long_url: 'https://EXAMPLE.com:443/twice' })
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.body).toEqual(first.body)
  })

  it('creates one link for concurrent callers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shorten({ long_url: 'https://example.com/race' })),
    )
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  it('normalises the long URL', async () => {
    expect((await shorten({ long_url: 'HTTPS://Example.COM' })).body.long_url).toBe('https://example.com/')
  })

  it('creates a link that redirects', async () => {
    const { body } = await shorten({ long_url: 'https://example.com/ü?q=1#top' })
    const { status, headers } = await started.request('GET', `/${body.id.split('/')[1]}`, { token: null })
    expect(status).toBe(301)
    expect(headers.location).toBe('https://example.com/%C3%BC?q=1#top')
  })

  it('accepts group and domain', async () => {
    const body = { long_url: 'https://example.com/named', domain: started.domain, group_guid: started.groupGuid }
    expect((await shorten(body)).status).toBe(201)
  })

  it('reads nulls as absent and ignores unknown fields', async () => {
    const body = {
      long_url: 'https://example.com/nulls',
      domain: null,
      group_guid: null,
      title: { a: null },
      x: [null],
    }
    expect((await shorten(body)).status).toBe(201)
  })

  it('gives each group its own link', async () => {
    const stranger = await aStranger(started)
    const long_url = 'https://example.com/shared'
    const ours = await shorten({ long_url })
    const theirs = await shorten({ long_url }, { token: stranger.token })
    expect([ours.status, theirs.status]).toEqual([201, 201])
    expect(theirs.body.id).not.toBe(ours.body.id)
    expect(theirs.body.references.group).toContain(stranger.groupGuid)
  })

  it.each([
    ['missing', {}],
    ['null', { long_url: null }],
    ['empty', { long_url: '' }],
    ['a number', { long_url: 5 }],
    ['an array', { long_url: ['https://example.com/'] }],
    ['an object', { long_url: {} }],
    ['not a URL', { long_url: 'hello' }],
    ['without a scheme', { long_url: 'example.com/a' }],
    ['of another scheme', { long_url: 'javascript:alert(1)' }],
    ['with a space', { long_url: 'https://example.com/a b' }],
    ['with NUL', { long_url: 'https://example.com/\u0000' }],
    ['a lone surrogate', { long_url: 'https://example.com/\ud800' }],
    ['with a password', { long_url: 'https://a:b@example.com/' }],
    ['too long', { long_url: `https://example.com/${'a'.repeat(3000)}` }],
  ])('answers 400 INVALID_ARG_LONG_URL when long_url is %s', async (_, sent) => {
    const { status, body, text } = await shorten(sent)
    expect(status).toBe(400)
    expect(body).toEqual({
      message: 'INVALID_ARG_LONG_URL',
      resource: 'shortlinks',
      description: expect.any(String),
      errors: [{ field: 'long_url', error_code: 'invalid' }],
    })
    expect(Object.keys(JSON.parse(text))).toEqual(['message', 'resource', 'description', 'errors', 'request_id'])
  })

  it('answers 400 ALREADY_A_SHORTLINK for its own links', async () => {
    const { body } = await shorten({ long_url: 'https://example.com/once' })
    const again = await shorten({ long_url: body.link })
    expect([again.status, again.body.message]).toEqual([400, 'ALREADY_A_SHORTLINK'])
  })

  it.each(['elsewhere.example', 'a\u0000b', 7, {}])('answers 400 INVALID_ARG_DOMAIN for %j', async (domain) => {
    const { status, body } = await shorten({ long_url: 'https://example.com/d', domain })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_DOMAIN'])
    expect(body.errors).toEqual([{ field: 'domain', error_code: 'invalid' }])
  })

  it('answers 400 INVALID_ARG_GROUP_GUID for a group that is not text', async () => {
    const { status, body } = await shorten({ long_url: 'https://example.com/d', group_guid: 12 })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
  })

  it.each(['Bnosuchgroup', ' '])('answers 403 for the group %j, before it looks at the fields', async (group_guid) => {
    const { status, body } = await shorten({ long_url: 5, group_guid })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
  })

  it("answers 403 for someone else's group", async () => {
    const stranger = await aStranger(started)
    const { status } = await shorten({ long_url: 'https://example.com/d', group_guid: stranger.groupGuid })
    expect(status).toBe(403)
  })

  it('answers 403 to readers of the group, before it checks the long URL', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { status, body } = await shorten({ long_url: 'hello' }, { token })
    expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
  })
})
