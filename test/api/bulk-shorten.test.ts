import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'

const folder = mkdtempSync(join(tmpdir(), 'shortlink-bulk-'))
const plans = join(folder, 'plans.json')
writeFileSync(plans, JSON.stringify({ ten: { limits: { encodes: 10 } } }))

let started: StartedApp
let organization: string
let branded: string
beforeAll(async () => {
  started = await startApp({ plans })
  organization = await firstOrganization(started)
  branded = await organize(started).domain('go.example.com', organization, [started.groupGuid])
})
afterAll(async () => {
  await started.close()
  rmSync(folder, { recursive: true })
})

let numbers = 0
const newUrl = () => `https://example.com/bulk/${numbers++}`
const bulk = (body: object, more: { query?: string; token?: string; key?: string } = {}) =>
  started.request('POST', `/v4/bulk/shorten${more.query ?? ''}`, {
    body,
    ...(more.token !== undefined && { token: more.token }),
    ...(more.key !== undefined && { headers: { 'idempotency-key': more.key } }),
  })
const csv = (text: string | Buffer, query = '', headers = {}, token = started.token) =>
  started.request('POST', `/v4/bulk/shorten${query}`, {
    token,
    body: text,
    headers: { 'content-type': 'text/csv', ...headers },
  })

describe('POST /v4/bulk/shorten', () => {
  it('answers 200 with one result for each row, in order', async () => {
    const urls = Array.from({ length: 1000 }, newUrl)
    const { status, body } = await bulk({ links: urls.map((long_url) => ({ long_url })) })
    expect(status).toBe(200)
    expect(body).toMatchObject({ created: 1000, existing: 0, refused: 0 })
    expect(body.results.map((result: { link: { long_url: string } }) => result.link.long_url)).toEqual(urls)
    const single = await started.request('POST', '/v4/shorten', { body: { long_url: urls[567] } })
    expect(single.status).toBe(200)
    expect(body.results[567]).toEqual({ status: 201, link: single.body })
    const visit = await started.request('GET', `/${body.results[999].link.id.split('/')[1]}`, { token: null })
    expect(visit).toMatchObject({ status: 301, headers: { location: urls[999] } })
    const again = await bulk({ links: urls.map((long_url) => ({ long_url })) })
    expect(again.body).toMatchObject({ created: 0, existing: 1000 })
    expect(again.body.results[3]).toEqual({ status: 200, link: body.results[3].link })
  })

  it('creates links with every field, which readers then see', async () => {
    const long_url = newUrl()
    const keyword = `word${numbers}`
    const expiration_at = '2026-12-31T23:59:59+0000'
    const row = { long_url, domain: branded, keyword, title: 'A title', tags: ['a', 'b'], expiration_at }
    const { body } = await bulk({ links: [row, { long_url: newUrl() }] })
    const { id } = body.results[0].link
    expect(body.results[0]).toMatchObject({
      status: 201,
      link: { custom_shortlinks: [`http://${branded}:${new URL(started.url).port}/${keyword}`] },
    })
    const read = await started.request('GET', `/v4/shortlinks/${id}`)
    expect(read.body).toMatchObject({ title: 'A title', tags: ['a', 'b'], long_url, expiration_at })
    const custom = await started.request('GET', `/v4/custom_shortlinks/${branded}/${keyword}`)
    expect(custom.body).toMatchObject({ shortlink: { id } })
    const tags = await started.request('GET', `/v4/groups/${started.groupGuid}/tags`)
    expect(tags.body.tags).toEqual(expect.arrayContaining(['a', 'b']))
  })

  it('gives each refused row the error of a single call, and creates the others', async () => {
    const stranger = await aStranger(started)
    const wrong = [
      { long_url: 'no URL' },
      { long_url: 5 },
      {},
      { long_url: newUrl(), domain: 'unknown.example' },
      { long_url: newUrl(), tags: ['not a tag'] },
      { long_url: newUrl(), expiration_at: 'yesterday' },
      { long_url: newUrl(), keyword: 'a b' },
      { long_url: newUrl(), group_guid: stranger.groupGuid },
      { long_url: `http://${started.domain}/abc` },
      { long_url: newUrl(), title: 'x'.repeat(3000) },
    ]
    const links = wrong.flatMap((row) => [row, { long_url: newUrl() }])
    const { status, body } = await bulk({ links })
    expect(status).toBe(200)
    expect(body).toMatchObject({ created: wrong.length, refused: wrong.length })
    for (const [at, row] of wrong.entries()) {
      const alone = await started.request('POST', '/v4/shortlinks', { body: row })
      const expected = Object.keys(row).length === 0 ? expect.anything() : alone.body
      expect(body.results[2 * at]).toEqual({ status: alone.status, error: expected })
      expect(body.results[2 * at + 1].status).toBe(201)
    }
    expect((await bulk({ links: ['text', null, 5, { long_url: newUrl() }] })).body).toMatchObject({
      created: 1,
      results: [{ status: 400, error: { message: 'BAD_REQUEST' } }, { status: 400 }, { status: 400 }, { status: 201 }],
    })
  })

  it('gives a link with a random back-half and a note for a taken keyword; with strict=true an error', async () => {
    const keyword = `taken${numbers++}`
    await bulk({ links: [{ long_url: newUrl(), keyword, domain: branded }] })
    const rows = () => [
      { long_url: newUrl(), keyword, domain: branded },
      { long_url: newUrl(), keyword: `${keyword}x`, domain: branded },
      { long_url: newUrl(), keyword: `${keyword}x`, domain: branded },
    ]
    const { body } = await bulk({ links: rows() })
    expect(body).toMatchObject({ created: 3, refused: 0 })
    expect(body.results[0]).toMatchObject({ status: 201, link: { custom_shortlinks: [] } })
    expect(body.results[0].note).toBe(`The back-half "${keyword}" is taken, so this link has a random one.`)
    expect(body.results[1].note).toBeUndefined()
    expect(body.results[2].note).toContain(`${keyword}x`)
    for (const strict of [
      () => bulk({ links: rows(), strict: true }),
      () => bulk({ links: rows() }, { query: '?strict=true' }),
    ]) {
      const refused = await strict()
      expect(refused.body).toMatchObject({ created: 0, refused: 3 })
      expect(refused.body.results[0]).toMatchObject({ status: 409, error: { message: 'KEYWORD_UNAVAILABLE' } })
    }
  })

  it('uses the group and the domain of the request for rows that name none', async () => {
    const { body } = await bulk({
      links: [{ long_url: newUrl() }, { long_url: newUrl(), domain: started.domain }],
      domain: branded,
    })
    expect(body.results[0].link.id).toMatch(/^go\.example\.com\//)
    expect(body.results[1].link.id).toMatch(/^localhost/)
    const stranger = await aStranger(started)
    const denied = await bulk({ links: [{ long_url: newUrl() }], group_guid: stranger.groupGuid })
    expect(denied).toMatchObject({ status: 403, body: { message: 'FORBIDDEN' } })
    expect(
      (await bulk({ links: [{ long_url: newUrl() }] }, { query: `?group_guid=${stranger.groupGuid}` })).status,
    ).toBe(403)
  })

  it('refuses readers before it looks at the rows', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const own = { long_url: newUrl(), group_guid: started.groupGuid }
    const answers = [
      await bulk({ links: [{ long_url: newUrl() }] }, { token }),
      await bulk({ links: [own] }, { token }),
      await bulk({ links: [] }, { token }),
      await bulk({}, { token }),
      await csv(`long_url\n${newUrl()}\n`, '', {}, token),
    ]
    for (const { status, body } of answers) expect([status, body.message]).toEqual([403, 'FORBIDDEN'])
  })

  it('checks each row where rows name groups, also of a reader of the default group', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { login } = (await started.request('GET', '/v4/user', { token })).body
    const group_guid = await organize(started).group()
    await organize(started).role(login, 'member', { groupGuid: group_guid })
    expect((await bulk({ links: [{ long_url: newUrl() }] }, { token })).status).toBe(403)
    const { body } = await bulk({ links: [{ long_url: newUrl() }, { long_url: newUrl(), group_guid }] }, { token })
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([403, 201])
    const table = await csv(`long_url,group_guid\n${newUrl()},${group_guid}\n${newUrl()},\n`, '', {}, token)
    expect(table.body.results.map(({ status }: { status: number }) => status)).toEqual([201, 403])
  })

  it.each([
    ['no links', { links: [] }, 400, 'INVALID_ARG_LINKS'],
    ['1001 links', { links: Array(1001).fill({ long_url: 'https://example.com/x' }) }, 400, 'INVALID_ARG_LINKS'],
    ['links that are no list', { links: 'x' }, 400, 'INVALID_ARG_LINKS'],
    ['nothing', {}, 400, 'INVALID_ARG_LINKS'],
  ])('refuses %s', async (_, body, status, message) => {
    expect(await bulk(body)).toMatchObject({ status, body: { message } })
  })

  it('answers 403 without a token, 415 for other types, 422 for broken JSON and 413 beyond 8 MiB', async () => {
    const post = (options: object) => started.request('POST', '/v4/bulk/shorten', options)
    expect((await post({ token: null, body: { links: [] } })).status).toBe(403)
    expect((await post({ body: 'x', headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await post({ body: '{', headers: { 'content-type': 'application/json' } })).status).toBe(422)
    expect((await csv(Buffer.alloc(9 * 1024 * 1024, 'a'))).status).toBe(413)
  })

  it('reads CSV with a header, and says which line is wrong', async () => {
    const urls = [newUrl(), newUrl(), newUrl()]
    const text = `Long URL;title;tags;keyword\r\n${urls[0]};"A; ""B""";x, y;\r\n${urls[1]};;;csv${numbers}\r\nnope;;;\r\n${urls[2]};a;b;c;d\r\n`
    const { status, body } = await csv(Buffer.from(`\ufeff${text}`, 'utf16le'), `?domain=${branded}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ created: 2, refused: 2 })
    const read = await started.request('GET', `/v4/shortlinks/${body.results[0].link.id}`)
    expect(read.body).toMatchObject({ title: 'A; "B"', tags: ['x', 'y'], long_url: urls[0] })
    expect(body.results[1].link.custom_shortlinks).toHaveLength(1)
    expect(body.results[2].error.message).toBe('INVALID_ARG_LONG_URL')
    expect(body.results[3].error.description).toMatch(/has 5 cells, but the header has 4/)
    expect((await csv('url\nhttps://example.com/\n')).body.description).toBe(
      'Line 1: The header has no column "long_url". It has: "url". Name the column "long_url", and send it again.',
    )
    expect((await csv('long_url\n"https://example.com/\n')).body.description).toMatch(/^Line 2: A quote begins here/)
    expect(await csv('')).toMatchObject({ status: 422, body: { description: expect.stringMatching(/empty/) } })
    const many = `long_url\n${'https://example.com/\n'.repeat(1001)}`
    expect(await csv(many)).toMatchObject({ status: 400, body: { message: 'INVALID_ARG_LINKS' } })
  })

  it('honours an Idempotency-Key, for JSON and for CSV', async () => {
    const body = { links: [{ long_url: newUrl(), force_new_link: true }, { long_url: 'wrong' }] }
    const first = await bulk(body, { key: 'bulk-1' })
    const again = await bulk(body, { key: 'bulk-1' })
    expect(first.status).toBe(200)
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect((await bulk({ links: [{ long_url: newUrl() }] }, { key: 'bulk-1' })).status).toBe(422)
    const text = `long_url,force_new_link\n${newUrl()},true\n`
    const one = await csv(text, '', { 'idempotency-key': 'bulk-2' })
    const two = await csv(text, '', { 'idempotency-key': 'bulk-2' })
    expect(one.body).toMatchObject({ created: 1 })
    expect(two.text).toBe(one.text)
  })

  it('gives racing requests exactly what the plan has left', async () => {
    const someone = await aStranger(started)
    const guid = (await started.request('GET', '/v4/organizations', { token: someone.token })).body.organizations[0]
      .guid
    await operate(started.app, operator, 'setPlan', { organizationGuid: guid, plan: 'ten' })
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() =>
        bulk({ links: Array.from({ length: 6 }, () => ({ long_url: newUrl() })) }, { token: someone.token }),
      ),
    )
    const results = answers.flatMap(({ body }) => body.results)
    expect(results.filter(({ status }) => status === 201)).toHaveLength(10)
    const refused = results.filter(({ status }) => status !== 201)
    expect(refused.map(({ error, status }) => [status, error.message])).toEqual(
      Array(14).fill([429, 'MONTHLY_ENCODE_LIMIT_REACHED']),
    )
  })
})
