import { expect, it } from 'vitest'
import type { MetricsLog, MetricsQuery } from '../clicks/metrics-query.js'
import { Plans } from '../limits/plans.js'
import { parseWindow } from '../values/window.js'
import { reportHoursOfWeek } from './hours-of-week.js'

const plans = new Plans({ plans: [], defaultPlan: '', onFailure: () => {} })

async function busy(zone: string, ...times: readonly string[]) {
  const asked: MetricsQuery[] = []
  const count = async (query: MetricsQuery) => {
    asked.push(query)
    return times.map((time) => ({ start: Date.parse(time), values: [], count: 2 }))
  }
  const metrics = { count } as unknown as MetricsLog
  const window = parseWindow({ unit: 'day', units: -1, unitReference: undefined, zone }, Date.parse('2026-12-01'))
  const subject = { scope: { addresses: ['sho.rt/3xYz12A'] }, since: undefined }
  const found = await reportHoursOfWeek(
    { plans, metrics },
    { subject, window, kinds: ['click'], traffic: 'human', measure: 'events' },
  )
  expect(found).toHaveLength(168)
  expect(asked[0]).toMatchObject({ by: ['time'], bucket: { unit: 'hour', zone } })
  return found.filter((each) => each.count > 0).map(({ weekday, hour, count: n }) => [weekday, hour, n])
}

it('counts the hours of a week in a zone', async () => {
  expect(await busy('UTC')).toEqual([])
  // A Sunday evening in London is a Monday morning in Tokyo.
  expect(await busy('UTC', '2026-11-15T23:00:00Z', '1970-01-01T00:00:00Z')).toEqual([
    [4, 0, 2],
    [7, 23, 2],
  ])
  expect(await busy('Asia/Tokyo', '2026-11-15T23:00:00Z')).toEqual([[1, 8, 2]])
  expect(await busy('Asia/Kolkata', '2026-11-15T23:30:00Z')).toEqual([[1, 5, 2]])
})

it('follows the clock in summer and winter', async () => {
  const noons = ['2026-07-01T10:00:00Z', '2026-11-18T11:00:00Z']
  expect(await busy('Europe/Berlin', ...noons)).toEqual([[3, 12, 4]])
  const repeated = ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z']
  expect(await busy('Europe/Berlin', ...repeated)).toEqual([[7, 2, 4]])
})
