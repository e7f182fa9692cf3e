import { describe, expect, it } from 'vitest'
import { isZoneName, spansWithin, zoneName } from './zone.js'
import type { Unit } from './zone-buckets.js'
import { bucketAt, bucketRule, keyAt, length, piecesWithin } from './zone-buckets.js'

const hour = 3_600_000

describe('the offsets of a zone', () => {
  it.each([
    ['Australia/Lord_Howe', '2026-01-01', '2027-01-01', ['11', '2026-04-04T15:00 10.5', '2026-10-03T15:30 11']],
    ['Pacific/Apia', '2011-06-01', '2012-03-01', ['-11', '2011-09-24T14:00 -10', '2011-12-30T10:00 14']],
    ['Asia/Kathmandu', '1985-06-01', '1986-06-01', ['5.5', '1985-12-31T18:30 5.75']],
    ['Europe/Dublin', '2026-01-01', '2027-01-01', ['0', '2026-03-29T01:00 1', '2026-10-25T01:00 0']],
    ['America/Recife', '2000-09-01', '2000-12-01', ['-3', '2000-10-08T03:00 -2', '2000-10-15T02:00 -3']],
    ['UTC', '1970-01-01', '2100-01-01', ['0']],
  ])('of %s between %s and %s are those the law gave it', (zone, from, to, expected) => {
    const written = spansWithin(zone, Date.parse(from), Date.parse(to)).map((span) => {
      const since = Number.isFinite(span.from) ? `${new Date(span.from).toISOString().slice(0, 16)} ` : ''
      return `${since}${span.offset / hour}`
    })
    expect(written).toEqual(expected)
  })

  it('change at a second where they did: Monrovia gave up 44 minutes and 30 seconds', () => {
    const spans = spansWithin('Africa/Monrovia', Date.parse('1971-12-01'), Date.parse('1972-03-01'))
    expect(spans).toEqual([
      { from: Number.NEGATIVE_INFINITY, offset: -(44 * 60 + 30) * 1000 },
      { from: Date.parse('1972-01-07T00:44:30Z'), offset: 0 },
    ])
  })

  it.each([
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Asia/Kathmandu',
    'Europe/Dublin',
    'Africa/Casablanca',
    'America/Recife',
    'America/St_Johns',
    'Antarctica/Troll',
  ])('of %s are what the calendar of the runtime says at every moment', (zone) => {
    const wall = wallClock(zone)
    const wrong: string[] = []
    // 31 hours and a bit: all hours of a day come, and every piece of an odd year is met.
    for (let at = Date.parse('1999-01-01'); at < Date.parse('2032-01-01'); at += 31 * hour + 61_000) {
      const spans = spansWithin(zone, at, at + 1)
      const offset = spans.findLast(({ from }) => from <= at)?.offset ?? Number.NaN
      if (at + offset !== wall(at)) wrong.push(new Date(at).toISOString())
    }
    expect(wrong).toEqual([])
  })

  it('are the same whichever window they are asked for in', () => {
    for (const zone of ['Africa/Casablanca', 'Australia/Lord_Howe', 'Africa/Cairo']) {
      const all = spansWithin(zone, Date.parse('1970-01-01'), Date.parse('2100-01-01'))
      for (let year = 1970; year < 2099; year += 7) {
        const [from, to] = [Date.UTC(year, 4, 3), Date.UTC(year + 1, 4, 3)]
        const inside = (list: typeof all) => list.filter((span) => span.from >= from && span.from < to)
        expect(inside(spansWithin(zone, from, to))).toEqual(inside(all))
      }
    }
  })

  it('are not known for a zone that does not exist', () => {
    expect(() => spansWithin('Europe/Nowhere', 0, 1)).toThrow('There is no time zone "Europe/Nowhere".')
  })
})

describe('the name of a zone', () => {
  it('is one, however it is spelled', () => {
    expect(['europe/berlin', 'EUROPE/BERLIN', 'Europe/Berlin'].map(zoneName)).toEqual(Array(3).fill('Europe/Berlin'))
    expect(bucketRule({ unit: 'day', zone: 'eUROPE/berlin' })).toBe(bucketRule({ unit: 'day', zone: 'Europe/Berlin' }))
  })

  it.each(['', '+02:00', '02:00', 'Europe/Nowhere', 'Europe/Berlin '])('is not %j', (name) => {
    expect(isZoneName(name)).toBe(false)
  })
})

describe('buckets', () => {
  const zones = ['Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu', 'Europe/Dublin', 'America/Recife', 'UTC']
  const units: readonly Unit[] = ['hour', 'day', 'week', 'month']

  it.each(zones)('of %s have one key from their start to their end, in pieces of any window', (zone) => {
    const wrong: string[] = []
    for (const unit of units) {
      const rule = bucketRule({ unit, zone })
      for (let at = Date.parse('1969-11-01'); at < Date.parse('2104-01-01'); at += 97 * length.day + 7 * hour) {
        const { start, end } = bucketAt(rule, at)
        const key = keyAt(rule, at)
        const isOne = start <= at && at < end && keyAt(rule, start) === key && keyAt(rule, end - 1) === key
        const isWhole = keyAt(rule, start - 1) !== key && keyAt(rule, end) !== key && rule.startOf(key) === start
        const pieces = piecesWithin(rule, at - 500 * length.day, at + 1)
        const piece = pieces.findLast(({ from }) => from <= at)
        const isPieced = piece !== undefined && keyAt({ ...rule, pieces: () => [piece] }, at) === key
        if (!isOne || !isWhole || !isPieced) wrong.push(`${unit} ${new Date(at).toISOString()}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('leave out the day that Apia skipped', () => {
    const rule = bucketRule({ unit: 'day', zone: 'Pacific/Apia' })
    const before = bucketAt(rule, Date.parse('2011-12-30T09:59:59Z'))
    const after = bucketAt(rule, Date.parse('2011-12-30T10:00:00Z'))
    expect(before.end).toBe(after.start)
    expect(new Date(rule.startOf(Date.parse('2011-12-31'))).toISOString()).toBe('2011-12-30T10:00:00.000Z')
    expect([before, after].map(({ start, end }) => (end - start) / hour)).toEqual([24, 24])
  })
})

/** The clock on the wall as if it were UTC, asked of the runtime. */
function wallClock(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`) + (((at % 1000) + 1000) % 1000)
}
