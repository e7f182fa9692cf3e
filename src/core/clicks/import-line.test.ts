import { describe, expect, it } from 'vitest'
import { readLine } from './import-line.js'

const now = Date.parse('2026-11-15T12:00:00Z')
const readText = (text: string) => readLine(text, now)
const read = (line: object) => readText(JSON.stringify({ link: 'sho.rt/a', at: '2026-01-31T23:59:59Z', ...line }))

describe('a line of an import', () => {
  it('needs a link and a time', () => {
    expect(read({})).toEqual({
      link: 'sho.rt/a',
      at: Date.parse('2026-01-31T23:59:59Z'),
      kind: 'click',
      count: undefined,
      place: undefined,
      ip: '',
      userAgent: '',
      referrer: '',
    })
  })

  it('may say everything about a click', () => {
    const line = { kind: 'button', ip: '2001:db8::1', user_agent: 'Mozilla/5.0', referrer: 'https://example.com/' }
    expect(read({ ...line, country: 'de', region: 'BW', city: 'Ulm', unheard_of: [1] })).toMatchObject({
      kind: 'button',
      ip: '2001:db8::1',
      userAgent: 'Mozilla/5.0',
      referrer: 'https://example.com/',
      place: { country: 'DE', region: 'BW', subregion: '', city: 'Ulm' },
    })
    expect(read({ city: 'Ulm' })).toMatchObject({ place: { country: '', region: '', subregion: '', city: 'Ulm' } })
  })

  it('may have nulls for what it does not know', () => {
    const nulls = { kind: null, ip: null, user_agent: null, referrer: null, country: null, region: null, city: null }
    expect(read(nulls)).toEqual(read({}))
  })

  it.each([
    ['2026-01-31T23:59:59.123Z', '2026-01-31T23:59:59.123Z'],
    ['2026-01-31T23:59:59.5+0000', '2026-01-31T23:59:59.500Z'],
    ['2026-01-31T23:59:59.123456789+01:00', '2026-01-31T22:59:59.123Z'],
    ['2026-01-31T23:59:59-0530', '2026-02-01T05:29:59Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2026-02-01 08:15:00', '2026-02-01T08:15:00Z'],
    ['2026-02-01 08:15:00.5', '2026-02-01T08:15:00.500Z'],
  ])('may write its time as %s', (at, meant) => {
    expect(read({ at })).toMatchObject({ at: Date.parse(meant) })
  })

  it.each([
    ['{', 'not a JSON object'],
    ['[]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['"text"', 'not a JSON object'],
    ['{"at":"2026-01-31T23:59:59Z"}', 'link must be'],
    ['{"link":7,"at":"2026-01-31T23:59:59Z"}', 'link must be'],
    ['{"link":"sho.rt/a"}', 'at must be a time'],
  ])('is refused when it is %s', (text, reason) => {
    expect(readText(text)).toContain(reason)
  })

  it.each([
    [{ at: '2026-02-30T00:00:00Z' }, 'at must be a time'],
    [{ at: '2026-01-31' }, 'at must be a time'],
    [{ at: 1_700_000_000 }, 'at must be a time'],
    [{ at: '2026-11-15T12:00:01Z' }, 'in the future'],
    [{ kind: 'visit' }, 'kind must be'],
    [{ kind: 'toString' }, 'kind must be'],
    [{ ip: 'localhost' }, 'ip must be'],
    [{ ip: '' }, 'ip must be'],
    [{ ip: 7 }, 'ip must be'],
    [{ user_agent: {} }, 'user_agent must be'],
    [{ referrer: ['x'] }, 'referrer must be'],
    [{ country: 'Germany' }, 'country must be'],
    [{ city: 'a\u001fb' }, 'region and city'],
    [{ region: 'x'.repeat(201) }, 'region and city'],
  ])('is refused with %j', (line, reason) => {
    expect(read(line)).toContain(reason)
  })
})
