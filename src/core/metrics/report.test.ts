import { describe, expect, it } from 'vitest'
import type { EngagementKind } from '../clicks/dimensions.js'
import type { MetricsLog, MetricsQuery, MetricsRow } from '../clicks/metrics-query.js'
import { Plans } from '../limits/plans.js'
import { parseWindow } from '../values/window.js'
import { reportEngagementSeries, reportEngagements, reportSeries, reportTotal } from './report.js'
import type { ReportInput } from './report-subject.js'

const plans = new Plans({ plans: [], defaultPlan: '', onFailure: () => {} })

const now = Date.parse('2026-03-18T14:35:20Z')
const subject = { scope: { addresses: ['sho.rt/3xYz12A'] }, since: Date.parse('2026-03-16T08:00:00Z') }

describe('reports', () => {
  it('fill buckets without clicks with zeroes, newest first', async () => {
    const { metrics } = logOf('2026-03-18T01:00:00Z', '2026-03-16T09:00:00Z', '2026-03-16T10:00:00Z')
    expect(await reportSeries({ plans, metrics }, ask({ units: 3 }))).toEqual([
      { start: Date.parse('2026-03-18'), count: 1 },
      { start: Date.parse('2026-03-17'), count: 0 },
      { start: Date.parse('2026-03-16'), count: 2 },
    ])
  })

  it('reach back to the creation of the link when all are asked for', async () => {
    const series = await reportSeries({ plans, metrics: logOf().metrics }, ask())
    expect(series.map((bucket) => bucket.count)).toEqual([0, 0, 0])
  })

  it('reach back to the first click where that is earlier', async () => {
    const series = await reportSeries({ plans, metrics: logOf('2026-03-14T23:59:59Z').metrics }, ask())
    expect(series.map((bucket) => bucket.count)).toEqual([0, 0, 0, 0, 1])
  })

  it('reach back to the first click of what has no beginning of its own, and are one bucket before it', async () => {
    const group = { scope: { groupGuid: 'B1' }, since: undefined }
    const { metrics } = logOf('2026-03-17T12:00:00Z')
    expect(await reportSeries({ plans, metrics }, ask({ subject: group }))).toHaveLength(2)
    expect(await reportSeries({ plans, metrics: logOf().metrics }, ask({ subject: group }))).toHaveLength(1)
  })

  it('ask the log once for a series over everything, where it cannot be too long', async () => {
    const { metrics, asked } = logOf('2026-03-14T23:59:59Z', '2026-03-18T01:00:00Z')
    const noFirst = { ...metrics, firstAt: () => Promise.reject(new Error('asked for the first click')) }
    expect(await reportSeries({ plans, metrics: noFirst }, ask())).toHaveLength(5)
    expect(asked.map(({ from, by }) => [from, by])).toEqual([[undefined, ['time']]])
  })

  it('count what is asked for, and only within the window', async () => {
    const { metrics, asked } = logOf('2026-03-10T00:00:00Z', '2026-03-17T23:59:59Z', '2026-03-18T00:00:00Z')
    expect(await reportTotal({ plans, metrics }, ask({ units: 1 }))).toBe(1)
    expect(await reportTotal({ plans, metrics }, ask())).toBe(3)
    expect(asked[0]).toEqual({
      scope: { addresses: ['sho.rt/3xYz12A'] },
      kinds: ['click'],
      trafficClasses: ['human'],
      from: Date.parse('2026-03-18'),
      to: Date.parse('2026-03-19'),
      by: [],
      bucket: undefined,
      size: undefined,
      measure: 'events',
    })
    expect(asked[1]?.from).toBeUndefined()
  })

  it.each([
    ['human', ['human']],
    ['bots', ['bot', 'preview', 'prefetch', 'head']],
    ['all', ['human', 'bot', 'preview', 'prefetch', 'head']],
  ] as const)('count %s traffic', async (traffic, trafficClasses) => {
    const { metrics, asked } = logOf()
    await reportTotal({ plans, metrics }, ask({ traffic }))
    expect(asked[0]?.trafficClasses).toEqual(trafficClasses)
  })

  const engagements = ['2026-03-18T01:00:00Z click', '2026-03-18T02:00:00Z scan', '2026-03-17T02:00:00Z click']
  const kinds = ['click', 'scan', 'button'] as const

  it('say what engagements are made of, in all and in every bucket', async () => {
    const { metrics } = logOf(...engagements)
    const asked = ask({ kinds, units: 2 })
    expect(await reportEngagements({ plans, metrics }, asked)).toEqual({
      count: 3,
      byKind: { click: 2, scan: 1, button: 0 },
    })
    expect(await reportEngagementSeries({ plans, metrics }, asked)).toEqual([
      { start: Date.parse('2026-03-18'), count: 2, byKind: { click: 1, scan: 1, button: 0 } },
      { start: Date.parse('2026-03-17'), count: 1, byKind: { click: 1, scan: 0, button: 0 } },
    ])
  })

  it('count a visitor who clicks and scans once', async () => {
    const { metrics } = logOf(...engagements)
    const asked = ask({ kinds, units: 2, measure: 'visitors' })
    expect(await reportEngagements({ plans, metrics }, asked)).toEqual({
      count: 1,
      byKind: { click: 1, scan: 1, button: 0 },
    })
    expect((await reportEngagementSeries({ plans, metrics }, asked)).map((bucket) => bucket.count)).toEqual([1, 1])
  })
})

function ask({ units = -1, ...changes }: Partial<ReportInput> & { readonly units?: number } = {}): ReportInput {
  const window = parseWindow({ unit: 'day', units, unitReference: undefined }, now)
  return { subject, window, kinds: ['click'], traffic: 'human', measure: 'events', ...changes }
}

/** A log in memory of one visitor's engagements, which splits by UTC days and by kind: all these tests ask for. */
function logOf(...entries: readonly string[]): { metrics: MetricsLog; asked: MetricsQuery[] } {
  const clicks = entries.map((entry) => {
    const [time = '', kind = 'click'] = entry.split(' ')
    return { at: Date.parse(time), kind: kind as EngagementKind }
  })
  const asked: MetricsQuery[] = []
  const metrics: MetricsLog = {
    async count(query) {
      asked.push(query)
      const rows = new Map<string, MetricsRow>()
      for (const { at, kind } of clicks) {
        if (at < (query.from ?? 0) || at >= query.to || !query.kinds.includes(kind)) continue
        const start = query.by.includes('time') ? Math.floor(at / 864e5) * 864e5 : 0
        const values = query.by.includes('kind') ? [kind] : []
        const key = [start, ...values].join(' ')
        const before = query.measure === 'visitors' ? 0 : (rows.get(key)?.count ?? 0)
        rows.set(key, { start, values, count: before + 1 })
      }
      return [...rows.values()]
    },
    countNested: async () => [],
    countSets: async () => [],
    last: async () => [],
    firstAt: async () => (clicks.length === 0 ? undefined : Math.min(...clicks.map(({ at }) => at))),
  }
  return { metrics, asked }
}
