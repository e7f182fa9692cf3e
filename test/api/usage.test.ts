import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'
import { refusedArgument } from './visits.js'

const end = Date.parse('2026-03-18T14:35:20Z')
let now = end
let started: StartedApp
let group: string
beforeAll(async () => {
  started = await startApp({}, { clock: { now: () => now } })
  group = `/v4/groups/${started.groupGuid}`
  const branded = await organize(started).domain('go.example.com', await firstOrganization(started), [
    started.groupGuid,
  ])

  const post = (path: string, body: object) => started.request('POST', path, { body })
  now = Date.parse('2026-01-31T23:59:59Z')
  const { body: link } = await post('/v4/shorten', { long_url: 'https://example.com/1' })
  now = Date.parse('2026-02-28T10:00:00Z')
  await started.request('PATCH', `/v4/shortlinks/${link.id}`, { body: { long_url: 'https://example.com/2' } })
  now = Date.parse('2026-03-01T00:00:00Z')
  const { body: own } = await post('/v4/shorten', { long_url: 'https://example.com/3', domain: branded })
  now = Date.parse('2026-03-16T10:00:00Z')
  await post('/v4/shortlinks', { long_url: 'https://example.com/4', keyword: 'four' })
  await post('/v4/custom_shortlinks', { custom_shortlink: `${branded}/three`, shortlink_id: own.id })
  now = Date.parse('2026-03-18T10:00:00Z')
  await started.request('PATCH', `/v4/shortlinks/${own.id}`, { body: { long_url: 'https://example.com/5' } })
  await started.request('PATCH', `/v4/shortlinks/${own.id}`, { body: { title: 'Only the title' } })
  // Rejected, so nothing is counted.
  await post('/v4/shortlinks', { long_url: 'https://example.com/6', keyword: 'four' })
  await post('/v4/shorten', { long_url: 'no URL' })
  now = end
})
afterAll(() => started.close())

const get = (path: string, token?: string) => started.request('GET', path, token === undefined ? {} : { token })

describe('GET /v4/groups/{group_guid}/feature_usage', () => {
  it('answers 200 with the usage of this month, by limit', async () => {
    const { status, body } = await get(`${group}/feature_usage`)
    expect(status).toBe(200)
    expect(body).toEqual({
      group_guid: started.groupGuid,
      limit_usage: [
        { name: 'encodes', description: expect.any(String), count: 3 },
        { name: 'branded_links', description: expect.any(String), count: 1 },
        { name: 'custom_back_halves', description: expect.any(String), count: 2 },
        { name: 'redirects', description: expect.any(String), count: 1 },
        { name: 'qr_codes', description: expect.any(String), count: 0 },
        { name: 'api_requests', description: expect.any(String), count: expect.any(Number) },
      ],
    })
  })

  it('returns only the requested limits, each once', async () => {
    const { body } = await get(`${group}/feature_usage?name=redirects&name=encodes&name=redirects`)
    expect(body.limit_usage.map(({ name }: { name: string }) => name)).toEqual(['encodes', 'redirects'])
    const one = await get(`${group}/feature_usage?name=branded_links`)
    expect(one.body.limit_usage).toHaveLength(1)
  })

  it('starts again on the first of the month', async () => {
    now = Date.parse('2026-04-01T00:00:00Z')
    const { body } = await get(`${group}/feature_usage`)
    now = end
    const made = body.limit_usage.filter(({ name }: { name: string }) => name !== 'api_requests')
    expect(made.map(({ count }: { count: number }) => count)).toEqual([0, 0, 0, 0, 0])
  })
})

describe('GET /v4/groups/{group_guid}/historical_usage', () => {
  it('answers 200 with the last twelve months by default, newest first', async () => {
    const { status, body } = await get(`${group}/historical_usage`)
    expect(status).toBe(200)
    const { historical_limit_usage: history, ...envelope } = body
    expect(envelope).toEqual({
      group_guid: started.groupGuid,
      unit: 'month',
      start_date: '2025-04-01',
      end_date: '2026-03-18',
    })
    expect(history.map(({ name }: { name: string }) => name)).toEqual([
      'encodes',
      'branded_links',
      'custom_back_halves',
      'redirects',
      'qr_codes',
      'api_requests',
    ])
    expect(history[0].usage).toHaveLength(12)
    expect(history[0].usage.slice(0, 4)).toEqual([
      { count: 3, unit_start: '2026-03-01T00:00:00+0000' },
      { count: 1, unit_start: '2026-02-01T00:00:00+0000' },
      { count: 1, unit_start: '2026-01-01T00:00:00+0000' },
      { count: 0, unit_start: '2025-12-01T00:00:00+0000' },
    ])
  })

  it.each([
    ['day', '2026-03-16', '2026-03-18', [1, 0, 1], '2026-03-16T00:00:00+0000'],
    ['week', '2026-03-16', '2026-03-17', [1], '2026-03-16T00:00:00+0000'],
    ['week', '2026-02-25', '2026-03-18', [2, 0, 0, 2], '2026-02-23T00:00:00+0000'],
    ['month', '2026-03-02', '2026-03-17', [1], '2026-03-01T00:00:00+0000'],
    ['month', '2024-02-29', '2024-02-29', [0], '2024-02-01T00:00:00+0000'],
  ])('answers by %s from %s to %s, both inclusive', async (unit, start, last, counts, oldest) => {
    const query = `unit=${unit}&start_date=${start}&end_date=${last}&name=encodes`
    const { body } = await get(`${group}/historical_usage?${query}`)
    expect(body).toMatchObject({ unit, start_date: start, end_date: last })
    const [{ usage }] = body.historical_limit_usage
    expect(usage.map(({ count }: { count: number }) => count)).toEqual(counts)
    expect(usage.at(-1).unit_start).toBe(oldest)
  })

  it.each([
    ['name=nonsense', 'name'],
    ['name=encodes&name=%00', 'name'],
    ['unit=hour', 'unit'],
    ['unit=day&unit=week', 'unit'],
    ['start_date=2026-02-30', 'start_date'],
    ['start_date=yesterday', 'start_date'],
    ['start_date=2026-03-19', 'start_date'],
    ['start_date=1990-01-01', 'start_date'],
    ['start_date=2026-03-01&start_date=2026-03-02', 'start_date'],
    ['end_date=2026-3-1', 'end_date'],
    ['end_date=2026-03-18T00:00:00Z', 'end_date'],
    ['end_date=1969-12-31', 'end_date'],
    ['start_date=2026-03-02&end_date=2026-03-01', 'start_date'],
  ])('answers 400 for %s', async (query, field) => {
    const { status, body } = await get(`${group}/historical_usage?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual(refusedArgument(field, 'groups'))
  })
})

describe.each(['feature_usage', 'historical_usage'])('GET /v4/groups/{group_guid}/%s', (path) => {
  it('answers 400 for a limit that does not exist', async () => {
    const { status, body } = await get(`${group}/${path}?name=encodes&name=clicks`)
    expect(status).toBe(400)
    expect(body).toEqual(refusedArgument('name', 'groups'))
  })

  it('answers 403 for a group that is not yours, whatever else is invalid; readers may read', async () => {
    const { token } = await aStranger(started)
    const answers = [
      await get(`${group}/${path}`, token),
      await get(`${group}/${path}?name=nonsense`, token),
      await get(`/v4/groups/Bnosuch/${path}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(answers[1]?.body).toMatchObject({ message: 'FORBIDDEN', resource: 'groups' })
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await get(`${group}/${path}`, reader)).status).toBe(200)
  })
})
