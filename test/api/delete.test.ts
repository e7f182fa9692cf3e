import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'

describe('DELETE /v4/shortlinks/{domain}/{hash}', () => {
  const started = useApp()

  let made = 0
  const aUrl = () => `https://example.com/delete/${made++}`
  const aLink = async (more: object = {}): Promise<string> =>
    (await started.request('POST', '/v4/shortlinks', { body: { long_url: aUrl(), ...more } })).body.id
  const remove = (id: string, options: { token?: string } = {}) =>
    started.request('DELETE', `/v4/shortlinks/${id}`, options)
  const statusOf = async (method: string, path: string, body?: object) =>
    (await started.request(method, path, { ...(body && { body }) })).status

  it('answers 200 with what was deleted', async () => {
    const id = await aLink({ title: 'T', tags: ['t'] })
    const { status, body } = await remove(id)
    expect([status, body]).toEqual([200, { links_deleted: [{ id }] }])
  })

  it('causes 410 GONE on retrieval, update, expand, metrics and redirect', async () => {
    const id = await aLink()
    expect(await statusOf('GET', `/${id.split('/')[1]}`)).toBe(301)
    await remove(id)
    expect(await statusOf('GET', `/v4/shortlinks/${id}`)).toBe(410)
    expect(await statusOf('PATCH', `/v4/shortlinks/${id}`, { title: 'T' })).toBe(410)
    expect(await statusOf('POST', '/v4/expand', { shortlink_id: id })).toBe(410)
    expect(await statusOf('GET', `/v4/shortlinks/${id}/clicks`)).toBe(410)
    expect(await statusOf('GET', `/v4/shortlinks/${id}/clicks/summary`)).toBe(410)
    expect(await statusOf('GET', `/${id.split('/')[1]}`)).toBe(410)
  })

  it('never reuses the address', async () => {
    const id = await aLink()
    await remove(id)
    const body = { long_url: aUrl(), keyword: id.split('/')[1] }
    expect(await statusOf('POST', '/v4/shortlinks', body)).toBe(403)
  })

  it('lets the long URL be shortened to a new link', async () => {
    const long_url = aUrl()
    const id = await aLink({ long_url })
    await remove(id)
    const { status, body } = await started.request('POST', '/v4/shorten', { body: { long_url } })
    expect([status, body.id === id]).toEqual([201, false])
  })

  it('frees the tags of the link', async () => {
    const id = await aLink({ tags: ['only-here'] })
    const tags = async () => (await started.request('GET', `/v4/groups/${started.groupGuid}/tags`)).body.tags
    expect(await tags()).toContain('only-here')
    await remove(id)
    expect(await tags()).not.toContain('only-here')
  })

  it.each([
    [
      'was redirected',
      async () => {
        const id = await aLink()
        await started.request('PATCH', `/v4/shortlinks/${id}`, { body: { long_url: aUrl() } })
        return id
      },
    ],
    ['has a custom back-half', () => aLink({ keyword: 'edited' })],
    [
      'is named by its custom back-half',
      async () => {
        await aLink({ keyword: 'edited-too' })
        return `${started.domain}/edited-too`
      },
    ],
  ])('answers 400 BAD_REQUEST for a link that %s', async (_, make) => {
    const id = await make()
    const { status, body } = await remove(id)
    expect([status, body.message, body.resource]).toEqual([400, 'BAD_REQUEST', 'shortlinks'])
    expect(await statusOf('GET', `/v4/shortlinks/${id}`)).toBe(200)
  })

  it('deletes a link of which only title, tags, expiry and archive were changed', async () => {
    const id = await aLink()
    const expiration_at = new Date(Date.now() + 3_600_000).toISOString()
    await started.request('PATCH', `/v4/shortlinks/${id}`, {
      body: { title: 'T', tags: ['x'], archived: true, expiration_at },
    })
    expect((await remove(id)).status).toBe(200)
  })

  it("answers 403 for someone else's link and to readers", async () => {
    const id = await aLink()
    const stranger = await aStranger(started)
    const reader = await aMember(started, started.groupGuid, 'reader')
    for (const token of [stranger.token, reader]) expect((await remove(id, { token })).status).toBe(403)
    expect(await statusOf('GET', `/v4/shortlinks/${id}`)).toBe(200)
  })

  it('answers 404 NOT_FOUND for a link that does not exist or was deleted before', async () => {
    const id = await aLink()
    await remove(id)
    for (const missing of [id, `${started.domain}/none`, 'elsewhere.example/x']) {
      const { status, body } = await remove(missing)
      expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'shortlinks'])
    }
  })

  it.each([
    ['null', 'application/json'],
    ['[]', 'application/json'],
    ['', 'application/x-www-form-urlencoded'],
    ['id=1', 'application/x-www-form-urlencoded'],
    ['{"broken', 'text/plain'],
  ])('ignores a body such as %j sent as %s', async (body, type) => {
    const id = await aLink()
    const { status } = await started.request('DELETE', `/v4/shortlinks/${id}`, {
      body,
      headers: { 'content-type': type },
    })
    expect(status).toBe(200)
  })

  it('deletes once for concurrent requests', async () => {
    const id = await aLink()
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })
})
