import { afterAll, describe, expect, it, vi } from 'vitest'

// The modules ask for the person's language when they are loaded.
vi.stubGlobal('navigator', { languages: ['en-US'] })
vi.stubGlobal('localStorage', { getItem: () => null })
afterAll(() => vi.unstubAllGlobals())
const { isScheduleRight, shownOf } = await import('./schedule.js')

const now = Date.parse('2026-06-15T12:00:00Z')
const before = '2026-06-01T00:00:00Z'
const after = '2026-07-01T00:00:00Z'
const later = '2026-08-01T00:00:00Z'

describe('a schedule', () => {
  it.each([
    [{}, { state: 'always' }],
    [{ schedule_start: before }, { state: 'always' }],
    [{ schedule_start: after }, { state: 'from', at: new Date(after) }],
    [{ schedule_end: after }, { state: 'until', at: new Date(after) }],
    [
      { schedule_start: before, schedule_end: after },
      { state: 'until', at: new Date(after) },
    ],
    [
      { schedule_start: after, schedule_end: later },
      { state: 'between', at: new Date(after), end: new Date(later) },
    ],
    [{ schedule_end: before }, { state: 'over', at: new Date(before) }],
    [{ is_active: false, schedule_end: before }, { state: 'hidden' }],
  ])('%o is said as %o', (schedule, expected) => {
    expect(shownOf({ is_active: true, ...schedule }, now)).toEqual(expected)
  })

  it('ends after it begins', () => {
    expect(isScheduleRight('', '')).toBe(true)
    expect(isScheduleRight('2026-06-01T10:00', '')).toBe(true)
    expect(isScheduleRight('2026-06-01T10:00', '2026-06-01T10:00')).toBe(false)
    expect(isScheduleRight('2026-06-01T10:00', '2026-06-01T10:01')).toBe(true)
  })
})
