/** Series that are too long are rejected, because a truncated one would disagree with its summary. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { firstOrganization, organize } from './organize.js'
import { asking } from './v3/ask.js'
import { visit } from './visits.js'

let now = Date.parse('2020-01-10T10:00:00Z')
const started = useApp({ trustProxy: 1 }, { clock: { now: () => now } })
const domain = 'go.long.example'
const word = `${domain}/old`
let id: string
beforeAll(async () => {
  await organize(started).domain(domain, await firstOrganization(started), [started.groupGuid])
  const body = { long_url: 'https://example.com/old', domain }
  id = (await started.request('POST', '/v4/shortlinks', { body })).body.id
  await started.request('POST', '/v4/custom_shortlinks', { body: { custom_shortlink: word, shortlink_id: id } })
  for (const moment of ['2020-01-10T10:30:00Z', '2023-05-01T00:00:00Z', '2026-03-18T13:00:00Z']) {
    now = Date.parse(moment)
    for (const address of [id, word]) {
      await visit(started, address)
      await visit(started, address, { scan: true })
    }
  }
  now = Date.parse('2026-03-18T14:00:00Z')
  await started.clicksCounted()
})

const group = () => `/v4/groups/${started.groupGuid}`
const series: readonly (readonly [name: string, path: () => string, rows: string, count: string, total: number])[] = [
  ['clicks of a link', () => `/v4/shortlinks/${id}/clicks`, 'link_clicks', 'clicks', 3],
  ['engagements of a link', () => `/v4/shortlinks/${id}/engagements`, 'engagements', 'engagement_count', 6],
  ['clicks of a custom short link', () => `/v4/custom_shortlinks/${word}/clicks`, 'link_clicks', 'clicks', 3],
  ['clicks of a group', () => `${group()}/clicks`, 'data', 'count', 6],
  ['link clicks of a group', () => `${group()}/links/clicks/over_time`, 'data', 'count', 6],
  ['engagements of a group', () => `${group()}/engagements/over_time`, 'data', 'count', 12],
  ['scans of a group', () => `${group()}/codes/scans/over_time`, 'data', 'count', 6],
  ['links made by a group', () => `${group()}/shorten_counts`, 'metrics', 'value', 1],
]

describe.each(series)('%s', (_, path, rows, count, total) => {
  it.each(['minute', 'hour'])('answer 400 if there are too many units of %s, and name what fits', async (unit) => {
    for (const headers of [{}, { accept: 'text/csv' }]) {
      const { status, body } = await started.request('GET', `${path()}?unit=${unit}&units=-1`, { headers })
      expect([status, body.message, body.errors]).toEqual([
        400,
        'INVALID_ARG_UNIT',
        [{ field: 'unit', error_code: 'invalid' }],
      ])
      expect(body.description).toContain('The smallest unit that fits is day')
    }
  })

  it('accept everything in the suggested unit', async () => {
    const { body } = await started.request('GET', `${path()}?unit=day&units=-1`)
    const counts = body[rows].map((row: Record<string, number>) => row[count])
    expect(counts.reduce((sum: number, each: number) => sum + each, 0)).toBe(total)
  })

  it('accept the maximum number of units', async () => {
    const { status, body } = await started.request('GET', `${path()}?unit=minute&units=50000`)
    expect([status, body[rows].length]).toEqual([200, 50_000])
  })
})

it.each([
  ['clicks/summary', 'total_clicks', 3],
  ['engagements/summary', 'total_engagements', 6],
])('%s has no units to list, and counts everything by the minute', async (path, field, total) => {
  const { status, body } = await started.request('GET', `/v4/shortlinks/${id}/${path}?unit=minute&units=-1`)
  expect([status, body[field]]).toEqual([200, total])
})

it('v3 names the invalid argument in its envelope', async () => {
  const v3 = asking(started)
  const link = `http://${id}`
  for (const [path, more] of [
    ['link/clicks', { link }],
    ['user/clicks', {}],
  ] as const) {
    const refused = await v3.refusal(path, { ...more, unit: 'hour', units: -1, rollup: 'false' })
    expect(refused).toBe('200 500 INVALID_ARG_UNIT')
  }
  expect((await v3.data('link/clicks', { link, unit: 'hour', units: -1 })).link_clicks).toBe(3)
  const days = await v3.data('link/clicks', { link, unit: 'day', units: -1, rollup: 'false' })
  expect(days.link_clicks.reduce((sum: number, row: { clicks: number }) => sum + row.clicks, 0)).toBe(3)
})
