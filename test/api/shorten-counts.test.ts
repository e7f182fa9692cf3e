import { beforeAll, describe, expect, it } from 'vitest'
import { useApp } from '../support/start-app.js'
import { aMember, aStranger } from './alter-records.js'
import { firstOrganization, organize } from './organize.js'
import { refusedArgument, threeOfEachUnit } from './visits.js'

// A Wednesday.
const end = Date.parse('2026-03-18T14:35:20Z')
let now = end
const started = useApp({}, { clock: { now: () => now } })
let organization: string
let second: string
beforeAll(async () => {
  organization = await firstOrganization(started)
  second = await organize(started).group('Second')
  for (const at of ['2026-01-31T23:30:00Z', '2026-03-15T23:59:59Z', '2026-03-18T14:34:59Z', '2026-03-18T14:35:00Z']) {
    await makeLink(at)
  }
  await makeLink('2026-03-18T13:00:00Z', second)
  // A reused link does not count again, and a deleted one still counts.
  await makeLink('2026-03-18T14:35:10Z', started.groupGuid, 'https://example.com/2026-03-18T14:35:00Z')
  const { body } = await makeLink('2026-03-17T08:00:00Z', second)
  await started.request('DELETE', `/v4/shortlinks/${body.id}`)
  now = end
})

function makeLink(at: string, group_guid = started.groupGuid, long_url = `https://example.com/${at}`) {
  now = Date.parse(at)
  return started.request('POST', '/v4/shorten', { body: { long_url, group_guid } })
}

const get = (path: string, token?: string) => started.request('GET', path, token === undefined ? {} : { token })
const ofGroup = (query = '', group = started.groupGuid) => get(`/v4/groups/${group}/shorten_counts${query}`)
const ofOrganization = (query = '') => get(`/v4/organizations/${organization}/shorten_counts${query}`)
const values = (body: { metrics: readonly { value: number }[] }) => body.metrics.map(({ value }) => value)

