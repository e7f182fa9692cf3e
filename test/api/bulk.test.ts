import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { organize, unreadableBodies } from './organize.js'

const started = useApp()
let stranger: Someone
beforeAll(async () => {
  stranger = await aStranger(started)
})

interface Options {
  readonly token?: string
  readonly group?: string
}
const bulk = (body: unknown, { group = started.groupGuid, ...options }: Options = {}) =>
  started.request('PATCH', `/v4/groups/${group}/shortlinks`, { body, ...options })
const archive = (links: unknown, options: Options = {}) => bulk({ action: 'archive', archive: true, links }, options)
const editTags = (links: unknown, fields: object, options: Options = {}) =>
  bulk({ action: 'edit_tags', links, ...fields }, options)
const read = async (id: string | undefined) => (await started.request('GET', `/v4/shortlinks/${id}`)).body

let made = 0
async function aLink(fields: object = {}, options: { token?: string } = {}): Promise<string> {
  made += 1
  const body = { long_url: `https://example.com/bulk/${made}`, ...fields }
  return (await started.request('POST', '/v4/shortlinks', { body, ...options })).body.id
}
const someLinks = (count: number, fields: object = {}) =>
  Promise.all(Array.from({ length: count }, () => aLink(fields)))

describe('PATCH /v4/groups/{group_guid}/shortlinks', () => {
  it('archives and restores links, and answers 200 with the updated ids', async () => {
    const links = await someLinks(3)
    expect(await archive(links)).toMatchObject({ status: 200, body: { links } })
    for (const id of links) expect((await read(id)).archived).toBe(true)
    expect((await bulk({ action: 'archive', archive: false, links })).status).toBe(200)
    for (const id of links) expect((await read(id)).archived).toBe(false)
  })

  it('edits tags: removes some, adds others, keeps the rest', async () => {
    const links = await someLinks(2, { tags: ['keep', 'old'] })
    const answer = await editTags(links, { add_tags: ['new', 'keep'], remove_tags: ['old', 'never-there'] })
    expect(answer).toMatchObject({ status: 200, body: { links } })
    for (const id of links) expect((await read(id)).tags).toEqual(['keep', 'new'])
    expect((await editTags(links, { remove_tags: ['keep'] })).status).toBe(200)
    for (const id of links) expect((await read(id)).tags).toEqual(['new'])
  })

  it('removes more tags at once than one link can have, since links may have different tags', async () => {
    const [one, other] = await Promise.all([aLink({ tags: ['mine-1', 'keep'] }), aLink({ tags: ['mine-150'] })])
    const remove_tags = Array.from({ length: 200 }, (_, index) => `mine-${index}`)
    expect((await editTags([one, other], { remove_tags })).status).toBe(200)
    expect([(await read(one)).tags, (await read(other)).tags]).toEqual([['keep'], []])
  })

  it('shows the new tags in the list and among the tags of the group', async () => {
    const links = await someLinks(2)
    await editTags(links, { add_tags: ['fresh-tag'] })
    const path = `/v4/groups/${started.groupGuid}`
    const { body } = await started.request('GET', `${path}/shortlinks?tags=fresh-tag`)
    expect(body.links.map(({ id }: { id: string }) => id).sort()).toEqual(links.sort())
    expect((await started.request('GET', `${path}/tags`)).body.tags).toContain('fresh-tag')
  })

  it('does not affect redirects', async () => {
    const id = await aLink()
    await archive([id])
    const answer = await started.request('GET', `/${id.split('/')[1]}`, { token: null })
    expect(answer.status).toBe(301)
  })

  it('accepts custom back-halves, uppercase domains and full URLs, and returns each link once', async () => {
    const keyword = `bulk-${made}`
    const id = await aLink({ keyword })
    const [, hash] = id.split('/')
    const spelled = [
      `${started.domain}/${keyword}`,
      `http://${id}`,
      `LOCALHOST:${started.domain.split(':')[1]}/${hash}`,
    ]
    expect(await archive(spelled)).toMatchObject({ status: 200, body: { links: [id] } })
    expect((await read(id)).archived).toBe(true)
  })

  it('takes 100 links, and answers 400 INVALID_ARG_LINKS for 101', async () => {
    const links = await someLinks(100)
    expect((await archive(links)).body.links).toHaveLength(100)
    const one = await aLink()
    const { status, body } = await archive([...links, one])
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_ARG_LINKS', 'shortlinks'])
    expect(body.errors).toEqual([{ field: 'links', error_code: 'invalid' }])
    expect((await read(one)).archived).toBe(false)
  })

  it.each([
    ['no action', { links: ['a/b'], archive: true }, 'action'],
    ['an unknown action', { links: ['a/b'], action: 'delete' }, 'action'],
    ['an action that is not text', { links: ['a/b'], action: 1 }, 'action'],
    ['no links', { action: 'archive', archive: true }, 'links'],
    ['null for links', { action: 'archive', archive: true, links: null }, 'links'],
    ['an empty list of links', { action: 'archive', archive: true, links: [] }, 'links'],
    ['links that are not a list', { action: 'archive', archive: true, links: 'a/b' }, 'links'],
    ['links that are not text', { action: 'archive', archive: true, links: [7] }, 'links'],
    ['a link that is no id', { action: 'archive', archive: true, links: ['nonsense'] }, 'links'],
    ['archive without its boolean', { action: 'archive', links: ['a/b'] }, 'archive'],
    ['archive as text', { action: 'archive', archive: 'true', links: ['a/b'] }, 'archive'],
    ['no tags to edit', { action: 'edit_tags', links: ['a/b'] }, 'add_tags'],
    ['empty lists of tags', { action: 'edit_tags', links: ['a/b'], add_tags: [], remove_tags: [] }, 'add_tags'],
    ['tags that are not text', { action: 'edit_tags', links: ['a/b'], add_tags: [1] }, 'add_tags'],
    ['tags to remove that are not a list', { action: 'edit_tags', links: ['a/b'], remove_tags: 'x' }, 'remove_tags'],
  ])('answers 400 for %s', async (_, body, field) => {
    const answer = await bulk(body)
    expect([answer.status, answer.body.message]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`])
    expect(answer.body.resource).toBe('shortlinks')
    expect(answer.body.errors).toEqual([{ field, error_code: 'invalid' }])
  })

  it.each(['add_tags', 'remove_tags'])('answers 400 INVALID_TAG for what cannot be a tag in %s', async (field) => {
    const id = await aLink({ tags: ['before'] })
    const { status, body } = await editTags([id], { [field]: ['before', 'two words'] })
    expect([status, body.message, body.resource]).toEqual([400, 'INVALID_TAG', 'shortlinks'])
    expect(body.errors).toEqual([{ field, error_code: 'invalid' }])
    expect((await read(id)).tags).toEqual(['before'])
    const archive = { action: 'archive', archive: true, links: [id], [field]: ['two words'] }
    const archived = await started.request('PATCH', `/v4/groups/${started.groupGuid}/shortlinks`, { body: archive })
    expect([archived.status, archived.body.message]).toEqual([400, 'INVALID_TAG'])
  })

  it('answers 400 TOO_MANY_TAGS_PER_SHORTLINK when one link would have 101, and changes no link', async () => {
    const group = await organize(started).group()
    const tags = Array.from({ length: 100 }, (_, index) => `t${index}`)
    const [full, empty] = [await aLink({ group_guid: group, tags }), await aLink({ group_guid: group })]
    const { status, body } = await editTags([empty, full], { add_tags: ['one-more'] }, { group })
    expect([status, body.message]).toEqual([400, 'TOO_MANY_TAGS_PER_SHORTLINK'])
    expect(body.errors).toEqual([{ field: 'add_tags', error_code: 'invalid' }])
    expect((await read(empty)).tags).toEqual([])
    expect((await read(full)).tags).toEqual(tags)
    const swap = await editTags([empty, full], { add_tags: ['one-more'], remove_tags: ['t0'] }, { group })
    expect(swap.status).toBe(200)
  })

  it('answers 400 TOO_MANY_TAGS_PER_GROUP for tag 1001, and changes no link', async () => {
    const group = await organize(started).group()
    const ids: string[] = []
    for (let ten = 0; ten < 10; ten++) {
      const tags = Array.from({ length: 100 }, (_, index) => `t${ten}-${index}`)
      ids.push(await aLink({ group_guid: group, tags: tags.slice(0, ten === 9 ? 99 : 100) }))
    }
    const id = await aLink({ group_guid: group })
    const { status, body } = await editTags([id], { add_tags: ['number-1000', 'number-1001'] }, { group })
    expect([status, body.message]).toEqual([400, 'TOO_MANY_TAGS_PER_GROUP'])
    expect(body.errors).toEqual([{ field: 'add_tags', error_code: 'invalid' }])
    expect((await read(id)).tags).toEqual([])
    expect((await editTags([id], { add_tags: ['number-1000'] }, { group })).status).toBe(200)
  })

  it('answers 404 NOT_FOUND for an unknown, a deleted or an impossible id, and changes no link', async () => {
    const id = await aLink({ tags: ['a'] })
    const deleted = await aLink()
    await started.request('DELETE', `/v4/shortlinks/${deleted}`)
    for (const other of [
      `${id}x`,
      deleted,
      'elsewhere.example/abc',
      `${started.domain}/%00`,
      `${id}${'x'.repeat(60)}`,
    ]) {
      for (const answer of [await archive([id, other]), await editTags([id, other], { remove_tags: ['a'] })]) {
        expect([answer.status, answer.body.message, answer.body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
      }
    }
    expect(await read(id)).toMatchObject({ archived: false, tags: ['a'] })
  })

  it('answers 403 FORBIDDEN for a link of another group, also one of your other groups, and changes no link', async () => {
    const id = await aLink()
    const foreign = await aLink({}, { token: stranger.token })
    const own = await aLink({ group_guid: await organize(started).group() })
    for (const other of [foreign, own]) {
      const { status, body } = await archive([id, other])
      expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'shortlinks'])
      expect(body.description).toContain(other)
    }
    expect((await read(id)).archived).toBe(false)
    expect((await read(own)).archived).toBe(false)
  })

  it('answers 403 FORBIDDEN for a group that is not yours, before it looks at the body', async () => {
    const { status, body } = await bulk({ action: 7 }, { group: stranger.groupGuid })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
  })

  it('answers 403 FORBIDDEN to readers, and lets members edit', async () => {
    const id = await aLink()
    const { status, body } = await archive([id], { token: await aMember(started, started.groupGuid, 'reader') })
    expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
    expect((await read(id)).archived).toBe(false)
    expect((await archive([id], { token: await aMember(started, started.groupGuid) })).status).toBe(200)
  })

  it('answers 403 FORBIDDEN to readers before it looks at the fields', async () => {
    const { status, body } = await bulk({ action: 7 }, { token: await aMember(started, started.groupGuid, 'reader') })
    expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'groups'])
  })

  it.each(unreadableBodies)('answers %s as a body with its status', async (_, body, expected) => {
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await bulk(sent)
    expect([answer.status, answer.body.message, answer.body.resource]).toEqual([
      expected,
      'UNPROCESSABLE_ENTITY',
      'shortlinks',
    ])
  })

  it('answers 406 INVALID_CONTENT_TYPE_HEADER for a body that is not sent as JSON', async () => {
    const path = `/v4/groups/${started.groupGuid}/shortlinks`
    const headers = { 'content-type': 'text/xml' }
    const { status, body } = await started.request('PATCH', path, { body: {}, headers })
    expect([status, body.message]).toEqual([406, 'INVALID_CONTENT_TYPE_HEADER'])
  })

  it('ignores unknown fields and reads null as absent', async () => {
    const id = await aLink()
    const { status } = await bulk({ action: 'archive', archive: true, links: [id], add_tags: null, unknown: { a: 1 } })
    expect(status).toBe(200)
  })
})
