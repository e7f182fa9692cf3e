import { describe, expect, it } from 'vitest'
import { Refusal } from './refusal.js'
import { bucketLimit, bucketsOf, endOf, parseWindow, units, type WindowInput } from './window.js'

const now = Date.parse('2026-03-18T14:35:20.123Z') // a Wednesday

describe('parseWindow', () => {
  it('defaults to all days up to now, in UTC', () => {
    const expected = { unit: 'day', units: -1, reference: now, zone: 0 }
    expect(parse({})).toEqual(expected)
    expect(parse({ unit: '', unitReference: '' })).toEqual(expected)
  })

  it.each([
    ['2026-03-18T14:35:20+0000', '2026-03-18T14:35:20Z', 0],
    ['2026-03-18T14:35:20-0430', '2026-03-18T19:05:20Z', -270],
    ['2026-03-18T14:35:20+0545', '2026-03-18T08:50:20Z', 345],
    ['2026-03-18T14:35:20+05:45', '2026-03-18T08:50:20Z', 345],
    ['2026-03-18T14:35:20 0200', '2026-03-18T12:35:20Z', 120],
    ['2026-03-18T14:35:20 02:00', '2026-03-18T12:35:20Z', 120],
    ['2026-03-18T14:35:20Z', '2026-03-18T14:35:20Z', 0],
    ['2026-03-18T14:35:20.987Z', '2026-03-18T14:35:20Z', 0],
    ['2024-02-29T00:00:00+1400', '2024-02-28T10:00:00Z', 840],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 0],
  ])('reads the timestamp %s', (unitReference, at, zone) => {
    expect(parse({ unitReference })).toMatchObject({ reference: Date.parse(at), zone })
  })

  it.each([
    'now',
    '2026-03-18',
    '2026-03-18T14:35:20',
    '2026-03-18 14:35:20+0000',
    '2026-03-18T14:35+0000',
    '2026-02-29T00:00:00+0000',
    '2026-02-30T00:00:00+0000',
    '2026-13-01T00:00:00+0000',
    '2026-00-01T00:00:00+0000',
    '2026-04-31T00:00:00+0000',
    '2026-03-18T24:00:00+0000',
    '2026-03-18T14:60:00+0000',
    '2026-03-18T14:35:60+0000',
    '2026-03-18T14:35:20+1500',
    '2026-03-18T14:35:20+0060',
    '2026-03-18T14:35:20+02',
    '2026-03-18T14:35:20+02000',
    '1969-12-31T23:59:59+0000',
    '9999-12-31T23:59:59-0100',
    '12026-03-18T14:35:20+0000',
    '1773844520',
    '2026-03-18T14:35:20Z\n',
  ])('refuses the timestamp %j', (unitReference) => {
    expect(fieldAtFault({ unitReference })).toBe('unitReference')
  })

  it.each(['year', 'Day', 'days', 'mweek', 'toString'])('refuses the unit %s', (unit) => {
    expect(fieldAtFault({ unit })).toBe('unit')
  })

  it.each([0, -2, 1.5, Number.NaN, Number.POSITIVE_INFINITY, bucketLimit + 1])('refuses %d units', (count) => {
    expect(fieldAtFault({ units: count })).toBe('units')
  })

  it.each(['Europe/Nowhere', '+02:00', '0200', 'Mars', 'Europe/Berlin\n'])('refuses the time zone %j', (zone) => {
    expect(fieldAtFault({ zone })).toBe('zone')
  })

  it('refuses a window that begins before the year 1', () => {
    expect(fieldAtFault({ unit: 'month', units: bucketLimit })).toBe('units')
    expect(parse({ unit: 'month', units: 24_000 })).toMatchObject({ units: 24_000 })
  })
})

