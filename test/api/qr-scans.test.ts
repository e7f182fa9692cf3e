import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operator } from '../../src/core/accounts/actor.js'
import { operate } from '../../src/core/administration/operations.js'
import { plansFile } from '../support/plans-file.js'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization } from './organize.js'
import { badSizes, badWindows, refusedArgument, visit } from './visits.js'

const plans = plansFile({ bare: { features: [] } })

let now = Date.parse('2026-03-10T10:00:00Z')
let started: StartedApp
/** A short link with two codes and one scan; a stand-alone code with three scans and a click. */
let link: string
let coupled: Code
let twin: Code
let alone: Code
const window = { unit: 'day', units: -1, unit_reference: '2026-03-18T14:00:00+0000' }

interface Code {
  readonly qrcode_id: string
  readonly shortlink_id: string
}

beforeAll(async () => {
  started = await startApp({ plans, trustProxy: 1 }, { clock: { now: () => now } })
  const made = await started.request('POST', '/v4/shortlinks', { body: { long_url: 'https://example.com/link' } })
  link = made.body.id
  now = Date.parse('2026-03-16T09:00:00Z')
  coupled = await aCode({ shortlink_id: link })
  twin = await aCode({ shortlink_id: link })
  alone = await aCode({ long_url: 'https://example.com/alone' })
  now = Date.parse('2026-03-17T09:00:00Z')
  await visit(started, alone.shortlink_id, { scan: true, agent: 'phone' })
  now = Date.parse('2026-03-18T14:00:00Z')
  await visit(started, alone.shortlink_id, { scan: true, agent: 'tablet', from: 'mountainView' })
  await visit(started, alone.shortlink_id, { scan: true, agent: 'desktop', from: 'nowhere' })
  await visit(started, alone.shortlink_id)
  await visit(started, alone.shortlink_id, { scan: true, agent: 'robot' })
  await visit(started, link, { scan: true, agent: 'phone' })
  await visit(started, link)
  await visit(started, link)
  await started.clicksCounted()
})
afterAll(() => started.close())

async function aCode(destination: object): Promise<Code> {
  const { status, body } = await started.request('POST', '/v4/qr-codes', {
    body: { group_guid: started.groupGuid, destination },
  })
  expect(status).toBe(201)
  return body
}
const scans = (code: Code, path = '', options: { token?: string; headers?: Record<string, string> } = {}) =>
  started.request('GET', `/v4/qr-codes/${code.qrcode_id}/scans${path}`, options)
const group = (path: string) => started.request('GET', `/v4/groups/${started.groupGuid}/${path}`)

const ranked = ['/countries', '/cities', '/device_os', '/browsers']

describe('GET /v4/qr-codes/{qrcode_id}/scans', () => {
  it('answers scans over time, newest first, with zeroes', async () => {
    expect(await scans(alone)).toMatchObject({
      status: 200,
      body: {
        scans: [
          { date: '2026-03-18T00:00:00+0000', scans: 2 },
          { date: '2026-03-17T00:00:00+0000', scans: 1 },
          { date: '2026-03-16T00:00:00+0000', scans: 0 },
        ],
        ...window,
      },
    })
  })

  it('answers the sum', async () => {
    expect((await scans(alone, '/summary')).body).toEqual({ total_scans: 3, ...window })
    expect((await scans(alone, '/summary?units=1')).body).toMatchObject({ total_scans: 2 })
    expect((await scans(alone, '/summary?traffic=all')).body).toMatchObject({ total_scans: 4 })
  })

  it('answers countries, systems and browsers, biggest first', async () => {
    const rows = async (path: string) => {
      const { body } = await scans(alone, path)
      return [body.facet, body.metrics]
    }
    expect(await rows('/countries')).toEqual([
      'countries',
      [
        { value: '', scans: 1 },
        { value: 'GB', scans: 1 },
        { value: 'US', scans: 1 },
      ],
    ])
    expect(await rows('/device_os')).toEqual([
      'device_os',
      [
        { value: 'iOS', scans: 2 },
        { value: 'Linux', scans: 1 },
      ],
    ])
    const [facet, browsers] = await rows('/browsers')
    expect([facet, browsers.length, browsers[0].scans]).toEqual(['browsers', 2, 2])
  })

  it('answers cities, and what is in no row', async () => {
    const { body } = await scans(alone, '/cities?size=1')
    expect(body).toMatchObject({
      metrics: [{ scans: 1, city: 'London', region: 'England', country: 'GB' }],
      other_metrics: { other_city_scans: 1, no_city_scans: 1 },
      facet: 'cities',
      ...window,
    })
  })

  it.each([
    ['/countries', 'Country, Scans\n, 1\nGB, 1\nUS, 1\n'],
    [
      '/cities',
      'City, Subregion, Region, Country, Scans\nLondon, , England, GB, 1\nMountain View, , California, US, 1\n',
    ],
    ['/device_os', 'Device OS, Scans\niOS, 2\nLinux, 1\n'],
    ['/browsers', /^Browser, Scans\n.+, 2\n.+, 1\n$/],
  ])('answers CSV: %s', async (path, text) => {
    const answer = await scans(alone, path, { headers: { accept: 'text/csv' } })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    if (typeof text === 'string') expect(answer.text).toBe(text)
    else expect(answer.text).toMatch(text)
  })

  it('is shared by codes with one address', async () => {
    for (const code of [coupled, twin]) expect((await scans(code, '/summary')).body.total_scans).toBe(1)
  })

  it.each(['', '/summary', ...ranked])('answers 400, 403, 404 and 410: scans%s', async (path) => {
    for (const [query, field] of [...badWindows, ...(ranked.includes(path) ? badSizes : [])]) {
      const { status, body } = await scans(alone, `${path}?${query}`)
      expect([query, status, body]).toEqual([query, 400, refusedArgument(field, 'qr_codes')])
    }
    const { token } = await aStranger(started)
    expect((await scans(alone, `${path}?unit=year`, { token })).status).toBe(403)
    expect((await scans(alone, path, { token: await aMember(started, started.groupGuid, 'reader') })).status).toBe(200)
    expect((await scans({ ...alone, qrcode_id: 'Qnone' }, path)).status).toBe(404)
    const gone = await aCode({ long_url: 'https://example.com/gone' })
    await started.request('DELETE', `/v4/qr-codes/${gone.qrcode_id}`)
    expect((await scans(gone, path)).status).toBe(410)
  })

  it('answers 402 for cities, systems and browsers that the plan does not include', async () => {
    const organizationGuid = await firstOrganization(started)
    const give = (plan: string) => operate(started.app, operator, 'setPlan', { organizationGuid, plan, force: true })
    await give('bare')
    const statuses = await Promise.all(
      ['', '/summary', ...ranked].map(async (path) => (await scans(alone, path)).status),
    )
    await give('unlimited')
    expect(statuses).toEqual([200, 200, 200, 402, 402, 402])
  })
})

