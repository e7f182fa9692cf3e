import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'

const started = useApp({}, { clock: { now: () => now } })
let organization: string
let otherGroup: string
let now = Date.parse('2026-03-01T12:00:00Z')
const domain = 'go.brand.example'
const secondDomain = 'two.brand.example'
beforeAll(async () => {
  const at = organize(started)
  organization = await firstOrganization(started)
  otherGroup = await at.group()
  for (const name of [domain, secondDomain]) await at.domain(name, organization, [started.groupGuid, otherGroup])
})

let made = 0
const aLink = async (more: object = {}): Promise<string> => {
  const body = { long_url: `https://example.com/custom/${made++}`, domain, ...more }
  return (await started.request('POST', '/v4/shortlinks', { body })).body.id
}
const aWord = () => `${domain}/word-${made++}`
const add = (body: unknown, options: { token?: string } = {}) =>
  started.request('POST', '/v4/custom_shortlinks', { body, ...options })
const move = (address: string, body: unknown, options: { token?: string } = {}) =>
  started.request('PATCH', `/v4/custom_shortlinks/${address}`, { body, ...options })
const read = (address: string, options: { token?: string } = {}) =>
  started.request('GET', `/v4/custom_shortlinks/${address}`, options)
const longUrlOf = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body.long_url
const visit = async (address: string) => {
  const [, path] = address.split('/')
  return (await started.request('GET', `/${path}`, { token: null, headers: { host: domain } })).headers.location
}