describe('GET /v4/groups/{group_guid}/shorten_counts', () => {
  it.each(threeOfEachUnit)('answers 200 with three units of %s, newest first', async (unit, keys, counts) => {
    const { status, body } = await ofGroup(`?unit=${unit}&units=3`)
    expect(status).toBe(200)
    expect(body).toEqual({
      metrics: keys.map((key, index) => ({ key, value: counts[index] })),
      unit,
      units: 3,
      unit_reference: '2026-03-18T14:35:20+0000',
      facet: 'shorten_counts',
    })
  })

  it('returns all days since the first link by default', async () => {
    const { body } = await ofGroup()
    expect(body).toMatchObject({ unit: 'day', units: -1 })
    expect(body.metrics).toHaveLength(47)
    expect(body.metrics.at(-1)).toEqual({ key: '2026-01-31T00:00:00+0000', value: 1 })
    const hours = await ofGroup('?unit=hour')
    expect(hours.body.metrics.at(-1)).toEqual({ key: '2026-01-31T23:00:00+0000', value: 1 })
    expect(values(hours.body).reduce((sum, value) => sum + value, 0)).toBe(4)
  })

  it('returns one empty unit for a group without links', async () => {
    const { body } = await ofGroup('', await organize(started).group('Empty'))
    expect(body.metrics).toEqual([{ key: '2026-03-18T00:00:00+0000', value: 0 }])
  })

  it('counts deleted links', async () => {
    expect(values((await ofGroup('?units=2', second)).body)).toEqual([1, 1])
    expect(values((await ofGroup('?units=31&unit=hour', second)).body).filter((value) => value > 0)).toEqual([1, 1])
  })

  it.each([
    [
      'unit=month&units=2&unit_reference=2026-02-10T00:00:00%2B0100',
      ['2026-01-31T23:00:00+0000', '2025-12-31T23:00:00+0000'],
      [1, 0],
    ],
    ['unit=day&units=1&unit_reference=2026-03-16T01:00:00%2B0545', ['2026-03-15T18:15:00+0000'], [1]],
    ['unit=week&units=1&zone=America/New_York', ['2026-03-16T04:00:00+0000'], [2]],
    ['unit=week&units=1&zone=America/New_York&unit_reference=2026-03-15T12:00:00Z', ['2026-03-09T04:00:00+0000'], [1]],
  ])('uses the requested time zone: %s', async (query, keys, counts) => {
    const { body } = await ofGroup(`?${query}`)
    expect(body.metrics).toEqual(keys.map((key, index) => ({ key, value: counts[index] })))
  })

  it.each([
    ['unit=year', 'unit'],
    ['units=0', 'units'],
    ['units=-2', 'units'],
    ['units=50001', 'units'],
    ['units=two', 'units'],
    ['unit_reference=now', 'unit_reference'],
    ['zone=Nowhere/City', 'zone'],
  ])('answers 400 for %s', async (query, field) => {
    const { status, body } = await ofGroup(`?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual(refusedArgument(field, 'groups'))
  })

  it('answers 403 for a group that is not yours, whatever else is invalid; readers may read', async () => {
    const { token } = await aStranger(started)
    const path = `/v4/groups/${started.groupGuid}/shorten_counts`
    const answers = [await get(path, token), await get(`${path}?unit=year`, token), await ofGroup('', 'Bnosuch')]
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(answers[1]?.body).toMatchObject({ message: 'FORBIDDEN', resource: 'groups' })
    const reader = await aMember(started, started.groupGuid, 'reader')
    expect((await get(path, reader)).status).toBe(200)
  })
})

describe('GET /v4/organizations/{organization_guid}/shorten_counts', () => {
  it.each([
    ['day', [3, 1, 0]],
    ['hour', [2, 1, 0]],
    ['month', [5, 0, 1]],
  ])('answers 200 with the links of all its groups, by %s', async (unit, counts) => {
    const { status, body } = await ofOrganization(`?unit=${unit}&units=3`)
    expect(status).toBe(200)
    expect(values(body)).toEqual(counts)
    expect(body).toMatchObject({ unit, units: 3, facet: 'shorten_counts' })
  })

  it('begins with its first link by default', async () => {
    const { body } = await ofOrganization('?unit=hour')
    expect(body.metrics.at(-1)).toEqual({ key: '2026-01-31T23:00:00+0000', value: 1 })
  })

  it('still counts links of a group that has moved to another organization', async () => {
    const [from, to] = [await organize(started).organization('From'), await organize(started).organization('To')]
    const group = await organize(started).group('Moving', from)
    await makeLink('2026-03-17T10:00:00Z', group)
    now = end
    await started.request('PATCH', `/v4/groups/${group}`, { body: { organization_guid: to } })
    await makeLink('2026-03-18T10:00:00Z', group)
    now = end
    const counts = async (guid: string, unit: string) =>
      values((await get(`/v4/organizations/${guid}/shorten_counts?unit=${unit}&units=2`)).body)
    expect([await counts(from, 'day'), await counts(to, 'day')]).toEqual([
      [0, 1],
      [1, 0],
    ])
    const day = `unit=hour&units=1&unit_reference=2026-03-17T10:59:00Z`
    expect(values((await get(`/v4/organizations/${to}/shorten_counts?${day}`)).body)).toEqual([0])
    expect(values((await ofGroup('?units=2', group)).body)).toEqual([1, 1])
  })

  it('answers 400 for a bad window', async () => {
    const { status, body } = await ofOrganization('?unit=year')
    expect(status).toBe(400)
    expect(body).toEqual(refusedArgument('unit', 'organizations'))
  })

  it.each(['shorten_counts', 'shorten_counts?unit=year', 'shorten_counts_by_group'])(
    'answers 403 for %s to everybody but its administrators',
    async (path) => {
      const { token } = await aStranger(started)
      const member = await aMember(started, started.groupGuid, 'admin')
      for (const each of [token, member]) {
        const { status, body } = await get(`/v4/organizations/${organization}/${path}`, each)
        expect([status, body.message, body.resource]).toEqual([403, 'FORBIDDEN', 'organizations'])
      }
      expect((await get(`/v4/organizations/Onosuch/${path}`)).status).toBe(403)
    },
  )
})

describe('GET /v4/organizations/{organization_guid}/shorten_counts_by_group', () => {
  it('answers 200 with this month by group, highest first', async () => {
    const { status, body } = await get(`/v4/organizations/${organization}/shorten_counts_by_group`)
    expect(status).toBe(200)
    expect(body).toEqual({
      metrics: [
        { key: started.groupGuid, value: 3 },
        { key: second, value: 2 },
      ],
      unit: 'month',
      units: 1,
      unit_reference: '2026-03-18T14:35:20+0000',
      facet: 'shorten_counts',
    })
  })

  it('answers no groups in a month without links', async () => {
    now = Date.parse('2026-04-01T00:00:00Z')
    const { body } = await get(`/v4/organizations/${organization}/shorten_counts_by_group`)
    now = end
    expect(body.metrics).toEqual([])
  })
})