describe('reports of the group', () => {
  it('count scans of stand-alone and of coupled codes', async () => {
    expect(
      (await group('codes/scans/over_time?units=2')).body.data.map(({ count }: { count: number }) => count),
    ).toEqual([3, 1])
    expect((await group('engagements/over_time?units=1')).body.data[0].count).toBe(6)
    expect((await group('codes/scans/countries')).body.metrics[0]).toEqual({ value: 'GB', clicks: 2 })
    expect((await group('codes/scans/cities')).body.metrics[0]).toMatchObject({ city: 'London', clicks: 2 })
  })

  it('rank short links and stand-alone codes in one order: engagements/sorted/top', async () => {
    const { body } = await group('engagements/sorted/top')
    expect(body.sorted_engagements).toEqual([
      { id: alone.qrcode_id, engagements: 4 },
      { id: link, engagements: 3 },
    ])
    expect(body.qr_codes).toEqual([alone])
    expect(body.links.map(({ id }: { id: string }) => id)).toEqual([link])
    expect(body.links[0].qr_code_ids).toHaveLength(2)
    const first = await group('engagements/sorted/top?size=1')
    expect(first.body).toMatchObject({ links: [], sorted_engagements: [{ id: alone.qrcode_id }] })
  })

  it('rank short links alone, or with stand-alone codes when decoupled: codes/scans/top', async () => {
    expect((await group('codes/scans/top')).body.sorted_links).toEqual([{ id: link, clicks: 1 }])
    const { body } = await group('codes/scans/top?decoupled=true')
    expect(body).toMatchObject({
      sorted_engagements: [
        { id: alone.qrcode_id, engagements: 3 },
        { id: link, engagements: 1 },
      ],
      qr_codes: [{ qrcode_id: alone.qrcode_id }],
      links: [{ id: link }],
    })
    expect((await group('engagements/top')).body.sorted_links).toEqual([{ id: link, clicks: 3 }])
    expect((await group('links/clicks/top')).body.sorted_links).toEqual([{ id: link, clicks: 2 }])
  })

  it('count scans of the link', async () => {
    const { body } = await started.request('GET', `/v4/shortlinks/${link}/engagements/summary`)
    expect(body.engagements).toEqual({ lib_button_clicks: 0, clicks: 2, scans: 1 })
  })
})

describe('POST /v4/groups/{group_guid}/exports with qr_codes_list', () => {
  const ask = async (fields: object = {}) => {
    const body = { export_type: 'qr_codes_list', filter: {}, ...fields }
    const answer = await started.request('POST', `/v4/groups/${started.groupGuid}/exports`, { body })
    expect(answer.status).toBe(200)
    const csv = Buffer.from(answer.body.data_uri.split(',')[1], 'base64').toString()
    return { body: answer.body, lines: csv.trimEnd().split('\n') }
  }

  it('answers the codes, newest first', async () => {
    const { body, lines } = await ask()
    expect(body).toMatchObject({ export_type: 'qr_codes_list', row_count: 3, truncated: false })
    expect(lines[0]).toBe(
      'qrcode_id,title,qr_code_type,shortlink_id,long_urls,created,created_by,archived,tags,expiration_at',
    )
    const row = `${alone.qrcode_id},,long_url,${alone.shortlink_id},https://example.com/alone,2026-03-16T09:00:00+0000,admin,false,,`
    expect(lines).toContain(row)
  })

  it('answers engagements too, and filters', async () => {
    const { body, lines } = await ask({ include_metrics: true, filter: { query: 'alone', campaign_guid: 'Cnone' } })
    expect(body).toMatchObject({ row_count: 1, unix_from: expect.any(Number) })
    expect(lines[0]).toMatch(/,clicks,scans,button_clicks$/)
    expect(lines[1]).toMatch(/,1,3,0$/)
    expect((await ask({ filter: { domain: 'other.example' } })).body.row_count).toBe(0)
    expect((await ask({ filter: { archived: 'on' } })).body.row_count).toBe(0)
    expect((await ask({ include_metrics: true })).lines.filter((line) => line.endsWith(',2,1,0'))).toHaveLength(2)
  })
})
