import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember } from './alter-records.js'

/** What shortening a URL does to the group's existing link for it. */
describe('a long URL that the group already has a link for', () => {
  const started = useApp()

  let made = 0
  const aUrl = () => `https://example.com/reuse/${made++}`
  const create = (body: object, token?: string) =>
    started.request('POST', '/v4/shortlinks', { body, ...(token && { token }) })
  const shorten = (body: object) => started.request('POST', '/v4/shorten', { body })
  const read = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body
  const listed = async (query = '') => {
    const { body } = await started.request('GET', `/v4/groups/${started.groupGuid}/shortlinks?size=100${query}`)
    return body.links.map(({ id }: { id: string }) => id)
  }

  it('is answered 200 with the title and the tags that were sent, and keeps the tags it has', async () => {
    const long_url = aUrl()
    const { body: first } = await create({ long_url, title: 'One', tags: ['a', 'b'] })
    const { status, body } = await create({ long_url, title: 'Two', tags: ['b', 'c'] })
    expect([status, body.id, body.title, body.tags]).toEqual([200, first.id, 'Two', ['a', 'b', 'c']])
    expect(await read(first.id)).toEqual(body)
    // Not sent, or sent empty: unchanged.
    expect((await create({ long_url, title: '', tags: [] })).body).toEqual(body)
    expect((await create({ long_url })).body).toEqual(body)
    expect((await listed('&tags=c')).includes(first.id)).toBe(true)
  })

  it('is rejected with 400 if the link would have too many tags, and nothing changes', async () => {
    const long_url = aUrl()
    const tags = Array.from({ length: 100 }, (_, index) => `t${index}`)
    const { body: first } = await create({ long_url, title: 'One', tags })
    const { status, body } = await create({ long_url, title: 'Two', tags: ['more'] })
    expect([status, body.message]).toEqual([400, 'TOO_MANY_TAGS_PER_SHORTLINK'])
    expect(await read(first.id)).toEqual(first)
  })

  it('is not changed by readers', async () => {
    const long_url = aUrl()
    const { body: first } = await create({ long_url, title: 'One' })
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await create({ long_url, title: 'Two' }, reader)).status).toBe(403)
    expect(await read(first.id)).toEqual(first)
  })

  it.each([
    ['/v4/shorten', shorten],
    ['/v4/shortlinks', (body: object) => create({ ...body, title: 'Again' })],
  ])('is restored by %s if it was archived', async (_, again) => {
    const long_url = aUrl()
    const { id } = (await shorten({ long_url })).body
    await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { archived: true } })
    expect((await listed()).includes(id)).toBe(false)
    const { status, body } = await again({ long_url })
    expect([status, body.id, body.archived]).toEqual([200, id, false])
    expect((await read(id)).archived).toBe(false)
    expect((await listed()).includes(id)).toBe(true)
  })
})