describe('POST /v4/custom_shortlinks', () => {
  it('answers 200 with the record: the custom short link, the short link and the history', async () => {
    const [id, word] = [await aLink(), aWord()]
    const { status, body } = await add({ custom_shortlink: word, shortlink_id: id })
    expect(status).toBe(200)
    const link = (await started.request('GET', `/v4/shortlinks/${id}`)).body
    expect(link.custom_shortlinks).toEqual([`http://${word.replace('/', `:${new URL(started.url).port}/`)}`])
    expect(body).toEqual({
      custom_shortlink: word,
      shortlink: link,
      shortlink_history: [
        {
          group_guid: started.groupGuid,
          keyword: word.split('/')[1],
          bsd: domain,
          hash: id.split('/')[1],
          login: 'admin',
          long_url: link.long_url,
          created: '2026-03-01T12:00:00+0000',
          first_created: '2026-03-01T12:00:00+0000',
          deactivated: '',
          is_active: true,
        },
      ],
    })
    expect((await read(word)).body).toEqual(body)
  })

  it('takes effect at the next redirect, even if the address was unknown before', async () => {
    const [id, word] = [await aLink(), aWord()]
    expect(await visit(word)).toBeUndefined()
    await add({ custom_shortlink: `https://${word}`, shortlink_id: `https://${id}` })
    expect(await visit(word)).toBe(await longUrlOf(id))
  })

  it('marks the link as edited, so that it cannot be deleted', async () => {
    const id = await aLink()
    await add({ custom_shortlink: aWord(), shortlink_id: id })
    expect((await started.request('DELETE', `/v4/shortlinks/${id}`)).status).toBe(400)
  })

  it('lets exactly one of several concurrent callers win a keyword', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => aLink()))
    const word = aWord()
    const answers = await Promise.all(ids.map((id) => add({ custom_shortlink: word, shortlink_id: id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    expect((await read(word)).body.shortlink_history).toHaveLength(1)
  })

  it('answers 409 KEYWORD_UNAVAILABLE for a keyword of another link of the group', async () => {
    const [id, word] = [await aLink(), aWord()]
    await add({ custom_shortlink: word, shortlink_id: id })
    const { status, body } = await add({ custom_shortlink: word, shortlink_id: await aLink() })
    expect([status, body.message, body.resource]).toEqual([409, 'KEYWORD_UNAVAILABLE', 'shortlinks'])
    expect((await add({ custom_shortlink: id, shortlink_id: await aLink() })).status).toBe(409)
  })

  it('answers 200 again for a keyword that the link already has, with both operations', async () => {
    const [id, word] = [await aLink(), aWord()]
    const first = await add({ custom_shortlink: word, shortlink_id: id })
    const again = await add({ custom_shortlink: `http://${word}`, shortlink_id: id })
    expect([again.status, again.body]).toEqual([200, first.body])
    const keyword = word.split('/')[1]
    const other = await started.request('POST', '/v4/shortlinks', { body: { shortlink_id: id, keyword } })
    expect([other.status, other.body]).toEqual([200, first.body.shortlink])
  })

  it('answers 400 INVALID_ARG_GROUP_GUID for a keyword of another group of the organization', async () => {
    const word = aWord()
    await add({ custom_shortlink: word, shortlink_id: await aLink({ group_guid: otherGroup }) })
    const { status, body } = await add({ custom_shortlink: word, shortlink_id: await aLink() })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_GROUP_GUID'])
  })

  it('answers 400 on a built-in domain, where keywords are added with /v4/shortlinks', async () => {
    const id = await aLink({ domain: started.domain })
    const { status, body } = await add({ custom_shortlink: `${started.domain}/word`, shortlink_id: id })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_DOMAIN'])
  })

  it.each([
    ['no custom_shortlink', { custom_shortlink: undefined }, 'INVALID_ARG_CUSTOM_SHORTLINK'],
    ['one that is not text', { custom_shortlink: 5 }, 'INVALID_ARG_CUSTOM_SHORTLINK'],
    ['one without a keyword', { custom_shortlink: domain }, 'INVALID_ARG_CUSTOM_SHORTLINK'],
    ['an empty one', { custom_shortlink: '' }, 'INVALID_ARG_CUSTOM_SHORTLINK'],
    ['a forbidden character', { custom_shortlink: `${domain}/a.b` }, 'INVALID_ARG_SHORTLINK'],
    ['a reserved keyword', { custom_shortlink: `${domain}/v4` }, 'INVALID_ARG_SHORTLINK'],
    ['an unknown domain', { custom_shortlink: 'elsewhere.example/word' }, 'INVALID_ARG_DOMAIN'],
    ['no shortlink_id', { shortlink_id: undefined }, 'INVALID_ARG_SHORTLINK_ID'],
    ['a shortlink_id that is none', { shortlink_id: 'x' }, 'INVALID_ARG_SHORTLINK_ID'],
    ['a shortlink_id that is not text', { shortlink_id: {} }, 'INVALID_ARG_SHORTLINK_ID'],
  ])('answers 400 for %s', async (_, wrong, message) => {
    const { status, body } = await add({ custom_shortlink: aWord(), shortlink_id: await aLink(), ...wrong })
    expect([status, body.message, body.resource]).toEqual([400, message, 'shortlinks'])
    expect(body.errors).toEqual([{ field: Object.keys(wrong)[0], error_code: 'invalid' }])
  })

  it('answers 422 when the two domains do not match', async () => {
    const { status, body } = await add({ custom_shortlink: `${secondDomain}/word`, shortlink_id: await aLink() })
    expect([status, body.message, body.resource]).toEqual([422, 'UNPROCESSABLE_ENTITY', 'shortlinks'])
    expect((await read(`${secondDomain}/word`)).status).toBe(404)
  })

  it.each(unreadableBodies)('answers UNPROCESSABLE_ENTITY when the body is %s', async (_, sent, status) => {
    const answer = await add(sent)
    expect([answer.status, answer.body.resource]).toEqual([status, 'shortlinks'])
  })

  it("answers 403 for someone else's link and to readers, before it looks at the custom short link", async () => {
    const shortlink_id = await aLink()
    const stranger = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    for (const token of [stranger.token, reader]) {
      expect((await add({ custom_shortlink: 5, shortlink_id }, { token })).status).toBe(403)
    }
  })

  it('answers 404 for a link that does not exist or was deleted', async () => {
    const deleted = await aLink()
    await started.request('DELETE', `/v4/shortlinks/${deleted}`)
    for (const shortlink_id of [deleted, `${domain}/none`]) {
      expect((await add({ custom_shortlink: aWord(), shortlink_id })).status).toBe(404)
    }
  })
})

describe('PATCH /v4/custom_shortlinks/{domain}/{keyword}', () => {
  async function aCustomLink(more: object = {}): Promise<{ id: string; word: string }> {
    const [id, word] = [await aLink(more), aWord()]
    await add({ custom_shortlink: word, shortlink_id: id })
    return { id, word }
  }

  it('answers 200 and moves the keyword, with its history, newest first', async () => {
    const { id, word } = await aCustomLink()
    const to = await aLink({ group_guid: otherGroup })
    expect(await visit(word)).toBe(await longUrlOf(id))
    now += 60_000
    const { status, body } = await move(word, { shortlink_id: to })
    expect([status, body.shortlink.id]).toEqual([200, to])
    const moved = '2026-03-01T12:01:00+0000'
    const first = '2026-03-01T12:00:00+0000'
    expect(body.shortlink_history).toMatchObject([
      {
        hash: to.split('/')[1],
        group_guid: otherGroup,
        created: moved,
        first_created: first,
        deactivated: '',
        is_active: true,
      },
      { hash: id.split('/')[1], created: first, first_created: first, deactivated: moved, is_active: false },
    ])
    expect(await visit(word)).toBe(await longUrlOf(to))
    expect((await started.request('GET', `/v4/shortlinks/${id}`)).body.custom_shortlinks).toEqual([])
    now -= 60_000
  })

  it('adds a history entry when the short link is redirected', async () => {
    const { id, word } = await aCustomLink()
    await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { long_url: 'https://example.com/new' } })
    expect((await read(word)).body.shortlink_history).toMatchObject([
      { long_url: 'https://example.com/new', is_active: true },
      { is_active: false },
    ])
  })

  it('changes nothing if it already points there', async () => {
    const { id, word } = await aCustomLink()
    const { status, body } = await move(word, { shortlink_id: id })
    expect([status, body.shortlink_history.length]).toEqual([200, 1])
  })

  it.each([
    ['nothing', {}],
    ['something that is not text', { shortlink_id: 7 }],
    ['something that is no link', { shortlink_id: 'x' }],
  ])('answers 400 INVALID_ARG_SHORTLINK_ID for %s', async (_, sent) => {
    const { word } = await aCustomLink()
    const { status, body } = await move(word, sent)
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_SHORTLINK_ID'])
  })

  it('answers 400 on a built-in domain, where keywords cannot be moved', async () => {
    const [one, two] = [
      await aLink({ domain: started.domain, keyword: 'stays' }),
      await aLink({ domain: started.domain }),
    ]
    const { status, body } = await move(`${started.domain}/stays`, { shortlink_id: two })
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_DOMAIN'])
    const link = await started.request('GET', `/v4/shortlinks/${started.domain}/stays`)
    expect(link.body.id).toBe(one)
  })

  it('answers 422 when the two domains do not match', async () => {
    const { id, word } = await aCustomLink()
    const { status, body } = await move(word, { shortlink_id: await aLink({ domain: secondDomain }) })
    expect([status, body.message]).toEqual([422, 'UNPROCESSABLE_ENTITY'])
    expect((await read(word)).body.shortlink.id).toBe(id)
  })

  it.each(unreadableBodies)('answers UNPROCESSABLE_ENTITY when the body is %s', async (_, sent, status) => {
    const { word } = await aCustomLink()
    expect((await move(word, sent)).status).toBe(status)
  })

  it("answers 403 for someone else's keyword, to readers, and for a link of a group that is not yours", async () => {
    const { word } = await aCustomLink()
    const stranger = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    for (const token of [stranger.token, reader]) {
      expect((await move(word, { shortlink_id: 5 }, { token })).status).toBe(403)
    }
    const member = await aMember(started, started.groupGuid, 'member')
    const foreign = await aLink({ group_guid: otherGroup })
    expect((await move(word, { shortlink_id: foreign }, { token: member })).status).toBe(403)
  })

  it('answers 404 for a keyword or a link that does not exist', async () => {
    const { word } = await aCustomLink()
    const to = await aLink()
    expect((await move(`${domain}/none`, { shortlink_id: to })).status).toBe(404)
    expect((await move(to, { shortlink_id: to })).status).toBe(404)
    expect((await move(word, { shortlink_id: `${domain}/none` })).status).toBe(404)
  })
})

