import { afterAll, describe, expect, it, vi } from 'vitest'

// The modules ask for the person's language when they are loaded.
vi.stubGlobal('navigator', { languages: ['en-US'] })
vi.stubGlobal('localStorage', { getItem: () => null })
afterAll(() => vi.unstubAllGlobals())
const { filtersIn, flipFilter, readFilter, toggleValue, valueLabel, withoutFilters } = await import('./filters.js')

describe('a filter of the numbers', () => {
  it.each([
    ['is:DE,FR', { isNot: false, values: ['DE', 'FR'] }],
    ['is_not:', { isNot: true, values: [''] }],
    ['is:Washington\\, D.C.,a\\\\b', { isNot: false, values: ['Washington, D.C.', 'a\\b'] }],
  ])('%s has its values', (written, filter) => {
    expect(readFilter(written)).toEqual(filter)
  })

  it('gets values and loses them, whatever they contain', () => {
    let search = toggleValue({}, 'city', 'Washington, D.C.')
    search = toggleValue(search, 'city', 'a\\b')
    expect(readFilter(search.city)?.values).toEqual(['Washington, D.C.', 'a\\b'])
    search = toggleValue(search, 'city', 'Washington, D.C.')
    expect(search.city).toBe('is:a\\\\b')
    expect(toggleValue(search, 'city', 'a\\b').city).toBeUndefined()
  })

  it('is turned round, and only where there is one', () => {
    const search = { country: 'is:DE' } as const
    expect(flipFilter(search, 'country')).toEqual({ country: 'is_not:DE' })
    expect(flipFilter(search, 'os')).toBe(search)
  })

  it('goes with the chosen days, and the rest of the page stays', () => {
    const search = { country: 'is:DE', from: '2026-03-01', to: '2026-03-02', measure: 'clicks' } as const
    expect(filtersIn(search)).toEqual({ country: 'is:DE' })
    expect(filtersIn(withoutFilters(search))).toEqual({})
    expect(withoutFilters(search)).toMatchObject({ measure: 'clicks' })
  })

  it.each([
    ['country', 'DE', 'Germany'],
    ['country', 'not a code', 'not a code'],
    ['destination', 'https://www.example.com/a', 'example.com/a'],
    ['browser', 'direct', 'direct'],
  ] as const)('shows the %s %s as %s', (name, value, label) => {
    expect(valueLabel(name, value)).toBe(label)
  })
})
