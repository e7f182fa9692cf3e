import { describe, expect, it } from 'vitest'
import { Refusal } from '../values/refusal.js'
import { parseFilter } from './filters.js'

describe('a written filter', () => {
  it.each([
    ['is:DE', 'is', ['DE']],
    ['is:DE,FR,DE', 'is', ['DE', 'FR']],
    ['is_not:Mobile', 'is_not', ['Mobile']],
    ['is:', 'is', ['']],
    ['is:DE,', 'is', ['DE', '']],
    ['is:is:x', 'is', ['is:x']],
    [String.raw`is:Washington\, D.C.,Ulm`, 'is', ['Washington, D.C.', 'Ulm']],
    [String.raw`is:a\\,b\c\\\,d`, 'is', ['a\\', String.raw`b\c\,d`]],
    ['is:two\nlines', 'is', ['two\nlines']],
  ])('reads %j', (text, operator, values) => {
    expect(parseFilter('city', text)).toEqual({ operator, values })
  })

  it.each([
    ['DE'],
    [''],
    ['isnt:DE'],
    ['IS:DE'],
    [`is:${'x'.repeat(8192)}`],
    [`is:${Array.from({ length: 101 }, (_, index) => index).join(',')}`],
  ])('refuses %j', (text) => {
    expect(() => parseFilter('city', text)).toThrow(Refusal)
  })

  it('may have a hundred values', () => {
    expect(parseFilter('city', `is:${Array.from({ length: 100 }, (_, i) => i).join(',')}`).values).toHaveLength(100)
  })
})
