import { afterAll, expect, it, vi } from 'vitest'

// The module asks for the person's language when it is loaded.
vi.stubGlobal('navigator', { languages: ['en-US'] })
const stored = new Map<string, string>()
vi.stubGlobal('localStorage', { getItem: (key: string) => stored.get(key) ?? null })
afterAll(() => vi.unstubAllGlobals())
const { asDate, formatAge, formatCompact } = await import('./format.js')
const { preferredLanguage } = await import('../texts/texts.js')

it.each([
  [9_999, '9,999'],
  [12_400, '12.4K'],
  [1_250_000, '1.3M'],
])('%i is %s where there is little room', (value, text) => {
  expect(formatCompact(value)).toBe(text)
})

it.each([
  ['2026-03-18T12:00:00+0000', 'now'],
  ['2026-03-18T11:58:30+0000', '1 min. ago'],
  ['2026-03-17T10:00:00+0000', 'yesterday'],
  ['2026-03-15T12:00:00+0000', '3 days ago'],
  ['2026-02-10T12:00:00+0000', '1 mo. ago'],
  ['2026-04-02T12:00:00+0000', 'in 2 wk.'],
  ['2024-03-18T00:00:00+0000', '2 yr. ago'],
])('%s is %s', (date, text) => {
  expect(formatAge(date, Date.parse('2026-03-18T12:00:00Z'))).toBe(text)
})

it('reads offsets without a colon', () => {
  expect(asDate('2026-03-18T12:00:00+0530').toISOString()).toBe('2026-03-18T06:30:00.000Z')
})

it('speaks the language that was chosen, else one of the browser that it has, else English', () => {
  expect(preferredLanguage()).toBe('en')
  vi.stubGlobal('navigator', { languages: ['fr-FR', 'de-CH', 'en-US'] })
  expect(preferredLanguage()).toBe('de')
  stored.set('shortlink-language', 'en')
  expect(preferredLanguage()).toBe('en')
  stored.set('shortlink-language', 'tlh')
  vi.stubGlobal('navigator', { languages: ['fr'] })
  expect(preferredLanguage()).toBe('en')
})
