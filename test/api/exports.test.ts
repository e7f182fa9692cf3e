import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { plansFile } from '../support/plans-file.js'
import { type Answer, type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize, unreadableBodies } from './organize.js'
import { refusedArgument, visit } from './visits.js'

const end = Date.parse('2026-03-18T14:00:00Z')
let now = end
let started: StartedApp
let path: string
let first: string
let branded: string
let campaign: string
beforeAll(async () => {
  started = await startApp({}, { clock: { now: () => now } })
  path = `/v4/groups/${started.groupGuid}/exports`
  branded = await organize(started).domain('go.example.com', await firstOrganization(started), [started.groupGuid])
  const post = async (where: string, body: object) => (await started.request('POST', where, { body })).body

  now = Date.parse('2026-03-01T10:00:00Z')
  first = (
    await post('/v4/shortlinks', { long_url: 'https://example.com/first', title: '=SUM(A1:A9)', tags: ['a', '-b'] })
  ).id
  await post('/v4/shortlinks', { shortlink_id: first, keyword: 'first-word' })
  campaign = (await post('/v4/campaigns', { group_guid: started.groupGuid, name: 'Spring' })).guid
  const shortlinks = [{ campaign_guid: campaign, shortlink_id: first }]
  await post('/v4/channels', { group_guid: started.groupGuid, name: 'Mail', shortlinks })
  now = Date.parse('2026-03-02T10:00:00Z')
  const onBranded = await post('/v4/shortlinks', {
    long_url: 'https://example.com/second',
    domain: branded,
    title: 'Say "hi", twice',
  })
  now = Date.parse('2026-03-03T10:00:00Z')
  const archived = await post('/v4/shorten', { long_url: 'https://example.com/archived' })
  await started.request('PATCH', `/v4/shortlinks/${archived.id}`, { body: { archived: true } })

  now = Date.parse('2026-03-10T12:00:00Z')
  await visit(started, first)
  await visit(started, first)
  await visit(started, first, { scan: true })
  await visit(started, first, { agent: 'robot' })
  await visit(started, `${started.domain}/first-word`)
  now = Date.parse('2026-03-18T12:00:00Z')
  await visit(started, onBranded.id)
  await started.clicksCounted()
  now = end
})
afterAll(() => started.close())

const ask = (body: object, token?: string) =>
  started.request('POST', path, { body, ...(token !== undefined && { token }) })

function csvOf({ body }: Answer): string {
  const [, base64 = ''] = /^data:text\/csv;base64,(.*)$/.exec(body.data_uri) ?? []
  return Buffer.from(base64, 'base64').toString()
}
const linesOf = (answer: Answer) => csvOf(answer).trimEnd().split('\n')
/** The first column, without the header. */
const idsOf = (answer: Answer) =>
  linesOf(answer)
    .slice(1)
    .map((line) => line.split(',')[0])

const rosterColumns =
  'id,link,long_url,title,created_at,created_by,archived,tags,custom_shortlinks,campaign_ids,expiration_at'
const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 1000

