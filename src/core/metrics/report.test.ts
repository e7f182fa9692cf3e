import { describe, expect, it } from 'vitest'
import type { MetricsLog, MetricsQuery, MetricsRow } from './query.js'
import { clickSeries, clickSummary } from './report.js'
import { parseWindow } from './window.js'

const now = Date.parse('2026-03-18T14:35:20Z')
const subject = { address: 'sho.rt/3xYz12A', createdAt: Date.parse('2026-03-16T08:00:00Z') }

describe('click reports', () => {
  it('fills buckets without clicks with zeroes, newest first', async () => {
    const { metrics } = logOf('2026-03-18T01:00:00Z', '2026-03-16T09:00:00Z', '2026-03-16T10:00:00Z')
    const series = await clickSeries({ metrics }, subject, windowOf(3))
    expect(series).toEqual([
      { start: Date.parse('2026-03-18'), count: 1 },
      { start: Date.parse('2026-03-17'), count: 0 },
      { start: Date.parse('2026-03-16'), count: 2 },
    ])
  })

  it('reaches back to the creation of the link when all are asked for', async () => {
    const series = await clickSeries({ metrics: logOf().metrics }, subject, windowOf(-1))
    expect(series.map((bucket) => bucket.count)).toEqual([0, 0, 0])
  })

  it('reaches back to the first click where that is earlier', async () => {
    const series = await clickSeries({ metrics: logOf('2026-03-14T23:59:59Z').metrics }, subject, windowOf(-1))
    expect(series.map((bucket) => bucket.count)).toEqual([0, 0, 0, 0, 1])
  })

  it('counts human clicks at the address, and only within the window', async () => {
    const { metrics, asked } = logOf('2026-03-10T00:00:00Z', '2026-03-17T23:59:59Z', '2026-03-18T00:00:00Z')
    expect(await clickSummary({ metrics }, subject, windowOf(1))).toBe(1)
    expect(await clickSummary({ metrics }, subject, windowOf(-1))).toBe(3)
    expect(asked[0]).toEqual({
      scope: { addresses: ['sho.rt/3xYz12A'] },
      kinds: ['click'],
      natures: ['human'],
      from: Date.parse('2026-03-18'),
      to: Date.parse('2026-03-19'),
      by: [],
      bucket: undefined,
      size: undefined,
      measure: 'events',
    })
  })
})

function windowOf(units: number) {
  return parseWindow({ unit: 'day', units, unitReference: undefined }, now)
}

/** A log in memory that splits by UTC days only, which is all these tests ask for. */
function logOf(...times: readonly string[]): { metrics: MetricsLog; asked: MetricsQuery[] } {
  const clicks = times.map((time) => Date.parse(time))
  const asked: MetricsQuery[] = []
  const metrics: MetricsLog = {
    async count(query) {
      asked.push(query)
      const within = clicks.filter((at) => at >= (query.from ?? 0) && at < query.to)
      const starts = within.map((at) => (query.by.includes('time') ? Math.floor(at / 864e5) * 864e5 : 0))
      return [...new Set(starts)].map(
        (start): MetricsRow => ({ start, values: [], count: starts.filter((other) => other === start).length }),
      )
    },
    firstAt: async () => (clicks.length === 0 ? undefined : Math.min(...clicks)),
  }
  return { metrics, asked }
}
