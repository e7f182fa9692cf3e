import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger, type Someone } from './alter-records.js'
import { organize, unreadableBodies } from './organize.js'
import { refusedArgument } from './visits.js'

const start = Date.parse('2026-03-01T12:00:00Z')
let now = start
const started = useApp({}, { clock: { now: () => now } })
let stranger: Someone
beforeAll(async () => {
  stranger = await aStranger(started)
})

interface Options {
  readonly token?: string
  readonly group?: string
}
const list = (query = '', { group = started.groupGuid, ...options }: Options = {}) =>
  started.request('GET', `/v4/groups/${group}/qr-codes${query}`, options)
const ids = async (query = '', options: Options = {}): Promise<string[]> =>
  (await list(query, options)).body.qr_codes.map((code: { qrcode_id: string }) => code.qrcode_id)
const bulk = (body: unknown, { group = started.groupGuid, ...options }: Options = {}) =>
  started.request('PATCH', `/v4/groups/${group}/qr-codes`, { body, ...options })
const read = async (id: string) => (await started.request('GET', `/v4/qr-codes/${id}`)).body
const tags = async (type: string) =>
  (await started.request('GET', `/v4/groups/${started.groupGuid}/tags?type=${type}`)).body.tags

let made = 0
async function aCode(fields: object = {}, { group = started.groupGuid, ...options }: Options = {}): Promise<string> {
  made += 1
  now += 1000
  const body = { group_guid: group, destination: { long_url: `https://example.com/list/${made}` }, ...fields }
  return (await started.request('POST', '/v4/qr-codes', { body, ...options })).body.qrcode_id
}
async function aLink(fields: object = {}): Promise<string> {
  made += 1
  const body = { long_url: `https://example.com/list/${made}`, ...fields }
  return (await started.request('POST', '/v4/shortlinks', { body })).body.id
}

describe('GET /v4/groups/{group_guid}/qr-codes', () => {
  it('answers the codes newest first, page by page, each once', async () => {
    const group = await organize(started).group()
    const codes: string[] = []
    for (let each = 0; each < 5; each++) codes.unshift(await aCode({}, { group }))
    const first = await list('?size=2', { group })
    expect(first.body.pagination).toMatchObject({ size: 2, search_after: expect.any(String) })
    const seen = first.body.qr_codes.map((code: { qrcode_id: string }) => code.qrcode_id)
    for (let next: string = first.body.pagination.next; next !== ''; ) {
      await aCode({}, { group })
      const { body } = await started.request('GET', new URL(next).pathname + new URL(next).search)
      seen.push(...body.qr_codes.map((code: { qrcode_id: string }) => code.qrcode_id))
      next = body.pagination.next
    }
    expect(seen).toEqual(codes)
    expect((await list('?size=100', { group })).body.pagination).toEqual({ next: '', search_after: '', size: 100 })
  })

  it('filters by every parameter', async () => {
    const group = await organize(started).group()
    const makeIn = (fields: object, token?: string) => aCode(fields, { group, ...(token && { token }) })
    const after = Math.floor(now / 1000) + 1
    const linked = await aLink({ group_guid: group, long_url: 'https://shop.example.com/red/shoes?x=1' })
    const coupled = await makeIn({ destination: { shortlink_id: linked }, title: 'Red Shoes' })
    const member = await aMember(started, group)
    const styled = await makeIn({ render_customizations: { dot_pattern_color: '#123456' }, tags: ['a'] }, member)
    const rule = { long_url: 'https://example.com/de', country_match: ['DE'] }
    const expiration_at = new Date(now + 600_000).toISOString()
    const routed = await makeIn({ dynamic_routing: [rule], expiration_at, tags: ['a', 'b'] })
    const archived = await makeIn({ archived: true })
    const active = [routed, styled, coupled]
    const login = (await started.request('GET', '/v4/user', { token: member })).body.login

    const cases: Record<string, readonly string[]> = {
      '': active,
      'archived=on': [archived],
      'archived=both': [archived, ...active],
      'query=shoes+RED': [coupled],
      'query=nothing': [],
      'hostname_path_query=example.com/red': [coupled],
      [`created_after=${after + 2}`]: [routed],
      [`created_before=${after + 1}`]: [coupled],
      [`creating_login=${login}`]: [styled],
      [`creating_login=${login}&creating_login=admin`]: active,
      'qrc_type=shortlink': [coupled],
      'qrc_type=long_url': [routed, styled],
      'qrc_type=shortlink&qrc_type=long_url': active,
      'has_render_customizations=on': [styled],
      'has_render_customizations=off': [routed, coupled],
      'is_gs1=on': [],
      'is_gs1=off': active,
      'has_expiration=on': [routed],
      'is_expired=on': [],
      'is_expired=off': active,
      'has_dynamic_routing=on': [routed],
      'has_dynamic_routing=off': [styled, coupled],
      'tags=a': [routed, styled],
      'tags=a&tags=b': [routed],
    }
    for (const [query, found] of Object.entries(cases)) {
      expect([query, await ids(`?${query}`, { group })]).toEqual([query, found])
    }
    now += 700_000
    expect(await ids('?is_expired=on', { group })).toEqual([routed])
  })

  it.each([
    ['size=0', 'size'],
    ['size=101', 'size'],
    ['search_after=nonsense', 'search_after'],
    ['created_after=yesterday', 'created_after'],
    ['archived=yes', 'archived'],
    ['qrc_type=poster', 'qrc_type'],
    ['is_gs1=1', 'is_gs1'],
    [`query=${'word+'.repeat(11)}`, 'query'],
    ['hostname_path_query=%20', 'hostname_path_query'],
  ])('answers 400 for %s', async (query, field) => {
    const { status, body } = await list(`?${query}`)
    expect([status, body]).toEqual([400, refusedArgument(field, 'qr_codes')])
  })

  it('answers 403 for the group of somebody else; readers may list', async () => {
    expect((await list('', { token: stranger.token })).status).toBe(403)
    expect((await list('', { group: 'Bnone' })).status).toBe(403)
    expect((await list('', { token: await aMember(started, started.groupGuid, 'reader') })).status).toBe(200)
  })
})

