import { describe, expect, it } from 'vitest'
import { gather, isoDay, isoHour, notesAt, periodOf } from '../../web/src/pages/analytics/period.js'
import { momentOf, wallOf } from '../../web/src/pages/analytics/zone.js'

const at = (text: string) => new Date(text)

describe('the clock of a zone', () => {
  it.each([
    ['2026-01-15T12:00:00Z', 'Europe/Berlin', '2026-01-15T13:00:00.000Z'],
    ['2026-07-15T12:00:00Z', 'Europe/Berlin', '2026-07-15T14:00:00.000Z'],
    ['2026-07-15T23:30:00Z', 'Asia/Kolkata', '2026-07-16T05:00:00.000Z'],
    ['2026-03-01T02:00:00Z', 'America/New_York', '2026-02-28T21:00:00.000Z'],
  ])('shows at %s in %s: %s, and leads back', (moment, zone, wall) => {
    expect(wallOf(at(moment), zone)).toEqual(at(wall))
    expect(momentOf(at(wall), zone)).toEqual(at(moment))
  })

  it.each([
    ['2026-03-29T02:30:00Z', 'Europe/Berlin', '2026-03-29T03:30:00.000Z'],
    ['2026-03-08T02:00:00Z', 'America/New_York', '2026-03-08T03:00:00.000Z'],
    ['2026-09-06T00:00:00Z', 'America/Santiago', '2026-09-06T01:00:00.000Z'],
    ['2026-10-04T02:00:00Z', 'Australia/Lord_Howe', '2026-10-04T02:30:00.000Z'],
  ])('skips %s in %s: it is %s', (skipped, zone, shown) => {
    expect(wallOf(momentOf(at(skipped), zone), zone)).toEqual(at(shown))
  })

  it.each([
    ['2026-10-25T02:30:00Z', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-11-01T01:30:00Z', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ])('shows %s in %s twice: first at %s', (shown, zone, first) => {
    expect(momentOf(at(shown), zone)).toEqual(at(first))
  })
})

describe('a period', () => {
  const now = at('2026-03-18T20:30:00Z')

  it.each([
    ['Asia/Tokyo', 6, '2026-03-19'],
    ['America/New_York', 17, '2026-03-18'],
  ])('of today has the hours since midnight in %s', (zone, units, day) => {
    const { window, end } = periodOf({ range: 'today' }, zone, now)
    expect(window).toEqual({ unit: 'hour', units, zone, unit_reference: '2026-03-18T20:30:00+0000' })
    expect(isoDay(end, zone)).toBe(day)
  })

  it.each([
    ['Europe/Berlin', '2026-03-29T08:30:00Z', 10],
    ['Europe/Berlin', '2026-10-25T09:30:00Z', 12],
    // The half hour before or after the change is an hour of its own.
    ['Australia/Lord_Howe', '2026-10-03T23:15:00Z', 11],
    ['Australia/Lord_Howe', '2026-04-04T23:45:00Z', 12],
  ])('of today has the hours since midnight when the clocks change: %s at %s', (zone, moment, units) => {
    expect(periodOf({ range: 'today' }, zone, at(moment)).window.units).toBe(units)
  })

  it.each([
    ['when the clocks go forward', '2026-03-29T08:30:00Z', 10, '2026-03-28T08:30:00+0000'],
    ['the day after', '2026-03-30T08:30:00Z', 11, '2026-03-29T09:30:00+0000'],
    ['when they go back', '2026-10-25T09:30:00Z', 12, '2026-10-24T09:30:00+0000'],
    ['the day after', '2026-10-26T09:30:00Z', 11, '2026-10-25T08:30:00+0000'],
  ])('of today is compared with as many hours from midnight on: %s', (_, moment, units, unit_reference) => {
    const { before } = periodOf({ range: 'today' }, 'Europe/Berlin', at(moment))
    expect(before).toEqual({ unit: 'hour', units, zone: 'Europe/Berlin', unit_reference })
  })

  it.each([
    ['7d', 0, 7, '2026-03-30T08:30:00+0000'],
    // The clocks went forward meanwhile.
    ['7d', 2, 7, '2026-03-16T09:30:00+0000'],
    ['today', 1, 11, '2026-03-29T09:30:00+0000'],
    ['today', 2, 11, '2026-03-28T09:30:00+0000'],
    ['24h', 3, 24, '2026-03-27T08:30:00+0000'],
  ] as const)('of %s ends earlier, %i periods back', (range, back, units, unit_reference) => {
    const now = at('2026-03-30T08:30:00Z')
    expect(periodOf({ range }, 'Europe/Berlin', now, back).window).toMatchObject({ units, unit_reference })
    const { before } = periodOf({ range }, 'Europe/Berlin', now, back)
    expect(before).toEqual(periodOf({ range }, 'Europe/Berlin', now, back + 1).window)
  })

  it.each([
    ['2026-03-29', 23, 24],
    ['2026-03-30', 24, 23],
    ['2026-10-25', 25, 24],
    ['2026-10-26', 24, 25],
  ])('of one day is compared with the hours of the day before: %s', (day, hours, hoursBefore) => {
    const { chart, chartBefore } = periodOf({ from: day, to: day }, 'Europe/Berlin', now)
    expect([chart.units, chartBefore?.units]).toEqual([hours, hoursBefore])
  })

  it('has the hour that has just begun', () => {
    const { chart } = periodOf({ range: '7d', interval: 'hour' }, 'UTC', at('2026-03-18T10:00:00Z'))
    expect(chart.units).toBe(6 * 24 + 11)
  })

  it.each([
    ['yesterday', 1, '2026-03-18T14:59:59+0000'],
    ['month', 19, '2026-03-18T20:30:00+0000'],
    ['last_month', 28, '2026-02-28T14:59:59+0000'],
    ['year', 78, '2026-03-18T20:30:00+0000'],
  ] as const)('has the days of its zone: %s in Tokyo', (range, units, unit_reference) => {
    expect(periodOf({ range }, 'Asia/Tokyo', now).window).toMatchObject({ unit: 'day', units, unit_reference })
  })

  it('of one day has 23 hours when the clocks go forward', () => {
    const { start, end, chart } = periodOf({ from: '2026-03-29', to: '2026-03-29' }, 'Europe/Berlin', now)
    expect([start, end]).toEqual([at('2026-03-28T23:00:00Z'), at('2026-03-29T21:59:59Z')])
    expect([chart.unit, chart.units]).toEqual(['hour', 23])
  })

  it.each([
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00Z', '2026-09-07T02:59:59Z', 23],
    ['America/Santiago', '2026-04-04', '2026-04-04T03:00:00Z', '2026-04-05T03:59:59Z', 25],
    ['America/Nuuk', '2026-03-28', '2026-03-28T02:00:00Z', '2026-03-29T00:59:59Z', 23],
    ['Africa/Cairo', '2026-10-29', '2026-10-28T21:00:00Z', '2026-10-29T21:59:59Z', 25],
  ])(
    'of one day in %s ends where the next begins, also when the clocks change at midnight: %s',
    (zone, day, first, last, hours) => {
      const { start, end, chart } = periodOf({ from: day, to: day }, zone, now)
      expect([start, end, chart.units]).toEqual([at(first), at(last), hours])
    },
  )

  it('of several days begins at midnight, also when its last day does not', () => {
    const { start, chart } = periodOf(
      { from: '2026-08-31', to: '2026-09-06', interval: 'hour' },
      'America/Santiago',
      now,
    )
    expect([start, chart.units]).toEqual([at('2026-08-31T04:00:00Z'), 7 * 24 - 1])
  })

  it('is compared with the day before, also when that one has no last hour', () => {
    const { before } = periodOf({ from: '2026-03-29', to: '2026-03-29' }, 'America/Nuuk', now)
    expect(before?.unit_reference).toBe('2026-03-29T00:59:59+0000')
  })

  it('of chosen hours has these hours of its zone', () => {
    const { window } = periodOf({ from: '2026-03-18T09', to: '2026-03-18T11' }, 'Asia/Tokyo', now)
    expect(window).toMatchObject({ unit: 'hour', units: 3, unit_reference: '2026-03-18T02:59:59+0000' })
    expect(isoHour(at('2026-03-18T00:00:00Z'), 'Asia/Tokyo')).toBe('2026-03-18T09')
  })

  it.each([
    ['both of an hour that is shown twice', '2026-10-25T02', '2026-10-25T02', 2, '2026-10-25T01:59:59+0000'],
    ['both of it at their end', '2026-10-25T00', '2026-10-25T02', 4, '2026-10-25T01:59:59+0000'],
    ['the hour after one that is skipped', '2026-03-29T02', '2026-03-29T02', 1, '2026-03-29T01:59:59+0000'],
  ])('of chosen hours has %s', (_, from, to, units, unit_reference) => {
    expect(periodOf({ from, to }, 'Europe/Berlin', now).window).toMatchObject({ unit: 'hour', units, unit_reference })
  })

  it('is gathered to the months and weeks of its zone', () => {
    const days = ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'].map((day) => ({
      start: momentOf(at(`${day}T00:00:00Z`), 'Asia/Tokyo'),
      count: 1,
    }))
    const counts = (interval: 'week' | 'month') =>
      gather(days, undefined, interval, 'Asia/Tokyo').map(({ count }) => count)
    // The second of March is a Monday.
    expect([counts('month'), counts('week')]).toEqual([
      [2, 2],
      [3, 1],
    ])
  })

  it('has annotations at the point of their time, and leaves out those before and after', () => {
    const note = (text: string, moment: string) => ({ text, at: at(moment) })
    const annotations = [
      note('after', '2026-11-18T00:00:00Z'),
      note('late', '2026-11-17T23:59:59Z'),
      note('first', '2026-11-15T00:00:00Z'),
      note('before', '2026-11-14T23:59:59Z'),
    ]
    const days = [15, 16, 17].map((day) => ({ start: at(`2026-11-${day}T00:00:00Z`) }))
    expect(notesAt(days, at('2026-11-18T00:00:00Z'), annotations)).toEqual([['first'], [], ['late']])
  })
})
