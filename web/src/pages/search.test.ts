import { describe, expect, it } from 'vitest'
import { readAnalyticsSearch } from './analytics/search.js'
import { isFiltered, readLinkSearch } from './links/search.js'
import { readCodesSearch } from './qr-codes/search.js'

const isSet = ([, value]: [string, unknown]) => value !== undefined
const set = (search: object) => Object.fromEntries(Object.entries(search).filter(isSet))

describe('the address of a page', () => {
  it('is read as filters of the links; what does not fit counts as not set', () => {
    const typed = { q: 2026, tags: 'one', creator: ['a', 7, null], archived: 'maybe', expired: 'on', from: '2026-1-1' }
    expect(set(readLinkSearch(typed))).toEqual({ q: '2026', tags: ['one'], creator: ['a', '7'], expired: 'on' })
  })

  it('sorts links by clicks, also with filters', () => {
    expect(set(readLinkSearch({ sort: 'clicks', q: 'spring' }))).toEqual({ sort: 'clicks', q: 'spring' })
    expect(set(readLinkSearch({ sort: 'age' }))).toEqual({})
    expect([isFiltered(readLinkSearch({})), isFiltered(readLinkSearch({ tags: [] }))]).toEqual([false, false])
  })

  it.each([
    [
      { from: '2026-03-01', to: '2026-03-02' },
      { from: '2026-03-01', to: '2026-03-02' },
    ],
    [{ from: '2026-03-02', to: '2026-03-01' }, {}],
    [{ from: '2026-03-01', to: '2026-03-01T10' }, {}],
    [{ from: '2026-03-01' }, {}],
    [
      { range: '7d', interval: 'hour', measure: 'scans', traffic: 'robots' },
      { range: '7d', interval: 'hour', measure: 'scans' },
    ],
    [{ country: 'is_not:DE', os: 'iOS', city: ['is:Bonn'] }, { country: 'is_not:DE' }],
  ])('%o is read as %o of the numbers', (typed, read) => {
    expect(set(readAnalyticsSearch(typed))).toEqual(read)
  })

  it('names the QR code that is open', () => {
    expect(set(readCodesSearch({ edit: 12, archived: 'off', q: '' }))).toEqual({ edit: '12' })
  })
})
