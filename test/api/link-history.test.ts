import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newTokenSecret, tokenFrom } from '../../src/core/accounts/secrets.js'
import { anApplication } from '../oauth/people.js'
import { startApp, useApp } from '../support/start-app.js'
import { aMember, aStranger, inRecords } from './alter-records.js'
import { unreadableBodies } from './organize.js'

const start = Date.parse('2026-06-01T12:00:00Z')
let now = start
const started = useApp({}, { clock: { now: () => now } })

let made = 0
const aUrl = () => `https://example.com/history/${made++}`
const create = async (more: object = {}) =>
  (await started.request('POST', '/v4/shortlinks', { body: { long_url: aUrl(), ...more } })).body
const patch = (id: string, body: object, options = {}) =>
  started.request('PATCH', `/v4/shortlinks/${id}`, { body, ...options })
const history = async (id: string, query = '', options = {}) =>
  started.request('GET', `/v4/shortlinks/${id}/history${query}`, options)
const restore = (id: string, guid: unknown, options = {}) =>
  started.request('POST', `/v4/shortlinks/${id}/restore`, { body: { guid }, ...options })
const newest = async (id: string) => (await history(id)).body.history[0]
const read = async (id: string) => (await started.request('GET', `/v4/shortlinks/${id}`)).body

describe('GET /v4/shortlinks/{shortlink}/history', () => {
  let token: string
  let clientId: string
  beforeAll(async () => {
    clientId = (await anApplication(started)).clientId
    token = newTokenSecret()
    await started.app.accounts.addToken({ ...tokenFrom(token), login: 'admin', label: '', clientId, at: 1 })
  })

  it('answers 200 with an empty list for a new link', async () => {
    const { id } = await create({ title: 'T', tags: ['x'], keyword: 'fresh' })
    const { status, body } = await history(id)
    expect([status, body]).toEqual([200, { history: [], pagination: { next: '', search_after: '', size: 50 } }])
    expect((await history(`${id.split('/')[0]}/fresh`)).body).toEqual(body)
  })

  it('has every change with user, time, application and the fields before and after', async () => {
    const { id, long_url } = await create({ title: 'Old' })
    await patch(id, { long_url: 'https://example.com/new', title: '' })
    now += 60_000
    const expiration_at = '2026-07-01T00:00:00+0000'
    const dynamic_routing = [{ long_url: 'https://example.com/fr', country_match: ['FR'] }]
    await patch(id, { archived: true, tags: ['a'], expiration_at, dynamic_routing, private: true }, { token })
    const { body } = await history(id)
    const guid = expect.stringMatching(/^m\w{10}$/)
    expect(body.history).toEqual([
      {
        guid,
        created: '2026-06-01T12:01:00+0000',
        login: 'admin',
        client_id: clientId,
        before: { archived: false, tags: [], expiration_at: '', dynamic_routing: [], private: false },
        after: { archived: true, tags: ['a'], expiration_at, dynamic_routing, private: true },
      },
      {
        guid,
        created: '2026-06-01T12:00:00+0000',
        login: 'admin',
        before: { long_url, title: 'Old' },
        after: { long_url: 'https://example.com/new', title: '' },
      },
    ])
    expect((await history(id, '', { token })).body).toEqual(body)
  })

  it('has changes of deep links, of bulk edits, of v3 and by shortening again', async () => {
    const { id, long_url, link } = await create()
    const again = (body: object) => started.request('POST', '/v4/shortlinks', { body: { long_url, ...body } })
    await again({ tags: ['again'] })
    const group = `/v4/groups/${started.groupGuid}/shortlinks`
    await started.request('PATCH', group, { body: { action: 'archive', archive: true, links: [id] } })
    await started.request('POST', '/v4/shorten', { body: { long_url } })
    const edit = new URLSearchParams({ link, edit: 'note,user_ts', note: 'N', user_ts: '1600000000' })
    const query = `${edit}&access_token=${started.token}`
    expect((await started.request('GET', `/v3/user/link_edit?${query}`, { token: null })).body.status_code).toBe(200)
    const deeplink = { app_uri_path: '/x', install_type: 'no_install', os: 'ios' }
    const { body: linked } = await patch(id, { deeplinks: [deeplink] })
    const { created, modified, shortlink, ...stored } = linked.deeplinks[0]
    const changes = (await history(id)).body.history.map(({ before, after }: Record<string, object>) => [before, after])
    expect(changes).toEqual([
      [{ deeplinks: [] }, { deeplinks: [stored] }],
      [
        { note: '', user_ts: '' },
        { note: 'N', user_ts: '2020-09-13T12:26:40+0000' },
      ],
      [{ archived: true }, { archived: false }],
      [{ archived: false }, { archived: true }],
      [{ tags: [] }, { tags: ['again'] }],
    ])
  })

  it('comes in pages', async () => {
    const { id } = await create()
    for (const title of ['1', '2', '3', '4', '5']) await patch(id, { title })
    const titles: string[] = []
    let next = `/v4/shortlinks/${id}/history?size=2`
    for (let pages = 0; next !== ''; pages += 1) {
      expect(pages).toBeLessThan(3)
      const { body } = await started.request('GET', next)
      titles.push(...body.history.map(({ after }: { after: { title: string } }) => after.title))
      next = body.pagination.next.replace(/^https?:\/\/[^/]+/, '')
    }
    expect(titles).toEqual(['5', '4', '3', '2', '1'])
  })

  it('answers 400 for a malformed cursor, 403 to strangers, 404 and 410 where there is no link', async () => {
    const { id } = await create()
    expect((await history(id, '?search_after=x')).status).toBe(400)
    const { token: stranger } = await aStranger(started)
    expect((await history(id, '', { token: stranger })).status).toBe(403)
    expect((await history(`${started.domain}/none`)).status).toBe(404)
    await started.request('DELETE', `/v4/shortlinks/${id}`)
    expect((await history(id)).status).toBe(410)
    expect((await restore(id, 'Mnone')).status).toBe(410)
  })
})

