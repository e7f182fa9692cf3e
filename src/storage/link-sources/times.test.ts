import { describe, expect, it } from 'vitest'
import { readShortUrl } from './short-url.js'
import { dayOrderOf, isoDate, readTime } from './times.js'

describe('a time of another product', () => {
  it.each([
    ['2019-03-01', '2019-03-01T00:00:00.000Z'],
    ['2019-03-01 08:15', '2019-03-01T08:15:00.000Z'],
    ['2019-03-01 08:15:30', '2019-03-01T08:15:30.000Z'],
    ['2019-03-01 08:15:30.25+00', '2019-03-01T08:15:30.250Z'],
    ['2019-03-01T08:15:30+02:00', '2019-03-01T06:15:30.000Z'],
    ['2019-03-01T08:15:30-0330', '2019-03-01T11:45:30.000Z'],
    ['2019-03-01T08:15:30.123Z', '2019-03-01T08:15:30.123Z'],
    ['2019-03-01 08:15:30 UTC', '2019-03-01T08:15:30.000Z'],
    ['1551428130', '2019-03-01T08:15:30.000Z'],
    ['1551428130123', '2019-03-01T08:15:30.123Z'],
  ])('%s', (written, iso) => {
    expect(new Date(readTime(written) ?? 0).toISOString()).toBe(iso)
  })

  it.each([
    '',
    '  ',
    undefined,
    '0000-00-00 00:00:00',
    '2019-02-30',
    '2019-02-30 10:00:00',
    '2019-13-01 10:00:00',
    '2019-01-01 24:00:00',
    'yesterday',
    '01/02/2019',
    '12',
  ])('is not %j', (written) => {
    expect(readTime(written)).toBeUndefined()
  })
})

describe('a short URL of another product', () => {
  it.each([
    ['https://Go.Example/AbC', 'go.example', 'AbC'],
    ['go.example/a', 'go.example', 'a'],
    ['http://localhost:8080/a/b/?x=1#y', 'localhost:8080', 'a/b'],
    ['https://go.example/caf%C3%A9', 'go.example', 'café'],
    ['https://go.example/100%', 'go.example', '100%'],
  ])('%s', (written, domain, backHalf) => {
    expect(readShortUrl(written)).toEqual({ domain, backHalf })
  })

  it.each(['', 'abc', 'https://go.example', 'https://go.example/', 'https://go.example/?a'])('is not %j', (written) => {
    expect(readShortUrl(written)).toBeUndefined()
  })
})

describe('the day and the month in the dates of a column', () => {
  async function* values(...all: readonly string[]): AsyncGenerator<string> {
    yield* all
  }

  it.each([
    [
      ['01.02.2024', '', '31.01.2024 23:59'],
      ['2024-02-01', '', '2024-01-31 23:59'],
    ],
    [
      ['1/2/2024', '1/31/2024'],
      ['2024-01-02', '2024-01-31'],
    ],
    [
      ['2024-01-31', '01.02.2024'],
      ['2024-01-31', '01.02.2024'],
    ],
  ])('of %j', async (written, read) => {
    const order = await dayOrderOf('date', values(...written))
    expect(written.map((text) => isoDate(text, order))).toEqual(read)
  })

  it.each([
    [
      ['01.02.2024', '03.04.2024'],
      /"date" has dates such as "01.02.2024", and none tells .* Write its dates as 2024-01-31/,
    ],
    [['31.01.2024', '01.31.2024'], /"31.01.2024" with the day first and "01.31.2024" with the month first/],
  ])('is refused for %j', async (written, reason) => {
    await expect(dayOrderOf('date', values(...written))).rejects.toThrow(reason)
  })
})
