import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { unreadableBodies } from './organize.js'

const started = useApp({}, { clock: { now: () => Date.parse('2026-03-01T12:00:00Z') } })
let path: string
beforeAll(async () => {
  path = `/v4/groups/${started.groupGuid}/utm_templates`
})

let made = 0
const add = (body: object = {}, token?: string) =>
  started.request('POST', path, {
    body: { name: `Template ${made++}`, utm_source: 'x', ...body },
    ...(token && { token }),
  })
const list = async () => (await started.request('GET', path)).body.utm_templates

describe('POST /v4/groups/{group_guid}/utm_templates', () => {
  it('answers 201 with the template, which is then in the list', async () => {
    const { status, body } = await add({ name: 'Newsletter', utm_source: ' newsletter ', utm_medium: 'email' })
    expect(status).toBe(201)
    expect(body).toEqual({
      guid: expect.stringMatching(/^U[0-9A-Za-z]{10}$/),
      group_guid: started.groupGuid,
      name: 'Newsletter',
      utm_source: 'newsletter',
      utm_medium: 'email',
      utm_campaign: '',
      utm_term: '',
      utm_content: '',
      created_by: 'admin',
      created: '2026-03-01T12:00:00+0000',
      modified: '2026-03-01T12:00:00+0000',
    })
    expect(await list()).toContainEqual(body)
  })

  it.each([
    ['name', 'no name', { name: '' }],
    ['name', 'a line break in the name', { name: 'a\nb' }],
    ['utm_source', 'no parameter', { utm_source: '' }],
    ['utm_source', 'only spaces', { utm_source: '  ' }],
    ['utm_term', 'a long parameter', { utm_term: 'x'.repeat(256) }],
    ['utm_content', 'a control character', { utm_content: 'a\u0000b' }],
    ['utm_medium', 'a number', { utm_medium: 7 }],
  ])('answers 400 and names %s for %s', async (field, _, more) => {
    const { status, body } = await add(more)
    expect([status, body.message, body.resource]).toEqual([400, `INVALID_ARG_${field.toUpperCase()}`, 'utm_templates'])
    expect(body.errors).toEqual([expect.objectContaining({ field })])
  })

  it('answers 409 for a name that the group already has', async () => {
    await add({ name: 'Twice' })
    const { status, body } = await add({ name: 'Twice' })
    expect([status, body.message, body.errors?.[0]?.field]).toEqual([409, 'CONFLICT', 'name'])
  })

  it.each(unreadableBodies)('answers the documented status for %s', async (_, body, status) => {
    expect(
      (await started.request('POST', path, { body, headers: { 'content-type': 'application/json' } })).status,
    ).toBe(status)
  })

  it('answers 400 for more than 100 in a group', async () => {
    const there = (await list()).length
    const answers = await Promise.all(Array.from({ length: 101 - there }, () => add()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100 - there)
    const refused = answers.find(({ status }) => status !== 201)
    expect([refused?.status, refused?.body.message]).toEqual([400, 'INVALID_ARG_NAME'])
    for (const { name, guid } of await list()) {
      if (name.startsWith('Template ')) await started.request('DELETE', `${path}/${guid}`)
    }
  })
})

describe('PATCH and DELETE /v4/groups/{group_guid}/utm_templates/{template_guid}', () => {
  it('change what is sent; an empty string removes a parameter', async () => {
    const { guid } = (await add({ utm_medium: 'email' })).body
    const { status, body } = await started.request('PATCH', `${path}/${guid}`, {
      body: { utm_medium: '', utm_term: 'shoes' },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ guid, utm_source: 'x', utm_medium: '', utm_term: 'shoes' })
    const wrong = await started.request('PATCH', `${path}/${guid}`, { body: { utm_term: 'x'.repeat(256) } })
    expect([wrong.status, wrong.body.message]).toEqual([400, 'INVALID_ARG_UTM_TERM'])
    expect((await started.request('PATCH', `${path}/${guid}`, { body: '[]' })).status).toBe(422)
  })

  it('answer 409 when renamed to a name that is taken', async () => {
    await add({ name: 'Mine' })
    const { guid } = (await add()).body
    expect((await started.request('PATCH', `${path}/${guid}`, { body: { name: 'Mine' } })).status).toBe(409)
  })

  it('delete with 204, once', async () => {
    const { guid } = (await add()).body
    expect((await started.request('DELETE', `${path}/${guid}`)).status).toBe(204)
    expect((await started.request('DELETE', `${path}/${guid}`)).status).toBe(404)
    expect((await started.request('PATCH', `${path}/${guid}`, { body: { name: 'x' } })).status).toBe(404)
  })
})

describe('roles', () => {
  it('readers see templates and change none, strangers see nothing', async () => {
    const { guid } = (await add()).body
    const token = await aMember(started, started.groupGuid, 'reader')
    expect((await started.request('GET', path, { token })).status).toBe(200)
    expect((await add({}, token)).status).toBe(403)
    expect((await started.request('PATCH', `${path}/${guid}`, { token, body: { name: 'x' } })).status).toBe(403)
    expect((await started.request('DELETE', `${path}/${guid}`, { token })).status).toBe(403)
    const stranger = await aStranger(started)
    expect((await started.request('GET', path, { token: stranger.token })).status).toBe(403)
    const theirs = `/v4/groups/${stranger.groupGuid}/utm_templates/${guid}`
    expect((await started.request('DELETE', theirs, { token: stranger.token })).status).toBe(404)
  })

  it('members change them', async () => {
    const token = await aMember(started, started.groupGuid)
    expect((await add({}, token)).status).toBe(201)
  })
})
