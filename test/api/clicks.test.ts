import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { alterRecords, aMember, aStranger } from './alter-records.js'
import { threeOfEachUnit } from './visits.js'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

describe('GET /v4/shortlinks/{domain}/{hash}/clicks and /clicks/summary', () => {
  // A Wednesday, some seconds before the end of a minute; the tests advance it.
  let now = Date.parse('2026-03-18T14:35:20Z')
  const started = useApp({}, { clock: { now: () => now } })
  let id: string
  beforeAll(async () => {
    now = Date.parse('2026-01-20T10:00:00Z')
    id = await aLink('https://example.com/clicks')
    for (const at of ['2026-01-31T23:30:00Z', '2026-03-15T23:59:59Z', '2026-03-18T14:34:59Z', '2026-03-18T14:35:00Z']) {
      now = Date.parse(at)
      await click(id)
    }
    await click(id, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })
    await started.request('HEAD', pathOf(id), { token: null, headers: { 'user-agent': browser } })
    now = Date.parse('2026-03-18T14:35:20Z')
    await started.clicksCounted()
  })

  async function aLink(long_url: string): Promise<string> {
    return (await started.request('POST', '/v4/shorten', { body: { long_url } })).body.id
  }
  async function click(address: string, headers = {}): Promise<void> {
    const answer = await started.request('GET', pathOf(address), {
      token: null,
      headers: { 'user-agent': browser, ...headers },
    })
    expect(answer.status).toBe(301)
  }
  const pathOf = (address: string) => address.slice(address.indexOf('/'))
  const ask = (path: string, options: { token?: string; headers?: Record<string, string> } = {}) =>
    started.request('GET', `/v4/shortlinks/${path}`, options)

  it.each(threeOfEachUnit)('answers 200 with three units of %s, newest first', async (unit, dates, counts) => {
    const { status, body } = await ask(`${id}/clicks?unit=${unit}&units=3`)
    expect(status).toBe(200)
    expect(body).toEqual({
      link_clicks: dates.map((date, i) => ({ date, clicks: counts[i] })),
      unit,
      units: 3,
      unit_reference: '2026-03-18T14:35:20+0000',
    })
    const summary = await ask(`${id}/clicks/summary?unit=${unit}&units=3`)
    expect(summary.status).toBe(200)
    expect(summary.body).toEqual({
      total_clicks: counts.reduce((sum, count) => sum + count, 0),
      unit,
      units: 3,
      unit_reference: '2026-03-18T14:35:20+0000',
    })
  })

  it('returns all days since the creation of the link by default', async () => {
    const { body } = await ask(`${id}/clicks`)
    expect(body).toMatchObject({ unit: 'day', units: -1, unit_reference: '2026-03-18T14:35:20+0000' })
    expect(body.link_clicks).toHaveLength(58)
    expect(body.link_clicks.at(-1)).toEqual({ date: '2026-01-20T00:00:00+0000', clicks: 0 })
    expect((await ask(`${id}/clicks?unit=&units=&unit_reference=&size=50`)).body).toEqual(body)
    expect((await ask(`${id}/clicks/summary?units=-1`)).body).toMatchObject({ total_clicks: 4, units: -1 })
  })

  it('answers one empty bucket for a link without clicks', async () => {
    const own = await aLink('https://example.com/silence')
    const { body } = await ask(`${own}/clicks`)
    expect(body.link_clicks).toEqual([{ date: '2026-03-18T00:00:00+0000', clicks: 0 }])
    expect((await ask(`${own}/clicks/summary`)).body.total_clicks).toBe(0)
  })

  it.each([
    ['2026-02-01T00:00:00%2B0100', '2026-01-31T23:00:00+0000', '2026-01-31T23:00:00+0000', 1],
    ['2026-02-01T00:00:00+0100', '2026-01-31T23:00:00+0000', '2026-01-31T23:00:00+0000', 1],
    ['2026-01-31T23:45:00%2B05:45', '2026-01-31T18:00:00+0000', '2026-01-30T18:15:00+0000', 0],
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00+0000', '2026-01-31T00:00:00+0000', 1],
  ])('aligns days in the offset of unit_reference=%s', async (reference, unit_reference, date, clicks) => {
    const { body } = await ask(`${id}/clicks?unit=day&units=1&unit_reference=${reference}`)
    expect(body).toEqual({ link_clicks: [{ date, clicks }], unit: 'day', units: 1, unit_reference })
    const summary = await ask(`${id}/clicks/summary?unit=day&units=1&unit_reference=${reference}`)
    expect(summary.body.total_clicks).toBe(clicks)
  })

  it('counts the clicks of a keyword separately', async () => {
    const own = await aLink('https://example.com/keyword')
    const address = `${started.domain}/my-keyword`
    await alterRecords(
      started,
      'insert into addresses (address, kind, link_id, created_at) values (?, ?, ?, ?)',
      ...[address, 'keyword', own, now],
    )
    await click(address)
    await started.clicksCounted()
    expect((await ask(`${address}/clicks/summary`)).body.total_clicks).toBe(1)
    expect((await ask(`${own}/clicks/summary`)).body.total_clicks).toBe(0)
  })

  it('returns CSV for Accept: text/csv', async () => {
    const accept = { accept: 'text/csv' }
    const { status, headers, text } = await ask(`${id}/clicks?unit=month&units=3`, { headers: accept })
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(headers.vary).toBe('accept')
    expect(text).toBe(
      'Date, Clicks\n2026-03-01T00:00:00+0000, 3\n2026-02-01T00:00:00+0000, 0\n2026-01-01T00:00:00+0000, 1\n',
    )
    const summary = await ask(`${id}/clicks/summary`, { headers: accept })
    expect(summary.headers['content-type']).toContain('json')
    const refused = await ask(`${id}/clicks?unit=year`, { headers: accept })
    expect(refused.body.message).toBe('INVALID_ARG_UNIT')
  })

  it.each(['application/json', '*/*', 'application/json, text/csv;q=0.5', 'text/csv;q=0', 'text/html'])(
    'answers JSON to Accept: %s',
    async (accept) => {
      const { headers } = await ask(`${id}/clicks?units=1`, { headers: { accept } })
      expect(headers['content-type']).toContain('json')
    },
  )

  it.each([
    ['unit=year', 'unit'],
    ['unit=DAY', 'unit'],
    ['unit=day&unit=day', 'unit'],
    ['unit=%00', 'unit'],
    ['units=0', 'units'],
    ['units=-2', 'units'],
    ['units=1.5', 'units'],
    ['units=1e3', 'units'],
    ['units=0x10', 'units'],
    ['units=two', 'units'],
    ['units=true', 'units'],
    ['units=1&units=2', 'units'],
    ['units=50001', 'units'],
    ['units=99999999999999999999', 'units'],
    ['unit=month&units=50000', 'units'],
    ['unit_reference=now', 'unit_reference'],
    ['unit_reference=2026-02-30T00:00:00%2B0000', 'unit_reference'],
    ['unit_reference=2026-03-18', 'unit_reference'],
    ['unit_reference=a&unit_reference=b', 'unit_reference'],
    ['unit_reference=%E0%A4', 'unit_reference'],
  ])('answers 400 for %s', async (query, field) => {
    for (const path of ['clicks', 'clicks/summary']) {
      const { status, body } = await ask(`${id}/${path}?${query}`)
      expect(status).toBe(400)
      expect(body).toEqual({
        message: `INVALID_ARG_${field.toUpperCase()}`,
        resource: 'shortlinks',
        description: expect.any(String),
        errors: [{ field, error_code: 'invalid' }],
      })
    }
  })

  it('returns the longest possible series', async () => {
    const { status, body } = await ask(`${id}/clicks?unit=minute&units=50000`)
    expect(status).toBe(200)
    expect(body.link_clicks).toHaveLength(50_000)
    expect(body.link_clicks.filter(({ clicks }: { clicks: number }) => clicks > 0)).toHaveLength(3)
  })

  it.each(['clicks', 'clicks/summary'])('answers 403, 404 and 410 for %s like for the link', async (path) => {
    const { token } = await aStranger(started)
    expect((await ask(`${id}/${path}`, { token })).body.message).toBe('FORBIDDEN')
    expect((await ask(`${id}x/${path}`)).body.message).toBe('NOT_FOUND')
    const own = await aLink(`https://example.com/deleted/${path}`)
    await alterRecords(started, 'update links set deleted_at = 1 where id = ?', own)
    expect((await ask(`${own}/${path}`)).body.message).toBe('GONE')
  })

  it('accepts %2F in the id, and answers readers', async () => {
    const token = await aMember(started, started.groupGuid, 'reader')
    const { status, body } = await ask(`${encodeURIComponent(id)}/clicks/summary`, { token })
    expect([status, body.total_clicks]).toEqual([200, 4])
  })
})
