import { describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { unreadableBodies } from './organize.js'

const started = useApp({}, { clock: { now: () => Date.parse('2026-03-01T12:00:00Z') } })
const pathOf = (kind: 'views' | 'annotations') => `/v4/groups/${started.groupGuid}/${kind}`
const stamps = {
  created_by: 'admin',
  created: '2026-03-01T12:00:00+0000',
  modified: '2026-03-01T12:00:00+0000',
}

const valid = {
  views: (name: string) => ({ name, page: 'links', query: 'tags=sale' }),
  annotations: (text: string) => ({ happened_at: '2026-11-17T10:00:00+0100', text }),
}

let made = 0
const add = (kind: 'views' | 'annotations', body: object = {}, token?: string) =>
  started.request('POST', pathOf(kind), {
    body: { ...valid[kind](`Number ${made++}`), ...body },
    ...(token && { token }),
  })

describe('views', () => {
  it('are saved for everybody in the group, changed and deleted', async () => {
    const { status, body } = await add('views', { name: 'Sale', query: '?tags=sale' })
    expect(status).toBe(201)
    const view = { name: 'Sale', page: 'links', query: 'tags=sale', group_guid: started.groupGuid, ...stamps }
    expect(body).toEqual({ guid: expect.stringMatching(/^V[0-9A-Za-z]{10}$/), ...view })
    expect((await started.request('GET', pathOf('views'))).body.views).toContainEqual(body)
    const one = `${pathOf('views')}/${body.guid}`
    const changed = await started.request('PATCH', one, { body: { query: '' } })
    expect([changed.status, changed.body.query, changed.body.name]).toEqual([200, '', 'Sale'])
    expect((await started.request('DELETE', one)).status).toBe(204)
    expect((await started.request('GET', one)).status).toBe(404)
  })

  it.each([
    ['name', { name: ' ' }],
    ['name', { name: 'a\nb' }],
    ['page', { page: 'home' }],
    ['page', { page: undefined }],
    ['query', { query: 'x'.repeat(2001) }],
    ['query', { query: 'a\u0000' }],
  ])('answer 400 and name %s for %j', async (field, more) => {
    const { status, body } = await add('views', more)
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'views'])
  })

  it('have a name once on each page', async () => {
    await add('views', { name: 'Twice' })
    const { status, body } = await add('views', { name: 'Twice' })
    expect([status, body.message, body.resource]).toEqual([409, 'CONFLICT', 'views'])
    expect((await add('views', { name: 'Twice', page: 'analytics' })).status).toBe(201)
  })
})

describe('annotations', () => {
  it('are added at a time, changed and deleted', async () => {
    const { status, body } = await add('annotations', { text: ' Newsletter sent ' })
    expect(status).toBe(201)
    const note = { happened_at: '2026-11-17T09:00:00+0000', text: 'Newsletter sent', group_guid: started.groupGuid }
    expect(body).toEqual({ guid: expect.stringMatching(/^Z[0-9A-Za-z]{10}$/), ...note, ...stamps })
    expect((await started.request('GET', pathOf('annotations'))).body.annotations).toContainEqual(body)
    const one = `${pathOf('annotations')}/${body.guid}`
    const changed = await started.request('PATCH', one, { body: { happened_at: '2026-11-18T00:00:00Z' } })
    expect([changed.status, changed.body.happened_at]).toEqual([200, '2026-11-18T00:00:00+0000'])
    expect((await started.request('DELETE', one)).status).toBe(204)
    expect((await started.request('PATCH', one, { body: { text: 'x' } })).status).toBe(404)
  })

  it.each([
    ['text', { text: '  ' }],
    ['text', { text: 'x'.repeat(256) }],
    ['happened_at', { happened_at: '2026-02-30T00:00:00Z' }],
    ['happened_at', { happened_at: undefined }],
  ])('answer 400 and name %s for %j', async (field, more) => {
    const { status, body } = await add('annotations', more)
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'annotations'])
  })
})

describe.each(['views', 'annotations'] as const)('the group of %s', (kind) => {
  it('has readers who see them and change none, members who change them, and strangers who see nothing', async () => {
    const { guid } = (await add(kind)).body
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await started.request('GET', `${pathOf(kind)}/${guid}`, { token: reader })).status).toBe(200)
    expect((await add(kind, {}, reader)).status).toBe(403)
    expect((await started.request('DELETE', `${pathOf(kind)}/${guid}`, { token: reader })).status).toBe(403)
    expect((await add(kind, {}, await aMember(started, started.groupGuid))).status).toBe(201)
    const { token, groupGuid } = await aStranger(started)
    expect((await started.request('GET', pathOf(kind), { token })).status).toBe(403)
    expect((await started.request('DELETE', `/v4/groups/${groupGuid}/${kind}/${guid}`, { token })).status).toBe(404)
  })

  it.each(unreadableBodies)('answers the documented status for %s', async (_, body, status) => {
    const headers = { 'content-type': 'application/json' }
    expect((await started.request('POST', pathOf(kind), { body, headers })).status).toBe(status)
  })
})
