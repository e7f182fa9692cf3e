import { describe, expect, it } from 'vitest'
import type { MetricsLog, MetricsQuery, MetricsRow } from '../clicks/metrics-query.js'
import { Plans } from '../limits/plans.js'
import { parseWindow } from '../values/window.js'
import { reportCities } from './facets.js'
import type { ReportInput } from './report-subject.js'

const plans = new Plans({ plans: [], defaultPlan: '', onFailure: () => {} })

describe('the report on cities', () => {
  it('tells the biggest, what is in others, and what is in none', async () => {
    const { metrics, sizes } = logOf([
      ['Ulm', 3],
      ['', 2],
      ['Bonn', 1],
      ['Trier', 1],
    ])
    const report = await reportCities({ plans, metrics }, asked(), 2)
    expect(report.cities.map(({ city, count }) => [city, count])).toEqual([
      ['Ulm', 3],
      ['Bonn', 1],
    ])
    expect([report.otherCities, report.noCity]).toEqual([1, 2])
    expect(sizes).toHaveLength(1)
  })

  it('tells the same of more places than are asked for at once', async () => {
    const cities = Array.from({ length: 5_000 }, (_, index) => [`City ${index}`, 2] as const)
    const { metrics, sizes } = logOf([['Ulm', 7], ['', 5], ...cities, ['', 1]])
    const report = await reportCities({ plans, metrics }, asked(), 3)
    expect(report.cities.map(({ city }) => city)).toEqual(['Ulm', 'City 0', 'City 1'])
    expect([report.otherCities, report.noCity]).toEqual([2 * 4_998, 6])
    expect(Math.max(...sizes)).toBeLessThan(2_100)
  })

  it('finds cities behind any number of places that have none', async () => {
    const regions = Array.from({ length: 5_000 }, () => ['', 4] as const)
    const { metrics } = logOf([...regions, ['Ulm', 3], ['Bonn', 1]])
    const report = await reportCities({ plans, metrics }, asked(), 1)
    expect(report.cities.map(({ city }) => city)).toEqual(['Ulm'])
    expect([report.otherCities, report.noCity]).toEqual([1, 20_000])
  })
})

function asked(): ReportInput {
  const window = parseWindow({ unit: 'day', units: -1, unitReference: undefined }, Date.parse('2026-03-18T14:35:20Z'))
  const subject = { scope: { groupGuid: 'B1' }, since: undefined }
  return { subject, window, kinds: ['click'], traffic: 'human', measure: 'events' }
}

/** A log of places, biggest first, each with its city and how often it was seen: all this report asks for. */
function logOf(places: readonly (readonly [city: string, count: number])[]) {
  const sizes: number[] = []
  const rowsOf = (query: MetricsQuery): readonly MetricsRow[] => {
    if (query.by.length > 0)
      return places.map(([city, count], region) => ({ start: 0, values: [city, '', String(region), 'DE'], count }))
    const isCounted = ([city]: readonly [string, number]) => !query.filters || city === ''
    const count = places.filter(isCounted).reduce((total, [, seen]) => total + seen, 0)
    return [{ start: 0, values: [], count }]
  }
  const metrics: MetricsLog = {
    async count(query) {
      const rows = rowsOf(query).slice(0, query.size)
      sizes.push(rows.length)
      return rows
    },
    countNested: async () => [],
    countSets: async () => [],
    last: async () => [],
    firstAt: async () => undefined,
  }
  return { metrics, sizes }
}