describe('bucketsOf', () => {
  it.each([
    ['minute', ['2026-03-18T14:35:00.000Z', '2026-03-18T14:34:00.000Z', '2026-03-18T14:33:00.000Z']],
    ['hour', ['2026-03-18T14:00:00.000Z', '2026-03-18T13:00:00.000Z', '2026-03-18T12:00:00.000Z']],
    ['day', ['2026-03-18T00:00:00.000Z', '2026-03-17T00:00:00.000Z', '2026-03-16T00:00:00.000Z']],
    ['week', ['2026-03-16T00:00:00.000Z', '2026-03-09T00:00:00.000Z', '2026-03-02T00:00:00.000Z']],
    ['month', ['2026-03-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']],
  ])('counts back from the %s that holds the reference', (unit, expected) => {
    expect(startsOf({ unit, units: 3 })).toEqual(expected)
  })

  it('aligns in the offset of the reference', () => {
    const unitReference = '2026-03-18T02:00:00+0545'
    expect(startsOf({ unit: 'day', units: 2, unitReference })).toEqual([
      '2026-03-17T18:15:00.000Z',
      '2026-03-16T18:15:00.000Z',
    ])
    expect(startsOf({ unit: 'hour', units: 1, unitReference })).toEqual(['2026-03-17T20:15:00.000Z'])
    expect(startsOf({ unit: 'month', units: 2, unitReference: '2026-03-01T00:30:00+0200' })).toEqual([
      '2026-02-28T22:00:00.000Z',
      '2026-01-31T22:00:00.000Z',
    ])
  })

  it('starts weeks on Monday, also on a Sunday and on a Monday', () => {
    const monday = ['2026-03-16T00:00:00.000Z']
    expect(startsOf({ unit: 'week', units: 1, unitReference: '2026-03-22T23:59:59Z' })).toEqual(monday)
    expect(startsOf({ unit: 'week', units: 1, unitReference: '2026-03-16T00:00:00Z' })).toEqual(monday)
  })

  it('knows the length of months and leap days', () => {
    const window = parse({ unit: 'month', units: 14, unitReference: '2024-04-30T12:00:00Z' })
    const { starts, to } = bucketsOf(window, now)
    const days = starts.map((start, i) => ((starts[i - 1] ?? to) - start) / 864e5)
    expect(days).toEqual([30, 31, 29, 31, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    expect(startsOf({ unit: 'day', units: 2, unitReference: '2024-03-01T00:00:00Z' })[1]).toBe(
      '2024-02-29T00:00:00.000Z',
    )
  })

  it('aligns in a zone asked for by name, whatever the offset of the reference', () => {
    const summer = { unit: 'day', units: 3, unitReference: '2026-03-30T12:00:00Z', zone: 'Europe/Berlin' }
    expect(startsOf(summer)).toEqual([
      '2026-03-29T22:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-27T23:00:00.000Z',
    ])
    expect(startsOf({ ...summer, unit: 'month', units: 2 })).toEqual([
      '2026-02-28T23:00:00.000Z',
      '2026-01-31T23:00:00.000Z',
    ])
    expect(startsOf({ ...summer, unit: 'hour', units: 1, zone: 'Asia/Kathmandu' })).toEqual([
      '2026-03-30T11:15:00.000Z',
    ])
  })

  it.each([
    ['Europe/Berlin', '2026-03-29T12:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-05T01:00:00Z', 24.5],
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', 23],
    ['America/Sao_Paulo', '2018-02-17T12:00:00Z', 25],
    ['UTC', '2026-03-29T12:00:00Z', 24],
  ])('gives %s on %s a day of %d hours', (zone, unitReference, hours) => {
    const { from, to } = bucketsOf(parse({ units: 1, unitReference, zone }), now)
    expect((to - from) / 36e5).toBe(hours)
  })

  it('cuts windows of the future in the same way', () => {
    const { starts, from, to } = bucketsOf(
      parse({ units: 365, unitReference: '2091-01-01T00:00:00Z', zone: 'Europe/Berlin' }),
      now,
    )
    expect([starts.length, new Date(from).toISOString(), new Date(to).toISOString()]).toEqual([
      365,
      '2090-01-01T23:00:00.000Z',
      '2091-01-01T23:00:00.000Z',
    ])
  })

  it('reaches back to the earliest moment when all are asked for', () => {
    const window = parse({ unit: 'day' })
    const { starts, from, to } = bucketsOf(window, Date.parse('2026-03-15T23:59:59Z'))
    expect(starts).toHaveLength(4)
    expect(from).toBe(Date.parse('2026-03-15'))
    expect(to).toBe(Date.parse('2026-03-19'))
  })

  it('keeps the bucket of the reference when everything happened after it', () => {
    const window = parse({ unitReference: '2020-01-01T12:00:00Z' })
    expect(bucketsOf(window, now).starts).toEqual([Date.parse('2020-01-01')])
  })

  it.each([
    ['minute', '2020-01-01', undefined, 'unit', /smallest unit that fits is day;/],
    ['minute', '2026-01-01', undefined, 'unit', /smallest unit that fits is hour;/],
    ['hour', '2020-01-01', undefined, 'unit', /smallest unit that fits is day;/],
    ['day', '2020-01-01', '2900-01-01T00:00:00Z', 'unit', /smallest unit that fits is week;/],
    ['day', '2020-01-01', '9999-01-01T00:00:00Z', 'units', /Request 1 to 50000 units/],
  ])(
    'refuses all of what is too much, and names what fits: %s since %s',
    (unit, earliest, unitReference, field, message) => {
      const refused = thrownBy(() => bucketsOf(parse({ unit, unitReference }), Date.parse(earliest)))
      expect(refused).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field },
        message: expect.stringMatching(message),
      })
    },
  )

  it('gives as many as there may be, and not one more', () => {
    const window = parse({ unit: 'minute' })
    const first = Date.parse('2026-03-18T14:35:00Z') - (bucketLimit - 1) * 60_000
    expect(bucketsOf(window, first).starts).toHaveLength(bucketLimit)
    expect(() => bucketsOf(window, first - 1)).toThrow('more than 50000 units of minute')
  })

  it('tiles every window without gap or overlap', () => {
    const random = randomFrom(20_260_318)
    const broken: unknown[] = []
    for (let round = 0; round < 2000; round++) {
      const window = {
        unit: anyOf(random, units),
        units: random() < 0.2 ? -1 : 1 + Math.floor(random() * 60),
        reference: Math.floor(random() * Date.parse('2100-01-01')),
        zone: random() < 0.5 ? anyOf(random, zones) : Math.floor(random() * (28 * 4 + 1)) * 15 - 14 * 60,
      }
      const { starts, from, to } = bucketsOf(window, window.reference - Math.floor(random() * 864e5))
      const [newest = Number.NaN] = starts
      const isWhole =
        to === endOf(window) &&
        (window.units === -1 || starts.length === window.units) &&
        window.reference >= newest &&
        window.reference < to &&
        starts.at(-1) === from
      // Each bucket ends where the next newer one begins, whichever moment inside it is asked for.
      const isTiled = starts.every((start, i) => {
        const end = starts[i - 1] ?? to
        const moments = [start, start + Math.floor(random() * (end - start)), end - 1]
        return moments.every((reference) => {
          const one = bucketsOf({ ...window, units: 1, reference }, reference)
          return one.from === start && one.to === end
        })
      })
      if (!isWhole || !isTiled) broken.push(window)
    }
    expect(broken).toEqual([])
  })
})

function parse(input: Partial<WindowInput>) {
  return parseWindow({ unit: undefined, units: undefined, unitReference: undefined, ...input }, now)
}

function startsOf(input: Partial<WindowInput>): string[] {
  return bucketsOf(parse(input), now).starts.map((start) => new Date(start).toISOString())
}

function fieldAtFault(input: Partial<WindowInput>): string | undefined {
  try {
    parse(input)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'INVALID_ARGUMENT') return error.details.field
    throw error
  }
  return undefined
}

/** Half hours (Lord Howe), changes at midnight (Sao Paulo, Cairo) and just after it (St Johns), a day skipped (Apia). */
const zones = [
  ...[
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Sao_Paulo',
    'Africa/Cairo',
    'Asia/Kathmandu',
  ],
  ...['America/St_Johns', 'Pacific/Apia', 'Africa/Casablanca', 'Africa/Monrovia', 'America/Havana', 'UTC'],
]

function anyOf<T>(random: () => number, list: readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)]
  if (chosen === undefined) throw new Error('nothing to choose from')
  return chosen
}

/** A small generator with a seed (mulberry32), so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