describe('GET /v4/custom_shortlinks/{domain}/{keyword}', () => {
  it('answers 200 to every role of the group, with %2F too', async () => {
    const [id, word] = [await aLink(), aWord()]
    await add({ custom_shortlink: word, shortlink_id: id })
    const token = await aMember(started, started.groupGuid, 'reader')
    expect((await read(word.replace('/', '%2F'), { token })).body.shortlink.id).toBe(id)
  })

  it("answers 403 for someone else's", async () => {
    const word = aWord()
    await add({ custom_shortlink: word, shortlink_id: await aLink() })
    const { token } = await aStranger(started)
    expect((await read(word, { token })).status).toBe(403)
  })

  it('answers 200 for a keyword of a built-in domain too', async () => {
    const id = await aLink({ domain: started.domain, keyword: 'built-in' })
    const { status, body } = await read(`${started.domain}/built-in`)
    expect([status, body.custom_shortlink, body.shortlink.id]).toEqual([200, `${started.domain}/built-in`, id])
    expect(body.shortlink_history).toHaveLength(1)
  })

  it.each(['http://', 'https://', 'http%3A%2F%2F', 'HTTPS%3a//'])(
    'accepts an id that begins with %s',
    async (scheme) => {
      const [id, word] = [await aLink(), aWord()]
      await add({ custom_shortlink: word, shortlink_id: id })
      expect((await read(`${scheme}${word}`)).body.custom_shortlink).toBe(word)
      expect((await read(`${scheme}${word.replace('/', '%2F')}`)).status).toBe(200)
      expect((await started.request('GET', `/v4/shortlinks/${scheme}${id}`)).body.id).toBe(id)
      expect((await started.request('GET', `/v4/shortlinks/${scheme}${id}/clicks/summary`)).status).toBe(200)
    },
  )

  it('answers 404 for an id that is not a keyword', async () => {
    for (const address of [`${domain}/none`, await aLink(), `${domain}/a.b`]) {
      const { status, body } = await read(address)
      expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
    }
  })

  it('answers 410 GONE when its domain was removed', async () => {
    const gone = await organize(started).domain('gone.example', organization, [started.groupGuid])
    await add({ custom_shortlink: `${gone}/word`, shortlink_id: await aLink({ domain: gone }) })
    await started.app.domainStore.remove(organization, gone, now)
    await started.app.domains.refresh()
    const { status, body } = await read(`${gone}/word`)
    expect([status, body.message]).toEqual([410, 'GONE'])
    expect((await move(`${gone}/word`, { shortlink_id: await aLink() })).status).toBe(410)
  })
})
