import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'

describe('tags of a group', () => {
  const started = useApp()
  const group = () => `/v4/groups/${started.groupGuid}`
  const at = (tag: string) => `${group()}/tags/${encodeURIComponent(tag)}`
  const patch = (tag: string, body: object) => started.request('PATCH', at(tag), { body })
  const remove = (tag: string) => started.request('DELETE', at(tag))
  const listed = async () => (await started.request('GET', `${group()}/tag_details`)).body.tags
  const one = async (name: string) => (await listed()).find((tag: { name: string }) => tag.name === name)
  let made = 0
  const create = async (...tags: string[]) => {
    const body = { long_url: `https://example.com/group-tags/${made++}`, tags }
    return (await started.request('POST', '/v4/shortlinks', { body })).body.id as string
  }
  const tagsOf = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body.tags

  let code = ''
  beforeAll(async () => {
    const body = {
      group_guid: started.groupGuid,
      destination: { long_url: 'https://example.com/code' },
      tags: ['print'],
    }
    code = (await started.request('POST', '/v4/qr-codes', { body })).body.qrcode_id
  })

  describe('GET /v4/groups/{group_guid}/tag_details', () => {
    it('answers 200 with color, description and how many links and QR codes have each', async () => {
      await create('autumn')
      expect(await listed()).toEqual([
        { name: 'autumn', color: 'gray', description: '', links: 1, qr_codes: 0 },
        { name: 'print', color: 'gray', description: '', links: 0, qr_codes: 1 },
      ])
      expect((await started.request('GET', `${group()}/tag_details?size=1`)).body.tags).toHaveLength(1)
    })
  })

  it('are listed in pages, also with long names of any script', async () => {
    const longest = '日'.repeat(49)
    await create(longest)
    const names: string[] = []
    for (let next = `${group()}/tag_details?size=1`; next !== ''; ) {
      const { status, body } = await started.request('GET', next.replace(/^https?:\/\/[^/]+/, ''))
      expect(status).toBe(200)
      names.push(...body.tags.map(({ name }: { name: string }) => name))
      next = body.pagination.next
    }
    expect(names).toContain(longest)
    expect((await remove(longest)).status).toBe(204)
  })

  it('are renamed, merged and deleted by a job that tells its progress, where many links have them', async () => {
    const jobs = '/v4/bulk/jobs'
    const ended = async (guid: string) => {
      const states: unknown[] = []
      for (;;) {
        const { body } = await started.request('GET', `${jobs}/${guid}`)
        states.push(body.rows_done)
        if (body.state !== 'waiting' && body.state !== 'running') return { ...body, states }
        await wait(5)
      }
    }
    const rows = Array.from({ length: 1_050 }, (_, row) => `https://example.com/many/${row},everywhere`)
    const headers = { 'content-type': 'text/csv' }
    const file = await started.request('POST', jobs, { body: `long_url,tags\n${rows.join('\n')}`, headers })
    expect(await ended(file.body.guid)).toMatchObject({ counts: { created: 1_050 } })
    await create('everywhere')
    await create('known')
    expect((await patch('everywhere', { color: 'teal' })).status).toBe(200)
    expect((await patch('everywhere', { name: 'known' })).status).toBe(409)

    const renamed = await patch('everywhere', { name: 'nowhere', description: 'Gone' })
    expect(renamed).toMatchObject({ status: 202, body: { action: 'rename_tag', state: 'waiting', rows_done: 0 } })
    const job = await ended(renamed.body.guid)
    expect(job).toMatchObject({ state: 'done', rows_total: 1_051, rows_done: 1_051, counts: { changed: 1_051 } })
    expect(await one('nowhere')).toEqual({
      name: 'nowhere',
      color: 'teal',
      description: 'Gone',
      links: 1_051,
      qr_codes: 0,
    })
    expect(await one('everywhere')).toBeUndefined()
    expect((await started.request('GET', `${jobs}/${job.guid}/result`)).text).toBe('link,remark,error\n')

    const merged = await patch('nowhere', { name: 'known', merge: true })
    await ended(merged.body.guid)
    expect(await one('known')).toMatchObject({ color: 'gray', links: 1_052 })
    const deleted = await remove('known')
    expect(deleted).toMatchObject({ status: 202, body: { action: 'delete_tag', name: 'known' } })
    expect(await ended(deleted.body.guid)).toMatchObject({ state: 'done', rows_done: 1_052 })
    expect(await one('known')).toBeUndefined()
    expect((await remove('known')).status).toBe(404)
  })

  describe('PATCH /v4/groups/{group_guid}/tags/{tag}', () => {
    it('answers 200 with the new color and description; an empty string removes the description', async () => {
      await create('colored')
      const { status, body } = await patch('colored', { color: 'teal', description: ' For posters ' })
      const expected = { name: 'colored', color: 'teal', description: 'For posters', links: 1, qr_codes: 0 }
      expect([status, body]).toEqual([200, expected])
      expect(await one('colored')).toEqual(expected)
      expect((await patch('colored', { description: '' })).body).toMatchObject({ color: 'teal', description: '' })
    })

    it('renames a tag on links and QR codes, in any script and spelling', async () => {
      const id = await create('x', 'übung', 'y')
      const { status, body } = await patch('u\u0308bung', { name: '練習' })
      expect([status, body.name]).toEqual([200, '練習'])
      expect(await tagsOf(id)).toEqual(['x', '練習', 'y'])
      expect((await patch('print', { name: 'poster' })).body).toMatchObject({ name: 'poster', qr_codes: 1 })
      expect((await started.request('GET', `/v4/qr-codes/${code}`)).body.tags).toEqual(['poster'])
      expect((await started.request('GET', `${group()}/tags`)).body.tags).toContain('練習')
    })

    it('answers 409 for the name of another tag, and merges them when asked to', async () => {
      const id = await create('summer')
      await create('summertime')
      const refused = await patch('summer', { name: 'summertime' })
      expect([refused.status, refused.body.message, refused.body.resource]).toEqual([409, 'CONFLICT', 'tags'])
      expect(refused.body.description).toContain('"merge": true')
      expect(await tagsOf(id)).toEqual(['summer'])
      const merged = await patch('summer', { name: 'summertime', merge: true })
      expect([merged.status, merged.body.links]).toEqual([200, 2])
      expect(await tagsOf(id)).toEqual(['summertime'])
      expect(await one('summer')).toBeUndefined()
    })

    it.each([
      [{ name: 'two words' }, 400, 'INVALID_TAG'],
      [{ color: 'ultraviolet' }, 400, 'INVALID_ARG_COLOR'],
      [{ description: 'x'.repeat(201) }, 400, 'INVALID_ARG_DESCRIPTION'],
      [{ description: 'a\nb' }, 400, 'INVALID_ARG_DESCRIPTION'],
      [{ merge: 'yes' }, 400, 'INVALID_ARG_MERGE'],
    ])('answers for %j', async (body, status, message) => {
      await create('stays')
      const answer = await patch('stays', body)
      expect([answer.status, answer.body.message]).toEqual([status, message])
    })

    it('answers 404 for a tag that nothing has', async () => {
      expect(await patch('nowhere', { color: 'red' })).toMatchObject({ status: 404, body: { message: 'NOT_FOUND' } })
      expect((await patch('two words', { color: 'red' })).status).toBe(404)
    })

    it('takes the longest tag in the path', async () => {
      const tag = '𐐀'.repeat(49)
      await create(tag)
      expect((await patch(tag, { color: 'red' })).body.name).toBe(tag)
    })
  })

  describe('DELETE /v4/groups/{group_guid}/tags/{tag}', () => {
    it('answers 204 and removes it from links, which stay; 404 the second time', async () => {
      const id = await create('gone', 'kept')
      expect((await remove('gone')).status).toBe(204)
      expect(await tagsOf(id)).toEqual(['kept'])
      expect((await remove('gone')).status).toBe(404)
    })
  })
})
