import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Draft } from './draft.js'

// The modules ask for the person's language when they are loaded.
vi.stubGlobal('navigator', { languages: ['en-US'] })
vi.stubGlobal('localStorage', { getItem: () => null })
afterAll(() => vi.unstubAllGlobals())
const { asLocalTime, changesOf, emptyDraft, newLinkOf } = await import('./draft.js')
const { conditionOf, sentenceOf, withCondition } = await import('./routing.js')
const { plainUrl } = await import('../../parts/with-scheme.js')

const saved: Draft = { ...emptyDraft, longUrl: 'https://example.com/', title: 'Spring', tags: ['a', 'b'] }

describe('a new link', () => {
  it('has its destination alone when nothing else was filled in', () => {
    expect(newLinkOf({ ...emptyDraft, longUrl: 'example.com/a' })).toEqual({ long_url: 'https://example.com/a' })
  })

  it('has what was filled in, without spaces around it, and its expiry as an instant', () => {
    const expiresAt = asLocalTime(new Date('2026-12-24T18:00:00Z'))
    const draft = { ...emptyDraft, longUrl: 'https://example.com', title: ' Spring ', tags: ['a'], expiresAt }
    expect(
      newLinkOf({ ...draft, switches: { private: false }, rules: [{ long_url: 'example.de', country_match: ['DE'] }] }),
    ).toEqual({
      long_url: 'https://example.com',
      title: 'Spring',
      tags: ['a'],
      expiration_at: '2026-12-24T18:00:00.000Z',
      private: false,
      dynamic_routing: [{ long_url: 'https://example.de', country_match: ['DE'] }],
    })
  })
})

describe('a changed link', () => {
  it('sends nothing that is as it was, above all no destination', () => {
    expect(changesOf(saved, { ...saved, title: 'Spring ' })).toEqual({})
  })

  it.each<[string, Partial<Draft>, object]>([
    ['destination', { longUrl: 'example.com/b' }, { long_url: 'https://example.com/b' }],
    ['title that was deleted', { title: '' }, { title: '' }],
    ['order of tags', { tags: ['b', 'a'] }, { tags: ['b', 'a'] }],
    ['privacy', { switches: { private: true } }, { private: true }],
    ['rules', { rules: [{ long_url: 'example.de' }] }, { dynamic_routing: [{ long_url: 'https://example.de' }] }],
  ])('sends its %s', (_name, change, sent) => {
    expect(changesOf(saved, { ...saved, ...change })).toEqual(sent)
  })

  it('sends an empty text when it no longer expires', () => {
    expect(changesOf({ ...saved, expiresAt: '2026-12-24T18:00' }, saved)).toEqual({ expiration_at: '' })
  })
})

describe('a routing rule', () => {
  const rule = { long_url: 'https://www.example.de/', country_match: ['DE', 'AT'], os_exclude: ['ios'] }

  it('is told in plain words', () => {
    expect(sentenceOf(rule)).toBe('Visitors in Germany or Austria without iOS go to example.de')
  })

  it('has for each kind a list of those meant, or of those not meant', () => {
    expect(conditionOf(rule, 'country')).toEqual({ isExcluded: false, values: ['DE', 'AT'] })
    expect(conditionOf(rule, 'os')).toEqual({ isExcluded: true, values: ['ios'] })
    const turned = withCondition(rule, 'country', { isExcluded: true, values: ['FR'] })
    expect(turned).toEqual({ long_url: rule.long_url, os_exclude: ['ios'], country_exclude: ['FR'] })
    expect(withCondition(turned, 'country', { isExcluded: true, values: [] })).not.toHaveProperty('country_exclude')
  })

  it('shows an ellipsis while it has no destination', () => {
    expect(plainUrl('')).toBe('…')
  })
})