describe('POST /v4/shortlinks/{shortlink}/restore', () => {
  it('answers 200 with the link as it was, which takes effect at once and is an entry', async () => {
    const before = await create({ title: 'Old' })
    const { id } = before
    await patch(id, { long_url: 'https://example.com/elsewhere', title: '' })
    const change = await newest(id)
    const { status, body, headers } = await restore(id, change.guid)
    expect([status, body]).toEqual([200, before])
    expect(headers.etag).toBeDefined()
    const visit = await started.request('GET', `/${id.split('/')[1]}`, { token: null })
    expect(visit.headers.location).toBe(before.long_url)
    const undone = await newest(id)
    expect(undone).toMatchObject({ before: change.after, after: change.before })
    await restore(id, undone.guid)
    expect(await read(id)).toMatchObject({ long_url: 'https://example.com/elsewhere' })
  })

  it('puts back every field, and leaves later changes of other fields', async () => {
    const app = { app_uri_path: '/x', install_type: 'no_install', os: 'ios' }
    const rule = { long_url: 'https://example.com/fr', country_match: ['FR'] }
    const fields = { tags: ['a', 'b'], deeplinks: [app], dynamic_routing: [rule], forward_query: true, private: true }
    const { id } = await create({ ...fields, expiration_at: '2026-07-01T00:00:00+0000', title: 'T' })
    const whole = await read(id)
    const empty = { tags: [], deeplinks: [], dynamic_routing: [], expiration_at: '', title: '' }
    await patch(id, { ...empty, forward_query: false, private: false, archived: true })
    const { guid } = await newest(id)
    await patch(id, { long_url: 'https://example.com/later', tags: ['c'] })
    const { body } = await restore(id, guid)
    const { deeplinks, long_url, ...others } = whole
    expect(body).toMatchObject({ ...others, long_url: 'https://example.com/later' })
    const moments = { guid: expect.any(String), created: expect.any(String), modified: expect.any(String) }
    expect(body.deeplinks).toEqual([{ ...deeplinks[0], ...moments }])
  })

  it('puts back note and time of v3', async () => {
    const { id, link } = await create()
    const edit = { link, edit: 'note,user_ts', note: 'N', user_ts: '1600000000', access_token: started.token }
    await started.request('GET', `/v3/user/link_edit?${new URLSearchParams(edit)}`, { token: null })
    const { guid, before, after } = await newest(id)
    await restore(id, guid)
    expect(await newest(id)).toMatchObject({ before: after, after: before })
  })

  it('does nothing when there is nothing to put back', async () => {
    const { id } = await create()
    await patch(id, { long_url: aUrl() })
    const { guid } = await newest(id)
    await restore(id, guid)
    const { body } = await history(id)
    expect((await restore(id, guid)).status).toBe(200)
    expect((await history(id)).body).toEqual(body)
  })

  it('answers 404 for an unknown entry, one of another link, and 422 without one', async () => {
    const [one, other] = [await create(), await create()]
    await patch(other.id, { title: 'T' })
    const { guid } = await newest(other.id)
    for (const unknown of ['Mnone', guid]) {
      const { status, body } = await restore(one.id, unknown)
      expect([status, body.message]).toEqual([404, 'NOT_FOUND'])
    }
    expect((await restore(`${started.domain}/none`, guid)).status).toBe(404)
    for (const body of [...unreadableBodies, {}]) {
      const { status } = await started.request('POST', `/v4/shortlinks/${one.id}/restore`, { body })
      expect([400, 422]).toContain(status)
    }
  })

  it('answers 400 for what an update would refuse, such as an expiry that has passed', async () => {
    const { id } = await create({ expiration_at: '2026-06-02T00:00:00+0000' })
    await patch(id, { expiration_at: '' })
    const { guid } = await newest(id)
    const at = now
    now = Date.parse('2026-06-03T00:00:00Z')
    const { status, body } = await restore(id, guid)
    now = at
    expect([status, body.message]).toEqual([400, 'INVALID_ARG_EXPIRATION_AT'])
    expect((await history(id)).body.history).toHaveLength(1)
  })

  it('answers 403 to readers and strangers', async () => {
    const { id } = await create()
    await patch(id, { title: 'T' })
    const { guid } = await newest(id)
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await history(id, '', { token: reader })).status).toBe(200)
    expect((await restore(id, guid, { token: reader })).status).toBe(403)
    expect((await restore(id, guid, { token: (await aStranger(started)).token })).status).toBe(403)
  })
})

it('deletes entries that are older than linkHistoryDays', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-history-'))
  const config = { dataDir, databaseUrl: undefined, linkHistoryDays: 3 }
  const day = 86_400_000
  const first = await startApp(config, { clock: { now: () => start } })
  const { body } = await first.request('POST', '/v4/shorten', { body: { long_url: aUrl() } })
  await first.request('PATCH', `/v4/shortlinks/${body.id}`, { body: { title: 'T' } })
  await first.close()
  for (const [days, left] of [
    [2, 1],
    [4, 0],
  ] as const) {
    const later = await startApp(config, { clock: { now: () => start + days * day } })
    await expect
      .poll(async () => (await inRecords(later, 'select guid from link_history')).length, { timeout: 10_000 })
      .toBe(left)
    await later.close()
  }
  rmSync(dataDir, { recursive: true })
})