describe('POST /v4/groups/{group_guid}/exports', () => {
  it('answers 200 with a list of links, newest first', async () => {
    const answer = await ask({ export_type: 'links_list', filter: {} })
    expect(answer.status).toBe(200)
    const csv = csvOf(answer)
    expect(answer.body).toEqual({
      export_type: 'links_list',
      filename: `links_list-${started.groupGuid}-20260318140000.csv`,
      media_type: 'text/csv',
      data_uri: expect.stringMatching(/^data:text\/csv;base64,/),
      row_count: 2,
      column_count: answer.body.columns.length,
      size_bytes: Buffer.byteLength(csv),
      columns: csv.split('\n', 1)[0]?.split(','),
      truncated: false,
    })
    const [header, newest = '', oldest = ''] = csv.split('\n')
    // Newer fields come behind.
    expect(header).toMatch(new RegExp(`^${rosterColumns},`))
    expect(newest).toMatch(
      /^go\.example\.com\/\w{7},http:\/\/go\.example\.com:\d+\/\w{7},https:\/\/example\.com\/second,/,
    )
    expect(newest).toContain(',"Say ""hi"", twice",2026-03-02T10:00:00+0000,admin,false,,,,')
    // Neither the title nor a tag can act as a formula.
    expect(oldest).toContain(",'=SUM(A1:A9),2026-03-01T10:00:00+0000,admin,false,a;-b,")
    expect(oldest).toContain(`,http://${started.domain}/first-word,${campaign},`)
  })

  it.each([
    ['archived links too', { archived: 'both' }, 3],
    ['archived links alone', { archived: 'on' }, 1],
    ['a tag', { tags: ['a'] }, 1],
    ['two tags', { tags: ['a', 'c'] }, 0],
    ['words', { query: 'SECOND' }, 1],
    ['what was made at a time or later', { created_after: Date.parse('2026-03-02T10:00:00Z') / 1000 }, 1],
    ['what was made before a time', { created_before: Date.parse('2026-03-02T10:00:00Z') / 1000 }, 1],
    ['a domain, in any case', { domain: 'GO.example.com' }, 1],
    ['a domain without links', { domain: 'other.example.com' }, 0],
  ])('filters by %s', async (_, filter, rows) => {
    const { status, body } = await ask({ export_type: 'links_list', filter })
    expect([status, body.row_count]).toEqual([200, rows])
  })

  it('filters by campaign, and answers 404 for one that does not exist', async () => {
    const found = await ask({ export_type: 'links_list', filter: { campaign_guid: campaign } })
    expect(idsOf(found)).toEqual([first])
    const { status, body } = await ask({ export_type: 'links_list', filter: { campaign_guid: 'Cnosuch' } })
    expect([status, body.message, body.resource]).toEqual([404, 'NOT_FOUND', 'campaigns'])
  })

  it('adds engagements to a list, by people in the last 30 days by default', async () => {
    const answer = await ask({ export_type: 'links_list', filter: { tags: ['a'] }, include_metrics: true })
    expect(answer.body.columns.slice(-3)).toEqual(['clicks', 'scans', 'button_clicks'])
    expect(answer.body).toMatchObject({
      column_count: answer.body.columns.length,
      unix_to: end / 1000 + 1,
      unix_from: end / 1000 + 1 - 30 * 86_400,
    })
    // The click of the back-half counts for the back-half.
    expect(linesOf(answer)[1]).toMatch(/,2,1,0$/)
  })

  it('returns the engagements of the given links, in the given order and by the given address', async () => {
    const word = `${started.domain}/first-word`
    const shortlinks = [word, `http://${first}`, word]
    const window = { unix_from: day('2026-03-01'), unix_to: day('2026-03-18') }
    const answer = await ask({ export_type: 'link_engagements_batch', shortlinks, ...window })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ row_count: 2, truncated: false, ...window })
    expect(answer.body.columns).toEqual(
      'id,link,long_url,title,created_at,engagements,clicks,scans,button_clicks'.split(','),
    )
    expect(idsOf(answer)).toEqual([word, first])
    expect(linesOf(answer)[1]).toMatch(/,1,1,0,0$/)
    expect(linesOf(answer)[2]).toMatch(/,3,2,1,0$/)
  })

  it('counts from the start of the window (inclusive) to its end (exclusive)', async () => {
    const at = Date.parse('2026-03-10T12:00:00Z') / 1000
    const count = async (unix_from: number, unix_to: number) => {
      const answer = await ask({ export_type: 'link_engagements_batch', shortlinks: [first], unix_from, unix_to })
      return Number(linesOf(answer)[1]?.split(',').at(5))
    }
    expect([await count(at, at + 1), await count(at + 1, at + 2), await count(at - 1, at)]).toEqual([3, 0, 0])
  })

  it('returns the engagements of filtered links', async () => {
    const answer = await ask({ export_type: 'link_engagements_batch', filter: { archived: 'both' } })
    expect(answer.body.row_count).toBe(3)
    expect(linesOf(answer).map((line) => line.split(',').slice(-4).join())).toEqual([
      'engagements,clicks,scans,button_clicks',
      '0,0,0,0',
      '1,1,0,0',
      '3,2,1,0',
    ])
  })

  it('returns an empty list of QR codes', async () => {
    const plain = await ask({ export_type: 'qr_codes_list', filter: {} })
    expect(plain.body).toMatchObject({ export_type: 'qr_codes_list', row_count: 0, truncated: false })
    expect(csvOf(plain)).toBe(`${plain.body.columns.join(',')}\n`)
    const counted = await ask({ export_type: 'qr_codes_list', filter: {}, include_metrics: true })
    expect(counted.body.column_count).toBe(plain.body.column_count + 3)
    expect(counted.body.columns.slice(-3)).toEqual(['clicks', 'scans', 'button_clicks'])
  })

  it('truncates a list at 1000 rows, and at 200 with engagements', async () => {
    const group_guid = await organize(started).group('Large')
    const shorten = (count: number, word: string) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          started.request('POST', '/v4/shorten', {
            body: { long_url: `https://example.com/${word}/${index}`, group_guid },
          }),
        ),
      )
    const ids = (await shorten(200, 'a')).map(({ body }) => body.id)
    const exported = async (body: object) => {
      const answer = await started.request('POST', `/v4/groups/${group_guid}/exports`, { body })
      expect(linesOf(answer)).toHaveLength(answer.body.row_count + 1)
      return [answer.body.row_count, answer.body.truncated]
    }
    const roster = { export_type: 'links_list', filter: {} }
    const batch = { export_type: 'link_engagements_batch' }
    expect(await exported({ ...roster, include_metrics: true })).toEqual([200, false])
    expect(await exported({ ...batch, shortlinks: ids })).toEqual([200, false])
    ids.push((await shorten(1, 'b'))[0]?.body.id)
    expect(await exported({ ...roster, include_metrics: true })).toEqual([200, true])
    expect(await exported({ ...batch, shortlinks: ids })).toEqual([200, true])
    expect(await exported({ ...batch, filter: {} })).toEqual([200, true])
    await shorten(799, 'c')
    expect(await exported(roster)).toEqual([1000, false])
    await shorten(1, 'd')
    expect(await exported(roster)).toEqual([1000, true])
  })

  it.each([
    ['no type', { filter: {} }, 'export_type'],
    ['an unknown type', { export_type: 'clicks', filter: {} }, 'export_type'],
    ['a roster without a filter', { export_type: 'links_list' }, 'filter'],
    ['a roster of codes without a filter', { export_type: 'qr_codes_list' }, 'filter'],
    ['a filter that is null', { export_type: 'links_list', filter: null }, 'filter'],
    ['a filter that is text', { export_type: 'links_list', filter: 'all' }, 'filter'],
    ['a bad filter', { export_type: 'links_list', filter: { archived: 'yes' } }, 'filter.archived'],
    [
      'milliseconds in a filter',
      { export_type: 'links_list', filter: { created_after: 1_770_000_000_000 } },
      'filter.created_after',
    ],
    ['a control character in a filter', { export_type: 'links_list', filter: { query: 'a\u0000' } }, 'filter.query'],
    ['links for a roster', { export_type: 'links_list', filter: {}, shortlinks: ['a/b'] }, 'shortlinks'],
    ['neither links nor a filter', { export_type: 'link_engagements_batch' }, 'shortlinks'],
    ['both links and a filter', { export_type: 'link_engagements_batch', shortlinks: ['a/b'], filter: {} }, 'filter'],
    ['no links', { export_type: 'link_engagements_batch', shortlinks: [] }, 'shortlinks'],
    ['too many links', { export_type: 'link_engagements_batch', shortlinks: Array(1001).fill('a/b') }, 'shortlinks'],
    ['a link that is none', { export_type: 'link_engagements_batch', shortlinks: ['nonsense'] }, 'shortlinks'],
    ['a link with odd characters', { export_type: 'link_engagements_batch', shortlinks: ['a/%00'] }, 'shortlinks'],
    [
      'a link that does not exist',
      { export_type: 'link_engagements_batch', shortlinks: ['sho.rt/nosuch'] },
      'shortlinks',
    ],
    ['a beginning without an end', { export_type: 'link_engagements_batch', filter: {}, unix_from: 1 }, 'unix_to'],
    ['an end without a beginning', { export_type: 'link_engagements_batch', filter: {}, unix_to: 1 }, 'unix_from'],
    ['an empty window', { export_type: 'link_engagements_batch', filter: {}, unix_from: 5, unix_to: 5 }, 'unix_from'],
    [
      'a window in text',
      { export_type: 'link_engagements_batch', filter: {}, unix_from: '1', unix_to: 2 },
      'unix_from',
    ],
    [
      'a negative window',
      { export_type: 'link_engagements_batch', filter: {}, unix_from: -1, unix_to: 2 },
      'unix_from',
    ],
    ['metrics that are text', { export_type: 'links_list', filter: {}, include_metrics: 'yes' }, 'include_metrics'],
  ])('answers 400 for %s', async (_, body, field) => {
    const answer = await ask(body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(refusedArgument(field, 'groups'))
  })

  it("answers 400 for another group's link and for a deleted one", async () => {
    const { token, groupGuid } = await aStranger(started)
    const shorten = (options: { token?: string }, body: object) =>
      started.request('POST', '/v4/shorten', { body, ...options })
    const foreign = await shorten({ token }, { long_url: 'https://example.com/', group_guid: groupGuid })
    const deleted = await shorten({}, { long_url: 'https://example.com/deleted' })
    await started.request('DELETE', `/v4/shortlinks/${deleted.body.id}`)
    for (const { body } of [foreign, deleted]) {
      const answer = await ask({ export_type: 'link_engagements_batch', shortlinks: [first, body.id] })
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(refusedArgument('shortlinks', 'groups'))
    }
  })

  it('answers 403 for a group that is not yours, whatever else is invalid; readers may export', async () => {
    const { token } = await aStranger(started)
    const answers = [await ask({ export_type: 'links_list', filter: {} }, token), await ask({}, token)]
    expect(answers.map(({ status, body }) => [status, body.message, body.resource])).toEqual(
      Array(2).fill([403, 'FORBIDDEN', 'groups']),
    )
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await ask({ export_type: 'links_list', filter: {} }, reader)).status).toBe(200)
  })

  it('answers 400 for wrong arguments before 402 for a plan without exports', async () => {
    const plans = plansFile({ bare: { features: [] } }, onTestFinished)
    const bare = await startApp({ plans, defaultPlan: 'bare' })
    try {
      const send = (body: object) => bare.request('POST', `/v4/groups/${bare.groupGuid}/exports`, { body })
      const wrong = await send({ export_type: 'link_engagements_batch', shortlinks: ['no address'] })
      expect([wrong.status, wrong.body.message]).toEqual([400, 'INVALID_ARG_SHORTLINKS'])
      const right = await send({ export_type: 'links_list', filter: {} })
      expect([right.status, right.body.message]).toEqual([402, 'UPGRADE_REQUIRED'])
    } finally {
      await bare.close()
    }
  })

  it.each(unreadableBodies)('answers 422 for %s as the body', async (_, body, status) => {
    const answer = await started.request('POST', path, { body, headers: { 'content-type': 'application/json' } })
    expect([answer.status, answer.body.message]).toEqual([status, 'UNPROCESSABLE_ENTITY'])
  })

  it('answers 406 for a body that is not JSON, and 413 for one that is too large', async () => {
    const xml = await started.request('POST', path, { body: '<a/>', headers: { 'content-type': 'text/xml' } })
    expect([xml.status, xml.body.message]).toEqual([406, 'INVALID_CONTENT_TYPE_HEADER'])
    const large = await ask({ export_type: 'links_list', filter: { query: 'a'.repeat(1_100_000) } })
    expect(large.status).toBe(413)
  })
})