describe('GET /v4/groups/{group_guid}/shortlinks', () => {
  it('answers the codes of links, and filters by has_qr_codes', async () => {
    const group = await organize(started).group()
    const [plain, coded] = [await aLink({ group_guid: group }), await aLink({ group_guid: group })]
    const code = await aCode({ destination: { shortlink_id: coded } }, { group })
    const links = async (query: string) =>
      (await started.request('GET', `/v4/groups/${group}/shortlinks${query}`)).body.links.map(
        ({ id, qr_code_ids }: { id: string; qr_code_ids: string[] }) => [id, qr_code_ids],
      )
    expect((await links('')).toSorted()).toEqual(
      [
        [plain, []],
        [coded, [code]],
      ].toSorted(),
    )
    expect(await links('?has_qr_codes=on')).toEqual([[coded, [code]]])
    expect(await links('?has_qr_codes=off')).toEqual([[plain, []]])
    expect(await links('?has_qr_codes=both')).toHaveLength(2)
  })
})

describe('PATCH /v4/groups/{group_guid}/qr-codes', () => {
  it('archives codes and brings them back, and answers 200 with the ids', async () => {
    const qr_code_ids = [await aCode(), await aCode()]
    expect(await bulk({ action: 'archive', archive: true, qr_code_ids })).toMatchObject({
      status: 200,
      body: { qr_code_ids },
    })
    expect((await ids('?archived=on')).toSorted()).toEqual(qr_code_ids.toSorted())
    expect((await bulk({ action: 'archive', archive: false, qr_code_ids })).status).toBe(200)
    for (const id of qr_code_ids) expect((await read(id)).archived).toBe(false)
  })

  it('edits tags, which are those of QR codes and not of short links', async () => {
    const qr_code_ids = [await aCode({ tags: ['keep', 'old'] }), await aCode({ tags: ['old'] })]
    const edit = { action: 'edit_tags', add_tags: ['new', 'keep'], remove_tags: ['old'], qr_code_ids }
    expect((await bulk(edit)).status).toBe(200)
    expect((await read(qr_code_ids[0] ?? '')).tags).toEqual(['keep', 'new'])
    expect((await read(qr_code_ids[1] ?? '')).tags).toEqual(['new', 'keep'])
    expect(await tags('qr_code')).toEqual(expect.arrayContaining(['keep', 'new']))
    expect(await tags('qr_code')).not.toContain('old')
    expect(await tags('shortlink')).not.toContain('keep')
  })

  it('changes none when one is not there, deleted or of another group', async () => {
    const id = await aCode()
    const gone = await aCode()
    await started.request('DELETE', `/v4/qr-codes/${gone}`)
    const foreign = await aCode({}, { group: stranger.groupGuid, token: stranger.token })
    const archive = (other: string) => bulk({ action: 'archive', archive: true, qr_code_ids: [id, other] })
    for (const [other, status] of [
      ['Qnone', 404],
      ['no id', 404],
      [gone, 410],
      [foreign, 403],
    ] as const) {
      expect(await archive(other)).toMatchObject({ status, body: { resource: 'qr_codes' } })
    }
    expect((await read(id)).archived).toBe(false)
  })

  it.each([
    ['no action', {}, 'action'],
    ['another action', { action: 'delete' }, 'action'],
    ['no codes', { action: 'archive', archive: true, qr_code_ids: [] }, 'qr_code_ids'],
    [
      'too many',
      { action: 'archive', archive: true, qr_code_ids: Array.from({ length: 101 }, () => 'Q') },
      'qr_code_ids',
    ],
    ['no direction', { action: 'archive' }, 'archive'],
    ['no tags', { action: 'edit_tags' }, 'add_tags'],
  ])('answers 400 for %s', async (_, fields, field) => {
    const { status, body } = await bulk({ qr_code_ids: ['Q1'], ...fields })
    expect([status, body]).toEqual([400, refusedArgument(field, 'qr_codes')])
  })

  it('answers 403 for strangers and readers', async () => {
    const body = { action: 'archive', archive: true, qr_code_ids: [await aCode()] }
    expect((await bulk(body, { token: stranger.token })).status).toBe(403)
    expect((await bulk(body, { token: await aMember(started, started.groupGuid, 'reader') })).status).toBe(403)
  })

  it.each(unreadableBodies)('answers %s as unreadable', async (_, body, status) => {
    expect((await bulk(body)).status).toBe(status)
  })
})
